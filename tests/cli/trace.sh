#!/bin/sh
# trace check and trace stats.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# ---- trace check ----

for trace in "$TRACES"/*.trace; do
    run trace check "$trace"
    point "trace check: $(basename "$trace") is good" "$(want_exit 0; want_empty err; want_match out 'good: [0-9]+ kernels?, [0-9]+ launch(es)?$')"
done

run trace check "$TRACES/reduction-3.trace" -p N=65536 --json -
point 'trace check --json -' "$(
    want_exit 0
    want_json out .good true
    want_json out '[.kernels, .launches]' '[1, 2]'
    want_json out .params.N 65536
)"

cat >bad.trace <<'TRACE'
g80trace 1
global A[32] : f32
kernel k
  grid  1
  block 32
  regs  2
  movv r0
  ld r5, A[tid.x
  ld r1, B[tid.x]
end
TRACE
run trace check bad.trace --json check.json
point 'trace check: all mistakes at once, with line and column' "$(
    want_exit 3
    want_empty out
    want_match err '^bad\.trace:7:[0-9]+: '
    want_match err '^bad\.trace:8:[0-9]+: '
    want_match err '^bad\.trace:9:[0-9]+: '
    want_absent check.json
)"
code=0
"$G80SIM" trace check - <"$TRACES/vecadd.trace" >out 2>err || code=$?
point 'trace check -: standard input' "$(want_exit 0; want_match out '^<stdin>: good')"
run trace check "$TRACES/matmul.trace" -p N=100
point 'trace check: parameters that the trace forbids' "$(want_exit 3; want_lines err 1; want_match err 'N % T == 0')"
run trace check "$TRACES/matmul.trace" -p M=1
point 'trace check: unknown parameter' "$(want_exit 2; want_lines err 1)"

# ---- trace stats: the same counts as the simulation's ----

for workload in 'matmul -p N=64' 'transpose-padded -p N=64' 'reduction-1 -p N=65536' 'divergence -p blocks=3' 'vecadd -p N=1000'; do
    # shellcheck disable=SC2086 # words
    set -- $workload
    name=$1
    shift
    run trace stats "$TRACES/$name.trace" "$@" --json stats.json
    code_stats=$code
    run "$CONFIG" "$TRACES/$name.trace" "$@" --json run.json --quiet
    point "trace stats: $workload counts as the simulation does" "$(
        want_exit 0
        [ "$code_stats" -eq 0 ] || reason 'want trace stats to end well'
        for value in warp_instructions thread_instructions; do want_json stats.json ".$value" "$(json run.json ".total.$value")"; done
        want_json stats.json '[.instructions[].warp] | add' "$(json run.json .total.warp_instructions)"
        for direction in load store; do
            want_json stats.json "[.memory[] | select(.space == \"global\" and .direction == \"$direction\") | .requests, .bytes_requested] | if . == [] then [0, 0] else . end" \
                "$(jq -c ".total.global.$direction | [.requests, .bytes_requested]" run.json)"
        done
        want_json stats.json '[.memory[] | select(.space == "shared") | .requests] | add // 0' "$(json run.json .total.shared.requests)"
    )"
done

# ---- trace stats: what each workload on constants, textures, local memory, atomics and caches requests, at two sizes ----

# The workload | parameters | requests of warps, by space and direction | `whole` when every byte of every array is touched.
cat >rows <<'ROWS'
constant-broadcast | N=8192 | global load 256, global store 256, const load 16384 | whole | 256 warps, 64 coefficients
constant-broadcast | N=512 B=32 K=3 U=3 | global load 16, global store 16, const load 48 | - | 16 warps, 3 coefficients
constant-diverge | D=16 blocks=8 | global store 64, const load 16384 | whole | 64 warps, 4 laps of 64 rows
constant-diverge | D=3 rows=1024 laps=1 blocks=2 B=33 | global store 4, const load 4096 | - | 4 warps, 1024 rows
texture-2d | walk=0 W=256 H=128 | global store 256, tex load 1024 | whole | 32768 texels, 4 for each thread
texture-2d | walk=1 W=256 H=128 | global store 256, tex load 1024 | whole | the same texels
texture-2d | walk=2 W=256 H=128 | global store 256, tex load 1024 | whole | the same texels
texture-2d | walk=2 W=32 H=64 B=32 K=8 | global store 8, tex load 64 | whole | 2048 texels, 8 for each thread
stencil-2d | texture=0 W=64 H=48 | global load 480, global store 96 | - | 96 warps, 5 loads
stencil-2d | texture=1 W=96 H=16 BX=32 BY=4 | global store 48, tex load 240 | - | 48 warps, 5 fetches
histogram | N=16384 | global load 512, global atomic 512 | - | 512 warps' worth of numbers
histogram | private=1 equal=1 N=8192 bins=128 B=64 K=4 | global load 256, global atomic 128, shared load 128, shared store 128, shared atomic 256 | whole | 32 blocks, 4 requests for 128 bins
atomic-same | spread=32 blocks=2 K=3 | global atomic 48 | whole | 16 warps, 3 times
atomic-same | blocks=5 B=96 | global atomic 240 | - | 15 warps, 16 times
local-spill | N=2048 | global load 1536, global store 1536, local load 1024, local store 1024 | whole | 64 warps, 24 values, 16 spilled
local-spill | V=7 S=5 N=1024 | global load 224, global store 224, local load 160, local store 160 | whole | 32 warps, 7 values, 5 spilled
l2-reuse | bytes=262144 | global load 8192, global store 256 | whole | 2048 warp loads a pass, 4 passes; 256 warps
l2-reuse | bytes=65536 blocks=8 U=1 passes=2 | global load 1024, global store 64 | whole | 512 a pass, 2 passes; 64 warps
matmul-blocked | N=64 B1=16 R=1 B2=32 | global load 1024, global store 128, shared load 16384, shared store 1024 | whole | 2*64^3/16/32; 128 warps, 64 steps, 2 loads
matmul-blocked | N=128 R=4 B2=128 | global load 4096, global store 512, shared load 32768, shared store 4096 | whole | 2*128^3/32/32; 32 warps, 128 steps, 8 loads
matmul-recursive | N=64 | global load 1152, global store 256, shared load 16384, shared store 1024 | whole | 2*64^3/16/32, and C once more; 128 warps, 64 steps, 2 loads
matmul-recursive | N=128 T=8 parts=4 | global load 17920, global store 2048, shared load 131072, shared store 16384 | whole | 2*128^3/8/32, and C three times more
pointer-chase-texture | bytes=65536 laps=2 stride=32 | global store 1, tex load 4096 | - | 2048 a lap
pointer-chase-texture | count=10 stride=4 | global store 1, tex load 10 | -
pointer-chase-constant | bytes=65536 laps=2 | global store 1, const load 2048 | - | 1024 a lap
pointer-chase-constant | stride=256 bytes=2048 | global store 1, const load 256 | - | 8 a lap, 32 laps
ROWS
# shellcheck disable=SC2034 # the last column is for people
while IFS='|' read -r name settings requests whole why; do
    # shellcheck disable=SC2046,SC2086,SC2116 # words, without their outer blanks
    run trace stats "$TRACES/$(echo $name).trace" $(printf -- '-p %s ' $settings) --json stats.json
    point "trace stats: $name$settings" "$(
        want_exit 0
        want_json stats.json '[.memory[] | "\(.space) \(.direction) \(.requests)"] | join(", ")' "\"$(echo $requests)\""
        [ "$whole" != ' whole ' ] || want_json stats.json 'all(.footprint[]; .bytes == .bytes_touched)' true
    )"
done <rows

# ---- trace stats: numbers worked out by hand ----

run trace stats "$TRACES/vecadd.trace" -p N=1000 --json stats.json
# 4 blocks of 256; a, b and c: 1000 words of 4 bytes, 4000 bytes = 125 sectors of 32
point 'trace stats: vecadd of 1000' "$(
    want_exit 0
    want_json stats.json '[.launches, .blocks, .warps, .threads]' '[1, 4, 32, 1024]'
    want_json stats.json '[.footprint[].bytes_touched]' '[4000, 4000, 4000]'
    want_json stats.json .sector_bytes 32
    want_match out '4 blocks, 32 warps, 1,024 threads'
)"

# One word of each 256 bytes: 16 of them, each in a sector of its own.
cat >sparse.trace <<'TRACE'
g80trace 1
param stride = 64
global A[1 << 34] : f32
kernel k
  grid  1
  block 16
  regs  1
  ld r0, A[tid.x*stride]
  if tid.x < 4
    exit
  end
  st A[(1 << 33) + tid.x], r0
end
TRACE
run trace stats sparse.trace --json stats.json
# 16 sectors of the load; words 4..15 of the store lie in sectors 0 (4..7) and 1 (8..15) from 2^33 on
point 'trace stats: footprint of a sparse array of 64 GiB, exit' "$(
    want_exit 0
    want_json stats.json '.footprint[0].bytes_touched' $(((16 + 2) * 32))
    want_json stats.json '[.memory[] | .requests, .bytes_requested]' '[1, 64, 1, 48]'
    want_json stats.json .instructions.exit '{"warp": 1, "thread": 4}'
    want_match out 'exit +1 +4 '
)"
run trace stats sparse.trace -p stride=-1
point 'trace stats: a fault on the way' "$(want_exit 3; want_empty out; want_lines err 1; want_match err 'sparse\.trace:8.*thread 1,0,0')"

cat >spaces.trace <<'TRACE'
g80trace 1
global H[16] : u32
const K[8][2] : f32
tex X[10][20] : f32
kernel k
  grid  2
  block 64
  regs  8
  shared S[16] : u32
  local L[3] : u8
  local M[2] : f64
  ld   r0, K[0][laneid % 2]
  mad  r1, r0, K[7][1], r2 via r3
  tex  r2, X[9][laneid % 20] via r0
  st   L[tid.x % 3], r2
  ld   r4, M[1]
  ld   r6, S[tid.x % 16]
  atom S[tid.x % 16], r0
  atom r1, H[tid.x % 16], r0 via r2
  @tid.x == 0 atom H[0], r0
end
TRACE
run trace stats spaces.trace --json stats.json
# 4 warps of 32, 2 blocks. Each access is a request of every warp, 128 lanes in all, but for the last: 1 lane of the first warp of each block.
point 'trace stats: requests and bytes by space, atomics apart' "$(
    want_exit 0
    want_json stats.json '[.memory[] | "\(.space) \(.direction) \(.requests) \(.bytes_requested)"]' '[
        "global atomic 6 520", "shared load 4 512", "shared atomic 4 512", "const load 8 1024", "tex load 4 512", "local load 4 1024",
        "local store 4 128"]'
    want_json stats.json '.instructions | [.load.warp, .store.warp, .atomic.warp, .atomic.thread]' '[16, 4, 12, 258]'
    want_match out '^  global +atomic +6 +520$'
)"
# X: rows of 80 bytes, 128 with their tiles, 16 rows with theirs; of row 9 three sectors. L at 0, M at 8: 24 bytes, 32 in steps of 16.
point 'trace stats: footprint by space' "$(
    want_exit 0
    want_json stats.json '[.footprint[] | [.array, .space, .bytes, .bytes_touched]]' \
        '[["H", "global", 64, 64], ["K", "const", 64, 64], ["X", "tex", 2048, 96]]'
    want_json stats.json '[.spaces[] | [.space, .bytes, .bytes_touched]]' \
        '[["global", 64, 64], ["shared", 64, null], ["const", 64, 64], ["tex", 2048, 96], ["local", 32, null]]'
    want_match out '^  local +32 +-   of a thread, the largest$'
)"

finish
