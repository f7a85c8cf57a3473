/*
 * Chases: one thread, each load gives the place of the next, through shared memory, the levels of global memory, constant memory and
 * textures. What a step loads is the address of the next itself (a byte offset in shared and constant memory), so that a step is one load
 * and nothing more, as in the traces.
 */
#include "harness/case.h"
#include "harness/device.h"

/* 64-bit pointers, 8 bytes at each place; the trace has words of 4 bytes, in the same sectors. */
static __global__ void chase(unsigned long long start, int count, unsigned long long *end, unsigned long long *span)
{
    unsigned long long p = start;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 8)
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
    if (p == 0) return; /* waits for the last load before the clock is read */
    span_end(span, begin);
    *end = p;
}

static Run make_global(const Params &p)
{
    const size_t bytes = p.at("bytes"), stride = p.at("stride"), count = p.at("count");
    if (count % 8 || stride % 8) abort();
    Array<unsigned char> memory(bytes);
    std::vector<unsigned char> image(bytes);
    const unsigned long long base = (unsigned long long)memory.at();
    for (size_t at = 0; at < bytes; at += stride) {
        const unsigned long long next = base + (at + stride) % bytes;
        memcpy(&image[at], &next, sizeof next);
    }
    CUDA(cudaMemcpy(memory.at(), image.data(), bytes, cudaMemcpyHostToDevice));
    Array<unsigned long long> end(1), span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { chase<<<1, 1>>>((unsigned long long)memory.at(), count, end.at(), span.at()); };
    run.check = [=] { return end.get()[0] == base + count * stride % bytes ? "" : "the chain ends at another place"; };
    run.steps = count;
    run.span = span.at();
    run.least.warp_insns = count;
    return run;
}

static __global__ void shared_chase(int count, int words, unsigned *end, unsigned long long *span)
{
    extern __shared__ unsigned next[];
    const unsigned base = (unsigned)__cvta_generic_to_shared(next);
    for (int i = 0; i < words; i++)
        next[i] = base + 4 * ((i + 1) % words);
    unsigned p = base;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 16)
#pragma unroll
        for (int k = 0; k < 16; k++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    if (p == ~0u) return;
    span_end(span, begin);
    *end = p - base;
}

static Run make_shared(const Params &p)
{
    const unsigned count = p.at("count"), words = p.at("M");
    Array<unsigned> end(1);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { shared_chase<<<1, 1, 4 * words>>>(count, words, end.at(), span.at()); };
    run.check = [=] { return end.get()[0] == 4 * (count % words) ? "" : "the chain ends at another place"; };
    run.steps = count;
    run.span = span.at();
    run.least.warp_insns = count;
    return run;
}

enum { CONSTANT_WORDS = 16384 };
static __constant__ unsigned constant_next[CONSTANT_WORDS];

static __device__ unsigned constant_at(unsigned p)
{
    return *(const unsigned *)((const char *)constant_next + p);
}

static __global__ void constant_warm_up(unsigned start, int count, unsigned *end)
{
    unsigned p = start;
#pragma unroll 8
    for (int i = 0; i < count; i++)
        p = constant_at(p);
    *end = p;
}

static __global__ void constant_chase(unsigned start, int count, unsigned *end, unsigned long long *span)
{
    unsigned p = start;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 16)
#pragma unroll
        for (int k = 0; k < 16; k++)
            p = constant_at(p);
    if (p == ~0u) return;
    span_end(span, begin);
    *end = p;
}

static Run make_constant(const Params &p)
{
    const unsigned bytes = p.at("bytes"), stride = p.at("stride"), count = p.at("count");
    if (bytes > 4 * CONSTANT_WORDS || count % 16) abort();
    std::vector<unsigned> image(CONSTANT_WORDS);
    for (unsigned at = 0; at < bytes; at += stride)
        image[at / 4] = (at + stride) % bytes;
    Array<unsigned> end(1);
    Array<unsigned long long> span(1);
    Run run;
    run.launches = 2;
    run.reset = [=] {
        CUDA(cudaMemcpyToSymbol(constant_next, image.data(), 4 * CONSTANT_WORDS));
        span.zero();
    };
    run.pass = [=](int k) {
        if (k == 0) constant_warm_up<<<1, 1>>>(0, bytes / stride, end.at());
        if (k == 1) constant_chase<<<1, 1>>>(0, count, end.at(), span.at());
    };
    run.check = [=] { return end.get()[0] == (unsigned long long)count * stride % bytes ? "" : "the chain ends at another place"; };
    run.steps = count;
    run.span = span.at();
    run.least.warp_insns = count;
    return run;
}

static __global__ void texture_warm_up(cudaTextureObject_t next, unsigned start, int count, unsigned *end)
{
    unsigned p = start;
#pragma unroll 1
    for (int i = 0; i < count; i++)
        p = tex1Dfetch<unsigned>(next, p);
    *end = p;
}

static __global__ void texture_chase(cudaTextureObject_t next, unsigned start, int count, unsigned *end, unsigned long long *span)
{
    unsigned p = start;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < count; i += 8)
#pragma unroll
        for (int k = 0; k < 8; k++)
            p = tex1Dfetch<unsigned>(next, p);
    if (p == ~0u) return;
    span_end(span, begin);
    *end = p;
}

static Run make_texture(const Params &p)
{
    const unsigned bytes = p.at("bytes"), stride = p.at("stride"), count = p.at("count");
    if (count % 8) abort();
    std::vector<unsigned> image(bytes / 4);
    for (unsigned at = 0; at < bytes; at += stride)
        image[at / 4] = (at + stride) % bytes / 4;
    Array<unsigned> memory(image), end(1);
    Array<unsigned long long> span(1);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory.at();
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = bytes;
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t next;
    CUDA(cudaCreateTextureObject(&next, &resource, &description, nullptr)); /* a few bytes, for as long as the program runs */
    Run run;
    run.launches = 2;
    run.reset = [=] { span.zero(); };
    run.pass = [=](int k) {
        if (k == 0) texture_warm_up<<<1, 1>>>(next, 0, bytes / stride, end.at());
        if (k == 1) texture_chase<<<1, 1>>>(next, 0, count, end.at(), span.at());
        (void)memory.at(); /* is kept as long as this */
    };
    run.check = [=] { return end.get()[0] == (unsigned long long)count * stride % bytes / 4 ? "" : "the chain ends at another place"; };
    run.steps = count;
    run.span = span.at();
    run.least.warp_insns = count;
    return run;
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
