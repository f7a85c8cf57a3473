#!/bin/sh
# The benchmark's clock.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../tests/cli/lib.sh
. "$root/tests/cli/lib.sh"

: "${MEASURE:?the path of measure}"

code=0
"$MEASURE" 3 version "$G80SIM" --version >out 2>err || code=$?
point 'measure prints seconds and KiB' "$(want_exit 0; want_match out '^[0-9]+\.[0-9]{6} [0-9]+$'; want_match version g80sim)"
code=0
"$MEASURE" 3 version false >out 2>err || code=$?
point 'measure says when the command failed' "$(want_exit 1; want_match err 'false: exit status 1')"

finish
