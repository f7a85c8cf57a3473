#!/bin/sh
# explain: what it says of the accesses of the shipped traces, figures by hand; the bottleneck that it names first; residency; partitions.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# explain MACHINE WORKLOAD OPTION...: leaves text in out, the document in answer.json
explain()
{
    machine=$1 workload=$2
    shift 2
    run explain "$ROOT/configs/$machine.ini" "$TRACES/$workload.trace" --json answer.json "$@"
}

# want_insn TEXT [cost, fewest]: of the instruction whose text begins so
want_insn()
{
    want_json answer.json "[.instructions[] | select(.text | startswith(\"$1\"))][0] | [.cost, .fewest]" "$2"
}

# want_cure TEXT REGEX
want_cure()
{
    want_json answer.json "[.instructions[] | select(.text | startswith(\"$1\"))][0].cure | test(\"$2\")" true
}

want_pattern()
{
    want_json answer.json "[.instructions[] | select(.text | startswith(\"$1\"))][0].pattern" "\"$2\""
}

want_bottleneck()
{
    want_json answer.json '.bottleneck.name' "\"$1\""
}

# ---- accesses ----

# A warp is a row of the tile of 32 x 32: 32 words, 2 segments of 64 bytes; written as a column of rows of 1024 bytes: each lane alone.
# 64 blocks of 8 warps and 4 iterations are 2048 executions.
explain g80 transpose-naive -p N=256
point 'transpose-naive on g80: uncoalesced stores' "$(
    want_exit 0
    want_bottleneck 'uncoalesced accesses'
    want_json answer.json '[.bottleneck.line, .bottleneck.simulated, .blocks, .blocks_seen, .cut]' '[50, true, 64, 64, false]'
    want_insn 'ld  r4, idata' '[2, 2]'
    want_insn 'st  odata' '[32, 2]'
    want_pattern 'st  odata' 'one row of odata for each lane'
    want_cure 'st  odata' 'tid\\.x the last index'
    want_json answer.json '.instructions[1] | [.executions, .of_pattern, .least, .most, .unit]' '[2048, 2048, 32, 32, "transactions"]'
    want_match out '^Bottleneck: uncoalesced stores \(line 50: 32 transactions, 2 at best\)\.$'
    want_match out 'Rule +as compute capability 1\.0 and 1\.1'
)"

# Rows of 4096 bytes are 16 blocks of 256 bytes: a column stays in one of 8 partitions. The 120 blocks at once are 3 3/4 rows of 32
# blocks: columns 0..63 and, to 7/8 as many, 64..119, in two of them; the first takes 64/120 of the stores.
explain gt200 transpose-naive --no-run
point 'transpose-naive on gt200: camping' "$(
    want_exit 0
    want_bottleneck 'uncoalesced accesses and partition camping'
    want_json answer.json '[.partitions.count, .partitions.camps_on, .partitions.line]' '[8, 2, 50]'
    want_json answer.json '.partitions.busiest_share > 0.45 and .partitions.busiest_share < 0.54' true
    want_match out '^Largest waste: uncoalesced stores .* that camp on 2 of 8 partitions\.$'
    want_match out 'Simulated +no: about'
)"

# The same rows, padded as they are turned in shared memory: the stores are as concentrated as the blocks' columns, but coalesced
explain gt200 transpose-coarse --no-run
point 'transpose-coarse on gt200: camping alone' "$(want_bottleneck 'partition camping'; want_insn 'st  odata' '[2, 2]')"
explain gt200 transpose-diagonal --no-run
point 'transpose-diagonal on gt200: none' "$(want_bottleneck unknown; want_json answer.json '.partitions.camps_on >= 6' true)"

# B = 128, rounds s = 1, 2, 4 ... 64; lanes 2*s words apart. s = 1: two warps, 16 lanes on 8 banks, 2 passes for each half: 4. s = 2: one warp,
# 4 for each half: 8. s = 4: half a warp on 2 banks: 8. s = 8: 8 lanes on one: 8. Then 4, 2, 1. In all (4+4+8+8+8+4+2+1)/8 = 39/8;
# at best one for each half that is on: (2+2+2+1+1+1+1+1)/8 = 11/8. Of two launches 64 of 128 blocks and the only one: 65 x 8 = 520.
explain g80 reduction-2 -p N=16384 -s launch.overhead_us=0
point 'reduction-2 on g80: bank conflicts' "$(
    want_exit 0
    want_bottleneck 'bank conflicts'
    want_insn 'ld  r2, sdata[2' '[4.875, 1.375]'
    want_insn 'st  sdata[2' '[4.875, 1.375]'
    want_insn 'st    sdata[tid.x]' '[2, 2]'
    want_match out '^Bottleneck: bank conflicts \(line 6[789]: 4\.9 passes, 1\.4 at best\)\.$'
    want_match out 'sdata\[2\*s\*tid\.x \+ s\] +words 2 apart, in 130 of 520: 4\.9 \(1\.\.8\) passes, 1\.4 at best'
)"
explain g80 reduction-2 -p N=16384 --no-run
point 'reduction-2 without a simulation' "$(
    want_bottleneck 'bank conflicts'
    want_json answer.json '[.bottleneck.simulated, .bottleneck.verdict]' '[false, null]'
)"

# A half-warp is a row of the tile of 16 x 16
explain g80 matmul -p N=128
point 'matmul on g80: instruction issue' "$(
    want_exit 0
    want_bottleneck 'instruction issue'
    want_insn 'ld  r1, A' '[2, 2]'
    want_insn 'ld  r3, As' '[2, 2]'
    want_pattern 'ld  r3, As' 'one word for each 16 lanes'
    want_json answer.json '[.instructions[].cure] | unique' '[null]'
)"
# The 16 words of each of two rows: two lines of 128 bytes on cc 2.x, where a whole warp of 32 words would take one
explain gf100 matmul --no-run
point 'matmul on gf100: rows of 16' "$(want_insn 'ld  r1, A' '[2, 1]'; want_cure 'ld  r1, A' 'at least 32 threads')"

explain g80 pointer-chase -p count=256
point 'pointer-chase on g80: latency' "$(
    want_bottleneck 'memory latency'
    want_insn 'ld r0, next' '[1, 1]'
    want_pattern 'ld r0, next' 'one lane alone'
    want_json answer.json '.instructions[0].executions' 256
    want_match out '^Bottleneck: memory latency: 1\.0 of 24 warps on a busy SM to hide it\.$'
    want_match out 'the launch has but 1 block$'
)"

explain g80 vecadd -p N=65536
point 'vecadd on g80: bandwidth' "$(
    want_bottleneck 'DRAM bandwidth'
    want_insn 'ld  r2, a[i]' '[2, 2]'
    want_pattern 'ld  r2, a[i]' 'consecutive words from a 64-byte boundary'
)"

# Bytes 0..183 of a half-warp: a segment of 128 and half of one; bytes 192..375: half of one and one. On g80 each lane alone.
explain gt200 copy-float3 --no-run
point 'copy-float3 on gt200' "$(want_insn 'ld    r3, idata' '[4, 2]'; want_pattern 'ld    r3, idata' 'words 3 apart')"
explain g80 copy-float3 -p N=65536
point 'copy-float3 on g80' "$(want_bottleneck 'uncoalesced accesses'; want_insn 'ld    r3, idata' '[32, 2]')"

# Small copies: the path is in use for a tenth of the time and waits for a slot, without a queue behind it
explain g80 vecadd -p N=16384
point 'vecadd on g80, small: latency behind a path without slots' "$(
    want_bottleneck 'memory latency'
    want_json answer.json '.bottleneck.verdict | startswith("Bound by the load/store path")' true
    want_match out '^Bottleneck: memory latency: 16 requests an SM may have under way do not hide it\.$'
)"
# Eight blocks read the same rows at the same step, 91 % from one partition, which has time for them: no load takes longer than alone
explain g80 ab-one-tile -p M=32 -p N=64
point 'ab-one-tile on g80: camping that costs nothing' "$(want_bottleneck 'memory latency'; want_json answer.json '.partitions.camps_on' 1)"
# Rows of 16 words take half a line of 128 bytes: two transactions for one, of a path that is idle
explain gf100 matmul -p N=64
point 'matmul on gf100: transactions that cost nothing' "$(
    want_insn 'ld  r1, A' '[2, 1]'
    want_json answer.json '.bottleneck.name != "uncoalesced accesses"' true
)"

# Two segments of 128 bytes, one for each half-warp; of words side by side they would be of 64
explain gt200 copy-stride -p N=65536
point 'copy-stride on gt200: bytes, not transactions' "$(
    want_bottleneck 'uncoalesced accesses'
    want_insn 'ld    r0' '[2, 2]'
    want_match out 'words 2 apart: 2 transactions, 256 bytes, 128 at best'
)"

# 128 bytes from byte 4 on reach into a fifth sector of 32
explain h200 copy-offset -p offset=1 --no-run
point 'copy-offset on h200' "$(want_insn 'ld    r0' '[5, 4]'; want_cure 'ld    r0' 'align to 32 bytes'; want_bottleneck unknown)"
explain g80 copy-offset -p offset=1 --no-run
point 'copy-offset on g80' "$(want_insn 'ld    r0' '[32, 2]'; want_cure 'ld    r0' 'align to 64 bytes')"

# D = 16: the 16 lanes of a half-warp read 16 words of a row
explain g80 constant-diverge
point 'constant-diverge on g80' "$(
    want_bottleneck 'diverging constant addresses'
    want_insn 'ld  r4, C' '[32, 2]'
    want_json answer.json '.instructions[0].unit' '"addresses"'
)"

# 32 accesses of a thread to local memory, 48 to global: 40 %
explain g80 local-spill -p N=16384
point 'local-spill on g80' "$(
    want_insn 'st  spill' '[2, 2]'
    want_cure 'st  spill' 'more registers'
    want_bottleneck 'local memory'
    want_match out '^Bottleneck: .*, 40 % of the transactions for local memory'
)"

# A column of tile[32][32]: 32 words apart, on 16 banks all in one: 16 passes for each half-warp. On 32 banks 32 for the warp.
explain g80 transpose-coalesced --no-run
point 'transpose-coalesced on g80: pad the row' "$(
    want_bottleneck 'bank conflicts'
    want_insn 'ld  r[6 + i/R], tile' '[32, 2]'
    want_cure 'ld  r[6 + i/R], tile' 'tile\\[32\\]\\[32\\+1\\]'
)"
explain h200 transpose-coalesced --no-run
point 'transpose-coalesced on h200' "$(want_insn 'ld  r[6 + i/R], tile' '[32, 1]'; want_insn 'st  odata' '[4, 4]')"
explain g80 transpose-padded --no-run
point 'transpose-padded on g80: none' "$(want_bottleneck unknown; want_insn 'ld  r[6 + i/R], tile' '[2, 2]')"

explain h200 histogram
point 'histogram on h200: atomics' "$(
    want_bottleneck 'atomic operations'
    want_json answer.json '.partitions' null
    want_cure 'atom H' 'combine values in shared memory first'
    want_match out 'a hash spreads the addresses'
)"

explain g80 divergence
point 'divergence on g80' "$(want_bottleneck divergence)"

# left = x - 1: 16 words from one before a boundary on; 4096 blocks of 8 warps, of which 64 are looked at
explain g80 stencil-2d --no-run
point 'stencil-2d on g80' "$(
    want_bottleneck 'uncoalesced accesses'
    want_insn 'ld    r7, in[y][x]' '[2, 2]'
    want_pattern 'ld    r3, in' 'each 16 lanes: consecutive, off a 64-byte boundary'
    want_json answer.json '[.blocks, .blocks_seen]' '[4096, 64]'
    want_match out '5 instructions no lane executes'
)"
# 2,000,000 turns of 4 instructions (ld, and 3 of the loop) in one warp: the walk ends after 2^20 accesses, at 4 x 2^20 instructions
cat >long.trace <<'TRACE'
g80trace 1
global x[32] : f32
kernel k
  grid 1
  block 32
  regs 4
  loop i = 1 to 2000000
    ld r0, x[tid.x]
  end
end
TRACE
run explain "$CONFIG" long.trace
point 'a walk that was cut short' "$(want_exit 0; want_match out 'Simulated +no: more than 4,194,... warp')"

# ---- launches ----

# 256 threads of 11 registers: 2816 of 8192, two blocks; of 10: 2560, three
explain g80 register-pressure -p R=11 --no-run
point 'residency: how far the next block is' "$(
    want_json answer.json '.launches | length' 1
    want_json answer.json '.launches[0].residency' \
        '"2 blocks of 256 threads on an SM, 16 of 24 warps: limited by registers; 3 blocks fit with 10 registers (1 fewer)"'
)"
explain g80 register-pressure --no-run
point 'residency: how far registers may go' "$(
    want_json answer.json '.launches[0].residency | test("24 of 24 warps: limited by registers, warps, threads; up to 10 registers keep that")' true
)"
# 32*33 words and the arguments; steps of 512 bytes let 16384/4096 = 4 in
explain gt200 transpose-coarse --no-run
point 'residency: shared memory' "$(
    want_json answer.json '.launches[0].residency | test("limited by shared memory; 4 blocks fit with 4,0.. bytes shared")' true
)"

# ---- the command ----

for machine in g80 gf100 h200; do
    for workload in transpose-naive stencil-2d matmul-recursive gather histogram texture-2d reduction-6 copy-float3 local-spill; do
        run explain "$ROOT/configs/$machine.ini" "$TRACES/$workload.trace" --no-run
        awk 'length > 120' out >long
        point "$workload on $machine: 120 columns" "$(want_empty long)"
    done
done

run explain "$CONFIG" "$TRACES/vecadd.trace" --run --no-run
point 'one of --run and --no-run' "$(want_exit 2; want_match err 'want one of them at most')"
run explain "$CONFIG" "$TRACES/vecadd.trace" -p N=0
point 'a mistake of the trace' "$(want_exit 3)"

finish
