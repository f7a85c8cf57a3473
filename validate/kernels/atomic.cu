/*
 * Atomic operations on global and shared memory whose result nobody asks for. Addresses come from run-time values that differ between
 * lanes for all the compiler knows: of an address that is the same for a warp it would make one addition of the lanes' sum. What is added
 * comes from the host in the same-word kernels; the histograms add the constant 1, as written, for which there is an instruction of its own.
 */
#include "harness/case.h"
#include "harness/device.h"

static __global__ void count_global(unsigned *counter, int spread, int times, unsigned one)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *mine = counter + (i & (spread - 1));
#pragma unroll 1
    for (int k = 0; k < times; k++)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(mine), "r"(one) : "memory");
}

static Run make_same(const Params &p)
{
    const unsigned spread = p.at("spread"), times = p.at("K"), blocks = p.at("blocks"), threads = p.at("B");
    Array<unsigned> counter(spread);
    Run run;
    run.reset = [=] { counter.zero(); };
    run.launch = [=] { count_global<<<blocks, threads>>>(counter.at(), spread, times, 1); };
    run.check = [=] {
        std::vector<unsigned> want(spread);
        for (unsigned i = 0; i < blocks * threads; i++)
            want[i & (spread - 1)] += times;
        return differ(counter.get(), want);
    };
    run.least.warp_insns = (double)times * blocks * threads / 32;
    return run;
}

static __global__ void count_shared(unsigned *out, int spread, int times, unsigned one)
{
    extern __shared__ unsigned s[];
    const unsigned at = (unsigned)__cvta_generic_to_shared(s + (threadIdx.x & (spread - 1)));
    s[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < times; k++)
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(one) : "memory");
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = s[threadIdx.x];
}

static Run make_shared(const Params &p)
{
    const unsigned spread = p.at("spread"), times = p.at("K"), blocks = p.at("blocks"), threads = p.at("B");
    Array<unsigned> out(blocks * threads);
    Run run;
    run.launch = [=] { count_shared<<<blocks, threads, 4 * threads>>>(out.at(), spread, times, 1); };
    run.check = [=] {
        std::vector<unsigned> want(out.size());
        for (size_t i = 0; i < want.size(); i++)
            want[i] = i % threads < spread ? times * (threads / spread) : 0;
        return differ(out.get(), want);
    };
    run.least.warp_insns = (double)times * blocks * threads / 32;
    return run;
}

static __global__ void histogram_global(const unsigned *data, unsigned *counts, int bins, int each)
{
    const unsigned *at = data + (size_t)blockIdx.x * each * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < each; k++, at += blockDim.x)
        atomicAdd(&counts[*at & (bins - 1)], 1);
}

static __global__ void histogram_private(const unsigned *data, unsigned *counts, int bins, int each)
{
    extern __shared__ unsigned h[];
    for (int b = 0; b < bins; b += blockDim.x)
        h[b + threadIdx.x] = 0;
    __syncthreads();
    const unsigned *at = data + (size_t)blockIdx.x * each * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < each; k++, at += blockDim.x)
        atomicAdd(&h[*at & (bins - 1)], 1);
    __syncthreads();
    for (int b = 0; b < bins; b += blockDim.x)
        atomicAdd(&counts[b + threadIdx.x], h[b + threadIdx.x]);
}

static Run make_histogram(const Params &p)
{
    const size_t n = p.at("N"), bins = p.at("bins"), each = p.at("K"), threads = p.at("B");
    const bool own = p.at("private"), equal = p.at("equal");
    std::vector<unsigned> x(n), want(bins);
    for (size_t i = 0; i < n; i++) {
        x[i] = equal ? 0 : trace_hash(i) % bins;
        want[x[i]]++;
    }
    Array<unsigned> data(x), counts(bins);
    Run run;
    run.reset = [=] { counts.zero(); };
    run.launch = [=] {
        const size_t blocks = n / (each * threads);
        if (own)
            histogram_private<<<blocks, threads, 4 * bins>>>(data.at(), counts.at(), bins, each);
        else
            histogram_global<<<blocks, threads>>>(data.at(), counts.at(), bins, each);
    };
    run.check = [=] { return differ(counts.get(), want); };
    run.least.dram_bytes = run.least.l2_bytes = 4.0 * n;
    return run;
}

std::vector<Case> atomic_cases()
{
    return {
        {"atomic-1", "atomic", "atomic-same", "spread=1 K=16 blocks=132 B=256", make_same},
        {"atomic-32", "atomic", "atomic-same", "spread=32 K=32 blocks=132 B=256", make_same},
        {"atomic-1024", "atomic", "atomic-same", "spread=1024 K=64 blocks=132 B=256", make_same},
        {"atomic-32768", "atomic", "atomic-same", "spread=32768 K=256 blocks=132 B=256", make_same},
        {"shared-atomic-1", "shared-atomic", "shared-atomic", "spread=1 K=64 blocks=132 B=256", make_shared},
        {"shared-atomic-2", "shared-atomic", "shared-atomic", "spread=2 K=128 blocks=132 B=256", make_shared},
        {"shared-atomic-8", "shared-atomic", "shared-atomic", "spread=8 K=512 blocks=132 B=256", make_shared},
        {"shared-atomic-32", "shared-atomic", "shared-atomic", "spread=32 K=512 blocks=132 B=256", make_shared},
        {"histogram", "histogram", "histogram", "private=0 equal=0 N=1048576 bins=256 K=16 B=256", make_histogram},
        {"histogram-equal", "histogram", "histogram", "private=0 equal=1 N=262144 bins=256 K=16 B=256", make_histogram},
        {"histogram-private", "histogram", "histogram", "private=1 equal=0 N=4194304 bins=256 K=32 B=256", make_histogram},
        {"histogram-private-equal", "histogram", "histogram", "private=1 equal=1 N=1048576 bins=256 K=16 B=256", make_histogram},
    };
}
