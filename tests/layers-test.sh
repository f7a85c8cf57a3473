#!/bin/sh
# Does layers.sh see what it is there to see? Runs it on small trees made here.
set -eu

layers=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
n=0

# holds NAME FILE TEXT WANTED: a tree with that one file draws exactly WANTED; the empty string is no breach
holds()
{
    n=$((n + 1))
    rm -rf "$tree/src"
    mkdir -p "$tree/src/$(dirname "$2")"
    printf '%s\n' "$3" >"$tree/src/$2"
    code=0
    got=$("$layers" "$tree" 2>&1) || code=$?
    if [ "$got" = "$4" ] && { [ -n "$4" ] || [ "$code" -eq 0 ]; } && { [ -z "$4" ] || [ "$code" -ne 0 ]; }; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1"
        printf '%s\n' "exit $code" "$got" | sed 's/^/# /'
    fi
}

holds 'a lower layer may not include a higher one' mem/dram.c '#include "sm/sm.h"' \
    'src/mem/dram.c:1: mem/ may not include "sm/sm.h"'
holds 'nor one beside it' mem/dram.h '#include "trace/ast.h"' 'src/mem/dram.h:1: mem/ may not include "trace/ast.h"'
holds 'the base knows nobody' base/clock.c '#include "mem/dram.h"' 'src/base/clock.c:1: base/ may not include "mem/dram.h"'
holds 'the line is named' gpu/gpu.c '
#  include "cli/report.h"' 'src/gpu/gpu.c:2: gpu/ may not include "cli/report.h"'
holds 'a private header stays in its folder' gpu/gpu.c '#include "mem/dram-private.h"' \
    'src/gpu/gpu.c:1: "mem/dram-private.h" is private to mem/'
holds 'headers are written from src/' mem/dram.c '#include "dram.h"' 'src/mem/dram.c:1: "dram.h" is not written from src/'
holds 'a new folder needs a row' texture/unit.c 'int x;' \
    'src/texture/unit.c:1: texture/ is no layer: give it a row in tests/layers.sh'
holds 'a higher layer may include a lower one' sm/sm.c '#include "sm/sm.h"
#include <stdint.h>
#include "base/bits.h"
#include "mem/message.h"
#include "trace/cursor.h"' ''
holds 'a folder may include its own private header' mem/dram.c '#include "mem/dram-private.h"' ''
holds 'the commands may include all' cli/run.c '#include "gpu/gpu.h"
#include "model/occupancy.h"' ''
echo "1..$n"
