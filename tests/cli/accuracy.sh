#!/bin/sh
# The published figures at their reduced sizes: how far off they may be on the whole, what must be near, and what must come in the
# measured order. docs/accuracy.md has the figures themselves.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

MAPE=10 # percent, of the rows that were read in a publication or off a plot

# beyond FILE: rows with a tolerance of their own that are not within it
beyond()
{
    jq -r '.rows[] | select(.tolerance_percent != null and .predicted != null and (.error_percent | fabs) > .tolerance_percent)
        | "\(.row) is \(.error_percent) % off: want \(.tolerance_percent) %"' "$1"
}

# unexplained FILE: rows that are far off and say nothing about it
unexplained()
{
    jq -r '.rows[] | select(.predicted != null and (.error_percent | fabs) > 10 and .explain == null and .gap == null)
        | "\(.row) is \(.error_percent) % off: want a sentence in the column explain"' "$1"
}

# descending FILE ROW...: the predicted values become smaller
descending()
{
    file=$1
    shift
    for row; do
        value=$(jq -r --arg row "$row" '.rows[] | select(.row == $row) | .predicted' "$file")
        [ -z "${before:-}" ] || jq -en "$value < $before" >/dev/null || reason "want less for $row, $value, than before, $before"
        before=$value
    done
}

for machine in g80 gt200; do
    run compare "$ROOT/configs/$machine.ini" "$ROOT/validate/published/published.csv" --reduced \
        --confidence primary,plot --max-mape "$MAPE" --order --json "$machine.json" --markdown "$machine.md"
    point "$machine: rows of primary and plot are $MAPE % off at the most, families in the measured order" "$(want_exit 0; want_empty err)"
    point "$machine: rows with a tolerance" "$([ -e "$machine.json" ] && beyond "$machine.json")"
    point "$machine: what is more than 10 % off is explained" "$([ -e "$machine.json" ] && unexplained "$machine.json")"
done
point 'families have pairs' "$(want_json g80.json '.order.pairs > 20' true; want_json gt200.json '.order.pairs > 20' true)"
point 'each reduction is faster than the one before it' "$(descending g80.json red1 red2 red3 red4 red5 red6 red7)"
point 'the product that prefetches is slower than the unrolled one' "$(descending g80.json mm3 mm4)"
finish
