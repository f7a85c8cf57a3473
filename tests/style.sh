#!/bin/sh
# The rules of style that a program can check. What needs a tool that is not installed is skipped.
set -eu

cd "$(dirname -- "$0")/.."
n=0
log=$(mktemp)
listed=$(mktemp)
quoted=$(mktemp)
trap 'rm -f "$log" "$listed" "$quoted"' EXIT

# point NAME: passes when the log is empty
point()
{
    n=$((n + 1))
    if [ -s "$log" ]; then
        echo "not ok $n - $1"
        sed 's/^/# /' "$log"
    else
        echo "ok $n - $1"
    fi
}

skip()
{
    n=$((n + 1))
    echo "ok $n - $1 # SKIP $2"
}

sources()
{
    find src tests bench -name '*.[ch]' | LC_ALL=C sort
}

# All text that is ours; expected outputs of tests are as the program writes them.
texts()
{
    find src tests tools workloads configs validate docs bench .ci README.md CONTRIBUTING.md LICENSE meson.build .clang-format \
        .editorconfig .gitignore -type f ! -path 'tests/golden/*' ! -path 'tests/fuzz/*' ! -name '*.g80t' | LC_ALL=C sort
}

sources | xargs grep -n "$(printf '\t')" >"$log" || :
point 'no tabs in C'

texts | grep -v '\.svg$' | xargs grep -nE '[[:blank:]]+$' >"$log" || : # images are as gnuplot wrote them
point 'no blanks at the ends of lines'

texts | while read -r file; do
    if [ -s "$file" ] && [ -n "$(tail -c 1 "$file")" ]; then echo "$file"; fi
done >"$log"
point 'every file ends with a newline'

find src tests tools workloads configs validate docs bench -type f ! -name README.md |
    grep -vE '/[a-z0-9]+([-.][a-z0-9]+)*$' | grep -vE '/meson\.build$' >"$log" || :
point 'file names are kebab-case'

# Each simplification has a number: code that makes one quotes it, and what is quoted is in the list.
grep -oE '^\| S[0-9]+ \|' docs/accuracy.md | tr -d '| ' | sort >"$listed"
sources | grep '^src/' | xargs grep -ohE '\bS[0-9]{1,2}\b' | sort -u >"$quoted"
{
    comm -13 "$listed" "$quoted" | sed 's/$/: quoted in src\/, but not in the list of docs\/accuracy.md/'
    comm -23 "$listed" "$quoted" | sed 's/$/: in the list of docs\/accuracy.md, and quoted nowhere in src\//'
    grep -rnE 'accuracy\.md#simplifications|\[S[0-9]+\]' docs README.md CONTRIBUTING.md | grep -oE '\bS[0-9]{1,2}\b' | sort -u |
        comm -13 "$listed" - | sed 's/$/: quoted in a document, but not in the list of docs\/accuracy.md/'
} >"$log"
point 'simplifications are quoted by numbers of the list'

formatter=
for candidate in clang-format-14 clang-format; do
    case $($candidate --version 2>/dev/null || :) in
    *' version 14.'*)
        formatter=$candidate
        break
        ;;
    esac
done
if [ -n "$formatter" ]; then
    sources | xargs "$formatter" --dry-run -Werror 2>&1 | grep 'error:' >"$log" || :
    point 'C is formatted by .clang-format'
else
    skip 'C is formatted by .clang-format' 'clang-format 14 is not installed'
fi

if ctags --version 2>/dev/null | grep -q Universal; then
    # shellcheck disable=SC2046 # no blanks in file names
    ctags -x --languages=C --langmap=C:.c.h --kinds-C=f --fields=+ne --_xformat='%F %n %e %N' $(sources) |
        awk '$3 - $2 + 1 > 60 { print $1 ":" $2 ": " $4 " has " $3 - $2 + 1 " lines: want at most 60" }' >"$log"
    point 'no function has more than 60 lines'
else
    skip 'no function has more than 60 lines' 'universal-ctags is not installed'
fi
echo "1..$n"
