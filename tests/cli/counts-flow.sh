#!/bin/sh
# Counts of the workloads of control flow and latency hiding that can be worked out by hand, at two sizes or more. The rules are those
# of docs/trace-language.md: an `if` is a set and a bra, its `else` and its `end` a bra each where the warp split; predicated code is a set
# and both sides; `for` and `repeat` issue nothing of their own.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# counts WORKLOAD [ARGUMENT...]: replays it and takes the expected values from stdin, a line each: the path of the value below
# the first kernel, the value, and how it comes about.
counts()
{
    workload=$1
    shift
    run "$CONFIG" "$TRACES/$workload.trace" --json result.json "$@"
    point "$workload $*: runs" "$(want_exit 0; want_empty err)"
    while read -r path value how; do
        point "$workload $*: $path = $value  ($how)" "$(want_json result.json ".kernels[0].$path" "$value")"
    done
    rm -f result.json
}

# ---- if-else: work = 8; a warp issues 8 instructions, set, bra, one side or both, the store ----

# 30 % of 8192 are 2457 = 76 * 32 + 25: 76 warps on one side, one with 25 lanes of 32, 179 on the other.
counts if-else -p N=8192 -p sorted=1 -p percent=30 <<'WANT'
divergence.branches 256                     8192 / 32 warps
divergence.divergent_branches 1             the warp in which the two kinds meet
warp_instructions 4874                      256 * (8 + 2 + 8 + 1) + 8 more and 2 bras in that warp
thread_instructions 155680                  8192 * 19 + the bras: 25 and 7 lanes
global.load.requests 256                    one for each warp
global.store.transactions 512               2 half-warps
WANT

for percent in 0 100; do
    counts if-else -p N=4096 -p "percent=$percent" <<'WANT'
divergence.branches 128                     4096 / 32 warps
divergence.divergent_branches 0             all lanes agree
divergence.simd_efficiency 1                all lanes work
warp_instructions 2432                      128 * 19
WANT
done

# Any order: a warp of 32 agrees by chance once in 2^31 times; so every warp splits.
for n in 4096 65536; do
    counts if-else -p "N=$n" <<WANT
divergence.branches $((n / 32))             N / 32 warps
divergence.divergent_branches $((n / 32))   all of them
warp_instructions $((29 * n / 32))          19, 8 of the other side, 2 bras
thread_instructions $((n * 20))             19, and one bra of the two: its lanes are those of the side before it
WANT
done

# ---- nested-4: work = 3, B = 256, so 8 warps a block; every warp splits at each of 4 levels ----

for blocks in 2 20; do
    counts nested-4 -p "blocks=$blocks" <<WANT
divergence.branches $((blocks * 32))        8 warps * 4
divergence.divergent_branches $((blocks * 32))  all of them
divergence.max_stack_depth 4                as many levels
warp_instructions $((blocks * 8 * 39))      8 outside, 4 * 4 of control, 5 leaves * 3
thread_instructions $((blocks * 8 * 532))   8 * 32; 3 * 32 in leaves; set, bra and the two other bras of a level 3 * (32 + 16 + 8 + 4)
global.store.transactions $((blocks * 16))  2 half-warps
WANT
    counts nested-4 -p "blocks=$blocks" -s sm.short_branch=predicate <<WANT
divergence.branches 0                       none is left
divergence.max_stack_depth 0                nor any entry
warp_instructions $((blocks * 8 * 27))      8 outside, 4 sets, 5 leaves * 3
thread_instructions $((blocks * 8 * 412))   8 * 32; 3 * 32 in leaves; 32 + 16 + 8 + 4 in sets
WANT
done

# ---- nested-5: refused, unless the innermost level is predicated ----

run "$CONFIG" "$TRACES/nested-5.trace" --json result.json
line=$(grep -n 'if laneid < 1$' "$TRACES/nested-5.trace" | cut -d : -f 1)
point 'nested-5: the G80 refuses the fifth level' "$(
    want_exit 3
    want_text err "$TRACES/nested-5.trace:$line: control nested 5 deep under lane-dependent conditions: want at most sm.mask_stack_depth = 4"
    want_absent result.json
)"

run "$ROOT/configs/gf100.ini" "$TRACES/nested-5.trace" --json result.json
point 'nested-5: the GTX 480 does not' "$(
    want_exit 0
    want_json result.json '.kernels[0].divergence | [.branches, .divergent_branches, .max_stack_depth]' '[2560, 2560, 5]' # 64 * 8 * 5
)"
rm -f result.json

counts nested-5 -p blocks=2 -s sm.short_branch=auto <<'WANT'
divergence.branches 64                      2 * 8 warps * 4: 6 instructions under the fifth are few enough
divergence.max_stack_depth 4                one level fewer
WANT

# ---- predication: trips = 64; B = 32, so one warp a block ----

# 16 movs and 6 instructions at the end; a trip is set, bra and one side of 6, or both and two bras, or set and both.
for blocks in 2 16; do
    counts predication -p "blocks=$blocks" <<WANT
divergence.branches $((blocks * 64))        one a trip
divergence.divergent_branches 0             all lanes agree
warp_instructions $((blocks * 534))         22 + 64 * (2 + 6)
WANT
    counts predication -p "blocks=$blocks" -p taken=16 <<WANT
divergence.divergent_branches $((blocks * 64))  one a trip
warp_instructions $((blocks * 1046))        22 + 64 * (2 + 6 + 1 + 6 + 1)
thread_instructions $((blocks * 19136))     22 * 32 + 64 * (2 * 32 + 14 * 16): the sides and the two bras with half of the lanes
WANT
    counts predication -p "blocks=$blocks" -p taken=16 -s sm.short_branch=predicate <<WANT
divergence.branches 0                       none is left
warp_instructions $((blocks * 854))         22 + 64 * (1 + 6 + 6)
WANT
done
counts predication -p blocks=2 -p taken=16 -p yes=4 -p no=3 -s sm.short_branch=auto <<'WANT'
divergence.branches 0                       4 + 3 are within the compiler's 7
warp_instructions 1068                      2 * (22 + 64 * 8)
WANT
counts predication -p blocks=2 -p taken=16 -p yes=4 -p no=4 -s sm.short_branch=auto <<'WANT'
divergence.branches 128                     8 are not
WANT
counts predication -p blocks=2 -p taken=32 -p yes=3 -p no=2 -s sm.short_branch=auto <<'WANT'
divergence.branches 128                     laneid < 32 holds for all: 5 are more than 4
WANT

# ---- divergence-half-warp: work = 8; 6 instructions, set, bra, a load and 8, the store ----

for n in 4096 65536; do
    counts divergence-half-warp -p "N=$n" -p G=32 <<WANT
divergence.divergent_branches 0             whole warps agree
warp_instructions $((18 * n / 32))          6 + 2 + 9 + 1
global.load.requests $((n / 32))            one for each warp
global.load.transactions $((n / 16))        one for each half-warp
WANT
    counts divergence-half-warp -p "N=$n" <<WANT
divergence.divergent_branches $((n / 32))   the halves of every warp do not
warp_instructions $((29 * n / 32))          6 + 2 + 9 + bra + 9 + bra + 1
global.load.requests $((n / 16))            one for each side
global.load.transactions $((n / 16))        the half-warp that is on: one; the other: none
global.load.efficiency 1                    16 words of each segment
global.store.transactions $((n / 16))       together again
WANT
    counts divergence-half-warp -p "N=$n" -p G=8 <<WANT
warp_instructions $((29 * n / 32))          as with G=16
global.load.requests $((n / 16))            as with G=16
global.load.transactions $((n / 8))         each half-warp on both sides
global.load.efficiency 0.5                  8 words of each segment
WANT
done

# ---- register-pressure: 256 * R of 8192 registers for a block ----

while read -r registers blocks; do
    counts register-pressure -p "R=$registers" -p each=2 -p blocks=4 <<WANT
occupancy.blocks_per_sm $blocks             8192 / (256 * $registers)
occupancy.warps_per_sm $((blocks * 8))      8 warps a block
warp_instructions $((4 * 8 * 19))           6 + 2 * (3 + add, set, bra) + 1
global.load.requests 64                     4 blocks * 8 warps * 2
global.load.transactions 128                2 half-warps
WANT
done <<'WANT'
10 3
11 2
16 2
17 1
32 1
WANT
run "$CONFIG" "$TRACES/register-pressure.trace" -p R=33
point 'register-pressure -p R=33: no block fits' "$(want_exit 3; want_match err '33 registers takes 8448 registers: want at most occupancy\.registers = 8192$')"

# ---- ilp, latency-hiding, sfu-mix: their cycles are in tests/unit/test-timing-flow.c ----

for chains in 1 6 8; do
    counts ilp -p "C=$chains" -p W=2 -p n=32 <<WANT
warp_instructions $((32 * (6 + 34 * chains)))  16 blocks * 2 warps * (2 + C + 32 * C + C - 1 + 4 + store)
flops $((32 * 32 * (65 * chains)))          32 lanes * (2 * 32 * C of the mads, C - 1 of the sums, 1 of the address)
WANT
done
for warps in 6 24; do
    counts latency-hiding -p "W=$warps" -p n=32 <<WANT
warp_instructions $((16 * warps * 40))      16 SMs * W * (3 + 32 + 4 + store)
global.store.transactions $((16 * warps * 2))  2 half-warps
WANT
done
for mix in 0 5 16; do
    counts sfu-mix -p "mix=$mix" -p rounds=4 -p blocks=16 <<WANT
warp_instructions $((16 * 8 * 80))          16 blocks * 8 warps * (10 + 4 * 16 + 1 + 4 + store)
stalls.issued $((16 * 8 * (16 * 4 + 4 * 16 * 4)))  16 others of 4 cycles; 4 rounds of 16, special or not
WANT
done

finish
