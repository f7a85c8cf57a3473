#!/bin/sh
# tools/golden-update.sh [CASE...]: builds a release in build/ and stores its output as the expected one of the named cases of
# tests/golden/cases, or of all. When the build or a run fails nothing is changed. Says which files changed.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
golden=$root/tests/golden

"$root/tools/build" build src/cli/g80sim --buildtype=release

new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

# wanted CASE NAME...: the case is among the names, or there are none
wanted()
{
    case=$1
    shift
    [ $# -gt 0 ] || return 0
    for name; do
        [ "$name" != "$case" ] || return 0
    done
    return 1
}

for name; do
    if ! grep -q "^$name " "$golden/cases"; then
        echo "golden-update: $name: want a case of tests/golden/cases" >&2
        exit 2
    fi
done

grep -v '^#' "$golden/cases" >"$new/cases"
cd "$root"
while read -r case workload arguments; do
    wanted "$case" "$@" || continue
    machine=g80
    case $workload in *@*) machine=${workload#*@} workload=${workload%@*} ;; esac
    # shellcheck disable=SC2086 # the arguments are words
    if ! build/src/cli/g80sim "configs/$machine.ini" "workloads/$workload.trace" $arguments --json - >"$new/$case.raw" </dev/null; then
        echo "golden-update: $case: the run failed; nothing is changed" >&2
        exit 1
    fi
    jq 'del(.version, .config.sha256, .trace.sha256)' "$new/$case.raw" >"$new/$case.json"
done <"$new/cases"

for file in "$new"/*.json; do
    stored=$golden/$(basename "$file")
    cmp -s "$file" "$stored" && continue
    cp "$file" "$stored"
    echo "golden-update: $(basename "$file") changed"
done
