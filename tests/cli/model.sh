#!/bin/sh
# model: closed forms, alone and beside a run. Their equations have their tests in tests/unit/test-mwp-cwp.c, -tiling.c, -blocked.c, -stream.c.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# model MACHINE TRACE [ARGUMENT...]
model()
{
    machine=$ROOT/configs/$1.ini trace=$2
    shift 2
    run model mwp-cwp "$machine" "$trace" "$@" --json result.json
}

# want_input FILTER VALUE: of the first launch, to nine digits
want_input()
{
    want_json result.json "(.launches[0].input.$1 - ($2) | fabs) < 1e-6" true
}

# ---- the worked example (sources D9) ----

# 38428.1875 and 12300 for the barriers. The paper has 1 GHz and 80 GB/s, the board 1.35 GHz and 76.8 GB/s: 28.5 warps could wait together by
# the bandwidth there, 20.3 here, and 2.28 do by their departures: neither binds, and the cycles are the same.
model fx5600 "$TRACES/mwp-cwp-example.trace"
point 'the worked example of the paper' "$(
    want_exit 0
    want_empty err
    want_json result.json '.launches[0].case' '"memory"'
    want_json result.json '.launches[0].result | [.cycles, .barrier_cycles]' '[50728.1875, 12300]'
    want_json result.json '.launches[0].result | .mwp_bandwidth > 20 and .mwp == 2.28125' true
    want_json result.json .cycles 50728.1875
    want_match out '^mwp_cwp_example: 50728 cycles \(the time is that of memory'
    want_match out '^  mwp +2\.28125  warp '
)"
model fx5600 "$TRACES/mwp-cwp-example.trace" -s sm.khz=1000000
point 'its clock does not bind' "$(want_exit 0; want_json result.json .cycles 50728.1875)"
model fx5600 "$TRACES/mwp-cwp-example.trace" -s dram.khz=50000
point 'a sixteenth of the bandwidth does' "$(want_exit 0; want_json result.json '.cycles > 60000' true)"

# ---- counts ----

# Two warps. In both: loads of words in order, of words shifted by one, of bytes, of 16-byte elements; a store of a 16-byte local element,
# which is four accesses. In the first: a store of one lane; in the second it has no lane and only issues. The atomic, shared memory and the
# barrier are no accesses.
cat >mixed.trace <<'TRACE'
g80trace 1
param n = 1
global A[128] : f32
global B[64] : u8
global C[64] : f32x4
kernel mixed
  grid  n
  block 64
  regs  9
  shared S[64] : f32
  local L[2] : f32x4
  ld r0, A[tid.x]
  ld r1, A[tid.x + 1]
  ld r2, B[tid.x]
  ld r4, C[tid.x]
  st L[0], r4
  @tid.x == 0 st A[0], r0
  atom A[tid.x], r0
  st S[tid.x], r0
  bar
end
launch mixed
launch mixed with n=3
TRACE

# Half-warps: in order 2 transactions, shifted 32 single ones, bytes 32, 16-byte elements 2 for each half-warp, one lane 1.
model g92 mixed.trace
point 'counts of a warp, cc 1.1' "$(
    want_exit 0
    want_input coalesced_accesses 6.5                          # 1 + 1 + 4 + 1/2
    want_input uncoalesced_accesses 2
    want_input transactions 32
    want_input bytes '(128 + 128 + 32 + 512 + 512 + 2) / 8.5'  # one lane of two warps stores 4 bytes
    want_input barriers 1
    want_input warps_per_block 2
    want_input sms 1
    want_input blocks_per_sm 1
    want_json result.json '.launches[1].input | [.sms, .blocks_per_sm, .coalesced_accesses]' '[3, 1, 6.5]'
    want_json result.json '(.cycles - (.launches | map(.result.cycles) | add) | fabs) < 1e-6' true
    want_match out '^All 2 launches: [0-9]+ cycles$'
)"
g92=$(json result.json '.launches[0].input.compute_instructions')
# Shifted: 64 bytes in one segment, and 64 across a boundary: 3 transactions for 2. Bytes in order are coalesced.
model gt200 mixed.trace
point 'counts of a warp, cc 1.3' "$(want_exit 0; want_input coalesced_accesses 7.5; want_input uncoalesced_accesses 1; want_input transactions 3)"
# Lines of 128 bytes: 2 for 1. A warp is looked at as a whole.
model gf100 mixed.trace
point 'counts of a warp, cc 2.0' "$(want_exit 0; want_input coalesced_accesses 7.5; want_input uncoalesced_accesses 1; want_input transactions 2)"
# Sectors of 32 bytes: 5 for 4.
model gv100 mixed.trace
point 'counts of a warp, sectors' "$(want_exit 0; want_input coalesced_accesses 7.5; want_input uncoalesced_accesses 1; want_input transactions 5)"
# The store that has no lane in the second warp, the atomic and the store to shared memory; what computes the predicate is the trace's own.
point 'what is no access is computation' "$([ "$g92" = 2.5 ] || reason "want 2.5, not $g92")"

# ---- the machine's own numbers ----

# A load of the G80: 496 cycles (see tests/unit/test-timing-memory.c). Two half-warps, two cycles each. 32 bytes of 86.4 GB/s, when 16 SMs share
# them: 32 * 16 / 86.4 = 5.93 ns, 8 cycles.
model g80 "$TRACES/vecadd.trace" -p N=65536
point 'numbers of the configuration' "$(want_exit 0; want_input mem_latency 420; want_input departure_coalesced 4; want_input departure_uncoalesced 10)"
model g80 "$TRACES/vecadd.trace" -p N=65536 -s mwp-cwp.mem_latency=0 -s mwp-cwp.departure_coalesced=0 -s mwp-cwp.departure_uncoalesced=0
point 'numbers of the machine, where these are 0' "$(want_exit 0; want_input mem_latency 496; want_input departure_coalesced 4; want_input departure_uncoalesced 8)"
# 16 lanes, two schedulers: an instruction a cycle. One line of 128 bytes, two cycles.
model gf100 "$TRACES/vecadd.trace" -p N=65536
point 'schedulers issue side by side' "$(want_exit 0; want_input issue_cycles 1; want_input departure_coalesced 2)"
for machine in "$ROOT"/configs/*.ini; do
    model "$(basename "$machine" .ini)" "$TRACES/vecadd.trace" -p N=65536
    point "vecadd on $(basename "$machine" .ini)" "$(want_exit 0; want_json result.json '.cycles > 0' true; want_json result.json '.launches[0].input.mem_latency | . > 250 and . < 1200' true)"
done

# ---- tiling (exercises 4.1 and 4.3) ----

run model tiling --n 2048 --tile 16 --json result.json
point 'tiling: the exercise' "$(
    want_exit 0
    want_empty err
    want_json result.json '[.reads_naive, .reads_tiled, .reduction]' '[17179869184, 1073741824, 16]'
    want_json result.json '[.bytes_naive, .bytes_tiled, .tile_bytes, .block_bytes]' '[68719476736, 4294967296, 1024, 2048]'
    want_match out '^Naive +2 n\^3 = 2 x 2,048\^3 = 17,179,869,184 reads'
    want_match out '^Tiled +2 n\^3 / T = 2 n\^2 x n/T = 2 x 2,048\^2 x 128 = 1,073,741,824 reads'
    want_match out '^Reduction +16: '
)"
run model tiling --n 1000000 --tile 3 --json result.json
point 'tiling: integers are exact' "$(want_exit 0; want_match result.json '"reads_naive": 2000000000000000000,$'; want_match result.json '"reads_tiled": 666668000000000000,$')"

# reads KERNEL N T: the bytes that loads of the simulated kernel ask for
reads()
{
    run "$CONFIG" "$TRACES/$1.trace" -p N="$2" -p T="$3" --json run.json --quiet
    run model tiling --n "$2" --tile "$3" --json result.json
}
# The store of C is not among them. 2 * 256^3 * 4 bytes, and a sixteenth.
reads matmul-naive 256 16
point 'tiling: the simulator reads as much, naive' "$(
    want_json result.json .bytes_naive 134217728
    want_json run.json .total.global.load.bytes_requested "$(json result.json .bytes_naive)"
    want_json run.json .total.global.store.bytes_requested '256 * 256 * 4'
)"
for tile in 16 8; do
    reads matmul 256 $tile
    point "tiling: the simulator reads as much, in tiles of $tile" "$(
        want_json result.json .bytes_tiled "134217728 / $tile"
        want_json run.json .total.global.load.bytes_requested "$(json result.json .bytes_tiled)"
    )"
done

# ---- blocked (the course notes) ----

# 12 KB are 3,072 words = 3 * 32^2. 1024^2 + 2 * 1024^3/32 = 1,048,576 + 67,108,864.
run model blocked --n 1024 --cache 12K --block 32 --json result.json
point 'blocked: accesses and misses' "$(
    want_exit 0
    want_empty err
    want_json result.json '.levels[0] | [.accesses, .misses, .block, .best_block, .ideal_block, .ideal_misses]' '[6442450944, 68157440, 32, 32, 32, 68157440]'
    want_match out '^Accesses +6 n\^3 = 6 x 1,024\^3 = 6,442,450,944$'
    want_match out '\(b\^2 \+ 2 b n\) \(n/b\)\^2 = \(32\^2 \+ 2 x 32 x 1,024\) x 32\^2'
)"
run model blocked --n 1024 --cache 12K --line 64 --block 32 --json result.json
point 'blocked: a line of 16 words' "$(want_exit 0; want_json result.json '.levels[0].misses * 16' 68157440; want_match out 'words / 16 of a line: 4,259,840')"
run model blocked --n 1024 --cache 12K --block 33 --json result.json
point 'blocked: a block that does not fit' "$(want_exit 0; want_json result.json '.levels[0].fits' false; want_match out 'do not fit')"
# Twice: 3 * 128^2 * 4 bytes are 192 KB. 1024^2 + 2 * 1024^3/128 = 17,825,792.
run model blocked --n 1024 --cache 12K --line 64 --block 32 --cache2 192K --line2 128 --block2 128 --json result.json
point 'blocked: levels are chained' "$(
    want_exit 0
    want_json result.json '.levels[1].accesses == .levels[0].misses' true
    want_json result.json '.levels[1].misses' '17825792 / 32'
    want_match out '4,259,840: the misses of cache 1'
)"
run model blocked --n 100000 --cache 12 --cache2 1024K --line2 16K --json result.json
point 'blocked: integers are exact' "$(want_exit 0; want_match result.json '"accesses": 6000000000000000,')"

# ---- stream (exercise 5.3) ----

run model stream --threads 1048576 --bytes-per-thread 4 --gbs 500 --json result.json
point 'stream: the exercise' "$(
    want_exit 0
    want_empty err
    want_json result.json '[.bytes, .floor_us, .transactions_per_access, .bytes_moved, .estimate_us]' '[4194304, 8.388608, 32, 134217728, 268.435456]'
    want_match out '^Floor +4,194,304 B / 500 GB/s = 8\.389 us'
    want_match out '^Estimate +134,217,728 B / 500 GB/s = 268\.4 us$'
)"
run model stream --threads 1048576 --bytes-per-thread 4 --gbs 500 --stride 4 --json result.json
point 'stream: words side by side' "$(want_exit 0; want_json result.json '[.transactions_per_access, .estimate_us == .floor_us]' '[1, true]')"
# The same by a machine: 500 GB/s and its own transactions.
run model stream "$ROOT/configs/exercise.ini" --threads 1048576 --bytes-per-thread 4 --json result.json
point 'stream: a machine' "$(want_exit 0; want_json result.json '[.floor_us, .estimate_us]' '[8.388608, 268.435456]')"
# On cc 1.0 words that lie apart are 32 bytes each: 8 for 1.
run model stream "$CONFIG" --threads 1048576 --bytes-per-thread 4 --json result.json
point 'stream: by the rule of the machine' "$(want_exit 0; want_json result.json '[.transactions_per_access, .factor]' '[32, 8]')"

# A thread reads a word and keeps it: nothing but reads.
cat >read.trace <<'TRACE'
g80trace 1
param N = 1048576
param S = 1
require N % 256 == 0
global A[N*S] : f32
kernel read
  grid  N/256
  block 256
  regs  2
  ld r0, A[(ctaid.x*256 + tid.x)*S]
  add r1, r0, r0
end
TRACE
run "$ROOT/configs/exercise.ini" read.trace --json run.json
point 'stream: the simulator does not beat the floor' "$(
    want_exit 0
    want_json run.json .total.global.load.bytes_requested 4194304
    want_json run.json '.total.time_us > 8.388608 and .total.time_us < 1.5 * 8.388608' true
)"
run "$ROOT/configs/exercise.ini" read.trace -p N=262144 -p S=32 --json run.json
point 'stream: nor the estimate of words that lie apart' "$(
    want_exit 0
    want_json run.json '.total.time_us > 268.435456 / 4 and .total.time_us < 1.5 * 268.435456 / 4' true
)"

# ---- beside a run ----

run "$CONFIG" "$TRACES/matmul.trace" --json run.json
model g80 "$TRACES/matmul.trace"
point 'run: the same as model mwp-cwp, of 32 blocks' "$(
    want_json run.json '.total.closed_form.cycles' "$(json result.json .cycles)"
    want_json run.json '.kernels[0].closed_form | [.model, .case, .within_two, .blocks_walked, .reason]' '["mwp-cwp", "compute", true, 32, null]'
    want_json run.json '.total.closed_form == .kernels[0].closed_form' true
    want_json run.json '.total | (.cycles / .closed_form.cycles - .closed_form.ratio | fabs) < 1e-6' true
)"
run "$CONFIG" "$TRACES/matmul.trace"
point 'run: the report has it' "$(want_match out '^Closed form +740,800 cycles \(MWP/CWP\); simulated / closed form 1\.[0-9]+$')"
run "$CONFIG" "$TRACES/copy-texture.trace" -p N=8192
point 'run: more than a factor of two' "$(tr '\n' ' ' <out | tr -s ' ' >words; want_match words 'closed form [2-9]\.[0-9]+: more than a factor of two apart\. The closed form leaves out: [a-z, ]*textures')"
run "$CONFIG" "$TRACES/latency-shared.trace" -p count=100 --json run.json
point 'run: more than a factor of two, in JSON' "$(want_json run.json '.total.closed_form | .ratio > 2 and .within_two == false' true)"
run "$CONFIG" "$TRACES/op-latency.trace" -p n=4 --json run.json
point 'run: a kernel that it does not describe' "$(
    want_exit 0
    want_json run.json '.total.closed_form | [.cycles, .case, .ratio, .within_two]' '[null, null, null, null]'
    want_match run.json '"reason": "no access to global or local memory'
    want_match out '^Closed form +none: no access'
)"
run "$CONFIG" "$TRACES/reduction-1.trace" -p N=65536 --json run.json
point 'run: a total is the sum' "$(
    want_json run.json '.kernels | length > 1' true
    want_json run.json '(.total.closed_form.cycles - ([.kernels[].closed_form.cycles] | add) | fabs) < 1e-3' true
)"

# ---- mistakes ----

printf 'g80trace 1\nglobal A[64] : f32\nkernel k\n  grid 1\n  block 64\n  regs 1\n  ld r0, A[tid.x*2]\nend\n' >beyond.trace
model g80 beyond.trace
point 'a fault on the way' "$(want_exit 3; want_empty out; want_lines err 1; want_match err '^beyond\.trace:7: .*thread 32,0,0')"
rm -f result.json
model g80 mixed.trace
point 'what the machine does not have' "$(want_exit 3; want_lines err 1; want_absent result.json)"
run model mwp-cwp "$CONFIG"
point 'no trace' "$(want_exit 2; want_empty out; want_lines err 1)"
run model
point 'no model' "$(want_exit 2; want_lines err 1; want_match err 'model mwp-cwp')"
# refuse ARGUMENT...: one line, and nothing else
refuse()
{
    rm -f result.json
    run model "$@" --json result.json
    point "refused: model $*" "$(want_exit 2; want_empty out; want_lines err 1; want_absent result.json)"
}
refuse tiling --n 16
refuse tiling --n 0 --tile 1
refuse tiling --n 16 --tile 17
refuse tiling --n 1000001 --tile 16
refuse tiling --n 16x --tile 16
refuse blocked --n 64
refuse blocked --n 64 --cache 8
refuse blocked --n 64 --cache 30
refuse blocked --n 64 --cache 12K --line 6
refuse blocked --n 64 --cache 64 --line 128
refuse blocked --n 64 --cache 12K --block 65
refuse blocked --n 64 --cache 12K --line2 64
refuse blocked --n 64 --cache 12K --cache2 8K
refuse blocked --n 64 --cache 12K --cache3 16K
run model blocked --n 64 --cache 8M
point 'blocked: which letter a size may have' "$(want_exit 2; want_empty out; want_lines err 1; want_match err 'a K after the number stands for 1024')"
refuse stream --threads 32 --gbs 500
refuse stream --threads 32 --bytes-per-thread 4
refuse stream "$CONFIG" --threads 32 --bytes-per-thread 4 --gbs 500
refuse stream --threads 32 --bytes-per-thread 4 --gbs 500 -s sm.count=1
refuse stream --threads 32 --bytes-per-thread 3 --gbs 500
refuse stream --threads 32 --bytes-per-thread 4 --gbs 0
refuse stream --threads 32 --bytes-per-thread 4 --gbs nan
refuse stream --threads 32 --bytes-per-thread 4 --gbs 5e2x
refuse stream --threads 32 --bytes-per-thread 4 --gbs 500 --stride 6
refuse stream --threads 36028797018963968 --bytes-per-thread 4 --gbs 500
for kind in tiling blocked stream; do
    run model $kind --help
    point "help of model $kind" "$(want_exit 0; want_match out '^Examples:$')"
done
run model mwp-cwp --help
point 'help' "$(want_exit 0; want_match out 'Hong and Kim')"

finish
