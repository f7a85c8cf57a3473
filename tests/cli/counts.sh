#!/bin/sh
# Counts that can be worked out by hand, for each workload at two sizes or more. They follow from two rules of compute
# capability 1.0 (CUDA Programming Guide 2.0, 5.1.2.1 and 5.1.2.5):
#
#   Coalescing goes by half-warp. Thread k of the half-warp reads word k of an aligned segment of 64 bytes (for words of 4):
#   one transaction of 64 bytes; threads may sit out. Otherwise each active thread is a transaction of 32 bytes.
#
#   Shared memory has 16 banks, word w in bank w mod 16, and serves a half-warp in one pass when its words lie in different
#   banks or are one word. n different words in one bank take n passes.
#
# A request is one memory instruction of a warp, so 32 threads with one load each are one request and two half-warps.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# counts WORKLOAD [ARGUMENT...]: replays it and takes the expected values from stdin, a line each: the path of the value below
# the first kernel, the value, and how it comes about.
counts()
{
    workload=$1
    shift
    title="$workload $*"
    case $workload in
    *.trace) trace=$workload ;; # made here
    *) trace=$TRACES/$workload.trace ;;
    esac
    run "$CONFIG" "$trace" --json result.json "$@"
    point "$title: runs" "$(want_exit 0; want_empty err)"
    while read -r path value how; do
        point "$title: $path = $value  ($how)" "$(want_json result.json ".kernels[0].$path" "$value")"
    done
    rm -f result.json
}

# ---- matmul: T = 16, so (N/16)^2 blocks of 8 warps, which go N/16 times round ----

counts matmul -p N=256 <<'WANT'
occupancy.blocks_per_sm 3                   8192 registers / (8 warps * 32 * 10 = 2560)
occupancy.warps_per_sm 24                   3 blocks * 8
warp_instructions 2920448                   256 * 8 * (mov + st + 16 rounds * (6 + add, set, bra + 16 * (2 + add, set, bra)))
global.load.requests 65536                  256 blocks * 8 warps * 16 rounds * 2
global.load.transactions 131072             2 half-warps, each one segment: a row of a tile is 16 words at a multiple of 16
global.load.bytes_moved 8388608             131072 * 64
global.load.bytes_requested 8388608         65536 * 32 * 4
global.load.bytes_used 8388608              no two lanes share a word
global.load.efficiency 1                    used / moved
global.store.requests 2048                  256 blocks * 8 warps
global.store.transactions 4096              2 half-warps
global.store.bytes_moved 262144             4096 * 64 = N * N * 4
shared.requests 1114112                     256 * 8 * 16 rounds * (2 stores + 16 * (1 load + 1 operand))
shared.conflict_passes 0                    As[tid.y][k]: one word for a half-warp; Bs[k][tid.x], the stores: 16 neighbours
WANT

counts matmul -p N=64 <<'WANT'
global.load.requests 1024                   16 blocks * 8 warps * 4 rounds * 2
global.load.transactions 2048               2 half-warps
global.load.bytes_moved 131072              2048 * 64
global.store.requests 128                   16 blocks * 8 warps
global.store.transactions 256               2 half-warps
warp_instructions 45824                     16 * 8 * (2 + 4 rounds * 89)
shared.requests 17408                       16 * 8 * 4 rounds * 34
shared.conflict_passes 0                    as above
WANT

# With T = 8 a warp is four rows of 8: a half-warp reads 8 words from each of two rows of the matrix, so it is not coalesced.
counts matmul -p N=64 -p T=8 <<'WANT'
occupancy.blocks_per_sm 8                   the limit of an SM
occupancy.warps_per_sm 16                   8 blocks * 2
global.load.requests 2048                   64 blocks * 2 warps * 8 rounds * 2
global.load.transactions 65536              32 threads
global.load.bytes_moved 2097152             65536 * 32
global.load.efficiency 0.125                4 of 32 bytes
global.store.requests 128                   64 blocks * 2 warps
global.store.transactions 4096              32 threads
shared.requests 18432                       64 * 2 warps * 8 rounds * (2 stores + 8 * 2)
shared.conflict_passes 32768                64 * 2 * 8 * 8 * 2 * 2 half-warps: a second pass, as only one word is broadcast
WANT

sed 's/^  regs   10$/  regs   11/' "$TRACES/matmul.trace" >matmul-11.trace
counts matmul-11.trace -p N=64 <<'WANT'
occupancy.blocks_per_sm 2                   8192 registers / (8 warps * 32 * 11 = 2816)
occupancy.warps_per_sm 16                   2 blocks * 8
WANT

# ---- matmul-naive: N*N/32 warps, each a piece of two rows, with N rounds ----

counts matmul-naive -p N=32 <<'WANT'
occupancy.blocks_per_sm 3                   10 registers and 256 threads, as matmul
global.load.requests 2048                   32 warps * 32 rounds * 2
global.load.transactions 34816              32 * 32 * (32 of A: one word for 16 threads is not thread k on word k; 2 of B)
global.load.bytes_moved 1179648             32 * 32 * (32 * 32 + 2 * 64)
global.load.bytes_requested 262144          2048 * 128
global.store.requests 32                    one for each warp
global.store.transactions 64                2 half-warps
WANT

counts matmul-naive -p N=64 <<'WANT'
global.load.requests 16384                  128 warps * 64 rounds * 2
global.load.transactions 278528             128 * 64 * 34
global.load.bytes_moved 9437184             128 * 64 * 1152
global.store.requests 128                   one for each warp
global.store.transactions 256               2 half-warps
WANT

# ---- vecadd ----

counts vecadd -p N=65536 <<'WANT'
global.load.requests 4096                   2048 warps * 2
global.load.transactions 8192               2 half-warps
global.load.bytes_moved 524288              8192 * 64 = 2 arrays
global.load.efficiency 1                    used / moved
global.store.requests 2048                  2048 warps
global.store.transactions 4096              2 half-warps
divergence.divergent_branches 0             every thread has an element
WANT

# 4 blocks of 8 warps; the last warp has elements for lanes 0 to 7 only, so its second half-warp asks for nothing.
counts vecadd -p N=1000 <<'WANT'
global.load.requests 64                     32 warps * 2
global.load.transactions 126                63 half-warps * 2: threads may sit out
global.load.bytes_moved 8064                126 * 64
global.load.bytes_requested 8000            1000 * 4 * 2
global.load.bytes_used 8000                 no two lanes share a word
global.store.requests 32                    32 warps
global.store.transactions 63                half-warps
global.store.bytes_used 4000                1000 * 4
divergence.divergent_branches 1             the warp with 8 of 32
WANT

# ---- copy-offset: thread k of a half-warp is on word offset + 16*h + k ----

for n in 4096 65536; do
    for offset in 0 16; do
        counts copy-offset -p "N=$n" -p "offset=$offset" <<WANT
global.load.requests $((n / 32))            N / 32
global.load.transactions $((n / 16))        one for each half-warp: the offset is a multiple of 16
global.load.bytes_moved $((n * 4))          64 bytes for 16 words
global.load.efficiency 1                    used / moved
global.store.requests $((n / 32))           N / 32
global.store.transactions $((n / 16))       as the load
WANT
    done
    for offset in 1 8; do
        counts copy-offset -p "N=$n" -p "offset=$offset" <<WANT
global.load.requests $((n / 32))            N / 32
global.load.transactions $n                 one for each thread: the 16 words are not one aligned segment
global.load.bytes_moved $((n * 32))         32 bytes for each word
global.load.bytes_used $((n * 4))           4 bytes for each word
global.load.efficiency 0.125                4 / 32
global.store.requests $((n / 32))           N / 32
global.store.transactions $n                as the load
WANT
    done
done

# ---- copy-stride: thread k of a half-warp is on word stride * (16*h + k) ----

for n in 4096 65536; do
    counts copy-stride -p "N=$n" -p stride=1 <<WANT
global.load.requests $((n / 32))            N / 32
global.load.transactions $((n / 16))        one for each half-warp
global.load.efficiency 1                    used / moved
global.store.transactions $((n / 16))       as the load
WANT
    for stride in 2 16; do
        counts copy-stride -p "N=$n" -p "stride=$stride" <<WANT
global.load.requests $((n / 32))            N / 32
global.load.transactions $n                 one for each thread: there are gaps
global.load.bytes_moved $((n * 32))         32 bytes for each word
global.load.efficiency 0.125                4 / 32
global.store.requests $((n / 32))           N / 32
global.store.transactions $n                as the load
WANT
    done
done

# ---- transpose-naive: a warp reads 32 words of a row and writes them to 32 rows ----

for n in 64 128; do
    counts transpose-naive -p "N=$n" <<WANT
global.load.requests $((n * n / 32))        N * N / 32
global.load.transactions $((n * n / 16))    one for each half-warp
global.load.efficiency 1                    used / moved
global.store.requests $((n * n / 32))       N * N / 32
global.store.transactions $((n * n))        one for each thread: the words lie N apart
global.store.bytes_moved $((n * n * 32))    32 bytes for each word
global.store.efficiency 0.125               4 / 32
WANT
done

counts transpose-naive -p N=64 -p T=16 -p R=16 <<'WANT'
global.load.requests 128                    64 * 64 / 32: a warp is two rows of 16
global.load.transactions 256                one for each half-warp
global.store.transactions 4096              one for each thread
WANT

# ---- transpose-padded: both sides by rows, the turn in shared memory ----

for n in 64 128; do
    counts transpose-padded -p "N=$n" <<WANT
global.load.requests $((n * n / 32))        N * N / 32
global.load.transactions $((n * n / 16))    one for each half-warp
global.store.requests $((n * n / 32))       N * N / 32
global.store.transactions $((n * n / 16))   one for each half-warp
global.store.efficiency 1                   used / moved
shared.requests $((n * n / 16))             N * N / 32 stores and as many loads
shared.passes $((n * n / 8))                one for each half-warp: a column has stride 33, and gcd(33, 16) = 1
shared.conflict_passes 0                    so none is extra
WANT
    counts transpose-padded -p "N=$n" -p P=0 <<WANT
global.load.transactions $((n * n / 16))    as above
global.store.transactions $((n * n / 16))   as above
shared.requests $((n * n / 16))             as above
shared.passes $((n * n * 34 / 32))          2 for each store; 32 for each load: stride 32, so 16 words in one bank
shared.conflict_passes $((n * n * 30 / 32)) 15 extra for each half-warp of a load
WANT
done

# ---- reductions: blocks of 128, 4 warps, 7 steps ----

for n in 65536 131072; do
    blocks=$((n / 128))
    counts reduction-1 -p "N=$n" <<WANT
global.load.requests $((blocks * 4))        one for each warp
global.load.transactions $((blocks * 8))    2 half-warps
global.store.requests $blocks               the first warp of a block
global.store.transactions $blocks           its first thread
shared.conflict_passes 0                    at step s the words lie 2*s apart, but only 16/(2*s) of a half-warp take part
divergence.divergent_branches $((blocks * 24))  4 warps at s = 1, 2, 4, 8, 16; 2 at 32; 1 at 64; 1 at the end
WANT
    counts reduction-3 -p "N=$n" <<WANT
global.load.requests $((blocks * 4))        one for each warp
global.load.transactions $((blocks * 8))    2 half-warps
global.store.requests $blocks               the first warp of a block
global.store.transactions $blocks           its first thread
shared.conflict_passes 0                    neighbours add neighbours
divergence.divergent_branches $((blocks * 6))   whole warps at s = 64, 32; one warp at 16, 8, 4, 2, 1; 1 at the end
WANT
done

run "$CONFIG" "$TRACES/reduction-3.trace" -p N=65536 --json result.json
point 'reduction-3 -p N=65536: two passes, of 512 and 4 blocks' \
    "$(want_exit 0; want_json result.json '[.kernels[].global.store.requests]' '[512, 4]')"

# ---- divergence: B = 256, so 8 warps a block, 64 trips ----

for blocks in 2 5; do
    counts divergence -p "blocks=$blocks" -p taken=16 <<WANT
divergence.divergent_branches $((blocks * 512)) 8 warps * 64 trips
global.store.transactions $((blocks * 16))  8 warps * 2 half-warps
WANT
    counts divergence -p "blocks=$blocks" -p taken=32 <<WANT
divergence.divergent_branches 0             all lanes go one way
divergence.simd_efficiency 1                all lanes work
WANT
done

finish
