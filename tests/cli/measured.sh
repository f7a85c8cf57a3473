#!/bin/sh
# The rows measured on an H200 against configs/h200.ini, without those that take seconds to simulate (--reduced): a minute. All of them:
# g80sim compare configs/h200.ini validate/measured/h200.csv -j 2

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

FILE=$ROOT/validate/measured/h200.csv
MAPE=10 # percent; wanted are 20
[ -f "$FILE" ] || skip_all 'nothing is measured yet'

run compare "$ROOT/configs/h200.ini" "$FILE" -w "$TRACES" --reduced --max-mape "$MAPE" --json h200.json
point "rows measured on an H200 are $MAPE % off at the most" "$(want_exit 0; want_empty err)"
point 'latencies are 3 % off at the most' "$(
    want_json h200.json '[.rows[] | select(.family == "latency" and .predicted != null)] | length >= 10' true
    want_json h200.json '[.rows[] | select(.family == "latency" and .predicted != null and (.error_percent | fabs) > 3) | .row]' '[]'
)"
point 'they go together, and in the order measured' "$(
    want_json h200.json '[.figures[] | select(.of == "all") | .pearson > 0.98]' '[true]'
    want_json h200.json '.order | [.pairs >= 90, .out_of_order]' '[true, 0]'
)"
point 'there are enough of them' "$(want_json h200.json '[.rows[] | select(.predicted != null)] | length >= 60' true)"

finish
