#!/bin/sh
# layers.sh [ROOT]: checks that every folder under ROOT/src includes only headers of the folders that it may know, written
# from src/, and no private header of another folder. Prints one line for each breach; fails when there is one.
set -eu

cd "${1:-$(dirname -- "$0")/..}"

# shellcheck disable=SC2016 # the dollars are awk's
find src -name '*.[ch]' | LC_ALL=C sort | xargs awk '
BEGIN {
    # folder: what it may include besides its own headers
    may["base"]  = " "
    may["trace"] = " base "
    may["mem"]   = " base "
    may["sm"]    = " base trace mem "
    may["model"] = " base "
    may["gpu"]   = " base trace mem sm model "
    may["cli"]   = " base trace mem sm model gpu "
}

function breach(text)
{
    print FILENAME ":" FNR ": " text
    bad = 1
}

FNR == 1 {
    split(FILENAME, path, "/")
    folder = path[2]
    if (!(folder in may)) breach(folder "/ is no layer: give it a row in tests/layers.sh")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    header = $0
    sub(/^[^"]*"/, "", header)
    sub(/".*/, "", header)
    n = split(header, part, "/")
    if (n != 2 || !(part[1] in may))
        breach("\"" header "\" is not written from src/")
    else if (part[1] != folder && index(may[folder], " " part[1] " ") == 0)
        breach(folder "/ may not include \"" header "\"")
    else if (part[1] != folder && header ~ /-private\.h$/)
        breach("\"" header "\" is private to " part[1] "/")
}

END { exit bad }
'
