#!/bin/sh
# The counts of every published row that can be worked out by hand: launches, blocks, instructions, issue cycles, transactions,
# bytes moved and passes of the workloads that the measurements are compared with, at two sizes or more. `counts.sh` has the rules
# of coalescing and of banks. What is added here:
#
#   stalls.issued is the time that instructions hold the ports: 4 cycles for each instruction of a warp; 16, 20 and 140 for
#   imul, imad and rem (GTX 280: 19, 23 and 160); 6 for arithmetic with an operand in shared memory, and for a load
#   from there, which is a move of such an operand: below, both are operands.
#
#   A loop issues add, set and bra after each turn; an if issues set and bra, and one more bra where the warp has diverged.
#
#   cc 1.3 takes a segment of 128 bytes for a half-warp of words, halves it while one half is enough, down to 32 bytes, and goes on
#   with the lanes that are left (CUDA Programming Guide 2.0, 5.1.2.1).

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# counts MACHINE WORKLOAD [ARGUMENT...]: replays it and takes the expected values from stdin, a line each: the path of the value
# in the result, the value, and how it comes about.
counts()
{
    machine=$1 workload=$2
    shift 2
    run "$ROOT/configs/$machine.ini" "$TRACES/$workload.trace" --json result.json "$@"
    point "$machine $workload $*: runs" "$(want_exit 0; want_empty err)"
    cat >wanted
    # One jq for all: a call for each value would take most of the time.
    jq "$(sed -E 's/^([^ ]+) ([^ ]+) .*/(.\1) == (\2),/' wanted) empty" result.json >held 2>&1 || :
    while read -r path value how <&3; do
        read -r holds <&4 || holds=false
        point "$machine $workload $*: $path = $value  ($how)" "$([ "$holds" = true ] || reason "want $value, not $(json result.json ".$path")")"
    done 3<wanted 4<held
}

# ---- reductions: blocks of 128, 4 warps, 7 steps. The last lines of each are 4 times set and bra, and once 4 and bra: 13 ----

# The bandwidth of the whole is that of 4*N bytes, over the time of all passes.
whole_input()
{
    point "$1 -p N=$2: effective_gbs is 4*N bytes by the time of all passes" \
        "$(want_json result.json "(.total | .effective_gbs * .time_us * 1000 - 4 * $2 | fabs) < 1" true)"
}

for n in 65536 131072; do
    b=$((n / 128))
    # The host adds the 4 or 8 partial sums that are left.
    counts g80 reduction-1 -p "N=$n" <<WANT
total.launches 2                                    n / 128 >= 128, n / 128 / 128 < 128
kernels|map(.grid[0]) [$b,$((b / 128))]             a block for 128
kernels[0].warp_instructions $((b * 447))           4 * 11 + 7 * 4 * 9 + 23 warps that add * (5 + bra) + 13
kernels[0].stalls.issued $((b * 5690))              447 * 4 + 28 rem * 136 + (23 * 2 + 1) operands * 2
kernels[0].global.load.bytes_moved $((n * 4))       64 bytes for 16 words
kernels[0].global.store.transactions $b             one sum for each block
WANT
    whole_input reduction-1 "$n"
    # Words of a step lie 2*s apart: 2-way for 4 half-warps, 4-way for 2, then 8 lanes or fewer: 8-, 8-, 4-, 2-way; 3 accesses each.
    counts g80 reduction-2 -p "N=$n" <<WANT
total.launches 2                                    as reduction-1
kernels|map(.grid[0]) [$b,$((b / 128))]             a block for 128
kernels[0].warp_instructions $((b * 334))           4 * 11 + 7 * 4 * 8 + 8 warps that add * 6 + 5 bra at the end + 13
kernels[0].stalls.issued $((b * 1706))              334 * 4 + 28 imul * 12 + (8 * 2 + 1) operands * 2
kernels[0].shared.conflict_passes $((b * 84))       3 * (4 * 1 + 2 * 3 + 7 + 7 + 3 + 1)
kernels[0].global.load.bytes_moved $((n * 4))       64 bytes for 16 words
kernels[0].global.store.transactions $b             one sum for each block
kernels[0].divergence.divergent_branches $((b * 6)) 16, 8, 4, 2, 1 threads of a warp, and the first at the end
WANT
    whole_input reduction-2 "$n"
    counts g80 reduction-3 -p "N=$n" <<WANT
total.launches 2                                    as reduction-1
kernels|map(.grid[0]) [$b,$((b / 128))]             a block for 128
kernels[0].warp_instructions $((b * 270))           4 * 11 + 7 * 4 * 6 + 8 warps that add * 5 + 5 bra at the end + 13
kernels[0].stalls.issued $((b * 1114))              270 * 4 + (8 * 2 + 1) operands * 2
kernels[0].shared.conflict_passes 0                 neighbours
kernels[0].global.load.bytes_moved $((n * 4))       64 bytes for 16 words
WANT
    whole_input reduction-3 "$n"
done

# A block for 256 words: 65536 -> 256 -> 1; 131072 -> 512 -> 2 -> 1, the last with one thread.
for n in 65536 131072; do
    b=$((n / 256))
    grids="[$b,1]" blocks='[128,128]' launches=2
    [ "$n" = 65536 ] || grids="[$b,2,1]" blocks='[128,128,1]' launches=3
    while read -r k instructions issued how; do
        counts g80 "reduction-$k" -p "N=$n" <<WANT
total.launches $launches                            until one is left
kernels|map(.grid[0]) $grids                        a block for 256
kernels|map(.block[0]) $blocks                      half as many threads as words, 128 at most
kernels[0].warp_instructions $((b * instructions))  $how
kernels[0].stalls.issued $((b * issued))            4 each, and (8 * 2 + 1) operands * 2; 5, 6: 8 and 4 loads
kernels[0].global.load.requests $((b * 8))          4 warps * 2
kernels[0].global.load.transactions $((b * 16))     2 half-warps
kernels[0].global.load.bytes_moved $((n * 4))       64 bytes for 16 words
kernels[0].global.store.transactions $b             one sum for each block
kernels[0].shared.conflict_passes 0                 neighbours
WANT
        whole_input "reduction-$k" "$n"
    done <<'KERNELS'
4 298 1226 4 * 18 + 7 * 4 * 6 + 8 warps that add * 5 + 5 bra at the end + 13
5 140 584 4 * 18 + 4 * 6 + 2 warps that add * 5 + 4 * 2 + (1 + 6 * 2) + 13
6 96 408 4 * 11 + 4 * 3 + 2 warps that add * 3 + 4 * 2 + (1 + 6 * 2) + 13
KERNELS
done

# 64 blocks, 16384 words in a turn; then 64 sums in one block of 32.
for turns in 2 4; do
    n=$((turns * 16384))
    counts g80 reduction-7 -p "N=$n" <<WANT
total.launches 2                                                the blocks, and their sums
kernels|map(.grid[0]) [64,1]                                    maxblocks, one
kernels|map(.block[0]) [128,32]                                 half as many threads as words, 128 at most
kernels[0].warp_instructions $((64 * (100 + turns * 40)))       4 * 11 + 4 * 10 a turn, bar and 3 before 2 warps add * 3, 4 * 2 + 13 + 13
kernels[0].stalls.issued $((64 * (424 + turns * 168)))          4 each, and (8 + 4 loads + 4 a turn) operands * 2
kernels[0].global.load.requests $((n / 32))                     one for 32 words
kernels[0].global.load.transactions $((n / 16))                 2 half-warps
kernels[0].global.load.bytes_moved $((n * 4))                   64 bytes for 16 words
kernels[0].global.store.transactions 64                         one sum for each block
kernels[0].shared.conflict_passes 0                             neighbours
WANT
    whole_input reduction-7 "$n"
done

# ---- copies: 8 instructions of a warp, on the texture's way 7 ----

for n in 8192 65536; do
    w=$((n / 32))
    for offset in 0 16; do
        counts g80 copy-offset -p "N=$n" -p "offset=$offset" <<WANT
kernels[0].stalls.issued $((w * 32))                8 * 4
kernels[0].global.load.bytes_moved $((n * 4))       64 bytes for 16 words
kernels[0].global.store.bytes_moved $((n * 4))      as the load
WANT
    done
    for offset in 1 8; do
        counts g80 copy-offset -p "N=$n" -p "offset=$offset" <<WANT
kernels[0].stalls.issued $((w * 32))                8 * 4
kernels[0].global.load.bytes_moved $((n * 32))      32 bytes for each word
kernels[0].global.store.bytes_moved $((n * 32))     as the load
WANT
    done
    counts gt200 copy-offset -p "N=$n" -p offset=0 <<WANT
kernels[0].stalls.issued $((w * 32))                8 * 4
kernels[0].global.load.transactions $((w * 2))      64 for each half-warp
kernels[0].global.load.bytes_moved $((w * 128))     2 * 64
WANT
    counts gt200 copy-offset -p "N=$n" -p offset=1 <<WANT
kernels[0].global.load.transactions $((w * 3))      4..67 is 128; 68..127 and 128..131 are 64 and 32
kernels[0].global.load.bytes_moved $((w * 224))     128 + 64 + 32
kernels[0].global.store.bytes_moved $((w * 224))    as the load
WANT
    counts gt200 copy-offset -p "N=$n" -p offset=8 <<WANT
kernels[0].global.load.transactions $((w * 3))      32..95 is 128; 96..127 and 128..159 are 32 each
kernels[0].global.load.bytes_moved $((w * 192))     128 + 32 + 32
kernels[0].global.store.bytes_moved $((w * 192))    as the load
WANT
    for stride in 1 2 4 8 16; do
        moved=32
        [ "$stride" != 1 ] || moved=4
        counts g80 copy-stride -p "N=$n" -p "stride=$stride" <<WANT
kernels[0].stalls.issued $((w * 44))                7 * 4 + imul
kernels[0].global.load.bytes_moved $((n * moved))   64 bytes for 16 words side by side, else 32 for each
kernels[0].global.store.bytes_moved $((n * moved))  as the load
WANT
    done
    for stride in 2 4 8 16; do
        counts gt200 copy-stride -p "N=$n" -p "stride=$stride" <<WANT
kernels[0].stalls.issued $((w * 47))                            7 * 4 + imul
kernels[0].global.load.transactions $((w * stride))             a half-warp spans stride/2 segments of 128, of which none can be halved
kernels[0].global.load.bytes_moved $((w * stride * 128))        128 each
kernels[0].global.store.bytes_moved $((w * stride * 128))       as the load
WANT
    done
    for shift in 0 1 8 16; do
        lines=4
        [ "$shift" != 1 ] || lines=5
        counts g80 copy-texture -p "N=$n" -p "shift=$shift" <<WANT
kernels[0].warp_instructions $((w * 7))             cvt, mad24, add, tex, shl, add, st
kernels[0].stalls.issued $((w * 28))                7 * 4
kernels[0].texture.requests $w                      N / 32
kernels[0].texture.lines $((w * lines))             128 bytes are 4 lines of 32, or touch a fifth
kernels[0].global.load.requests 0                   the texture reads
kernels[0].global.store.bytes_moved $((n * 4))      64 bytes for 16 words
WANT
    done
done

# ---- C = A*B, both N x N: N*N/32 warps, r = N/16 rounds ----

for n in 32 64; do
    w=$((n * n / 32)) r=$((n / 16))
    counts g80 matmul-naive -p "N=$n" <<WANT
kernels[0].flops $((2 * n * n * n))                             a multiply-add is two; stated
kernels[0].warp_instructions $((w * (14 + 8 * n)))              10 + 8 a round + 4
kernels[0].stalls.issued $((w * (68 + 32 * n)))                 4 each, imul 12 more
kernels[0].global.load.transactions $((w * n * 34))             32 of A, 2 of B
WANT
    counts g80 matmul -p "N=$n" <<WANT
kernels[0].flops $((2 * n * n * n))                             a multiply-add is two; counted
kernels[0].stalls.issued $((w * (8 + 420 * r)))                 (2 + 89 a round) * 4 + 32 operands * 2 a round
kernels[0].global.load.bytes_moved $((w * r * 256))             2 loads of 128
WANT
    counts g80 matmul-unrolled -p "N=$n" <<WANT
kernels[0].flops $((2 * n * n * n))                             a multiply-add is two; stated
kernels[0].occupancy.blocks_per_sm 3                            10 registers: 8192 / 2560
kernels[0].warp_instructions $((w * (18 + 43 * r)))             15 + 43 a round + 3; 43 = 16 * 2 + 2 ld + 2 st + 2 bar + 2 add + 3
kernels[0].stalls.issued $((w * (120 + 236 * r)))               4 each, 3 imad 16 more, 32 operands * 2 a round
kernels[0].global.load.requests $((w * r * 2))                  a word of each tile
kernels[0].global.load.bytes_moved $((w * r * 256))             2 loads of 128
kernels[0].global.store.bytes_moved $((n * n * 4))              C
kernels[0].shared.requests $((w * r * 34))                      2 stores, 16 loads, 16 operands
kernels[0].shared.conflict_passes 0                             one word for a half-warp, or 16 neighbours
WANT
    counts g80 matmul-prefetch -p "N=$n" <<WANT
kernels[0].flops $((2 * n * n * n))                             a multiply-add is two; stated
kernels[0].occupancy.blocks_per_sm 2                            11 registers: 8192 / 2816
kernels[0].warp_instructions $((w * (16 + 45 * r)))             17 + 41 a round + 4 in all but the last + 3
kernels[0].stalls.issued $((w * (112 + 244 * r)))               4 each, 3 imad 16 more, 32 operands * 2 a round
kernels[0].global.load.requests $((w * r * 2))                  a word of each tile
kernels[0].global.load.bytes_moved $((w * r * 256))             2 loads of 128
kernels[0].shared.requests $((w * r * 34))                      2 stores, 16 loads, 16 operands
kernels[0].shared.conflict_passes 0                             as above
WANT
done

# ---- C = A*B, M x 16 by 16 x N: M*N/32 warps, each two rows of 16 ----

for size in '32 64' '64 128'; do
    m=${size% *} n=${size#* }
    w=$((m * n / 32))
    counts g80 ab-naive -p "M=$m" -p "N=$n" <<WANT
kernels[0].flops $((2 * m * n * 16))                            a multiply-add is two; stated
kernels[0].occupancy.blocks_per_sm 3                            10 registers: 8192 / 2560
kernels[0].warp_instructions $((w * 91))                        9 + 16 * 3 + 15 * 2 + 4
kernels[0].stalls.issued $((w * 380))                           91 * 4 + 16 for imad
kernels[0].global.load.requests $((w * 32))                     16 of A and of B
kernels[0].global.load.transactions $((w * 544))                16 * (32 + 2): one word for 16 threads is not thread k on word k
kernels[0].global.load.bytes_moved $((w * 18432))               16 * (32 * 32 + 128)
kernels[0].global.store.bytes_moved $((m * n * 4))              C
WANT
    counts gt200 ab-naive -p "M=$m" -p "N=$n" <<WANT
kernels[0].global.load.transactions $((w * 64))                 16 * (2 + 2)
kernels[0].global.load.bytes_moved $((w * 3072))                16 * (2 * 32 + 2 * 64)
WANT
    counts g80 ab-one-tile -p "M=$m" -p "N=$n" <<WANT
kernels[0].flops $((2 * m * n * 16))                            a multiply-add is two; stated
kernels[0].warp_instructions $((w * 67))                        16 + 16 * 2 + 15 + 4
kernels[0].stalls.issued $((w * 316))                           67 * 4 + 16 for imad + 16 operands * 2
kernels[0].global.load.requests $((w * 17))                     1 of A, 16 of B
kernels[0].global.load.bytes_moved $((w * 2176))                128 each
kernels[0].global.store.bytes_moved $((m * n * 4))              C
kernels[0].shared.requests $((w * 17))                          1 store, 16 operands
kernels[0].shared.conflict_passes 0                             one word for a half-warp, or 16 neighbours
WANT
    counts g80 ab-two-tiles -p "M=$m" -p "N=$n" <<WANT
kernels[0].flops $((2 * m * n * 16))                            a multiply-add is two; stated
kernels[0].warp_instructions $((w * 56))                        20 + 16 * 2 + 4
kernels[0].stalls.issued $((w * 320))                           56 * 4 + 2 imad * 16 + 32 operands * 2
kernels[0].global.load.requests $((w * 2))                      1 of A, 1 of B
kernels[0].global.load.bytes_moved $((w * 256))                 128 each
kernels[0].global.store.bytes_moved $((m * n * 4))              C
kernels[0].shared.requests $((w * 34))                          2 stores, 16 loads, 16 operands
kernels[0].shared.conflict_passes 0                             one word for a half-warp, or 16 neighbours
WANT
done

# ---- transposes on the GTX 280: tiles of 32 x 32, 8 warps of 4 rows each: N*N/128 warps ----

# The name, its instructions, their issue cycles, passes beyond the first for 32 * 32 words, transactions of a store of 16 words, why.
for n in 64 128; do
    w=$((n * n / 128))
    while read -r name instructions issued conflicts stores how; do
        counts gt200 "transpose-$name" -p "N=$n" <<WANT
kernels[0].warp_instructions $((w * instructions))                      $how
kernels[0].stalls.issued $((w * issued))                                4 each, imad 19, rem 156, shared loads 2 more
kernels[0].global.load.transactions $((n * n / 16))                     64 bytes for each half-warp
kernels[0].global.load.bytes_moved $((n * n * 4))                       all of it
kernels[0].global.store.transactions $((n * n * stores / 16))           1 for a half-warp, or for a thread
kernels[0].global.store.bytes_moved $((stores == 1 ? n * n * 4 : n * n * 32))   64 for a half-warp, or 32 for a thread
kernels[0].shared.conflict_passes $((n * n * conflicts / 1024))         15 for each half-warp that reads a column of 32 * 32 words
WANT
    done <<'KERNELS'
copy 24 115 0 1 8 + 4 * 4
copy-shared 35 167 0 1 10 + 4 * 3 + bar + 4 * 3
naive 26 142 0 16 10 + 4 * 4
coalesced 41 210 960 1 9 + 4 * 3 + bar + 7 + 4 * 3
padded 41 210 0 1 9 + 4 * 3 + bar + 7 + 4 * 3
fine 37 175 0 1 10 + 4 * 3 + bar + 2 + 4 * 3
coarse 39 202 0 1 9 + 4 * 3 + bar + 5 + 4 * 3
diagonal 43 374 0 1 11 + 4 * 3 + bar + 7 + 4 * 3
KERNELS
done

# ---- latencies: which level answers, and how long a step takes in the steady state ----

# The steady state is the difference of two runs; cycles_per_step at the size of the file is within one in a hundred of it.
# steady MACHINE WORKLOAD PARAM SIZE STEPS-OF-THE-FILE CYCLES: with SIZE and 2*SIZE steps; CYCLES, if known by hand, are those of a step
steady()
{
    for times in 1 2; do
        run "$ROOT/configs/$1.ini" "$TRACES/$2.trace" -p "$3=$(($4 * times))" --json "$times.json"
    done
    step=$(jq -n "([inputs.kernels[-1].cycles] | .[1] - .[0]) / $4" 1.json 2.json)
    run "$ROOT/configs/$1.ini" "$TRACES/$2.trace" --json result.json
    point "$1 $2: a step of $step cycles, and no more than 1 % beyond it at the size of the file" "$(
        want_exit 0
        want_json result.json ".total.cycles_per_step * $5 - .kernels[-1].cycles | fabs < 1" true
        want_json result.json ".total.cycles_per_step | . > $step * 0.99 and . < $step * 1.01" true
        [ -z "$6" ] || [ "$(printf %.0f "$step")" = "$6" ] || reason "want $6"
    )"
}

# op.alu_latency; shared.latency; op.alu_latency + constant.latency.
steady g80 latency-register n 500 16384 24
steady g80 latency-shared count 500 16384 36
steady gt200 latency-shared count 500 16384 38
steady g80 latency-constant-l1 count 1600 16384 32
steady g80 latency-constant-l2 count 1280 8192 ''
steady g80 latency-constant-l3 count 1280 4096 ''
steady g80 latency-texture-l1 count 1280 8192 ''
steady g80 latency-texture-l2 count 2048 8192 ''
steady g80 latency-global count 16384 8192 ''

counts g80 latency-register -p n=100 <<'WANT'
kernels[0].warp_instructions 106                    2 + 100 + 4
kernels[0].stalls.issued 424                        4 each
WANT
for n in 64 200; do
    counts g80 latency-shared -p "count=$n" <<WANT
kernels[0].warp_instructions $((n + 3))             mov, the chain, mov, st
kernels[0].shared.requests $n                       the chain
kernels[0].shared.passes $n                         one thread
WANT
    counts g80 latency-global -p "count=$n" <<WANT
total.launches 2                                    the first for the TLB
kernels[1].warp_instructions $((4 * n + 3))         mov, 4 a step, mov, st
kernels[1].global.load.transactions $n              one thread
kernels[1].global.load.bytes_moved $((n * 64))      a word in its place of a segment is coalesced, even alone
kernels[1].tlb.misses 0                             4 MB are 8 pages of 16, that of the end the ninth
WANT
    counts g80 latency-texture-l1 -p "count=$n" <<WANT
total.launches 2                                    the first fills the cache
kernels[0].texture.cache.misses 128                 4096 / 32
kernels[1].texture.requests $n                      the chain
kernels[1].texture.cache.hits $n                    4096 bytes fit in 5120
kernels[1].l2.accesses 0                            none gets there
WANT
    counts g80 latency-texture-l2 -p "count=$n" <<WANT
kernels[0].texture.cache.misses 2048                65536 / 32
kernels[0].l2.misses 256                            65536 / 256
kernels[1].texture.cache.hits 0                     2048 lines in turn, of which 160 stay
kernels[1].l2.hits $n                               65536 bytes fit in 6 * 32768
kernels[1].dram.reads 0                             none gets there
WANT
    counts g80 latency-constant-l1 -p "count=$n" <<WANT
kernels[0].constant.l1.misses 16                    1024 / 64
kernels[1].warp_instructions $((n + 3))             mov, the chain, mov, st
kernels[1].constant.l1.hits $n                      1024 bytes fit in 2048
WANT
    counts g80 latency-constant-l2 -p "count=$n" <<WANT
kernels[0].constant.l2.misses 32                    8192 / 256
kernels[1].constant.l1.hits 0                       128 lines in turn, of which 32 stay
kernels[1].constant.l2.hits $n                      8192 bytes fit
WANT
    counts g80 latency-constant-l3 -p "count=$n" <<WANT
kernels[0].constant.l3.misses 128                   32768 / 256
kernels[1].constant.l1.hits 0                       128 lines in turn, of which no more than 32 stay
kernels[1].constant.l2.hits 0                       128 lines in turn, of which 32 stay
kernels[1].constant.l3.hits $((2 * n))              32768 bytes fit; a line of 256 comes in two requests of 128
WANT
done

# ---- the worked example of Hong and Kim ----

for blocks in 80 160; do
    w=$((blocks * 4))
    counts fx5600 mwp-cwp-example -p "blocks=$blocks" <<WANT
kernels[0].occupancy.blocks_per_sm 5                4 warps * 32 * 12 registers = 1536; 8192 / 1536
kernels[0].occupancy.warps_per_sm 20                5 * 4
kernels[0].occupancy.limiter "registers"                      the warps would allow six
kernels[0].warp_instructions $((w * 39))            27 + 6 + 6
kernels[0].stalls.issued $((w * 156))               4 each
kernels[0].global.load.requests $((w * 6))          6
kernels[0].global.load.transactions $((w * 192))    32 each
kernels[0].global.load.bytes_moved $((w * 6144))    32 bytes each
kernels[0].global.store.requests 0                  none
WANT
done

finish
