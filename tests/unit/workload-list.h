#pragma once
/* All the workloads, at sizes that take a fraction of a second. */
#include <glib.h>

static const struct {
    const char *name, *settings;
} WORKLOAD_LIST[] = {
    {"atomic-same", "blocks=8 K=4 spread=16"},
    {"constant-broadcast", "N=8192"},
    {"constant-diverge", "blocks=16 laps=1"},
    {"copy-float3", "N=8192"},
    {"copy-float3-shared", "N=8192"},
    {"copy-offset", "N=8192 offset=0"},
    {"copy-offset", "N=8192 offset=1"},
    {"copy-stride", "N=8192 stride=2"},
    {"divergence", "blocks=20 trips=8"},
    {"gather", "N=8192 M=16384"},
    {"histogram", "N=16384"},
    {"histogram", "N=16384 private=1"},
    {"l2-reuse", "bytes=65536 blocks=8 passes=2"},
    {"local-spill", "N=4096"},
    {"matmul", "N=64"},
    {"matmul-blocked", "N=64 B2=32"},
    {"matmul-naive", "N=32"},
    {"matmul-recursive", "N=64"},
    {"pointer-chase", "count=100"},
    {"pointer-chase-constant", "laps=4"},
    {"pointer-chase-texture", "laps=4"},
    {"reduction-1", "N=16384"},
    {"reduction-3", "N=16384"},
    {"stencil-2d", "W=128 H=64"},
    {"stencil-2d", "W=128 H=64 texture=1"},
    {"texture-2d", "W=128 H=128"},
    {"texture-2d", "W=128 H=128 walk=1"},
    {"transpose-coalesced", "N=128"},
    {"transpose-coarse", "N=128"},
    {"transpose-copy", "N=128"},
    {"transpose-copy-shared", "N=128"},
    {"transpose-diagonal", "N=128"},
    {"transpose-fine", "N=128"},
    {"transpose-naive", "N=128"},
    {"transpose-padded", "N=128"},
    {"transpose-padded", "N=128 P=0"},
    {"vecadd", "N=10000"},
};
enum { N_WORKLOADS = G_N_ELEMENTS(WORKLOAD_LIST) };
