# shellcheck shell=sh
# For tests of the program, which is $G80SIM: TAP points on what it prints, returns and leaves behind. Source it first; it
# changes to a scratch directory. End with `finish`.

set -eu

: "${G80SIM:?the path of the program}"
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
CONFIG=$ROOT/configs/g80.ini
TRACES=$ROOT/workloads
# shellcheck disable=SC2034 # for the scripts that source this
readonly ROOT CONFIG TRACES

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

points=0
code=

finish()
{
    echo "1..$points"
}

skip_all()
{
    echo "1..0 # SKIP $1"
    exit 0
}

# run ARGUMENT...: leaves the program's status in $code, its output in the files out and err.
run()
{
    code=0
    "$G80SIM" "$@" >out 2>err </dev/null || code=$?
}

# point NAME WHY: a TAP point; it passes when WHY, one reason on each line, is empty.
point()
{
    points=$((points + 1))
    if [ -z "$2" ]; then
        echo "ok $points - $1"
        return
    fi
    echo "not ok $points - $1"
    printf '%s\n' "$2" "exit status $code" | sed 's/^/# /'
    sed -n '1,20s/^/# out: /p' out
    sed -n '1,20s/^/# err: /p' err
}

# The reasons that point takes: each want_... prints one when what it says does not hold.

reason()
{
    printf '%s\n' "$*"
}

want_exit()
{
    [ "$code" -eq "$1" ] || reason "want exit status $1"
}

# want_lines FILE COUNT
want_lines()
{
    lines=$(wc -l <"$1")
    [ "$lines" -eq "$2" ] || reason "want $2 lines in $1, not $((lines))"
}

want_empty()
{
    [ ! -s "$1" ] || reason "want nothing in $1"
}

# want_text FILE TEXT: the file is TEXT and a newline.
want_text()
{
    printf '%s\n' "$2" | cmp -s - "$1" || reason "want in $1 exactly: $2"
}

# want_match FILE REGEX: some line matches the extended expression.
want_match()
{
    grep -qE -- "$2" "$1" || reason "want in $1 a line that matches: $2"
}

want_absent()
{
    [ ! -e "$1" ] || reason "want no file $1"
}

# json FILE FILTER: a value, as jq prints it.
json()
{
    jq -r "$2" "$1" 2>&1 || :
}

# want_json FILE FILTER VALUE: the value is that JSON value; 1 and 1.0 are one number.
want_json()
{
    jq -e "($2) == ($3)" "$1" >/dev/null 2>&1 || reason "want $2 = $3, not $(json "$1" "$2")"
}
