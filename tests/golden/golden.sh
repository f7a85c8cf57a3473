#!/bin/sh
# Did anything change? Each case of `cases` gives the JSON that is stored for it, but for the version and the hashes of its inputs.
# A difference that is meant is stored by tools/golden-update.sh, and the commit says why.

# shellcheck source-path=SCRIPTDIR source=../cli/lib.sh
. "$(dirname -- "$0")/../cli/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'
here=$ROOT/tests/golden

# normal FILE: without what differs from build to build
OURS='del(.version, .config.sha256, .trace.sha256)'
normal()
{
    jq "$OURS" "$1"
}

# want_same FILE EXPECTED: the reasons are the first differences.
want_same()
{
    if [ ! -e "$2" ]; then
        reason "no expected output: run tools/golden-update.sh"
        return
    fi
    # As text, where the order of the members counts; one jq, as each takes longer to start than most cases to run.
    ! jq -en "[inputs | $OURS | tojson] | length == 2 and .[0] == .[1]" "$2" "$1" >/dev/null 2>&1 || return 0
    normal "$2" >expected
    normal "$1" >actual
    diff -U 1 expected actual | sed -n '3,60p'
    reason 'want what is stored'
}

grep -v '^#' "$here/cases" >cases
while read -r case workload arguments; do
    machine=g80
    case $workload in *@*) machine=${workload#*@} workload=${workload%@*} ;; esac
    code=0
    # shellcheck disable=SC2034,SC2086 # `point` shows the code; the arguments are words; the paths in the output are relative to the root
    (cd "$ROOT" && "$G80SIM" "configs/$machine.ini" "workloads/$workload.trace" $arguments --json -) >out.json 2>err </dev/null || code=$?
    : >out
    point "$case: $workload on $machine $arguments" "$(want_exit 0; want_empty err; want_same out.json "$here/$case.json")"
done <cases

for trace in "$TRACES"/*.trace; do
    workload=$(basename "$trace" .trace)
    cut -d ' ' -f 2 cases | cut -d @ -f 1 | grep -qx -- "$workload" || echo "$workload has no case"
done >missing
for stored in "$here"/*.json; do
    case=$(basename "$stored" .json)
    cut -d ' ' -f 1 cases | grep -qx -- "$case" || echo "$case.json is of no case"
done >>missing
point 'every workload has a case, and every stored output' "$(cat missing)"

finish
