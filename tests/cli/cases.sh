#!/bin/sh
# Accesses and launches with known answers, from vendors' documents, exercises and measurement: every row of tests/cases/*.csv, through the
# command line. Their last column says where the answer comes from.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

CASES=$ROOT/tests/cases

# In the order of their sizes: 1x128+1x64+1x32
COALESCED='[.transactions[].bytes] | group_by(.) | reverse | map("\(length)x\(.[0])") | join("+")'

# The terms of an expectation may stand in any order.
in_order()
{
    echo "$1" | tr '+' '\n' | sort -t x -k 2,2nr | paste -s -d + -
}

# shellcheck disable=SC2034 # the last column is for people
sed 1d "$CASES/access.csv" >rows
rows=0
while IFS=, read -r id config tool address width active expected source; do
    rows=$((rows + 1))
    set -- "$tool" "$ROOT/configs/$config.ini" --address "$address" --width "$width"
    [ -z "$active" ] || set -- "$@" --active "$active"
    run "$@" --json -
    case $tool in
    coalesce) got=$(json out "$COALESCED") want=$(in_order "$expected") ;;
    banks) got=$(json out '"\(.factor)/\(.passes)"') want=$expected ;;
    *) got=none want="a row of coalesce or banks" ;;
    esac
    point "$id $config $tool $address: $source" "$(want_exit 0; [ "$got" = "$want" ] || reason "want $want, not $got")"
done <rows

sed 1d "$CASES/occupancy.csv" >rows
while IFS=, read -r id config threads regs shared blocks warps source; do
    rows=$((rows + 1))
    run occupancy "$ROOT/configs/$config.ini" --threads "$threads" --regs "$regs" --shared "$shared" --json -
    point "$id $config: $threads threads, $regs registers, $shared B: $source" "$(
        want_exit 0
        want_json out '[.blocks_per_sm, .warps_per_sm]' "[$blocks, $warps]"
    )"
done <rows

code=0
point 'every row was read' "$(
    all=$(cat "$CASES"/*.csv | wc -l)
    [ "$rows" -eq $((all - 2)) ] || reason "want $((all - 2)) rows, not $rows"
)"

finish
