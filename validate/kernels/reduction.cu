/*
 * The seven reductions. Passes over the partial sums alternate between two arrays; the traces have one, in place: on a machine whose
 * blocks run in any order that would be a race. Loops that step by blockDim.x are kept as loops. The last warp needs __syncwarp between its
 * steps from Volta on, which the traces of reduction-5 to -7 do not have.
 */
#include <numeric>

#include "harness/case.h"
#include "harness/device.h"

static __global__ void reduce1(const int *idata, int *odata)
{
    extern __shared__ int sdata[];
    const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = idata[i];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

static __global__ void reduce2(const int *idata, int *odata)
{
    extern __shared__ int sdata[];
    const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = idata[i];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        const unsigned index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

static __global__ void reduce3(const int *idata, int *odata)
{
    extern __shared__ int sdata[];
    const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = idata[i];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

static __global__ void reduce4(const int *idata, int *odata)
{
    extern __shared__ int sdata[];
    const unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    sdata[tid] = idata[i] + idata[i + blockDim.x];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

/* The steps of one warp: the thread's sum stays in a register, and is stored for the others. */
template <unsigned B> static __device__ void last_warp(volatile int *sdata, unsigned tid)
{
    if (tid >= 32) return;
    int sum = sdata[tid];
#pragma unroll
    for (unsigned s = B / 2 < 32 ? B / 2 : 32; s > 0; s >>= 1) {
        sum += sdata[tid + s];
        __syncwarp();
        sdata[tid] = sum;
        __syncwarp();
    }
}

template <unsigned B> static __global__ void reduce5(const int *idata, int *odata)
{
    __shared__ int sdata[B + 64];
    const unsigned tid = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
    sdata[tid] = idata[i] + idata[i + blockDim.x];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    last_warp<B>(sdata, tid);
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

template <unsigned B> static __device__ void unrolled_tree(int *sdata, unsigned tid)
{
    if (B >= 512) {
        if (tid < 256) sdata[tid] += sdata[tid + 256];
        __syncthreads();
    }
    if (B >= 256) {
        if (tid < 128) sdata[tid] += sdata[tid + 128];
        __syncthreads();
    }
    if (B >= 128) {
        if (tid < 64) sdata[tid] += sdata[tid + 64];
        __syncthreads();
    }
    last_warp<B>(sdata, tid);
}

template <unsigned B> static __global__ void reduce6(const int *idata, int *odata)
{
    __shared__ int sdata[B + 64];
    const unsigned tid = threadIdx.x, i = blockIdx.x * (2 * B) + threadIdx.x;
    sdata[tid] = idata[i] + idata[i + B];
    __syncthreads();
    unrolled_tree<B>(sdata, tid);
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

template <unsigned B> static __global__ void reduce7(const int *idata, int *odata, unsigned n)
{
    __shared__ int sdata[B + 64];
    volatile int *mine = sdata + threadIdx.x; /* the sum of the thread stays in shared memory, as written */
    const unsigned tid = threadIdx.x, step = 2 * B * gridDim.x;
    unsigned i = blockIdx.x * (2 * B) + threadIdx.x;
    *mine = 0;
#pragma unroll 1
    while (i < n) {
        const int both = idata[i] + idata[i + B];
        *mine = *mine + both;
        i += step;
    }
    __syncthreads();
    unrolled_tree<B>(sdata, tid);
    if (tid == 0) odata[blockIdx.x] = sdata[0];
}

/* A pass: n sums from `from` on, to `to`. Versions 5 to 7 are templates of the threads of a block, 128 or what the last pass has. */
static void launch(int version, const int *from, int *to, unsigned n, unsigned threads, unsigned blocks)
{
    const size_t shared = threads * sizeof(int);
#define OF_SIZE(B)                                                                                                                          \
    if (threads == B && version == 5) reduce5<B><<<blocks, B>>>(from, to);                                                                  \
    if (threads == B && version == 6) reduce6<B><<<blocks, B>>>(from, to);                                                                  \
    if (threads == B && version == 7) reduce7<B><<<blocks, B>>>(from, to, n);
    switch (version) {
    case 1: reduce1<<<blocks, threads, shared>>>(from, to); break;
    case 2: reduce2<<<blocks, threads, shared>>>(from, to); break;
    case 3: reduce3<<<blocks, threads, shared>>>(from, to); break;
    case 4: reduce4<<<blocks, threads, shared>>>(from, to); break;
    default: OF_SIZE(128) OF_SIZE(64) OF_SIZE(32) OF_SIZE(16) OF_SIZE(8) OF_SIZE(4) OF_SIZE(2)
    }
#undef OF_SIZE
}

struct Pass {
    unsigned n, threads, blocks;
};

static std::vector<Pass> passes(int version, unsigned n, unsigned b, unsigned maxblocks)
{
    std::vector<Pass> all;
    if (version <= 3)
        for (; n >= b; n /= b)
            all.push_back({n, b, n / b});
    else if (version <= 6)
        for (; n > 1; n /= 2 * all.back().threads)
            all.push_back({n, std::min(b, n / 2), std::max(1u, n / (2 * b))});
    else
        for (; n > 1; n = all.back().blocks)
            all.push_back({n, std::min(b, n / 2), std::max(1u, std::min(maxblocks, n / (2 * b)))});
    return all;
}

static Run run_of(const Params &p, int version)
{
    const unsigned n = p.at("N"), b = p.at("B");
    const std::vector<Pass> all = passes(version, n, b, version == 7 ? p.at("maxblocks") : 0);
    std::vector<int> x(n);
    for (unsigned i = 0; i < n; i++)
        x[i] = (int)(trace_hash(i) % 2001) - 1000;
    Array<int> data(x), even(n / b + 1), odd(n / b + 1);
    Run run;
    run.launches = (int)all.size();
    run.pass = [=](int i) {
        launch(version, i == 0 ? data.at() : i % 2 ? even.at() : odd.at(), i % 2 ? odd.at() : even.at(), all[i].n, all[i].threads, all[i].blocks);
    };
    run.check = [=] {
        std::vector<int> sums = (all.size() % 2 ? even : odd).get();
        sums.resize(all.back().blocks);
        return differ(std::vector<int>{std::accumulate(sums.begin(), sums.end(), 0)}, {std::accumulate(x.begin(), x.end(), 0)});
    };
    run.least.dram_bytes = run.least.l2_bytes = 4.0 * n;
    return run;
}

template <int version> static Run make(const Params &p)
{
    return run_of(p, version);
}

std::vector<Case> reduction_cases()
{
    return {
        {"reduction-1-4m", "reduction-4m", "reduction-1", "N=4194304 B=128", make<1>, true},
        {"reduction-2-4m", "reduction-4m", "reduction-2", "N=4194304 B=128", make<2>, true},
        {"reduction-3-4m", "reduction-4m", "reduction-3", "N=4194304 B=128", make<3>, true},
        {"reduction-4-4m", "reduction-4m", "reduction-4", "N=4194304 B=128", make<4>, true},
        {"reduction-5-4m", "reduction-4m", "reduction-5", "N=4194304 B=128", make<5>},
        {"reduction-6-4m", "reduction-4m", "reduction-6", "N=4194304 B=128", make<6>},
        {"reduction-7-4m", "reduction-4m", "reduction-7", "N=4194304 B=128 maxblocks=64", make<7>},
        {"reduction-1-2m", "reduction-2m", "reduction-1", "N=2097152 B=128", make<1>, true},
        {"reduction-2-2m", "reduction-2m", "reduction-2", "N=2097152 B=128", make<2>, true},
        {"reduction-3-2m", "reduction-2m", "reduction-3", "N=2097152 B=128", make<3>},
        {"reduction-4-8m", "reduction-8m", "reduction-4", "N=8388608 B=128", make<4>, true},
        {"reduction-5-8m", "reduction-8m", "reduction-5", "N=8388608 B=128", make<5>, true},
        {"reduction-6-8m", "reduction-8m", "reduction-6", "N=8388608 B=128", make<6>, true},
        {"reduction-7-8m", "reduction-8m", "reduction-7", "N=8388608 B=128 maxblocks=256", make<7>, true},
    };
}
