#!/bin/sh
# The rows measured on an H200 against configs/h200.ini, without those that take seconds to simulate (--reduced): a minute. All of them:
# g80sim compare configs/h200.ini validate/measured/h200.csv -j 2

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

FILE=$ROOT/validate/measured/h200.csv
MAPE=20 # percent
[ -f "$FILE" ] || skip_all 'nothing is measured yet'

run compare "$ROOT/configs/h200.ini" "$FILE" -w "$TRACES" --reduced --max-mape "$MAPE" --json h200.json
point "rows measured on an H200 are $MAPE % off at the most" "$(want_exit 0; want_empty err)"
point 'there are enough of them' "$(want_json h200.json '[.rows[] | select(.predicted != null)] | length >= 60' true)"

finish
