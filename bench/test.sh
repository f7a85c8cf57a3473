#!/bin/sh
# The benchmark's scripts, with a clock and a profiler of our own: what they make of times and profiles that are known.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../tests/cli/lib.sh
. "$root/tests/cli/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'
: "${MEASURE:?the path of measure}"

# ---- the files and programs that the scripts use ----

# 8 warps of 12 instructions and 3 * 2 transactions for each 256 elements
cat >cases <<'EOF'
# name machine workload timed smaller larger floor
fast g80 vecadd N=1024 N=256 N=512 trans=5
one-sm g80,sm.count=1,sm.per_cluster=1 vecadd N=1024 N=256 N=512 warp=11
EOF
cat >sizes <<'EOF'
# name machine workload MiB start sizes
square g80 vecadd 2 N=1 N=1024 N=4096 N=16384
EOF
printf '<!-- bench/%s -->\nold\n<!-- /bench/%s -->\n' run run scaling scaling parts parts >document
export CASES="$PWD/cases" SIZES="$PWD/sizes" BASELINE="$PWD/baseline.csv" DOCUMENT="$PWD/document"

# A clock: START seconds, and a time that grows with a POWER of the warp instructions where there are a hundred; 2 MiB.
mkdir bin
cat >bin/clock <<'SH_'
#!/bin/sh
output=$2
shift 2
"$@" >"$output"
jq .total.warp_instructions "$output" | awk -v start="$START" -v power="$POWER" '{ printf "%.6f 2048\n", start + ($1 < 100 ? 0 : ($1 / 1e4) ^ power) }'
SH_
# A profiler: of each warp instruction 30 host instructions are the cursor's, 5 the base's, 64 the DRAM's, which the cursor calls, and 1 a
# library's; 1000 at the start.
cat >bin/valgrind <<'SH_'
#!/bin/sh
profile=${2#--callgrind-out-file=}
shift 2
"$@" >answer
cat answer
n=$(jq .total.warp_instructions answer)
cat >"$profile" <<EOF
events: Ir

fl=(1) ../src/trace/cursor.c
fn=(1) step
10 $((30 * n))
fi=(2) ../src/base/bits.h
11 $((5 * n))
fe=(1)
+12 1000
cfi=(3) ../src/mem/dram.c
cfn=(2) tick
calls=2 40
* $((64 * n))

fl=(3)
fn=(2)
40 $((64 * n))

ob=(2) /lib/libc.so.6
fl=(4) ???
fn=(3) memset
0 $n

summary: $((100 * n + 1000))
EOF
SH_
chmod +x bin/clock bin/valgrind

# bench SCRIPT ARGUMENT...: as run of lib.sh does for the program
bench()
{
    script=$1
    shift
    code=0
    PATH=$PWD/bin:$PATH MEASURE=$PWD/bin/clock "$root/bench/$script" "$@" >out 2>err </dev/null || code=$?
}

# ---- run ----

# 32 warps of 12 instructions in 0.0384 s: 0.01 million a second; 2 transactions for each load or store, 192
export START=0 POWER=1
bench run fast
point 'rates, host instructions and a floor that is not reached' "$(
    want_exit 0
    want_match out '^case +Mwarp-insn/s'
    want_match out '^fast +0\.01 +0\.01 .* 2048 +100\.0 +200\.0 +≥ 5 trans, below$'
    want_lines err 0
    want_match out 'baseline.csv is not there'
    ! grep -q one-sm out || reason 'want the named case alone'
)"

bench run --update
point '--update stores every case, and the table in the document' "$(
    want_exit 0
    want_match baseline.csv '^one-sm,0\.01,0\.01,[0-9.]+,2048,100\.0,200\.0$'
    # shellcheck disable=SC2016 # backquotes of Markdown
    want_match document '^\| `one-sm` \| 0\.01 \| 0\.01 \| [0-9.]+ \| 2048 \| 100\.0 \| 200\.0 \| ≥ 11 warp, below \|$'
    [ "$(grep -c old document)" = 2 ] || reason 'want the other tables untouched'
)"

bench run --check
point '--check is content with what --update stored' "$(want_exit 0)"
sed 's/^fast,\(.*\),2048,100.0,/fast,\1,2048,97.0,/; s/^one-sm,\(.*\),2048,100.0,/one-sm,\1,1800,97.1,/' baseline.csv >changed
mv changed baseline.csv
bench run --check
point '--check: 3 % of host instructions, 10 % of memory' "$(
    want_exit 1
    want_match out '^regression: fast: host instructions for a warp instruction 100\.0, \+3\.1 % on the baseline 97\.0$'
    want_match out '^regression: one-sm: peak KiB 2048, \+13\.8 % on the baseline 1800$'
    [ "$(grep -c '^regression' out)" = 2 ] || reason 'want two regressions'
)"

bench run --no-callgrind fast
point '--no-callgrind' "$(want_exit 0; want_match out '2048 +- +- +≥ 5')"
bench run none
point 'a case that there is not' "$(want_exit 2; want_text err 'no such case: none')"
bench run --fast
point 'an option that there is not' "$(want_exit 2; want_match err '^bench/run \[')"

# ---- scaling ----

export START=0.5 POWER=2
bench scaling --runs 1 --update --check
point 'the exponent is that of the work, without the start; --check' "$(
    want_exit 1
    want_match out '^square +500\.0 +384 to 6144 +384[01] to 61440 +2\.000 +2\.0 +2 outside$'
    # shellcheck disable=SC2016 # backquotes of Markdown
    want_match document '^\| `square` \| 500\.0 \| 384 to 6144 \| 384[01] to 61440 \| 2\.000 \| 2\.0 \| 2 \| outside \|$'
)"
POWER=1.04
bench scaling --runs 1 --check square
point 'an exponent within the limits' "$(want_exit 0; want_match out '1\.040 +2\.0 +2 within$')"
sed 's/ 2 N=1 / 1 N=1 /' sizes >changed
mv changed sizes
bench scaling --runs 1
point 'memory above the limit; without --check no failure' "$(want_exit 0; want_match out '1\.040 +2\.0 +1 outside$')"

# ---- parts ----

# 0.1 ms for each warp instruction, as the clock has it, shared out by host instructions
export START=0 POWER=1
bench parts --update fast one-sm
point 'each part has what its files cost, without what the start costs' "$(
    want_exit 0
    # shellcheck disable=SC2016 # backquotes of Markdown
    want_match out '^\| part \| `fast` \| ns \| `one-sm` \| ns \|$'
    want_match out '^\| cursor \| 30\.0 \| 30000\.0 \| 30\.0 \| 30000\.0 \|$'
    want_match out '^\| base: bits, queues \| 5\.0 \| 5000\.0 '
    want_match out '^\| DRAM \| 64\.0 \| 64000\.0 '
    want_match out '^\| libraries \| 1\.0 \| 1000\.0 '
    want_match out '^\| engine \| 0\.0 '
    want_match out '^\| all \| 100\.0 \| 100000\.0 '
    want_match document '^\| DRAM \| 64\.0 '
)"

# ---- the tables of the tree ----

# The parameters must fit the workload, the overrides the machine.
grep -hv '^#' "$root/bench/cases" "$root/bench/sizes" >tables
awk '{ for (i = 4; i <= NF; i++) if ($i ~ /^[A-Za-z]+=/ && $i !~ /^(warp|trans)=/) print $3, $i }' tables | sort -u |
    while read -r workload parameters; do
        # shellcheck disable=SC2046 # one word for each parameter
        "$G80SIM" trace check "$root/workloads/$workload.trace" $(echo "$parameters" | sed 's/^/-p /; s/,/ -p /g') 2>&1 || :
    done >said
awk '{ print $2 }' tables | sort -u | while read -r machine; do
    # shellcheck disable=SC2046 # one word for each override
    "$G80SIM" config check "$root/configs/${machine%%,*}.ini" $(echo "$machine" | sed 's/^[^,]*//; s/,/ -s /g') 2>&1 || :
done >>said
grep -vE ': good|^note: ' said >out || :
code=0
point 'every case and size is one that runs' "$(want_empty out)"

if command -v shellcheck >/dev/null; then
    code=0
    (cd "$root/bench" && shellcheck -x run scaling parts lib.sh test.sh test-measure.sh) >out 2>err || code=$?
    point 'shellcheck' "$(want_exit 0)"
fi
finish
