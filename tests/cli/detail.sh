#!/bin/sh
# run --detail: what it adds to the report and to the JSON, that it changes nothing else, and where it is refused.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

# Columns are counted in bytes here.
export LC_ALL=C

# quick WORKLOAD ARGUMENT...: a run that takes no time
quick()
{
    name=$1
    shift
    run "$CONFIG" "$TRACES/$name.trace" "$@"
}

want_no_long_line()
{
    # the first lines name files, whose names may be long
    awk 'NR > 2 && length > 80 { print "line " NR " is longer than 80 columns" }' out
}

# ---- the report ----

# 16 blocks of 8 warps: one on each SM
quick matmul -p N=64
cp out plain
quick matmul -p N=64 --detail
point 'the report gets five parts more' "$(
    want_exit 0
    want_empty err
    want_no_long_line
    want_match out '^Stalls by scheduler +issued '
    want_match out '^  SM 0, all issue alike '
    want_match out '^Warps of a block +cycles +issued '
    want_match out '^  warp 7 '
    want_match out '^How many warps of a scheduler could issue$'
    want_match out '^  0 +[0-9.]+ %  #'
    want_match out '^Resident warps of an SM over time$'
    want_match out '^    24 \|'
    want_match out '^     0 \+-+$'
    want_match out '^        [0-9,]+ cycles, [0-9]+ in a column$'
    want_match out '^Energy by level +uJ +share$'
)"
point 'it loses nothing of what it has without' "$(diff plain out | grep '^<' || :)"
point 'no line of it ends in a blank' "$(! grep -n ' $' out || reason 'want none')"
point 'bars and charts are ASCII in the C locale' "$(! grep -q '[^ -~]' out || reason 'want ASCII only')"
code=0
LC_ALL=C.UTF-8 "$G80SIM" "$CONFIG" "$TRACES/matmul.trace" -p N=64 --detail >out 2>err || code=$?
point 'and blocks in UTF-8' "$(
    want_exit 0
    sed -n '/^Resident warps/,$p' out >chart
    want_match chart '█'
    ! grep -n ' $' out || reason 'want no blank at the end of a line'
)"

# One SM with a scheduler: they have nothing to say that the report has not.
run "$CONFIG" "$TRACES/ilp.trace" -p n=16 -s sm.count=1 -s sm.per_cluster=1 -s sm.schedulers=1 --detail
point 'one scheduler has no table of its own' "$(want_exit 0; ! grep -q '^Stalls by scheduler' out || reason 'want none'; want_match out '^Warps of a block')"
run "$ROOT/configs/h200.ini" "$TRACES/matmul.trace" -p N=64 --detail
point 'four schedulers: a line for each, over all SMs' "$(
    want_exit 0
    want_no_long_line
    want_match out '^  scheduler 0 of all SMs '
    want_match out '^  scheduler 3 of all SMs '
    want_match out '^  SM [0-9]+, most issued '
    want_match out '^  SM [0-9]+, least issued '
)"
quick reduction-3 -p N=65536 --detail
point 'several launches: all together, without the time' "$(
    want_exit 0
    want_no_long_line
    want_match out '^Warps of a block'
    ! grep -q '^Resident warps of' out || reason 'want no chart of two launches'
)"

# ---- JSON ----

quick transpose-padded -p N=64 --json plain.json
quick transpose-padded -p N=64 --json detail.json --csv detail.csv --detail
point 'JSON: null without, and otherwise the same bytes' "$(
    want_exit 0
    want_json plain.json '[.kernels[0].detail, .total.detail]' '[null, null]'
    want_json plain.json '.kernels[0] | keys_unsorted | last' '"detail"'
    jq 'del(.kernels[].detail, .total.detail)' plain.json >expected
    jq 'del(.kernels[].detail, .total.detail)' detail.json >actual
    cmp expected actual
)"
point 'JSON: its members' "$(
    want_json detail.json '.kernels[0].detail | keys_unsorted' '["schedulers","warps","ready_warps","occupancy"]'
    want_json detail.json '.kernels[0].detail.schedulers[5] | [.sm, .scheduler]' '[5,0]'
    want_json detail.json '.kernels[0].detail.schedulers[0] | keys_unsorted' \
        '["sm","scheduler","issued","no_warp","dispatch","alu","memory","barrier","bank_conflict","memory_pipe","unit","cache","operand","branch"]'
    want_json detail.json '.kernels[0].detail.warps[0] | keys_unsorted' \
        '["warp","warps","resident","issued","alu","memory","barrier","bank_conflict","memory_pipe","unit","cache","operand","branch","not_selected"]'
    want_json detail.json '.kernels[0].detail.occupancy | keys_unsorted' '["bucket_cycles","warp_cycles"]'
)"
# 2 x 2 blocks of 8 warps
point 'JSON: what sums to what' "$(
    want_json detail.json '.kernels[0] | .cycles as $c | [.detail.schedulers[] | del(.sm, .scheduler) | add] | [length, (map(. == $c) | all)]' '[16,true]'
    want_json detail.json '.kernels[0] | ([.detail.schedulers[].memory] | add) == .stalls.memory' true
    want_json detail.json '.kernels[0].detail | [.warps[] | (del(.warp, .warps, .resident) | add) == .resident] | [length, all]' '[8,true]'
    want_json detail.json '[.kernels[0].detail.warps[] | [.warp, .warps]]' '[[0,4],[1,4],[2,4],[3,4],[4,4],[5,4],[6,4],[7,4]]'
    want_json detail.json '.kernels[0] | (.detail.ready_warps | add) == .cycles * 16' true
    want_json detail.json '.kernels[0].detail | ([.ready_warps | to_entries[] | .key * .value] | add) == ([.warps[].not_selected] | add)' true
    want_json detail.json '.kernels[0].detail | (.occupancy.warp_cycles | add) == ([.warps[].resident] | add)' true
    want_json detail.json '.kernels[0] | .detail.occupancy as $o | ($o.warp_cycles | length) == ((.cycles + $o.bucket_cycles - 1) / $o.bucket_cycles | floor)' true
)"
point 'JSON: the total of one kernel is that kernel' "$(want_json detail.json '.total.detail == .kernels[0].detail' true)"
point 'CSV: no more columns' "$(! head -1 detail.csv | grep -q detail || reason 'want none')"
quick transpose-padded -p N=64 --json one.json --detail --window 1
point 'JSON: the same bytes with any window' "$(want_exit 0; cmp detail.json one.json)"

quick reduction-3 -p N=65536 --json sum.json --detail
point 'JSON: a total adds up, but for the time' "$(
    want_exit 0
    want_json sum.json '.kernels | length' 2
    want_json sum.json '.total.detail.occupancy' null
    want_json sum.json '[.kernels[].detail.warps[1].alu] | add' "$(json sum.json '.total.detail.warps[1].alu')"
    want_json sum.json '[.kernels[].detail.schedulers[3].issued] | add' "$(json sum.json '.total.detail.schedulers[3].issued')"
    want_json sum.json '[.kernels[].detail.ready_warps[0]] | add' "$(json sum.json '.total.detail.ready_warps[0]')"
)"

# ---- documentation and refusals ----

run stats --json -
cp out stats.json
# shellcheck disable=SC2016 # the dollars are jq's
point 'stats documents every member' "$(
    want_exit 0
    jq -r '.kernels[0].detail | [paths | map(select(type == "string")) | join(".")] | unique[]' detail.json |
        sed 's/^/detail./' >members
    jq -r '.[].path' stats.json >documented
    # what is an array or object of documented members needs no line of its own
    while read -r member; do
        grep -qxF "$member" documented || grep -qF "$member." documented || echo "$member is not documented"
    done <members
)"

quick vecadd -p N=4096 --detail --quiet
point 'refused where nothing would show it: --quiet' "$(want_exit 2; want_lines err 1; want_match err '--detail: want the report or --json')"
quick vecadd -p N=4096 --detail --csv -
point 'refused where nothing would show it: CSV in place of the report' "$(want_exit 2; want_empty out; want_match err '--detail')"
quick vecadd -p N=4096 --detail --quiet --csv rows.csv
point 'a refusal leaves no file' "$(want_exit 2; [ ! -e rows.csv ] || reason 'want no rows.csv')"
quick vecadd -p N=4096 --detail --quiet --json -
point '--json - shows it' "$(want_exit 0; want_json out '.kernels[0].detail.ready_warps | length > 1' true)"

finish
