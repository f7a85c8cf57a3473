#include "harness/chase.h"

#include <random>

#include "harness/device.h"
#include "harness/texture.h"

/* Blocks are given to SMs one each while all are empty. They stay for `hold` cycles, until every block has an SM, so that each has one of its
 * own; then all but `block` end, which follows the chain. */
struct Start {
    unsigned hold, block, warm, steps;
    unsigned long long *end, *span;
};

enum { HOLD = 40000 };

static __device__ __forceinline__ bool stays(const Start &start)
{
    if (start.hold)
        for (const long long from = clock64(); clock64() - from < start.hold;)
            ;
    return blockIdx.x == start.block;
}

template <int UNROLL, class P, class Load> static __device__ __forceinline__ P follow(P p, unsigned steps, Load load)
{
#pragma unroll 1
    for (unsigned i = 0; i < steps; i += UNROLL)
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            p = load(p);
    return p;
}

/* No place is ~0: to compare with it waits for the last load before the clock is read. */
template <int UNROLL, class P, class Load> static __device__ __forceinline__ void follow_timed(const Start &start, P p, Load load)
{
    p = follow<UNROLL>(p, start.warm, load);
    if (p == ~(P)0) return;
    const long long begin = clock64();
    p = follow<UNROLL>(p, start.steps, load);
    if (p == ~(P)0) return;
    *start.span = clock64() - begin;
    *start.end = p;
}

/* The run of `kernel<<<blocks, 1>>>(start)`, whose chain begins at `first` and has its places in `chain`. */
template <class Launch> static Run run_of(const Chain &chain, unsigned unroll, size_t first, size_t unit, Launch launch)
{
    static std::mt19937 random{std::random_device{}()};
    if (chain.steps % unroll) abort();
    int sms = 0;
    CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const unsigned warm = (chain.warm + unroll - 1) / unroll * unroll;
    Array<unsigned long long> end(1), span(1);
    const Start alone = {0, 0, warm, chain.steps, end.at(), span.at()};
    Start start = alone;
    start.hold = HOLD;
    start.block = random() % sms;
    const unsigned long long last = first + (size_t)(warm + chain.steps) * chain.stride % chain.bytes / unit;
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { launch(sms, start); };
    run.alone = [=] { launch(1, alone); };
    run.check = [=] { return end.get()[0] == last ? "" : "the chain ends at another place"; };
    run.steps = chain.steps;
    run.span = span.at();
    run.least.warp_insns = chain.steps;
    return run;
}

static __global__ void make_chain(unsigned char *memory, size_t stride, size_t count)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        *(unsigned long long *)(memory + i * stride) = (unsigned long long)(memory + (i + 1) % count * stride);
}

static __global__ void global_chain(unsigned long long first, Start start)
{
    if (!stays(start)) return;
    follow_timed<8>(start, first, [](unsigned long long p) {
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
        return p;
    });
}

Run chase_global(const Chain &chain)
{
    if (chain.stride % 8) abort();
    Array<unsigned char> memory(chain.bytes);
    make_chain<<<64, 256>>>(memory.at(), chain.stride, chain.bytes / chain.stride);
    CUDA(cudaDeviceSynchronize());
    const size_t first = (size_t)memory.at();
    return run_of(chain, 8, first, 1, [=](unsigned blocks, const Start &start) { global_chain<<<blocks, 1>>>((size_t)memory.at(), start); });
}

static __global__ void shared_chain(unsigned words, Start start)
{
    extern __shared__ unsigned next[];
    if (!stays(start)) return;
    const unsigned base = (unsigned)__cvta_generic_to_shared(next);
    for (unsigned i = 0; i < words; i++)
        next[i] = base + 4 * ((i + 1) % words);
    follow_timed<16>(start, base, [](unsigned p) {
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
        return p;
    });
    *start.end -= base;
}

Run chase_shared(unsigned words, unsigned steps)
{
    return run_of({4 * words, 4, 0, steps}, 16, 0, 1,
                  [=](unsigned blocks, const Start &start) { shared_chain<<<blocks, 1, 4 * words>>>(words, start); });
}

enum { CONSTANT_WORDS = 16384 };
static __constant__ unsigned constant_next[CONSTANT_WORDS];

static __global__ void constant_chain(Start start)
{
    if (!stays(start)) return;
    follow_timed<16>(start, 0u, [](unsigned p) { return *(const unsigned *)((const char *)constant_next + p); });
}

/* What each place of `chain` has: the next one, in units of `unit` bytes. */
static std::vector<unsigned> image_of(const Chain &chain, size_t words, size_t unit)
{
    std::vector<unsigned> image(words);
    for (size_t at = 0; at < chain.bytes; at += chain.stride)
        image[at / 4] = (at + chain.stride) % chain.bytes / unit;
    return image;
}

Run chase_constant(const Chain &chain)
{
    if (chain.bytes > 4 * CONSTANT_WORDS) abort();
    const std::vector<unsigned> image = image_of(chain, CONSTANT_WORDS, 1);
    Run run = run_of(chain, 16, 0, 1, [](unsigned blocks, const Start &start) { constant_chain<<<blocks, 1>>>(start); });
    const auto zero = run.reset;
    run.reset = [=] {
        CUDA(cudaMemcpyToSymbol(constant_next, image.data(), 4 * CONSTANT_WORDS));
        zero();
    };
    return run;
}

static __global__ void texture_chain(cudaTextureObject_t next, Start start)
{
    if (!stays(start)) return;
    follow_timed<8>(start, 0u, [next](unsigned p) { return tex1Dfetch<unsigned>(next, p); });
}

Run chase_texture(const Chain &chain)
{
    const Texture next = texture_of_words(Array<unsigned>(image_of(chain, chain.bytes / 4, 4)));
    return run_of(chain, 8, 0, 4, [=](unsigned blocks, const Start &start) { texture_chain<<<blocks, 1>>>(*next, start); });
}
