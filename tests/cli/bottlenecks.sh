#!/bin/sh
# explain and whatif name the bottleneck of kernels whose cycles can be counted by hand: in bottlenecks/NAME.trace, with the counting. Half of
# them have a waste that is easy to see and costs nothing, since something else takes longer beside it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# [options=OPTIONS] both MACHINE TRACE EXPLAIN WHATIF [REGEX [FILTER]]: the names that explain and whatif give; a match of the sentence of explain; a
# filter of jq that holds of whatif's document
both()
{
    file=$ROOT/tests/cli/bottlenecks/$2.trace
    # shellcheck disable=SC2086 # words
    run explain "$ROOT/configs/$1.ini" "$file" --json - ${options-}
    point "explain: $2 on $1: $3" "$(
        want_exit 0
        want_empty err
        want_json out .bottleneck.name "\"$3\""
        [ -z "${5:-}" ] || want_json out ".bottleneck.text | test(\"$5\")" true
    )"
    # shellcheck disable=SC2086
    run whatif "$ROOT/configs/$1.ini" "$file" --json - -j 2 ${options-}
    point "whatif: $2 on $1: $4" "$(
        want_exit 0
        want_json out .bottleneck "\"$4\""
        [ -z "${6:-}" ] || want_json out "$6" true
    )"
}

# saved CASE: a filter, for the percent that a row saves
saved()
{
    printf '(.cases[] | select(.case == "%s").saved_percent)' "$1"
}

# What is waste, and costs most

# 256 cycles of DRAM, 150 of the port, 26 of issue
both g80 row-sum 'uncoalesced accesses' 'uncoalesced accesses' 'uncoalesced loads .line 25: 32 transactions, 2 at best' \
    '.cases[1].case == "DRAM bandwidth"'
# 90 cycles of issuing again to 26 of issue: 90/116 = 78 %
both g80 automaton 'bank conflicts' 'bank conflicts' 'line 26: 32 passes, 2 at best' "$(saved 'bank conflicts') | . > 74 and . < 80"
# 2 warps in place of 16 or more
both g80 one-block 'memory latency' registers '2.0 of 24 warps on a busy SM .*no more fit: registers' \
    '.cases[1].case == "memory latency"'
# One of six partitions, whose bus is free half of the time, since it opens rows
both g80 camp 'partition camping' 'partition camping' 'want 1 of 6 partitions' "$(saved 'partition camping') > 75"
# 821,760 cycles for one counter to 53,248 of issue: 93 %
both gt200 tickets 'atomic operations' 'atomic operations' 'on one word' "$(saved 'atomic operations') | . > 88 and . < 96"
# 162 cycles of the constant caches to 64 of the issue port
both g80 lookup 'diverging constant addresses' 'constants that differ between lanes' \
    'line 21: 32 addresses, 2 at best. keep the constant caches busy' "$(saved 'constants that differ between lanes') > 75"

# 90 cycles of issuing again to 6 of issue; 1 for the rows of registers is told apart
both g80 rows-and-banks 'bank conflicts' 'bank conflicts' 'line 13: 20 passes, 2 at best' "$(saved 'bank conflicts') > 90"
run "$ROOT/configs/g80.ini" "$ROOT/tests/cli/bottlenecks/rows-and-banks.trace" --json - --detail --quiet
point 'what issues again is not what waits for operands' "$(
    want_exit 0
    want_json out '.total | .stalls.operand == .registers.bank_conflict_cycles' true
    want_json out '.total | .stalls.bank_conflict == .shared.replay_cycles' true
    want_json out '.total.shared.replay_cycles' $((128 * 100 * 15 * 6))
)"

# What no row of whatif takes away

# 128 cycles of the special-function units to 60 of issue
both g80 sines 'special-function or double-precision units' 'special-function or double-precision units' 'line 23 .sin'
# 20 cycles of 36 for each turn; what is left of memory is the end of the kernel
both g80 barriers barriers barriers '' "$(saved 'memory latency') > 10"

# Waste that is hidden

# 2 cycles of issuing again to 42 of issue
both gf100 light-conflicts 'instruction issue' 'instruction issue' '' "$(saved 'bank conflicts') < 10"
# 16 cycles of the units to 12 of the port
both g80 special-operands 'special-function or double-precision units' 'special-function or double-precision units' 'line 15' \
    "$(saved 'bank conflicts') < 1"

# 820 cycles of issue to 256 of DRAM
both g80 rare-gather 'instruction issue' 'instruction issue' '' "$(saved 'uncoalesced accesses') < 5"
# 96 cycles of DRAM to 64 of issue, of which 18 for further passes
both g80 hidden-conflicts 'DRAM bandwidth' 'DRAM bandwidth' '' "$(saved 'bank conflicts') < 3"
# 60 of 236 cycles for issuing again; where that is not done, 176 cycles of issue to 64 of passes
both g80 hidden-stores 'bank conflicts' 'bank conflicts' '' "$(saved 'bank conflicts') | . > 20 and . < 27"
options='-s shared.replay=unit' both g80 hidden-stores 'instruction issue' 'instruction issue' '^((?!bank conflicts).)*$' "$(saved 'bank conflicts') < 1"

finish
