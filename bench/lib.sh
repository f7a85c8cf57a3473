# shellcheck shell=sh
# For run, scaling and parts, which source it: the programs, a folder of their own, a run of the simulator, and what came of it.
# The caller has set $root. $CASES, $SIZES, $BASELINE and $DOCUMENT name other files than the tree's; that is for the test.

: "${CASES:=$root/bench/cases}" "${SIZES:=$root/bench/sizes}" "${BASELINE:=$root/bench/baseline.csv}"
: "${DOCUMENT:=$root/docs/performance.md}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The lines at the head of the script, which say how to call it.
usage()
{
    sed -n '2,$ { /^#/!q; s/^# //p; }' "$0" >&2
    exit 2
}

# build FOLDER MESON-OPTION...: a release there, unless $G80SIM and $MEASURE name programs
build()
{
    [ -z "${G80SIM:-}" ] || [ -z "${MEASURE:-}" ] || return 0
    folder=$1
    shift
    "$root/tools/build" "$folder" src/cli/g80sim --buildtype=release "$@"
    "$root/tools/build" "$folder" bench/measure
    G80SIM=$root/$folder/src/cli/g80sim MEASURE=$root/$folder/bench/measure
}

# lines FILE: without its comments
lines()
{
    grep -v '^#' "$1"
}

# simulate MACHINE WORKLOAD PARAMETERS COMMAND...: runs the simulator under a command; its answer goes where the command's output goes
simulate()
{
    overrides=$(echo "$1" | sed 's/^[^,]*//; s/,/ -s /g')
    parameters=$(echo "$3" | sed 's/^/-p /; s/,/ -p /g')
    # shellcheck disable=SC2086 # one word for each override and parameter
    set -- "$@" "$G80SIM" "$root/configs/${1%%,*}.ini" "$root/workloads/$2.trace" $overrides $parameters --json -
    shift 3
    "$@"
}

# timed RUNS MACHINE WORKLOAD PARAMETERS: the median of processor seconds, and the largest peak KiB; the answer is answer.json
timed()
{
    runs_=$1
    shift
    simulate "$1" "$2" "$3" "$MEASURE" "$runs_" answer.json
}

# counts FILE: warp instructions, transactions and cycles of an answer
counts()
{
    jq -r '.total | "\(.warp_instructions) \(.global.load.transactions + .global.store.transactions) \(.cycles)"' "$1"
}

# callgrind FILE MACHINE WORKLOAD PARAMETERS: writes the profile of one run; prints its warp instructions, transactions and cycles
callgrind()
{
    simulate "$2" "$3" "$4" valgrind --tool=callgrind --callgrind-out-file="$1" >small.json 2>valgrind.log || {
        cat valgrind.log >&2
        return 1
    }
    counts small.json
}

# put NAME <TEXT: the text replaces what stands in the document between <!-- NAME --> and <!-- /NAME -->
put()
{
    cat >new
    if ! grep -qxF "<!-- $1 -->" "$DOCUMENT" || ! grep -qxF "<!-- /$1 -->" "$DOCUMENT"; then
        echo "$DOCUMENT: want the lines <!-- $1 --> and <!-- /$1 -->" >&2
        return 1
    fi
    awk -v name="$1" '
        $0 == "<!-- /" name " -->" { inside = 0 }
        !inside
        $0 == "<!-- " name " -->" { inside = 1; print ""; while ((getline line <"new") > 0) print line; print "" }' "$DOCUMENT" >document
    cat document >"$DOCUMENT"
}
