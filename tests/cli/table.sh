#!/bin/sh
# Tables and the workloads that go with them: where a table's file is looked for, what is said of a wrong one, and counts worked out
# by hand. The rules of counting stand in counts.sh.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# want_counts LOADS TRANSACTIONS BYTES: of global memory, loads only
want_counts()
{
    want_exit 0
    want_json result.json '.kernels[0].global.load.requests' "$1"
    want_json result.json '.kernels[0].global.load.transactions' "$2"
    want_json result.json '.kernels[0].global.load.bytes_moved' "$3"
}

# ---- gather: 128 warps load an index and a word each. The indices take 2 transactions of 64 bytes for a warp. ----

gather()
{
    run "$CONFIG" "$TRACES/gather.trace" -p N=4096 --json result.json "$@"
}

gather -p pattern=0
point 'gather in order: both loads coalesced' "$(want_counts 256 512 32768)" # 128 * 4 * 64
gather -p pattern=1
point 'gather in another order: 32 transactions of 32 bytes for the words' "$(want_counts 256 4352 147456)" # 128 * (2 * 64 + 32 * 32)
gather -p pattern=2
point 'gather from anywhere: the same' "$(want_counts 256 4352 147456)"

# ---- a file of indices, beside the trace ----

mkdir -p sub
cat >sub/own.trace <<'TRACE'
g80trace 1
param N = 64
table own[N] from "own.txt"
global x[N] : f32
kernel k
  grid  N/32
  block 32
  regs  1
  ld r0, x[own[ctaid.x*32 + tid.x]]
end
TRACE

own()
{
    run "$CONFIG" "$@" --json result.json
}

seq 0 63 >sub/own.txt
own sub/own.trace
point 'indices in order: 4 half-warps, a transaction each' "$(want_counts 2 4 256)"
seq 63 -1 0 | paste -sd, - >sub/own.txt
own sub/own.trace
point 'indices in reverse, in one line: 64 transactions' "$(want_counts 2 64 2048)"
seq 0 63 | sed 's/$/\r/' >sub/own.txt
own sub/own.trace
point 'indices with line ends of Windows' "$(want_counts 2 4 256)"
seq 0 63 >sub/own.txt
own sub/own.trace -p N=32
point 'a file too long for the size' "$(want_exit 3; want_lines err 1
    want_match err 'sub/own\.trace:3:1: own\[32\]: 64 values in sub/own\.txt: want 32$')"
(seq 0 40; echo 4l; seq 42 63) >sub/own.txt
own sub/own.trace
point 'a value that is no number' "$(want_exit 3; want_lines err 1
    want_match err 'sub/own\.txt:42: value = 4l: want a decimal or 0x hexadecimal integer$')"
seq 1 64 >sub/own.txt
own sub/own.trace
point 'an index outside the array' "$(want_exit 3; want_lines err 1
    want_match err 'own\.trace:9: x: index 1 = 64: want 0\.\.63 \(block 1,0,0 thread 31,0,0\)$')"
sed 's/tid\.x\]\]/tid.x + 1]]/' sub/own.trace >sub/outside.trace
seq 0 63 >sub/own.txt
own sub/outside.trace
point 'an index outside the table' "$(want_exit 3; want_lines err 1
    want_match err 'outside\.trace:9: own: index 1 = 64: want 0\.\.63 \(block 1,0,0 thread 31,0,0\)$')"
rm sub/own.txt
run "$CONFIG" sub/own.trace
point 'no such file' "$(want_exit 3; want_lines err 1; want_match err 'sub/own\.trace:3:1: own: sub/own\.txt: No such file')"

# ---- a trace on standard input: its files are in the working directory ----

seq 0 63 >own.txt
code=0
"$G80SIM" "$CONFIG" - --json result.json <sub/own.trace >out 2>err || code=$?
point 'a trace on standard input' "$(want_counts 2 4 256)"

# ---- the other workloads of this kind, on 4096 structures or 128 x 128 words: 16 tiles of 8 warps that go round 4 times ----

# stores TRANSACTIONS CONFLICT_PASSES
want_stores()
{
    want_json result.json '.kernels[0].global.store.transactions' "$1"
    want_json result.json '.kernels[0].shared.conflict_passes' "$2"
}

run "$CONFIG" "$TRACES/copy-float3.trace" -p N=4096 --json result.json
point 'copy-float3: 128 warps * 3 words * 32 transactions' "$(want_counts 384 12288 393216; want_stores 12288 0)"
run "$CONFIG" "$TRACES/copy-float3-shared.trace" -p N=4096 --json result.json
point 'copy-float3-shared: 128 * 3 * 2, and a stride of three banks' "$(want_counts 384 768 49152; want_stores 768 0)"
for name in copy copy-shared fine coarse diagonal; do
    run "$CONFIG" "$TRACES/transpose-$name.trace" -p N=128 --json result.json
    point "transpose-$name: 512 * 2, no conflicts" "$(want_counts 512 1024 65536; want_stores 1024 0)"
done
run "$CONFIG" "$TRACES/transpose-coalesced.trace" -p N=128 --json result.json
point 'transpose-coalesced: 512 reads of a column, 2 half-warps, 15 passes more each' \
    "$(want_counts 512 1024 65536; want_stores 1024 15360)"

finish
