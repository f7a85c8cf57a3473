#!/bin/sh
# The documents say what is so: their commands run, shown output is what comes out, their traces and configurations are accepted,
# their links lead somewhere.
#
# What a fenced block of README.md, CONTRIBUTING.md, docs/*.md or docs/labs/*.md means here, by its first words:
#
#   sh             a script of commands; it must end with status 0
#   console        commands after `$ `, each followed by all that it prints; a line `...` stands for any lines
#   trace [NAME]   when it starts with `g80trace 1`, a trace that `trace check` accepts; it is written to NAME first
#   ini [NAME]     a configuration that `config check` accepts; it is written to NAME first
#   csv NAME       a file for the commands of the document; it is written to NAME first
#   trace|ini NAME wrong    the same, but it must be refused
#
# tests/docs.sh [--update] [DOCUMENT...]: these documents, or all. --update puts what comes out now in place of the shown output, in blocks
# without `...`. Look at the difference before you commit it.
#
# Commands run in a scratch folder with copies of configs/, workloads/, validate/ and the files of docs/labs/. There g80sim and tools/run are
# the program under test ($G80SIM); what would set up, build or test is only looked at: that it exists, and that its arguments are known ones.
set -eu

: "${G80SIM:?the path of the program}"
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export G80SIM
update=
if [ "${1-}" = --update ]; then
    update=$1
    shift
fi
n=0
log=$scratch/log
newline='
'

# point NAME: passes when the log is empty; of a name of several lines the first is said
point()
{
    n=$((n + 1))
    name=${1%%"$newline"*}
    [ "$name" = "$1" ] || name="$name ..."
    if [ -s "$log" ]; then
        printf 'not ok %d - %s\n' "$n" "$name"
        sed 's/^/# /' "$log"
    else
        printf 'ok %d - %s\n' "$n" "$name"
    fi
}

# ---- the folder in which commands run ----

# stand_in FILE [PATTERN]: a program that does nothing, and refuses arguments that do not match
stand_in()
{
    mkdir -p "$(dirname -- "$1")"
    cat >"$1" <<SH
#!/bin/sh
echo "\$*" | grep -qxE '${2-}' && exit 0
echo "\$0: unknown arguments: \$*" >&2
exit 64
SH
    chmod +x "$1"
}

# What does not change from document to document is made once: the folder `clean`, of which each document gets a copy, and bin.
make_folder()
{
    mkdir -p "$scratch/clean/docs" "$scratch/bin"
    cp -R "$root/configs" "$root/workloads" "$root/validate" "$scratch/clean"
    cp -R "$root/docs/labs" "$scratch/clean/docs"
    (cd "$root" && find tools .ci bench tests -type f -perm -u+x) | while read -r file; do
        stand_in "$scratch/clean/$file" '.*'
    done
    cat >"$scratch/bin/g80sim" <<'SH'
#!/bin/sh
exec "$G80SIM" "$@"
SH
    cp "$scratch/bin/g80sim" "$scratch/clean/tools/run"
    chmod +x "$scratch/bin/g80sim" "$scratch/clean/tools/run"
    stand_in "$scratch/clean/tools/test" '([a-z-]+( -D[a-z_]+=[a-z,]+| --[a-z]+=[a-z]+)*)?'
    stand_in "$scratch/bin/meson" '(setup( --[a-z]+=[a-z]+| -D[a-z_]+=[a-z,]+)* [a-z-]+|(test|install|compile) -C [a-z-]+)'
    stand_in "$scratch/bin/ninja" '-C [a-z-]+'
    stand_in "$scratch/bin/apt-get" '(update|install( -y)?( [a-z0-9.-]+)+)'
}

fresh_folder()
{
    rm -rf "$scratch/at"
    cp -R "$scratch/clean" "$scratch/at"
}

# in_folder FILE: runs a script there; its output comes out, and its status
in_folder()
{
    (cd "$scratch/at" && PATH=$scratch/bin:$PATH LC_ALL=C.UTF-8 sh -eu "$1" </dev/null 2>&1)
}

# ---- blocks ----

# Writes each block of a document to blocks/NUMBER and prints `NUMBER LINE KIND NAME wrong`, `-` for what it has not.
split_blocks()
{
    awk -v dir="$scratch/blocks" '
        !inside && /^```[a-z]/ {
            inside = 1
            kind = substr($1, 4)
            file = sprintf("%s/%03d", dir, ++count)
            printf "" >file
            printf "%03d %d %s %s %s\n", count, NR, kind, $2 == "" ? "-" : $2, $3 == "" ? "-" : $3
            next
        }
        /^```/ { if (inside && file != "") close(file); inside = !inside; file = ""; next }
        inside && file != "" { print >file }' "$1"
}

is_trace()
{
    head -n 1 "$1" | grep -qx 'g80trace 1'
}

place_files()
{
    while read -r number line kind name wrong; do
        case $kind in
        trace | ini | csv) ;;
        *) continue ;;
        esac
        [ "$name" = - ] || cp "$scratch/blocks/$number" "$scratch/at/$name"
    done <"$scratch/index"
}

# check_file COMMAND BAD_STATUS: the block is accepted, or refused where it is wrong
check_file()
{
    [ "$name" != - ] || name=block.$kind
    cp "$scratch/blocks/$number" "$scratch/at/$name"
    code=0
    (cd "$scratch/at" && "$G80SIM" "$1" check "$name") >"$scratch/out" 2>&1 </dev/null || code=$?
    want=0
    [ "$wrong" != wrong ] || want=$2
    : >"$log"
    if [ "$code" -ne "$want" ]; then
        { cat "$scratch/out"; echo "exit status $code: want $want"; } >"$log"
    fi
    point "$document:$line: $name is $([ "$want" -eq 0 ] && echo accepted || echo refused)"
}

check_script()
{
    sed 's/^\$ //' "$scratch/blocks/$number" >"$scratch/script"
    : >"$log"
    in_folder "$scratch/script" >"$scratch/out" || { echo "exit status $?"; tail -n 20 "$scratch/out"; } >"$log"
    point "$document:$line: commands run"
}

# agrees EXPECTED ACTUAL: the same lines, apart from blanks at their ends; `...` stands for any lines
agrees()
{
    awk '
        { sub(/[ \t]+$/, "") }
        FNR == NR { expected[++n] = $0; next }
        { actual[++m] = $0 }
        function same(i, j, at,   k) {
            for (k = i; k <= j; k++)
                if (at + k - i < 1 || at + k - i > m || expected[k] != actual[at + k - i]) return 0
            return 1
        }
        END {
            at = 1
            for (i = 1; i <= n; i = j + 1) {
                if (expected[i] == "...") { loose = 1; j = i; continue }
                for (j = i; j < n && expected[j + 1] != "..."; j++);
                if (loose && j == n && m - (j - i) > at) at = m - (j - i)
                if (loose) while (at <= m && !same(i, j, at)) at++
                if (!same(i, j, at)) exit 1
                at += j - i + 1
                loose = 0
            }
            exit !(loose || at == m + 1)
        }' "$1" "$2"
}

# Puts the file `new` in place of the lines of block $number.
replace_block()
{
    awk -v number="$number" -v new="$scratch/new" '
        !inside && /^```[a-z]/ {
            inside = 1
            print
            mine = ++count == number + 0
            while (mine && (getline line <new) > 0) print line
            next
        }
        /^```/ { inside = !inside; mine = 0 }
        !mine' "$root/$document" >"$scratch/document"
    cat "$scratch/document" >"$root/$document"
}

check_console()
{
    rm -rf "$scratch/steps"
    mkdir "$scratch/steps"
    awk -v dir="$scratch/steps" '
        /^\$ / { base = sprintf("%s/%02d", dir, ++count); print substr($0, 3) >(base ".sh"); printf "" >(base ".want"); next }
        { print >(base ".want") }' "$scratch/blocks/$number"
    : >"$scratch/new"
    for step in "$scratch"/steps/*.sh; do
        : >"$log"
        in_folder "$step" >"$scratch/out" || :
        { sed 's/^/$ /' "$step"; sed 's/[[:blank:]]*$//' "$scratch/out"; } >>"$scratch/new"
        agrees "${step%.sh}.want" "$scratch/out" ||
            { diff -u "${step%.sh}.want" "$scratch/out" | sed '1,2d' >"$log" || :; }
        point "$document:$line: prints what is shown: $(cat "$step")"
    done
    if [ "$update" = --update ] && ! grep -qx '\.\.\.' "$scratch/blocks/$number"; then replace_block; fi
}

check_document()
{
    document=$1
    rm -rf "$scratch/blocks"
    mkdir "$scratch/blocks"
    split_blocks "$root/$document" >"$scratch/index"
    fresh_folder
    place_files
    while read -r number line kind name wrong <&3; do
        case $kind in
        sh) check_script ;;
        console) check_console ;;
        trace) if is_trace "$scratch/blocks/$number"; then check_file trace 3; fi ;;
        ini) check_file config 2 ;;
        esac
    done 3<"$scratch/index"
}

# ---- links ----

# The anchors of a document, as GitHub makes them of its headings.
anchors()
{
    awk '/^```/ { inside = !inside } !inside && sub(/^#+ +/, "")' "$1" | tr '[:upper:]' '[:lower:]' |
        sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

check_links()
{
    : >"$log"
    awk '/^```/ { inside = !inside } !inside' "$root/$1" | grep -oE '\]\([^)]+\)' | sed -E 's/^\]\((.*)\)$/\1/' |
        grep -vE '^https?:' | while read -r link; do
        path=${link%%#*}
        target=$root/$1
        [ -z "$path" ] || target=$(dirname -- "$root/$1")/$path
        if [ ! -e "$target" ]; then
            echo "$link: no such file"
        elif [ "$link" != "$path" ] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
            echo "$link: no such heading"
        fi
    done >"$log" || :
    point "$1: links lead somewhere"
}

# ---- completeness ----

# names_all DOCUMENT WHAT: each word of the file `words` stands in the document in code type
names_all()
{
    [ -s "$scratch/words" ] || echo 'no words to look for' >"$scratch/words"
    while read -r word; do
        grep -qE "\`([a-z0-9_]+ )*$word( [a-z0-9_]+)*\`" "$root/$1" || echo "$word"
    done <"$scratch/words" >"$log"
    point "$1 names every $2"
}

cd "$root"
[ $# -gt 0 ] || set -- README.md CONTRIBUTING.md docs/*.md docs/labs/*.md
make_folder
for document; do
    check_document "$document"
    check_links "$document"
done
"$G80SIM" config keys | sed -n 's/^\[\([a-z0-9_]*\)\].*/\1/p' >"$scratch/words"
names_all docs/configuration.md section
"$G80SIM" config keys op | sed -n 's/^\([a-z0-9_]*\)_issue = .*/\1/p' >"$scratch/words"
names_all docs/trace-language.md 'operation class'
"$G80SIM" stats | sed -n '/^stalls/,/^$/s/^  \([a-z_]*\) .*/\1/p' >"$scratch/words"
names_all docs/model.md 'reason of stalls'
echo "1..$n"
