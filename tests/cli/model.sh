#!/bin/sh
# model mwp-cwp: the closed form of Hong and Kim. Its equations have their test in tests/unit/test-mwp-cwp.c.

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
run model mwp-cwp --help
point 'help' "$(want_exit 0; want_match out 'Hong and Kim')"

finish
