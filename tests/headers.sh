#!/bin/sh
# Each header of src/ must include what it needs. The build shows it of those that a source file which it compiles includes before anything
# else; the others are compiled here, each alone. CC is the compiler.
set -eu

cd "$(dirname -- "$0")/.."
flags=$(pkg-config --cflags glib-2.0 json-glib-1.0)
log=$(mktemp)
shown=$(mktemp)
trap 'rm -f "$log" "$shown"' EXIT
n=0

# The headers that come first in a source file, of those that a meson.build names.
# shellcheck disable=SC2016 # the dollars are of awk
find src -name '*.c' | LC_ALL=C sort | while read -r source; do
    grep -qF "'${source##*/}'" "${source%/*}/meson.build" && echo "$source"
done | xargs awk '
    FNR == 1 { first = 1 }
    first && /^[ \t]*#/ {
        first = 0
        if ($0 ~ /^#include "[^"]*"$/) print "src/" substr($0, 11, length($0) - 11)
    }' >"$shown"

for header in $(find src -name '*.h' | LC_ALL=C sort); do
    n=$((n + 1))
    # shellcheck disable=SC2086 # CC and the flags are words
    if grep -qxF -- "$header" "$shown" || echo "#include \"${header#src/}\"" |
        ${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror $flags -Isrc -fsyntax-only -x c - >"$log" 2>&1; then
        echo "ok $n - $header"
    else
        echo "not ok $n - $header"
        sed 's/^/# /' "$log"
    fi
done
echo "1..$n"
