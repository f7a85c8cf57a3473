/* Chases: harness/chase.h has the kernels. Chains of constants and textures are warm, as their traces have it; one of global memory is what it finds. */
#include "harness/chase.h"

static Run make_shared(const Params &p)
{
    return chase_shared(p.at("M"), p.at("count"));
}

static Run make_global(const Params &p)
{
    return chase_global({(size_t)p.at("bytes"), (size_t)p.at("stride"), 0, (unsigned)p.at("count")});
}

/* A lap ahead. */
static Chain warm(const Params &p)
{
    const size_t bytes = p.at("bytes"), stride = p.at("stride");
    return {bytes, stride, (unsigned)(bytes / stride), (unsigned)p.at("count")};
}

static Run make_constant(const Params &p)
{
    return chase_constant(warm(p));
}

static Run make_texture(const Params &p)
{
    return chase_texture(warm(p));
}

std::vector<Case> chase_cases()
{
    return {
        {"shared", "latency", "latency-shared", "count=16384 M=1024", make_shared},
        {"chase-16k", "latency", "pointer-chase", "bytes=16384 stride=128 count=65536", make_global},
        {"chase-64k", "latency", "pointer-chase", "bytes=65536 stride=128 count=65536", make_global},
        {"chase-128k", "latency", "pointer-chase", "bytes=131072 stride=128 count=65536", make_global},
        {"chase-1m", "latency", "pointer-chase", "bytes=1048576 stride=128 count=65536", make_global},
        {"chase-4m", "latency", "pointer-chase", "bytes=4194304 stride=256 count=131072", make_global, true},
        {"chase-16m", "latency", "pointer-chase", "bytes=16777216 stride=1024 count=131072", make_global, true},
        {"chase-dram-32m", "latency", "pointer-chase", "bytes=33554432 stride=1024 count=32768", make_global},
        {"chase-dram-8m", "latency", "pointer-chase", "bytes=8388608 stride=512 count=16384", make_global},
        {"constant-l1", "latency", "latency-constant-l1", "bytes=1024 stride=64 count=16384", make_constant},
        {"constant-l2", "latency", "latency-constant-l2", "bytes=16384 stride=64 count=16384", make_constant},
        {"texture-l1", "latency", "latency-texture-l1", "bytes=4096 stride=32 count=8192", make_texture},
        {"texture-l2", "latency", "latency-texture-l2", "bytes=1048576 stride=32 count=65536", make_texture},
    };
}
