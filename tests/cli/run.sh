#!/bin/sh
# A simulation from outside: the report, the results in JSON and CSV, exit statuses, and that the same input gives the same bytes.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# Columns are counted in bytes here.
export LC_ALL=C

# quick WORKLOAD ARGUMENT...: a run that takes no time
quick()
{
    name=$1
    shift
    run "$CONFIG" "$TRACES/$name.trace" "$@"
}

# ---- the report ----

quick matmul -p N=64
point 'the report is about one screen of 80 columns' "$(
    want_exit 0
    want_empty err
    [ "$(wc -l <out)" -le 50 ] || reason 'want at most 50 lines'
    # the first lines name files, whose names may be long
    awk 'NR > 2 && length > 80 { print "line " NR " is longer than 80 columns" }' out
)"
point 'the report names the kernel, its parameters, what took the cycles and what bounds it' "$(
    want_match out '^matmul_tiled: '
    want_match out 'N=64 T=16'
    want_match out '^Time +[0-9,]+ cycles'
    want_match out '^Occupancy .*24 of 24 warps, 3 blocks \(limit: registers\)'
    want_match out '^DRAM .* of 86\.4 GB/s'
    want_match out '^  issued '
    want_match out 'mad r0, r3, Bs'
    want_match out '^Bound by '
)"
point 'no line of the report ends in a blank' "$(! grep -n ' $' out || reason 'want none')"

for charset in C C.UTF-8; do
    code=0
    LC_ALL=$charset "$G80SIM" "$CONFIG" "$TRACES/matmul.trace" -p N=64 >out 2>err || code=$?
    case $charset in
    C) point 'bars are ASCII in the C locale' "$(want_exit 0; want_match out ' #+$'; ! LC_ALL=C grep -q '[^ -~]' out || reason 'want ASCII only')" ;;
    *) point 'bars are blocks in UTF-8' "$(want_exit 0; want_match out '█')" ;;
    esac
done

quick reduction-3 -p N=65536
point 'several launches: a row for each, then their total' "$(
    want_exit 0
    awk 'NR > 2 && length > 80 { print "line " NR " is longer than 80 columns" }' out
    want_match out '2 launches'
    want_match out '^ +1  reduction_3 '
    want_match out '^ +2  reduction_3 '
    want_match out '^All launches together'
)"

cat >many.trace <<'TRACE'
g80trace 1
kernel k
  grid  1
  block 32
  regs  1
  mov r0
end
for i = 1 to 40
  launch k
end
TRACE
run "$CONFIG" many.trace --json many.json --csv many.csv
point 'many launches: twelve rows and the number of the others' "$(
    want_exit 0
    want_match out '^ +12  k '
    ! grep -qE '^ +13  k ' out || reason 'want no 13th row'
    want_match out 'and 28 more'
    want_match out '^Bound by launch overhead'
)"
point 'many launches: all of them in the files' "$(want_json many.json '.kernels | length' 40; want_json many.json '.total.launches' 40; want_lines many.csv 42)"

# A row of 32 words lies in 8 lines of 16 bytes x 2 rows, a patch of 8 x 4 in 4.
quick texture-2d -p walk=0 -p W=256 -p H=64
point 'textures: lines, and the caches that were used' "$(
    want_exit 0
    want_match out '^Textures +512 requests, 4,096 lines, 8\.0 each$'
    want_match out '^Caches +accesses +hits +merged +fetched +written$'
    want_match out '^  texture +4,096 +[0-9.]+ % +[0-9.]+ % +[0-9.]+ kB +0 B$'
    want_match out '^  L2 '
    ! grep -qE '^(Constants|Local memory|  constant|  L1|TLB)' out || reason 'want nothing of what is not used'
)"
quick texture-2d -p walk=2 -p W=256 -p H=64
point 'textures: a patch touches half as many lines' "$(want_match out '^Textures +512 requests, 2,048 lines, 4\.0 each$')"
quick constant-diverge -p rows=8 -p blocks=2 -p laps=1
point 'constants: passes, and three levels' "$(
    want_exit 0
    want_match out '^Constants +128 requests, 4,096 passes, 32\.0 each$'
    want_match out '^  constant L1 +4,096 '
    want_match out '^  constant L2 '
    want_match out '^  constant L3 '
)"
quick local-spill -p N=1024
point 'local memory: a row of the table, and no cache on cc 1.x' "$(
    want_exit 0
    want_match out '^Local memory +1,024 '
    ! grep -q '^Caches' out || reason 'want no caches'
)"
run "$ROOT/configs/gf100.ini" "$TRACES/histogram.trace" -p N=8192
point 'atomics, L1 and L2 where there are any' "$(
    want_exit 0
    want_match out '^  atomics +256 '
    want_match out '^  L1 +256 '
    want_match out '^  L2 '
    awk 'NR > 2 && length > 80 { print "line " NR " is longer than 80 columns" }' out
)"

quick vecadd -p N=4096 -s dram.banks=4 -s dram.t_rcd=13
point 'the report shows the overrides' "$(want_exit 0; want_match out '-s dram\.banks=4 -s dram\.t_rcd=13')"

cp "$TRACES/vecadd.trace" in.trace
run "$CONFIG" - -p N=4096
code=0
"$G80SIM" "$CONFIG" - -p N=4096 --json stdin.json >out 2>err <in.trace || code=$?
point '- reads the trace from standard input' "$(want_exit 0; want_json stdin.json '.kernels[0].name' '"vecadd"'; want_json stdin.json .trace.file '"<stdin>"')"

code=0
"$G80SIM" /dev/stdin in.trace -p N=4096 --json pipe.json >out 2>err <"$CONFIG" || code=$?
point 'a configuration may come from a pipe, with its checksum' "$(
    want_exit 0
    want_json pipe.json .config.sha256 "\"$(sha256sum "$CONFIG" | cut -d ' ' -f 1)\""
)"

# ---- JSON ----

quick transpose-padded -p N=64 --json result.json -s dram.banks=4
point 'JSON: what was run' "$(
    want_exit 0
    want_json result.json .schema 1
    want_json result.json .config.file "\"$CONFIG\""
    want_json result.json .config.sha256 "\"$(sha256sum "$CONFIG" | cut -d ' ' -f 1)\""
    want_json result.json .config.overrides '["dram.banks=4"]'
    want_json result.json .trace.sha256 "\"$(sha256sum "$TRACES/transpose-padded.trace" | cut -d ' ' -f 1)\""
    want_json result.json .trace.params.N 64
    want_json result.json .version "\"$("$G80SIM" --version | cut -d ' ' -f 2)\""
)"
# shellcheck disable=SC2016 # the dollars are jq's
point 'JSON: members in the order of the design' "$(
    want_json result.json 'keys_unsorted' '["schema", "version", "config", "trace", "kernels", "total", "runs", "runs_cold", "runs_minimum_cycles", "runs_mean_cycles"]'
    want_json result.json '.kernels[0] | keys_unsorted | [.[] | select(. as $k | ["name", "grid", "block", "cycles", "time_us",
        "warp_instructions", "thread_instructions", "ipc", "occupancy", "registers", "shared", "global", "constant", "texture", "local",
        "l1", "l2", "dram", "divergence", "stalls", "lines"] | index([$k]))]' '["name", "grid", "block", "cycles", "time_us",
        "warp_instructions", "thread_instructions", "ipc", "occupancy", "registers", "shared", "global", "constant", "texture", "local",
        "l1", "l2", "dram", "divergence", "stalls", "lines"]'
)"
point 'JSON: every group of the design has its members' "$(
    for group in \
        'occupancy:["blocks_per_sm","warps_per_sm","max_warps_per_sm","theoretical","achieved","limiter"]' \
        'registers:["reads","writes","bank_conflict_cycles"]' \
        'shared:["requests","passes","conflict_passes","broadcasts","bytes","replay_cycles"]' \
        'global.load:["requests","transactions","bytes_moved","bytes_used","bytes_requested","efficiency"]' \
        'global.store:["requests","transactions","bytes_moved","bytes_used","bytes_requested","efficiency"]' \
        'dram:["reads","writes","bytes","row_hits","row_misses","bandwidth_gbs","utilization","partitions"]' \
        'divergence:["branches","divergent_branches","simd_efficiency","max_stack_depth"]' \
        'stalls:["issued","no_warp","dispatch","alu","memory","barrier","bank_conflict","memory_pipe","unit","cache","operand","branch"]' \
        'lines[0]:["line","text","issued","port_cycles","transactions","conflict_passes","stall_cycles"]'; do
        want_json result.json "(${group#*:} - (.kernels[0].${group%%:*} | keys))" '[]'
    done
)"
point 'JSON: what the machine does not have is null' "$(
    want_json result.json '.kernels[0] | [.global.atomic, .l1]' '[null, null]'
    want_json result.json '.kernels[0] | [.constant.requests, .texture.cache.accesses, .local.requests, .l2.accesses]' '[0, 0, 0, 0]'
)"
point 'JSON: stalls add up to cycles x schedulers x SMs' "$(
    want_json result.json '.kernels[0] | (.stalls | add) == .cycles * 16' true
)"
point 'JSON: partitions add up to the DRAM' "$(
    want_json result.json '.kernels[0].dram | ([.partitions[].reads] | add) == .reads and (.partitions | length) == 6' true
)"
point 'JSON: the lines account for every instruction, with their text' "$(
    want_json result.json '.kernels[0] | ([.lines[].issued] | add) == .warp_instructions' true
    want_json result.json '.kernels[0] | ([.lines[].port_cycles] | add) == .stalls.issued' true
    want_json result.json '[.kernels[0].lines[].text | select(test("^st +odata"))] | length' 1
)"
point 'JSON: the total of one kernel is that kernel' "$(
    want_json result.json '(.total | del(.name, .grid, .block)) == (.kernels[0] | del(.name, .grid, .block))' true
)"

point 'JSON: a value without a denominator is null' "$(
    quick pointer-chase -p count=1 --json result.json
    want_json result.json '.kernels[0].effective_gbs' null
)"

# Of the two kernels only the first says its steps: the total has 8 of them, in its 8 * 24 cycles and those of its start and end,
# and none of the cycles of the other.
cat >steps.trace <<'TRACE'
g80trace 1
kernel chain
  grid  1
  block 32
  regs  1
  steps 8
  repeat 8
    add r0, r0
  end
end
kernel free
  grid  1
  block 32
  regs  1
  repeat 100
    add r0, r0
  end
end
launch chain
launch free
TRACE
run "$CONFIG" steps.trace --json result.json
point 'JSON: cycles of a step, of the kernels that state steps' "$(
    want_exit 0
    want_json result.json '.kernels[0] | .cycles_per_step == .cycles/8' true
    want_json result.json '.kernels[1].cycles_per_step' null
    want_json result.json '.total.cycles_per_step == .kernels[0].cycles_per_step' true
    want_match out '^Latency +[0-9.]+ cycles for each of 8 steps that wait for each other$'
)"
run "$CONFIG" steps.trace --csv rows.csv --quiet
point 'CSV: a kernel without steps has an empty field' "$(
    want_exit 0
    column=$(sed -n '1s/,cycles_per_step,.*//p' rows.csv | tr -cd , | wc -c)
    [ "$(cut -d , -f $((column + 2)) rows.csv | tr '\n' ' ' | sed 's/[0-9][0-9.]*/N/g')" = 'cycles_per_step N  N ' ] ||
        reason "want the column cycles_per_step of the two kernels and the total: N, nothing, N"
)"
rm -f rows.csv

# Of 3*32 adds that are counted one kernel says that they are 1000 operations, and one that they are none.
cat >flops.trace <<'TRACE'
g80trace 1
param say = 0
kernel counted
  grid  1
  block 32
  regs  1
  repeat 3
    add r0, r0
  end
end
kernel stated
  grid  1
  block 32
  regs  1
  flops say
  repeat 3
    add r0, r0
  end
end
launch counted
launch stated with say=1000
launch stated
TRACE
run "$CONFIG" flops.trace --json result.json
point 'JSON: operations that the trace states, or those counted' "$(
    want_exit 0
    want_json result.json '[.kernels[].flops] + [.total.flops]' '[96, 1000, 0, 1096]'
    want_json result.json '.kernels[1] | (.gflops - 1/.time_us | fabs) < 1e-6' true
)"

# Two passes over 4*16384 bytes: the second one has no bytes of its own, and its time is in the total.
quick reduction-3 -p N=16384 --json result.json
point 'JSON: effective_gbs of a kernel that states 0 bytes' "$(
    want_json result.json '.kernels[0].effective_gbs > 0' true
    want_json result.json '.kernels[1].effective_gbs' null
    want_json result.json '.total | (.effective_gbs - 65.536/.time_us | fabs) < 1e-6' true
)"

quick reduction-1 -p N=65536 --json result.json
point 'JSON: counters of the total are sums, maxima are maxima' "$(
    want_exit 0
    want_json result.json '.total.cycles == ([.kernels[].cycles] | add)' true
    want_json result.json '.total.global.load.requests == ([.kernels[].global.load.requests] | add)' true
    want_json result.json '.total.divergence.max_stack_depth == ([.kernels[].divergence.max_stack_depth] | max)' true
    want_json result.json '[.total.lines[].issued] | add' "$(json result.json .total.warp_instructions)"
)"

"$G80SIM" stats --json stats.json >/dev/null
# shellcheck disable=SC2016 # the dollars are jq's
point 'every value in JSON is documented by the command stats' "$(
    jq -r --slurpfile doc stats.json '
        ($doc[0] | map(.path)) as $known
        | .kernels[0] | del(.lines, .dram.partitions) | [paths(type != "object")]
        | map(map(tostring) | map(select(test("^[0-9]+$") | not)) | join(".")) | unique | . - $known | .[]
        | select(. as $group | any($known[]; startswith($group + ".")) | not)' result.json # a group that is null is known by its members
)"

# ---- the same input gives the same bytes ----

quick reduction-3 -p N=65536 --json a.json
cp out a.txt
quick reduction-3 -p N=65536 --json b.json
point 'the same command twice gives the same bytes' "$(want_exit 0; cmp a.json b.json 2>&1; cmp a.txt out 2>&1)"

for workload in 'matmul -p N=64' 'reduction-3 -p N=65536' 'copy-stride -p N=4096 -p stride=16' 'divergence -p blocks=3'; do
    # shellcheck disable=SC2086 # words
    quick $workload --json whole.json
    look=$("$G80SIM" "$CONFIG" "$TRACES/vecadd.trace" --window 1000000000 2>&1 | sed -n 's/.*want 1\.\.\([0-9]*\) .*/\1/p')
    for window in 1 2 7 "$look"; do
        # shellcheck disable=SC2086
        quick $workload --json window.json --window "$window"
        point "$workload: windows of $window cycles give the same bytes" "$(want_exit 0; cmp whole.json window.json 2>&1)"
    done
done

quick vecadd -p N=4096 --json a.json
quick vecadd -p N=4096 --json b.json -j 4
point '-j changes nothing' "$(want_exit 0; cmp a.json b.json 2>&1)"

# ---- the command line ----

for bad in '-j 0' '-j 257' '-j two' '--window 0' '--window -3' '--window 1000000' '--json - --csv -' '--json same --csv same' '-p N' '-s dram.banks'; do
    # shellcheck disable=SC2086
    quick vecadd -p B=128 $bad
    point "refused: $bad" "$(want_exit 2; want_empty out; want_lines err 1; want_absent same)"
done
quick vecadd extra
point 'refused: a third operand' "$(want_exit 2; want_lines err 1; want_match err extra)"
run "$CONFIG"
point 'refused: no trace' "$(want_exit 2; want_lines err 1; want_match err 'TRACE')"
run rnu "$CONFIG" "$TRACES/vecadd.trace"
point 'unknown command: the nearest name is offered' "$(want_exit 2; want_lines err 1; want_match err 'rnu.*"run"')"
run confg show "$CONFIG"
point 'unknown command of two words: the nearest name is offered' "$(want_exit 2; want_lines err 1; want_match err 'confg.*"config show"')"
run trace
point 'half a command: the others are named' "$(want_exit 2; want_lines err 1; want_match err 'trace check.*trace stats')"
run run "$CONFIG" "$TRACES/vecadd.trace" -p N=256
point 'the command run may be written out' "$(want_exit 0; want_match out '^vecadd: ')"
run -p N=256 "$CONFIG" -- "$TRACES/vecadd.trace"
point 'options may come first, and -- ends them' "$(want_exit 0; want_match out '^vecadd: ')"

run --version
point '--version' "$(want_exit 0; want_match out '^g80sim [0-9]+\.[0-9]+\.[0-9]+$')"
run --help
point '--help: every command, the exit statuses' "$(
    want_exit 0
    want_empty err
    for command in run 'trace check' 'trace stats' 'config check' 'config show' 'config keys' stats list; do want_match out "^  $command +[A-Z]"; done
    want_match out 'Exit status'
)"
for command in run 'trace check' 'trace stats' 'config check' 'config show' 'config keys' stats list; do
    # shellcheck disable=SC2086
    run $command --help
    point "$command --help" "$(
        want_exit 0
        want_empty err
        want_match out "^Usage: g80sim $command "
        want_match out '--help'
        awk 'length > 100 { print "a line of " length " columns" }' out
    )"
done

# ---- list ----

run list --json list.json
point 'list: the shipped files, each with what it is about' "$(
    want_exit 0
    want_match out 'matmul\.trace$'
    want_json list.json '[.workloads[] | select(.file | endswith("/matmul.trace"))] | length' 1
    want_json list.json '[.configs[], .workloads[] | select(.about == "")]' '[]'
)"
mkdir -p data/configs data/workloads
printf '# Mine.\n[sm]\n' >data/configs/mine.ini
code=0
G80SIM_DATADIR=data "$G80SIM" list >out 2>err || code=$?
point 'list: G80SIM_DATADIR comes first' "$(want_exit 0; want_match out 'data/configs/mine\.ini'; want_match out 'Mine\.'; ! grep -q matmul out || reason 'want no others')"
code=0
G80SIM_DATADIR=nowhere "$G80SIM" list >out 2>err || code=$?
point 'list: nothing there' "$(want_exit 2; want_lines err 1; want_match err 'nowhere.*G80SIM_DATADIR')"

# ---- stats ----

run stats
point 'stats: counters with unit, meaning and profiler name, stall reasons included' "$(
    want_exit 0
    want_match out '^global\.load: '
    want_match out '^  transactions +\[transaction\] '
    want_match out 'profilers: gld_request'
    want_match out '^  bank_conflict +\[scheduler cycle\] '
)"

finish
