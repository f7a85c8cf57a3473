#!/bin/sh
# config check, config show, config keys.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

for config in "$ROOT"/configs/*.ini; do
    run config check "$config"
    point "config check: $(basename "$config") is good" "$(want_exit 0; want_empty err; want_match out "$(basename "$config"): good")"
done

run config check "$CONFIG" -s dram.banks=4 --json -
point 'config check --json -' "$(
    want_exit 0
    want_json out .good true
    want_json out .overrides '["dram.banks=4"]'
    want_json out .sha256 "\"$(sha256sum "$CONFIG" | cut -d ' ' -f 1)\""
    want_json out '.notes | type' '"array"'
)"

printf '[dram]\nbankz = 8\nbanks = 0\n[drum]\n' >bad.ini
run config check bad.ini --json check.json
point 'config check: all faults at once' "$(want_exit 2; want_empty out; want_lines err 3; want_absent check.json)"
run config check "$CONFIG" -s dram.banks=0
point 'config check: a fault of an override' "$(want_exit 2; want_lines err 1; want_match err 'dram\.banks=0')"
for setting in l1.line_bytes=16 l1.sector_bytes=24 l1.unified_bytes=100 constant.l1_line_bytes=8 l2.line_bytes=16; do
    run config check "$ROOT/configs/h200.ini" -s "$setting"
    point "config check: $setting" "$(want_exit 2; want_empty out; want_match err 'want ')"
done
run config check
point 'config check: no file' "$(want_exit 2; want_lines err 1; want_match err 'CONFIG')"

run config show "$CONFIG" -s dram.banks=4 -s launch.overhead_us=2.5
cp out shown.ini
point 'config show: the values in force' "$(want_exit 0; want_empty err; want_match out '^banks = 4$'; want_match out '^overhead_us = 2\.5$')"
run config show shown.ini
point 'config show: what it prints loads back to the same' "$(want_exit 0; cmp out shown.ini 2>&1)"
run "$CONFIG" "$TRACES/vecadd.trace" -p N=4096 -s dram.banks=4 -s launch.overhead_us=2.5 --json a.json --quiet
run shown.ini "$TRACES/vecadd.trace" -p N=4096 --json b.json --quiet
point 'config show: what it prints simulates to the same' "$(
    want_exit 0
    want_json a.json .kernels "$(jq -c .kernels b.json)"
)"
run config show "$CONFIG" --json -
point 'config show --json -: sections of keys' "$(want_exit 0; want_json out '.dram.banks | type' '"number"'; want_json out '.dram.scheduler | type' '"string"')"

run config keys
cp out keys
point 'config keys: every section and key, with default, range and source' "$(
    want_exit 0
    want_empty err
    "$G80SIM" config show "$CONFIG" | while read -r key _; do
        case $key in
        '') ;;
        '['*) grep -qF "$key " keys || reason "want section $key" ;;
        *) grep -q "^$key = " keys || reason "want key $key" ;;
        esac
    done
)"
run config keys dram
point 'config keys SECTION: that one alone' "$(want_exit 0; want_match out '^\[dram\] '; [ "$(grep -c '^\[' out)" -eq 1 ] || reason 'want one section')"
run config keys dram --json -
point 'config keys --json -: what a table knows' "$(
    want_exit 0
    want_json out '[.[] | select(.section != "dram")]' '[]'
    want_json out '[.[] | select(.key == "banks") | .default, .min, .type]' '[8, 1, "integer"]'
    want_json out '[.[] | select(.doc == "" or .source == "")]' '[]'
    want_json out '.[] | select(.key == "scheduler") | .names | index("fr-fcfs") != null' true
)"
run config keys --json all.json
point 'config keys --json FILE: the file and the text' "$(want_exit 0; cmp out keys 2>&1; want_json all.json '[.[] | select(.key == null)]' '[]')"
run config keys "$CONFIG" dram -s dram.banks=4
point 'config keys CONFIG SECTION: where that file differs' "$(want_exit 0; want_match out 'has 4$')"
run config keys drum
point 'config keys: unknown section, the nearest is offered' "$(want_exit 2; want_lines err 1; want_match err 'drum.*dram')"
run config keys zzzzzzzzzz
point 'config keys: unknown section, all are named' "$(want_exit 2; want_lines err 1; want_match err 'zzzz.*dram')"
run config keys missing.ini
point 'config keys: missing file' "$(want_exit 2; want_lines err 1; want_match err 'missing\.ini: No such file')"

finish
