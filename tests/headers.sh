#!/bin/sh
# Compiles every header of src/ alone: each must include what it needs. CC is the compiler.
set -eu

cd "$(dirname -- "$0")/.."
flags=$(pkg-config --cflags glib-2.0 json-glib-1.0)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
n=0

for header in $(find src -name '*.h' | LC_ALL=C sort); do
    n=$((n + 1))
    # shellcheck disable=SC2086 # CC and the flags are words
    if echo "#include \"${header#src/}\"" |
        ${CC:-cc} -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror $flags -Isrc -fsyntax-only -x c - >"$log" 2>&1; then
        echo "ok $n - $header"
    else
        echo "not ok $n - $header"
        sed 's/^/# /' "$log"
    fi
done
echo "1..$n"
