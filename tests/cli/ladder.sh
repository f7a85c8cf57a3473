#!/bin/sh
# ladder: the levels of storage.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# level NAME: the filter that finds it
level()
{
    echo "(.levels[] | select(.level == \"$1\"))"
}

# want_near NAME CYCLES: within 1 %
want_near()
{
    want_json out "$(level "$1") | .cycles >= 0.99 * $2 and .cycles <= 1.01 * $2" true
}

# the textbook's: registers 1, shared memory 65, 200 from L2, 600 from memory; 65,536 registers of 4 bytes, 96 KB, 10 * 400 KB
run ladder "$ROOT/configs/exercise.ini" --json -
point 'ladder: the textbook machine' "$(
    want_exit 0
    want_empty err
    want_near registers 1
    want_near 'shared memory' 65
    want_near 'L2 cache' 200
    want_near 'global memory' 600
)"
point 'ladder: fastest first' "$(want_json out '[.levels[].cycles | select(. != null)] | . == sort' true)"
point 'ladder: sizes' "$(
    want_json out "$(level registers) | [.bytes, .of]" '[262144, "SM"]'
    want_json out "$(level 'shared memory') | .bytes" 98304
    want_json out "$(level 'L2 cache') | [.bytes, .of]" '[4096000, "chip"]'
    want_json out "$(level 'global memory') | .bytes" null
)"
point 'ladder: scope and manager' "$(
    want_json out "$(level registers) | [.scope, .manager]" '["thread", "compiler"]'
    want_json out "$(level 'shared memory') | [.scope, .manager]" '["block", "programmer"]'
    want_json out "$(level 'L2 cache') | [.scope, .manager]" '["device", "hardware"]'
    want_json out "$(level 'global memory') | [.scope, .manager]" '["device", "programmer"]'
)"
point 'ladder: a level that is not there, and why' "$(
    want_json out "$(level 'L1 cache') | [.cycles, .bytes]" '[null, null]'
    want_json out "$(level 'L1 cache') | .absent | contains(\"l1.bytes = 0\")" true
)"

# 24 cycles of an addition, 8 more of a constant, 36 of shared memory, 280 and 380 of a texture (docs/sources.md A7, A8)
run ladder "$CONFIG" --json -
point 'ladder: g80' "$(
    want_exit 0
    want_near registers 24
    want_near 'constant cache' 32
    want_near 'shared memory' 36
    want_near 'texture cache' 280
    want_near 'texture, from L2' 380
    want_json out "$(level 'L2 cache') | .absent | contains(\"textures alone\")" true
)"
run ladder "$ROOT/configs/exercise.ini" -s shared.latency=40 -s l2.serves=none --json -
point 'ladder: keys count' "$(want_exit 0; want_near 'shared memory' 40; want_json out "$(level 'L2 cache') | .cycles" null)"

for config in "$ROOT"/configs/*.ini; do
    run ladder "$config"
    point "ladder: $(basename "$config")" "$(want_exit 0; want_empty err; want_match out '^registers .*thread +compiler$'; want_match out '^global memory .*device +programmer$')"
done

LC_ALL=C run ladder "$ROOT/configs/exercise.ini"
point 'ladder: bars are logarithmic' "$(
    # one cycle is a tenth of a decade: 0.1 / 2.877 of 50 cells are 1.7; 65 cycles 1.913 / 2.877: 33.2; 200 cycles 2.401 / 2.877: 41.7
    want_match out '^registers +1  #$'
    want_match out '^shared memory +65  #{33}$'
    want_match out '^L2 cache +200  #{41}$'
    want_match out '^global memory +598  #{50}$'
)"
run ladder "$CONFIG" --csv -
point 'ladder --csv -: a row for each level' "$(want_exit 0; want_lines out 11; want_match out '^machine,overrides,level,cycles,'; want_match out ',registers,24,32768,SM,thread,compiler,$')"
run ladder "$CONFIG" --csv - --json -
point 'ladder: one thing on standard output' "$(want_exit 2; want_empty out; want_lines err 1)"
run ladder
point 'ladder: no machine' "$(want_exit 2; want_lines err 1; want_match err CONFIG)"
run ladder missing.ini
point 'ladder: no such machine' "$(want_exit 2; want_lines err 1)"

run ladder "$CONFIG" -s limit.max_instructions=10
point 'ladder: a limit is reached' "$(want_exit 4; want_empty out; want_lines err 1; want_match err '^registers: .*max_instructions = 10')"

finish
