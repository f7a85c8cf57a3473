#!/bin/sh
# Repeated runs, warm and cold; what a cache does to them; the locality of each level.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

LAB=$ROOT/configs/lab-cache.ini
REUSE=$TRACES/l2-reuse.trace
# All start effects but those of caches and TLB off: clocks in step, no refresh, rows closed.
STILL='-s dram.khz=1350000 -s icnt.khz=1350000 -s dram.t_refi=0 -s dram.page=closed'

# ---- warm ----

run "$LAB" "$REUSE" -p passes=1 --json once.json --quiet
run "$LAB" "$REUSE" -p passes=1 --repeat 3 --json -
mv out warm.json
: >out
point '--repeat 3: three runs, the first cold, the others warm' "$(
    want_exit 0
    want_json warm.json '[.runs[].run]' '[1, 2, 3]'
    want_json warm.json '[.runs[].cold]' '[true, false, false]'
    want_json warm.json '[.runs[].time_us * 1350 + 0.5 | floor]' "$(jq -c '[.runs[].cycles]' warm.json)"
    want_json warm.json .runs_cold null
)"
point 'kernels and total are those of the first run' "$(
    want_json warm.json .kernels "$(jq -c .kernels once.json)"
    want_json warm.json .total "$(jq -c .total once.json)"
    want_json warm.json '.runs[0].cycles' .total.cycles
)"
point 'without --repeat there is one run' "$(
    want_json once.json '.runs | length' 1
    want_json once.json '[.runs_minimum_cycles, .runs_mean_cycles]' '[.total.cycles, .total.cycles]'
)"
point 'minimum and rounded mean' "$(
    want_json warm.json .runs_minimum_cycles '[.runs[].cycles] | min'
    want_json warm.json .runs_mean_cycles '([.runs[].cycles] | add) / 3 + 0.5 | floor'
)"
point 'a warm second run is faster' "$(want_json warm.json '.runs[1].cycles < .runs[0].cycles * 0.9' true)"

run "$LAB" "$REUSE" -p passes=1 --repeat 3
point 'the report: one line' "$(
    want_exit 0
    want_match out '^Runs +3: first \(cold\) [0-9,]+; minimum [0-9,]+; mean [0-9,]+ cycles$'
    [ "$(grep -c ^Runs out)" = 1 ] || reason 'want one line'
)"
run "$LAB" "$REUSE" -p passes=1
point 'the report without --repeat: no such line' "$(! grep ^Runs out)"

# ---- cold ----

for how in flush realloc; do
    run "$LAB" "$REUSE" -p passes=1 --repeat 3 --cold "$how" --json cold.json
    point "--cold $how: no later run is faster by more than 1 %, nor slower by more than 8 %, of start effects" "$(
        want_exit 0
        want_match out "^Runs +3, all cold \\($how\\): first [0-9,]+; minimum"
        want_json cold.json '[.runs[].cold]' '[true, true, true]'
        want_json cold.json .runs_cold "\"$how\""
        want_json cold.json '[.runs[].cycles] | min > 0.99 * .[0] and max < 1.08 * .[0]' true
    )"
    # l2.write: a line that was written is not in the way of those that come after it
    # shellcheck disable=SC2086 # several options
    run "$LAB" "$REUSE" -p passes=1 --repeat 5 --cold "$how" $STILL -s l2.write=through --json cold.json --quiet
    point "--cold $how: without start effects, all runs equal to the cycle" "$(
        want_exit 0
        want_json cold.json '[.runs[].cycles] | unique | length' 1
    )"
done
# shellcheck disable=SC2086
run "$LAB" "$REUSE" -p passes=1 --repeat 5 --cold flush $STILL --json cold.json --quiet
point '--cold flush: with write-back as well' "$(
    want_json cold.json '[.runs[].cycles] | unique | length' 1
    want_json cold.json '[.runs[].dirty_bytes]' '[32768, 32768, 32768, 32768, 32768]' # 32 blocks of 256 words of output
)"
run "$LAB" "$REUSE" -p passes=1 --repeat 2 --cold realloc --json cold.json --quiet
point '--cold realloc: what the first run left dirty is still there' "$(want_json cold.json '[.runs[].dirty_bytes]' '[32768, 65536]')"

# beyond_data NAME CONFIG TRACE PARAM...: another space than global memory, whose second run is faster when warm, and no other when cold
beyond_data()
{
    name=$1
    config=$2
    trace=$3
    shift 3
    for how in '' '--cold flush' '--cold realloc'; do
        # shellcheck disable=SC2086
        run "$config" "$trace" "$@" --repeat 2 $how $STILL --json beyond.json --quiet
        want='>'
        [ -z "$how" ] || want='=='
        point "$name: --repeat 2 $how: the first run $want the second" "$(want_exit 0; want_json beyond.json ".runs[0].cycles $want .runs[1].cycles" true)"
    done
}
beyond_data constants "$LAB" "$TRACES/pointer-chase-constant.trace"
beyond_data textures "$CONFIG" "$TRACES/texture-2d.trace" -p W=64 -p H=64

for how in '' '--cold flush' '--cold realloc'; do
    # shellcheck disable=SC2086
    run "$LAB" "$TRACES/matmul-recursive.trace" -p N=64 --repeat 3 $how --json a.json --quiet
    # shellcheck disable=SC2086
    run "$LAB" "$TRACES/matmul-recursive.trace" -p N=64 --repeat 3 $how --window 1 --json b.json --quiet
    point "any window gives the same: --repeat 3 $how" "$(want_exit 0; cmp a.json b.json 2>&1)"
done

# ---- several kernels, standard input, CSV ----

code=0
"$G80SIM" "$LAB" - -p N=64 --repeat 2 --json - <"$TRACES/matmul-recursive.trace" >stdin.json 2>err || code=$?
point 'a trace of two launches from standard input' "$(
    want_exit 0
    want_json stdin.json '.kernels | length' 2
    want_json stdin.json '.runs[0].cycles' '[.kernels[].cycles] | add'
    want_json stdin.json '.runs | length' 2
)"

run "$LAB" "$TRACES/matmul-recursive.trace" -p N=64 --csv once.csv --quiet
run "$LAB" "$TRACES/matmul-recursive.trace" -p N=64 --repeat 3 --csv runs.csv --json runs.json --quiet
# column FILE NAME: its cells
column()
{
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1" | tr '\n' ' '
}
point 'CSV: the rows of each run, with its number in a last column' "$(
    want_exit 0
    want_lines runs.csv 10
    [ "$(head -n 1 runs.csv)" = "$(head -n 1 once.csv),run" ] || reason 'want one more column, run'
    [ "$(column runs.csv run)" = '1 1 1 2 2 2 3 3 3 ' ] || reason "run: $(column runs.csv run)"
    [ "$(column runs.csv index)" = "0 1  0 1  0 1  " ] || reason "name: $(column runs.csv name)"
    [ "$(sed -n '2,4s/,1$//p' runs.csv)" = "$(sed 1d once.csv)" ] || reason 'want the first run to be that of once.csv'
    [ "$(column runs.csv cycles | awk '{ print $3, $6, $9 }')" = "$(jq -r '[.runs[].cycles] | join(" ")' runs.json)" ] ||
        reason 'want the totals to be the cycles of the runs'
)"
run "$LAB" "$TRACES/matmul-recursive.trace" -p N=64 --repeat 3 --csv once.csv --quiet
point 'CSV: not into a file without the column' "$(want_exit 2; want_lines once.csv 4)"

# ---- mistakes ----

# refused NAME REGEX ARGUMENT...
refused()
{
    name=$1
    regex=$2
    shift 2
    run "$LAB" "$REUSE" --json refused.json "$@"
    point "$name" "$(want_exit 2; want_empty out; want_lines err 1; want_match err "$regex"; want_absent refused.json)"
}
for n in 0 -1 1001 99999999999999999999 2x '' ' 2' 1.5; do
    refused "--repeat '$n'" '--repeat .*: want 1\.\.1000 runs' --repeat "$n"
done
refused '--cold without --repeat' '--cold flush: want --repeat N with it' --cold flush
refused '--cold, misspelt' '--cold flsh: want flush or realloc: did you mean flush\?' --repeat 2 --cold flsh
refused '--cold, misspelt otherwise' 'did you mean realloc\?' --repeat 2 --cold reallocate
refused '--cold, something else' '--cold x: want flush or realloc' --repeat 2 --cold x
refused '--repeat twice' 'given twice' --repeat 2 --repeat 3
# 8 TiB of array lie 2^43 bytes apart in each of 6 partitions: one step is more than the 2^45 bytes below local memory
cat >vast.trace <<'TRACE'
g80trace 1
global A[1 << 41] : f32
kernel k
  grid  1
  block 32
  regs  1
  ld r0, A[tid.x]
end
TRACE
run "$LAB" vast.trace --repeat 2 --cold realloc
point '--cold realloc: no room for the arrays' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'want at most 1 runs?$')"
run "$LAB" vast.trace --repeat 2 --cold flush
point '--cold flush wants no room' "$(want_exit 0; want_empty err)"

env --default-signal=INT "$G80SIM" "$LAB" "$REUSE" --repeat 1000 --json killed.json --csv killed.csv >out 2>err &
pid=$!
sleep 1
kill -INT "$pid"
code=0
wait "$pid" || code=$?
point 'SIGINT between the runs: nothing is left' "$([ "$code" -gt 128 ] || reason 'want death by signal'; want_empty out; want_absent killed.json; want_absent killed.csv)"

# ---- a smaller cache (the course's question: which algorithm minds?) ----

# The rule b = sqrt(Z/3) for Z words of cache: 6 slices of 168K are 258,048 words, b = 293: 256 is the block for them. A quarter of that
# wants 146. The order of the recursion names no size. Both read 2*N*N*N/16 words.
# matmul NAME L2 PARAM...
matmul()
{
    file=$1-$2.json
    trace=$TRACES/matmul-$1.trace
    l2=$2
    shift 2
    run "$LAB" "$trace" -p N=256 "$@" -s "l2.bytes=$l2" --json "$file" --quiet
}
for l2 in 168K 42K; do
    matmul blocked "$l2" -p B1=16 -p R=1 -p B2=256
    matmul recursive "$l2" -p parts=1
done
jq -n '[inputs.total.l2 | .misses / .accesses]' blocked-168K.json blocked-42K.json recursive-168K.json recursive-42K.json >rates.json
point 'a quarter of the L2: the miss rate of matmul-blocked grows more than that of matmul-recursive' "$(
    want_json rates.json '[.[] * 1000 | floor]' '[97, 291, 82, 199]'
    want_json rates.json '.[1] / .[0] > .[3] / .[2] and .[1] - .[0] > .[3] - .[2]' true
)"
point 'dirty lines that are evicted reach the DRAM' "$(
    want_json blocked-168K.json '[.total.l2.writebacks, .total.dram.written_bytes]' '[0, 0]'
    want_json blocked-42K.json '.total.l2 | .writebacks > 0 and .writebacks <= .evictions' true
    want_json blocked-42K.json '.total.dram.written_bytes == .total.l2.written_bytes and .total.dram.written_bytes > 0' true
    want_json blocked-42K.json '.total.dram.written_bytes + .runs[0].dirty_bytes >= 256*256*4' true
)"

# ---- locality ----

# Operands of arithmetic: 3 of registers and 1 of shared memory for the mad, 3 for the add: 7 of 32 lanes, 224. Words of registers: 1 for
# each ld and st besides, 9 of 32 lanes with the 6 of the arithmetic: 288. Of shared memory: written and read by each lane, 64.
# Global: 32 words are read and 32 written.
cat >seven.trace <<'TRACE'
g80trace 1
global A[32] : f32
kernel k
  grid  1
  block 32
  regs  2
  shared S[32] : f32
  ld r0, A[tid.x]
  st S[tid.x], r0
  bar
  mad r1, r0, S[tid.x], r0
  add r1, r1, r0
  st A[tid.x], r1
end
launch k
launch k
TRACE
# locality CONFIG: in the kernel and in the total, with one decimal place
locality()
{
    run "$1" seven.trace --json seven.json --quiet
    want_json seven.json '.total.locality.accesses' 448
    want_json seven.json '.kernels[0].locality | [.[]] | map(if . then . * 10 | floor else . end)' "$2"
    want_json seven.json '.total.locality | [.[]] | map(if . then . * 10 | floor else . end)' "$3"
}
point 'locality on a machine without caches of global memory' "$(locality "$CONFIG" '[2240, 7, 35, null, null, 35]' '[4480, 7, 35, null, null, 35]')"
# In the L2 what is written stays; the second launch finds all of it there.
point 'locality where all is cached' "$(locality "$LAB" '[2240, 7, 35, 35, 35, 70]' '[4480, 7, 35, 35, 35, 140]')"
run "$LAB" seven.trace --detail
point '--detail shows it' "$(want_match out '^Operands for each word +448 operands of arithmetic$'; want_match out '^  DRAM +14\.00$'; want_match out '^  registers +0\.78$')"

finish
