#!/bin/sh
# The labs: every number in their text is what a command says or what its arithmetic comes to. Their commands and outputs are checked by
# tests/docs.sh; labs-figures has the answers with the commands that give them.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname -- "$0")/lib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

export LC_ALL=C
HERE=$ROOT/tests/cli
ln -s "$ROOT/configs" "$ROOT/workloads" .
mkdir docs
: >out
: >err
cp -R "$ROOT/docs/labs" docs/labs

# ---- numbers in the text ----

# arithmetic: the equations that do not hold
arithmetic()
{
    {
        cat <<'AWK'
function check(what, left, right,   digits)
{
    gsub(/,/, "", right)
    digits = right ~ /\./ ? length(right) - index(right, ".") : 0
    if (left - right > (0.5 + 1e-9) / 10^digits || right - left > (0.5 + 1e-9) / 10^digits) print what ": it is " sprintf("%.9g", left)
}
BEGIN {
AWK
        cat equations
        echo '}'
    } >program.awk
    awk -f program.awk
}

# sweep DIR LAB: numbers of a lab that are neither shown nor worked out, and equations that do not hold
sweep()
{
    awk -v equations=equations -f "$HERE/labs.awk" "$1/$2.md" "$1/$2-solution.md" "$1"/*.csv
    arithmetic
}

labs()
{
    (cd docs/labs && ls) | sed -n 's/-solution\.md$//p'
}

point 'there are five labs' "$(labs | wc -l | grep -qx ' *5' || labs)"
for lab in $(labs); do
    point "$lab: each number is shown or worked out" "$(sweep docs/labs "$lab")"
done
awk 'END { if (NR < 10) print "want equations in the last lab" }' equations >few
point 'equations are found' "$(cat few)"

# ---- answers, and the commands that give them ----

# prose FILE: its text in one line, without blocks and marks of code
prose()
{
    awk '/^```/ { inside = !inside; next } !inside' "$1" | tr -d '`' | tr '\n' ' ' | tr -s ' '
}

# agrees FIGURE VALUE: the value, rounded to the digits of the figure, is the figure
agrees()
{
    awk -v figure="$1" -v value="$2" 'BEGIN {
        gsub(/,/, "", figure)
        digits = figure ~ /\./ ? length(figure) - index(figure, ".") : 0
        exit !(value ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && (value - figure)^2 <= ((0.5 + 1e-9) / 10^digits)^2)
    }'
}

# answers DIR: the figures of labs-figures that are not in the text of DIR, or not what the command says
answers()
{
    while IFS= read -r entry; do
        case $entry in
        '' | '#'*) ;;
        '= '*)
            name=${entry#= }
            prose "$1/$name.md" >text
            ;;
        '$ '*)
            eval "run ${entry#\$ } --json -"
            [ "$code" -eq 0 ] || reason "$name: $entry: exit status $code"
            ;;
        *)
            phrase=${entry%% <- *}
            figure=$(printf '%s\n' "$phrase" | sed 's/.*{\(.*\)}.*/\1/')
            said=$(printf '%s\n' "$phrase" | tr -d '{}')
            grep -qF -- "$said" text || reason "$name: the text does not say: $said"
            value=$(json out "${entry#* <- }")
            agrees "$figure" "$value" || reason "$name: $said: the command says $value"
            ;;
        esac
    done <"$HERE/labs-figures"
}

point 'the answers are what the commands say' "$(answers docs/labs)"

# ---- a wrong number is found ----

# wrong LAB SED: the files of the labs with one change, in wrong/
wrong()
{
    rm -rf wrong
    cp -R docs/labs wrong
    sed "$2" "docs/labs/$1.md" >"wrong/$1.md"
    ! cmp -s "docs/labs/$1.md" "wrong/$1.md" || reason "$1: nothing to change: $2"
}

point 'a number that no command shows is found' "$(
    wrong 1-ladder-occupancy-solution 's/bandwidth falls/bandwidth of 71.3 GB\/s falls/'
    sweep wrong 1-ladder-occupancy | grep -qF '71.3: neither shown' || reason 'want it named'
)"
point 'arithmetic that does not hold is found' "$(
    wrong 1-ladder-occupancy-solution 's/= 1,344`/= 1,345`/'
    sweep wrong 1-ladder-occupancy | grep -qF 'it is 1344' || reason 'want it named'
)"
point 'a term from nowhere is found' "$(
    wrong 2-coalescing-solution 's|`109,341 / 12,198 = 8.96`|`109,351 / 12,199 = 8.96`|'
    sweep wrong 2-coalescing | grep -qF 'where is 109,351 from' || reason 'want it named'
)"
point 'an answer that is another number of the lab is found' "$(
    wrong 1-ladder-occupancy-solution 's/3 blocks, 24 warps/2 blocks, 24 warps/'
    answers wrong | grep -qF 'the text does not say: 3 blocks, 24 warps' || reason 'want it named'
)"

# ---- the measurements ----

# copied: rows of the labs' file that are not, in its columns, rows of the published one
copied()
{
    awk -F, -v OFS=, '
        FILENAME ~ /published/ { row[$1, $4, $5, $7, $8, $9, $10, $14]; next }
        /^#/ || /^id,/ { next }
        { rows++ }
        !(($1, $2, $3, $4, $5, $6, $7, $8) in row) { print "not in published.csv: " $0 }
        END { if (!rows) print "no rows" }' "$ROOT/validate/published/published.csv" docs/labs/measured-g80.csv
}
point 'measured-g80.csv has rows of published.csv' "$(copied)"
finish
