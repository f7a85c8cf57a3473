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

# take ENTRY: of a line of labs-figures, the number in braces goes to $figure, the text without braces to $said
take()
{
    phrase=${1%% <- *}
    figure=${phrase#*\{}
    figure=${figure%%\}*}
    said=${phrase%%\{*}$figure${phrase#*\}}
}

# unsaid DIR: the texts of labs-figures that the labs in DIR do not have
unsaid()
{
    while IFS= read -r entry; do
        case $entry in
        '' | '#'* | '$ '*) ;;
        '= '*)
            name=${entry#= }
            text=$(prose "$1/$name.md")
            ;;
        *)
            take "$entry"
            case $text in
            *"$said"*) ;;
            *) reason "$name: the text does not say: $said" ;;
            esac
            ;;
        esac
    done <"$HERE/labs-figures"
}

# untrue: the figures that are not what the command says, rounded to their digits
untrue()
{
    while IFS= read -r entry; do
        case $entry in
        '' | '#'*) ;;
        '= '*) name=${entry#= } ;;
        '$ '*)
            eval "run ${entry#\$ } --json -"
            [ "$code" -eq 0 ] || reason "$name: $entry: exit status $code"
            ;;
        *)
            take "$entry"
            printf '%s\t%s\t%s\n' "$name: $said" "$figure" "$(json out "${entry#* <- }")" >>values
            ;;
        esac
    done <"$HERE/labs-figures"
    awk -F '\t' '
        {
            gsub(/,/, "", $2)
            digits = $2 ~ /\./ ? length($2) - index($2, ".") : 0
        }
        $3 !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ || ($3 - $2)^2 > ((0.5 + 1e-9) / 10^digits)^2 { print $1 ": the command says " $3 }
        END { if (NR < 100) print "want a hundred figures" }' values
}

point 'the text has the answers' "$(unsaid docs/labs)"
point 'the answers are what the commands say' "$(untrue)"

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
    wrong 1-ladder-occupancy-solution 's/42 x 32 = 1,344/42 x 32 = 1,345/'
    sweep wrong 1-ladder-occupancy | grep -qF 'it is 1344' || reason 'want it named'
)"
point 'a term from nowhere is found' "$(
    wrong 2-coalescing-solution 's|109,341 / 12,281 = 8.90|109,351 / 12,282 = 8.90|'
    sweep wrong 2-coalescing | grep -qF 'where is 109,351 from' || reason 'want it named'
)"
point 'an answer that is another number of the lab is found' "$(
    wrong 1-ladder-occupancy-solution 's/3 blocks, 24 warps/2 blocks, 24 warps/'
    unsaid wrong | grep -qF 'the text does not say: 3 blocks, 24 warps' || reason 'want it named'
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

# quoted: measurements in the text of lab 5 that nobody published; the example is made up
quoted()
{
    awk -F, '
        FILENAME ~ /published/ { row[$4, $7, $8]; next }
        /^```csv/ { inside = !/example/; next }
        /^```/ { inside = 0 }
        inside && !/^workload/ { rows++ }
        inside && !/^workload/ && !(($1, $3, $4) in row) { print "not in published.csv: " $0 }
        END { if (!rows) print "no rows" }' "$ROOT/validate/published/published.csv" docs/labs/5-*.md
}
point 'the measurements of lab 5 are published ones' "$(quoted)"
finish
