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

finish
