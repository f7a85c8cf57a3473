#!/bin/sh
# Where results go: files written whole, rows appended under a lock, standard output, and nothing left behind.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

TRACE=$TRACES/vecadd.trace

# quick ARGUMENT...: a run that takes no time
quick()
{
    run "$CONFIG" "$TRACE" -p N=4096 "$@"
}

# Names of what is in the current directory, hidden files included.
listing()
{
    find . -mindepth 1 -maxdepth 1 ! -name out ! -name err | LC_ALL=C sort
}

want_listing()
{
    here=$(listing | tr '\n' ' ')
    [ "$here" = "$1 " ] || reason "want here: $1; not: $here"
}

# ---- JSON ----

quick --json a.json
point '--json FILE: the file and the report' "$(want_exit 0; want_match out '^vecadd: '; want_json a.json .schema 1; want_listing './a.json')"
quick --json -
point '--json -: in place of the report' "$(want_exit 0; want_empty err; cmp out a.json 2>&1; want_listing './a.json')"
quick --json b.json --quiet
point '--quiet: the file alone' "$(want_exit 0; want_empty out; want_empty err; cmp a.json b.json 2>&1)"
quick --quiet
point '--quiet without files: nothing' "$(want_exit 0; want_empty out; want_empty err)"
rm -f b.json

echo old >old.json
chmod 640 old.json
quick --json old.json
point 'an existing file is replaced and keeps its mode' "$(want_exit 0; cmp old.json a.json 2>&1; [ "$(stat -c %a old.json)" = 640 ] || reason 'want mode 640')"
rm old.json

mkdir real
echo old >real/target.json
ln -s real/target.json link.json
quick --json link.json
point 'a link is followed' "$(want_exit 0; [ -L link.json ] || reason 'want the link'; cmp real/target.json a.json 2>&1; find real -name '.*' -type f)"
rm -r real link.json

quick --json /dev/null
point 'a device stays what it is' "$(want_exit 0; [ -c /dev/null ] || reason 'want a device')"
mkfifo pipe
cat pipe >piped.json &
quick --json pipe --quiet
wait
point 'a pipe is written to' "$(want_exit 0; [ -p pipe ] || reason 'want the pipe'; cmp piped.json a.json 2>&1)"
rm pipe piped.json

# ---- CSV ----

quick --csv a.csv
point '--csv: a header, a row for the kernel, one for the total' "$(
    want_exit 0
    want_lines a.csv 3
    want_match a.csv '^trace,config,params,overrides,index,name,grid,block,occupancy\.limiter,roofline\.bound,cycles,time_us,'
    want_match a.csv ',N=4096 B=256,,0,vecadd,16x1x1,256x1x1,'
    want_match a.csv ',,total,,,'
)"
quick --csv -
point '--csv -: in place of the report' "$(want_exit 0; cmp out a.csv 2>&1)"
point 'every row has as many cells as the header' "$(awk -F , 'NR == 1 { n = NF } NF != n { print "row " NR " has " NF " cells, not " n }' a.csv)"
point 'CSV holds every counter of JSON' "$(
    jq -r '.kernels[0] | del(.name, .grid, .block, .lines, .closed_form, .dram.partitions) | [paths(type == "number" or type == "string")]
        | map(map(tostring) | join(".")) | .[]' a.json | while read -r path; do
        head -n 1 a.csv | tr , '\n' | grep -qxF "$path" || reason "want a column $path"
    done
)"
point 'a column holds the value of JSON' "$(
    for path in cycles time_us dram.bandwidth_gbs global.load.transactions stalls.memory; do
        column=$(head -n 1 a.csv | tr , '\n' | grep -nxF "$path" | cut -d : -f 1)
        want_json a.json ".kernels[0].$path" "$(sed -n 2p a.csv | cut -d , -f "$column")"
    done
)"
quick --csv a.csv --quiet
point '--csv appends, without a second header' "$(want_exit 0; want_lines a.csv 5; [ "$(grep -c '^trace,' a.csv)" -eq 1 ] || reason 'want one header')"

: >empty.csv
quick --csv empty.csv --quiet
point '--csv: an empty file gets the header' "$(want_exit 0; want_lines empty.csv 3)"
rm empty.csv

echo 'my notes' >notes.csv
quick --csv notes.csv --json notes.json
point '--csv: a file of something else is left alone' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'notes\.csv: .*header'; want_text notes.csv 'my notes'; want_absent notes.json)"
rm notes.csv

run "$CONFIG" "$TRACE" -p N=4096 -s dram.banks=4 -s dram.t_rcd=13 --csv 'b,c.csv' --quiet
cp "$TRACE" 'a,b "c".trace'
run "$CONFIG" 'a,b "c".trace' -p N=4096 --csv 'b,c.csv' --quiet
point 'CSV: overrides in one cell; commas and quotes are quoted' "$(want_exit 0; want_match b,c.csv ',dram\.banks=4 dram\.t_rcd=13,0,vecadd,'; want_match b,c.csv '^"a,b ""c""\.trace",')"
rm 'b,c.csv' 'a,b "c".trace'

for i in 1 2 3 4; do
    { "$G80SIM" "$CONFIG" "$TRACE" -p N=$((i * 4096)) --csv parallel.csv --quiet || echo "$i" >failed; } 2>>err &
done
wait
code=0
point '--csv from four processes at once: one header, every row whole' "$(
    want_absent failed
    want_lines parallel.csv 9
    [ "$(head -n 1 parallel.csv)" = "$(head -n 1 a.csv)" ] || reason 'want the header first'
    awk -F , 'NR == 1 { n = NF } NF != n { print "row " NR " has " NF " cells, not " n }' parallel.csv
    for i in 1 2 3 4; do
        [ "$(grep -c ",N=$((i * 4096)) B=256," parallel.csv)" -eq 2 ] || reason "want two rows of N=$((i * 4096))"
    done
)"
rm parallel.csv

# ---- nothing is written when anything fails ----

cp a.csv before.csv
quick --json no/such/folder.json --csv a.csv
point 'an unwritable --json: told before the run, nothing appended to --csv' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'no/such/folder\.json: No such file'; cmp a.csv before.csv 2>&1)"
quick --json new.json --csv no/such/folder.csv
point 'an unwritable --csv: told before the run, no --json' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'no/such/folder\.csv: No such file'; want_absent new.json)"
quick --csv .
point 'an unwritable --csv: a directory' "$(want_exit 2; want_lines err 1; want_match err '[Ii]s a directory')"

cat >late.trace <<'TRACE'
g80trace 1
global A[32] : f32
kernel k
  grid  64
  block 32
  regs  1
  let i = hash(ctaid.x) % (ctaid.x == 63 ? 1 << 40 : 32)
  ld r0, A[i]
end
TRACE
run "$CONFIG" late.trace --json new.json --csv a.csv
point 'a fault during the run: no file, no row, no report' "$(want_exit 3; want_empty out; want_lines err 1; want_absent new.json; cmp a.csv before.csv 2>&1)"
point 'no temporary file is left' "$(want_listing './a.csv ./a.json ./before.csv ./late.trace')"

# interrupt SIGNAL: a long run that is ended by it while it simulates. Whoever started the tests may have ignored it.
interrupt()
{
    env --default-signal="$1" "$G80SIM" "$CONFIG" "$TRACES/matmul.trace" -p N=2048 --json new.json --csv a.csv >out 2>err &
    pid=$!
    sleep 1
    kill "-$1" "$pid"
    code=0
    wait "$pid" || code=$?
    point "SIG$1 during the run: nothing is left" "$(
        [ "$code" -gt 128 ] || reason 'want death by signal'
        want_empty out
        want_absent new.json
        cmp a.csv before.csv 2>&1
        want_listing './a.csv ./a.json ./before.csv ./late.trace'
    )"
}
interrupt TERM
interrupt HUP

if [ -c /dev/full ]; then
    code=0
    "$G80SIM" "$CONFIG" "$TRACE" -p N=4096 >/dev/full 2>err || code=$?
    : >out
    point 'no space on standard output: told' "$(want_exit 2; want_lines err 1; want_match err 'standard output: No space')"
    code=0
    "$G80SIM" stats >/dev/full 2>err || code=$?
    point 'no space on standard output, another command: told' "$(want_exit 2; want_lines err 1)"
    code=0
    "$G80SIM" --help >/dev/full 2>err || code=$?
    point 'no space on standard output, help: told' "$(want_exit 2; want_lines err 1)"
fi

# want_quiet_end: the exit status is that of a program whose reader has gone
want_quiet_end()
{
    [ "$code" -eq 0 ] || [ "$code" -eq 141 ] || reason 'want exit status 0, or that of a closed pipe'
    want_empty err
}

for command in stats list --help 'config keys'; do
    (
        sleep 0.2
        code=0
        # shellcheck disable=SC2086 # words
        "$G80SIM" $command 2>err || code=$?
        echo "$code" >status
    ) | :
    code=$(cat status)
    : >out
    point "a closed pipe ends quietly: $command" "$(want_quiet_end)"
done
(
    trap '' PIPE
    sleep 0.2
    code=0
    "$G80SIM" "$CONFIG" "$TRACE" -p N=4096 --json piped.json 2>err || code=$?
    echo "$code" >status
) | :
code=$(cat status)
: >out
point 'a closed pipe ends quietly where its signal is ignored, with the file written' "$(want_quiet_end; want_json piped.json .schema 1)"


# ---- what can fail comes before the first file changes ----

rm -rf ./*
if [ -c /dev/full ]; then
    quick --json a.json --csv /dev/full
    point 'a device that is full: no --json' "$(want_exit 2; want_empty out; want_lines err 1; want_match err '/dev/full: No space'; want_absent a.json)"
    for option in --json --csv; do
        code=0
        "$G80SIM" "$CONFIG" "$TRACE" -p N=4096 "$option" a.file >/dev/full 2>err || code=$?
        : >out
        point "standard output that is full: no $option" "$(want_exit 2; want_lines err 1; want_match err 'standard output: No space'; want_absent a.file)"
    done
fi
code=0
"$G80SIM" "$CONFIG" "$TRACE" -p N=4096 --json a.json >&- 2>err || code=$?
: >out
point 'closed standard output: told' "$(want_exit 2; want_lines err 1; want_match err 'standard output: '; want_absent a.json)"
code=0
"$G80SIM" list >&- 2>err || code=$?
point 'closed standard output, another command: told' "$(want_exit 2; want_lines err 1; want_match err 'standard output: ')"
code=0
"$G80SIM" "$CONFIG" "$TRACE" -p N=4096 --quiet --json a.json >&- 2>err || code=$?
point 'closed standard output, nothing to print: the file' "$(want_exit 0; want_empty err; want_json a.json .schema 1)"
rm a.json

# interrupted NAME PID: it ends by SIGTERM although it waits for a reader
interrupted()
{
    sleep 0.5
    kill -TERM "$2" 2>>err
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        kill -0 "$2" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "$2" 2>/dev/null || :
    code=0
    wait "$2" || code=$?
    point "$1" "$(want_exit 143; want_absent a.csv; find . -name '.*.??????')"
}
mkfifo pipe
: >out
: >err
"$G80SIM" "$CONFIG" "$TRACE" -p N=4096 --quiet --json pipe --csv a.csv 2>err &
interrupted 'SIGTERM while no one opens the pipe' $!
cat "$TRACES"/*.trace "$TRACES"/*.trace | head -c 70000 >long.txt
exec 3<>pipe
head -c 65536 long.txt >&3 # the pipe is full
"$G80SIM" "$CONFIG" "$TRACE" -p N=4096 --json - --csv a.csv >&3 2>err 3>&- &
interrupted 'SIGTERM while no one reads standard output' $!
exec 3>&-
rm pipe long.txt

# ---- one file, two names ----

# refused_pair NAME REGEX ARGUMENT...
refused_pair()
{
    name=$1
    regex=$2
    shift 2
    quick "$@"
    point "$name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "$regex")"
}
refused_pair 'two spellings of one file' 'dd and \./dd: the same file' --json dd --csv ./dd
ln -s dd link
refused_pair 'a file and a link to where it will be' 'dd and link: the same file' --json dd --csv link
point 'neither is made' "$(want_listing './link')"
rm link
quick --csv a.csv --quiet
ln a.csv hard.csv
cp a.csv before.csv
refused_pair 'two names of one file' 'the same file' --json hard.csv --csv a.csv
code=0
# shellcheck disable=SC2094 # it is refused
"$G80SIM" "$CONFIG" "$TRACE" -p N=4096 --csv a.csv >>a.csv 2>err || code=$?
: >out
point 'standard output is the file' "$(want_exit 2; want_lines err 1; want_match err 'standard output: the same file'; cmp a.csv before.csv 2>&1)"
rm hard.csv
quick --json /dev/null --csv /dev/./null
point 'a device may be named twice' "$(want_exit 0; want_empty err)"

cp "$TRACE" my.trace
cp "$CONFIG" my.ini
for target in ./my.trace ./my.ini; do
    for option in --json --csv; do
        run my.ini my.trace -p N=4096 "$option" "$target"
        point "$option names a file that is read: $target" "$(want_exit 2; want_empty out; want_lines err 1; cmp my.trace "$TRACE" 2>&1; cmp my.ini "$CONFIG" 2>&1)"
    done
done
code=0
# shellcheck disable=SC2094 # it is refused
"$G80SIM" my.ini - -p N=4096 --json my.trace <my.trace >out 2>err || code=$?
point '--json names the trace on standard input' "$(want_exit 2; want_empty out; want_lines err 1; cmp my.trace "$TRACE" 2>&1)"
for command in 'config check my.ini' 'config show my.ini' 'config keys my.ini' 'banks my.ini --address 4*laneid' 'occupancy my.ini --regs 10'; do
    # shellcheck disable=SC2086 # words
    run $command --json my.ini
    point "--json names the configuration: $command" "$(want_exit 2; want_empty out; want_lines err 1; cmp my.ini "$CONFIG" 2>&1)"
done
for command in 'trace check' 'trace stats'; do
    # shellcheck disable=SC2086 # words
    run $command my.trace -p N=4096 --json my.trace
    point "--json names the trace: $command" "$(want_exit 2; want_empty out; want_lines err 1; cmp my.trace "$TRACE" 2>&1)"
done
rm my.trace my.ini

# ---- rows after a line without an end; options given twice; links to nothing ----

printf %s "$(cat before.csv)" >open.csv
quick --csv open.csv --quiet
point '--csv: a last line without an end is ended first' "$(
    want_exit 0
    want_lines open.csv 5
    awk -F , 'NR == 1 { n = NF } NF != n { print "row " NR " has " NF " cells, not " n }' open.csv
)"
refused_pair '--json given twice' 'json: given twice' --json a.json --json b.json
refused_pair 'a switch with a value' 'detail=no: a switch takes no value' --detail=no
refused_pair '--csv given twice' 'csv: given twice' --csv a.csv --csv a.csv
run stats --json a.json --json=b.json
point '--json given twice, another command' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'given twice'; want_absent a.json; want_absent b.json)"

mkdir real
for option in --json --csv; do
    ln -s real/new link
    quick "$option" link --quiet
    point "$option: a link to a file that is yet to be" "$(want_exit 0; [ -L link ] || reason 'want the link'; [ -s real/new ] || reason 'want real/new')"
    rm link real/new
done
ln -s loop loop
refused_pair 'a link to itself' 'loop: ' --json loop

# ---- list ----

run list --json list.json
point 'list: descriptions end with a sentence' "$(want_exit 0; want_json list.json '[.configs[], .workloads[] | select(.about | test("[.!?]$") | not)]' '[]')"

finish
