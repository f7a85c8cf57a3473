#!/bin/sh
# The workloads of the course's optimizations of the matrix product: counts that can be worked out by hand, at two sizes, and what
# each optimization is said to do. The rules of coalescing and of banks are those of counts.sh; two more of compute capability 1.0:
# a half-warp that reads 16 neighbouring words of 16 bytes takes two transactions of 128 bytes, and a thread of a half-warp that
# does not coalesce a transaction of 32 bytes, whether its word is of 4 bytes or of 16.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# counts KERNEL WORKLOAD [ARGUMENT...]: replays it and takes the expected values from stdin, a line each: the path of the value
# below the kernel of that number, the value, and how it comes about.
counts()
{
    kernel=$1
    workload=$2
    shift 2
    title="$workload, kernel $kernel, $*"
    run "$CONFIG" "$TRACES/$workload.trace" --json result.json "$@"
    point "$title: runs" "$(want_exit 0; want_empty err)"
    while read -r path value how; do
        point "$title: $path = $value  ($how)" "$(want_json result.json ".kernels[$kernel].$path" "$value")"
    done
    rm -f result.json
}

# ---- matmul-transposed-b: T = 16; the product is N*N half-warps with R = 1, each with N/16 rounds ----

counts 0 matmul-transposed-b -p N=64 <<'WANT'
warp_instructions 2688                      16 blocks * 8 warps * 21
global.load.requests 128                    64 * 64 / 32
global.load.transactions 256                2 half-warps
global.store.transactions 256               2 half-warps: rows of the transposed matrix
shared.requests 256                         a store and a load
shared.conflict_passes 0                    a column has stride 17
flops 0                                     the operations are the product's
WANT

counts 1 matmul-transposed-b -p N=64 <<'WANT'
occupancy.blocks_per_sm 3                   768 threads / 256; 6 + 2 registers would do for 4
warp_instructions 120832                    4 * 64 blocks * 8 warps * (14 + mov + 4 rounds * 8 + set + st, 4 * (add, st) + st, add)
global.load.requests 16384                  2048 warps * 4 rounds * 2
global.load.transactions 32768              2 half-warps: 16 neighbours of a row of A, and of a row of Bt
global.load.bytes_moved 2097152             32768 * 64
global.store.requests 2048                  one for each warp
global.store.transactions 4096              lane 0 of each half-warp
global.store.bytes_moved 139264             4096 * 32, and 32 more where it is word 0 of a segment, which coalesces: 1 in 16
shared.requests 18432                       2048 * (a store, 4 * (an operand and a store))
shared.conflict_passes 0                    16 neighbours
flops 524288                                2 * 64^3
WANT

counts 0 matmul-transposed-b -p N=64 -p transposed=0 <<'WANT'
name "matmul_dot"                           there is no other kernel
warp_instructions 120832                    as above
global.load.requests 16384                  as above
global.load.transactions 278528             2048 * 4 * (2 of A, 32 of B: its words lie a row apart)
global.load.bytes_moved 9437184             2048 * 4 * (2 * 64 + 32 * 32)
WANT

counts 1 matmul-transposed-b -p N=128 -p R=4 <<'WANT'
occupancy.blocks_per_sm 2                   8192 registers / (256 * 14 = 3584)
warp_instructions 407552                    8 * 32 blocks * 8 warps * (14 + 4 mov + 8 rounds * (4 * 3 + 5) + set + 4 * 11)
global.load.requests 81920                  2048 warps * 8 rounds * (4 of A, 1 of Bt)
global.load.transactions 163840             2 half-warps
global.store.transactions 16384             2048 * 4 rows * 2
WANT

counts 0 matmul-transposed-b -p N=128 -p R=4 -p transposed=0 <<'WANT'
global.load.requests 81920                  as above
global.load.transactions 655360             2048 * 8 * (4 * 2 of A, 32 of B)
WANT

# ---- matmul-transposed-block: the same, and a word goes through shared memory in each round ----

counts 0 matmul-transposed-block -p N=64 <<'WANT'
occupancy.blocks_per_sm 3                   8192 registers / (256 * 10 = 2560)
warp_instructions 161792                    2048 warps * (18 + mov + 4 rounds * 12 + set + st, 4 * (add, st) + st, add)
global.load.requests 16384                  2048 * 4 rounds * 2
global.load.transactions 32768              2 half-warps: rows of A and rows of B
shared.requests 34816                       2048 * (4 rounds * (a store and a load) + 9)
shared.conflict_passes 0                    a column has stride 17
global.store.transactions 4096              lane 0 of each half-warp
WANT

counts 0 matmul-transposed-block -p N=64 -p P=0 <<'WANT'
global.load.transactions 32768              as above
shared.requests 34816                       as above
shared.conflict_passes 245760               2048 * 4 loads * 2 half-warps * 15: 16 words in one bank
WANT

counts 0 matmul-transposed-block -p N=128 -p R=4 <<'WANT'
occupancy.blocks_per_sm 2                   8192 registers / (256 * 16 = 4096)
global.load.requests 81920                  2048 * 8 rounds * (4 of A, 1 of B)
global.load.transactions 163840             2 half-warps
shared.requests 106496                      2048 * (8 * 2 + 4 rows * 9)
WANT

# ---- matmul-wide-loads: N/64 * N/16 blocks of 8 warps, N/4 rounds ----

counts 0 matmul-wide-loads -p N=64 <<'WANT'
occupancy.blocks_per_sm 2                   8192 registers / (256 * 16 = 4096)
warp_instructions 15392                     4 blocks * 8 warps * (12 + 4 mov + 16 rounds * 29 + st)
global.load.requests 2560                   32 warps * 16 rounds * 5
global.load.transactions 24576              32 * 16 * (32 of A: one word for 16 threads; 4 rows of B * 2 half-warps * 2)
global.load.bytes_moved 1572864             32 * 16 * (32 * 32 + 16 * 128)
global.load.bytes_requested 1310720         2560 * 32 * 16
global.store.requests 32                    one for each warp
global.store.transactions 128               2 half-warps * 2
global.store.bytes_moved 16384              128 * 128 = 64 * 64 * 4
WANT

counts 0 matmul-wide-loads -p N=64 -p wide=0 <<'WANT'
occupancy.blocks_per_sm 2                   as above
warp_instructions 30976                     32 warps * (16 + 16 rounds * 59 + 4 * (st, add))
global.load.requests 10240                  32 * 16 * (4 + 16)
global.load.transactions 81920              32 * 16 * (4 * 32 of A; 16 * 2 of B)
global.load.bytes_moved 3145728             32 * 16 * (128 * 32 + 32 * 64)
global.load.bytes_requested 1310720         as above
global.store.transactions 256               4 columns * 32 warps * 2 half-warps
global.store.bytes_moved 16384              256 * 64
WANT

counts 0 matmul-wide-loads -p N=128 <<'WANT'
warp_instructions 120960                    2 * 8 blocks * 8 warps * (17 + 32 rounds * 29)
global.load.requests 20480                  128 warps * 32 rounds * 5
global.load.transactions 196608             128 * 32 * 48
WANT

# ---- matmul-pipelined: tiles of 32 x 32, 8 warps, N/32 rounds, 4 elements of each tile to a thread ----

counts 0 matmul-pipelined -p N=64 <<'WANT'
occupancy.blocks_per_sm 1                   two tiles are 8192 bytes of 16384, and there are the arguments
warp_instructions 19744                     4 blocks * 8 warps * (21 + 16 + 2 rounds * (8 st + bar, set + 16 + 32 * 8 + bar + 3) + 8)
global.load.requests 512                    32 warps * 2 tiles of A and B * 4: none for a third
global.load.transactions 1024               2 half-warps
global.store.transactions 256               32 * 4 * 2 half-warps
shared.requests 8704                        32 * 2 rounds * (8 stores, 32 * 4 loads)
shared.conflict_passes 0                    one word of As, 16 neighbours of Bs
WANT

for every in 8 1; do
    counts 0 matmul-pipelined -p N=128 -p "every=$every" <<'WANT'
warp_instructions 152192                    16 blocks * 8 warps * (45 + 4 rounds * 286)
global.load.requests 4096                   128 warps * 4 tiles * 8
global.load.transactions 8192               2 half-warps
shared.requests 69632                       128 * 4 * 136
WANT
done

# ---- matmul-copied-blocks: (N/16)^2 blocks of 8 warps ----

counts 0 matmul-copied-blocks -p N=64 <<'WANT'
warp_instructions 2048                      16 blocks * 8 warps * 16
global.load.transactions 512                128 warps * 2 arrays * 2 half-warps
global.store.transactions 512               as many: 16 words of a row of a block
global.store.efficiency 1                   used / moved
WANT

for copied in 0 1; do
    counts "$copied" matmul-copied-blocks -p N=64 -p "copied=$copied" <<'WANT'
warp_instructions 44288                     128 warps * (13 + 4 rounds * (16 * 5 + 3) + 1)
global.load.requests 16384                  128 * 64 * 2
global.load.transactions 278528             128 * 64 * (32 of A: one word for 16 threads; 2 of B)
global.load.bytes_moved 9437184             128 * 64 * (32 * 32 + 2 * 64)
global.store.transactions 256               2 half-warps
WANT
done

counts 1 matmul-copied-blocks -p N=128 <<'WANT'
warp_instructions 347136                    64 blocks * 8 warps * (14 + 8 rounds * 83)
global.load.transactions 2228224            512 warps * 128 * 34
WANT

# ---- what they are said to do ----

# cycles MACHINE WORKLOAD [ARGUMENT...]: of all launches
cycles()
{
    machine=$ROOT/configs/$1.ini
    trace=$TRACES/$2.trace
    shift 2
    "$G80SIM" "$machine" "$trace" --json - "$@" </dev/null | jq .total.cycles
}

# in_order NUMBER...: each is less than the one before
in_order()
{
    last=$1
    shift
    for number; do
        [ "$number" -lt "$last" ] || reason "want $number below $last"
        last=$number
    done
}

# gain R: what transposing B whole gains with R rows to a thread, in percent of the cycles with it
gain()
{
    echo $((100 * $(cycles g80 matmul-transposed-b -p N=128 -p "R=$1" -p transposed=0) /
        $(cycles g80 matmul-transposed-b -p N=128 -p "R=$1")))
}

code=0
: >out
: >err
gains="$(gain 1) $(gain 2) $(gain 4)"
# shellcheck disable=SC2086 # numbers
point "transposing B gains, less the more its words are used: $gains %" "$(in_order $gains 100)"

# On the 8800 GTX a block at a time also saves the rows of DRAM in which the columns of the transposed matrix lie; where a cache
# has them, its barriers and its detour are what counts.
point 'transposing a block at a time: faster than whole without a cache, slower with one' "$(
    in_order "$(cycles g80 matmul-transposed-b -p N=128)" "$(cycles g80 matmul-transposed-block -p N=128)"
    in_order "$(cycles lab-cache matmul-transposed-block -p N=128)" "$(cycles lab-cache matmul-transposed-b -p N=128)"
)"

for machine in g80 lab-cache; do
    point "$machine: unrolling, register blocking and a pipeline, each on top of the other" "$(
        in_order "$(cycles $machine matmul -p N=128)" "$(cycles $machine matmul-unrolled -p N=128)" \
            "$(cycles $machine matmul-blocked -p N=128)" "$(cycles $machine matmul-pipelined -p N=128)"
    )"
    point "$machine: loads of four words are better than four loads" "$(
        in_order "$(cycles $machine matmul-wide-loads -p N=128 -p wide=0)" "$(cycles $machine matmul-wide-loads -p N=128)"
    )"
done
point 'a pipeline asks for a few elements at a time' "$(
    in_order "$(cycles g80 matmul-pipelined -p every=1)" "$(cycles g80 matmul-pipelined)"
)"

# l1 N COPIED: misses of the L1 in the product
l1()
{
    "$G80SIM" "$ROOT/configs/lab-cache.ini" "$TRACES/matmul-copied-blocks.trace" -p "N=$1" -p "copied=$2" --json - </dev/null |
        jq '.kernels[-1].l1.misses'
}

# Rows of 512 bytes are 4 lines apart, so the 16 of a block share 8 of 32 sets; rows of 576 bytes, 4.5 lines, spread over all.
point 'copied blocks: a third of the misses or fewer where rows share sets' "$(in_order "$(l1 128 0)" $((3 * $(l1 128 1))))"
point 'copied blocks: more than half of them where they do not' "$(in_order $((2 * $(l1 144 1))) "$(l1 144 0)")"

finish
