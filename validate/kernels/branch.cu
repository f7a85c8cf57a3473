/*
 * Branches: warps whose lanes disagree, by lane number, by data, and nested. The sides are chains of volatile assembly, which the compiler
 * neither merges nor hoists. A side of a few instructions it may predicate all the same: sides are long where the branch is the point.
 */
#include "harness/case.h"
#include "harness/device.h"

static __device__ __forceinline__ unsigned lane_id()
{
    return threadIdx.x % 32;
}

template <int WORK> static __global__ void divergence(float *out, int taken, int trips, float x, float y)
{
    float a = 1, b = 2;
#pragma unroll 1
    for (int t = 0; t < trips; t++)
        if ((int)lane_id() < taken) {
#pragma unroll
            for (int k = 0; k < WORK; k++)
                fma_here(a, x, y);
        } else {
#pragma unroll
            for (int k = 0; k < WORK; k++)
                fma_here(b, x, y);
        }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

static Run make_divergence(const Params &p)
{
    const int taken = p.at("taken"), trips = p.at("trips"), work = p.at("work"), blocks = p.at("blocks"), threads = p.at("B");
    if (work != 8 && work != 32) abort();
    Array<float> out(blocks * threads);
    Run run;
    run.launch = [=] {
        if (work == 8)
            divergence<8><<<blocks, threads>>>(out.at(), taken, trips, 1, 1);
        else
            divergence<32><<<blocks, threads>>>(out.at(), taken, trips, 1, 1);
    };
    run.check = [=] { return differ_at(out.get(), out.size(), [&](size_t) { return (float)(3 + trips * work); }); };
    run.least.warp_insns = (double)trips * work * blocks * threads / 32 * (taken > 0 && taken < 32 ? 2 : 1);
    return run;
}

template <int WORK> static __global__ void halves(const float *a, const float *b, float *out, int shift, float c)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v;
    if ((threadIdx.x >> shift) % 2 == 0) { /* / G would be a dozen instructions */
        v = a[i];
#pragma unroll
        for (int k = 0; k < WORK; k++)
            asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(c));
    } else {
        v = b[i];
#pragma unroll
        for (int k = 0; k < WORK; k++)
            asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(v) : "f"(c));
    }
    out[i] = v;
}

static Run make_halves(const Params &p)
{
    const size_t n = p.at("N"), g = p.at("G"), threads = p.at("B");
    const int shift = g == 32 ? 5 : 4;
    if (p.at("work") != 32 || g != 1u << shift) abort();
    const std::vector<float> x = small_floats(n, 1), y = small_floats(n, 2);
    Array<float> a(x), b(y), out(n);
    Run run;
    run.launch = [=] { halves<32><<<n / threads, threads>>>(a.at(), b.at(), out.at(), shift, 1); };
    run.check = [=] { return differ_at(out.get(), n, [&](size_t i) { return i % threads / g % 2 ? y[i] + 32 : x[i]; }); };
    run.least.dram_bytes = 4.0 * n;
    run.least.l2_bytes = 8.0 * n;
    return run;
}

template <int WORK> static __global__ void classify(const float *x, float *y, float low)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i];
    float w = 0;
    if (v >= low) {
#pragma unroll
        for (int k = 0; k < WORK; k++)
            asm volatile("fma.rn.f32 %0, %0, %1, 0f3FC00000;" : "+f"(w) : "f"(v)); /* 1.5 */
    } else {
#pragma unroll
        for (int k = 0; k < WORK; k++)
            asm volatile("fma.rn.f32 %0, %0, %1, 0fBFC00000;" : "+f"(w) : "f"(v)); /* -1.5 */
    }
    y[i] = w;
}

static Run make_if_else(const Params &p)
{
    const size_t n = p.at("N"), percent = p.at("percent"), threads = p.at("B");
    const bool sorted = p.at("sorted");
    if (p.at("work") != 32) abort();
    std::vector<float> x(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (sorted ? i < n * percent / 100 : trace_hash(i) % 100 < percent) ? 0.5f : 0.25f;
    Array<float> from(x), y(n);
    Run run;
    run.launch = [=] { classify<32><<<n / threads, threads>>>(from.at(), y.at(), 0.4f); };
    run.check = [=] {
        float high = 0, low = 0;
        for (int k = 0; k < 32; k++)
            high = std::fma(high, 0.5f, 1.5f), low = std::fma(low, 0.25f, -1.5f);
        return differ_at(y.get(), n, [&](size_t i) { return x[i] > 0.4f ? high : low; });
    };
    run.least.dram_bytes = 4.0 * n;
    run.least.l2_bytes = 8.0 * n;
    return run;
}

template <int WORK> static __device__ __forceinline__ void leaf(float &a, float x, float k)
{
#pragma unroll
    for (int i = 0; i < WORK; i++)
        fma_here(a, x, k);
}

/* DEPTH questions, each of half of the lanes that are left. */
template <int DEPTH, int WORK> static __global__ void nested(float *out, float x)
{
    const unsigned lane = lane_id();
    float a = 0;
    if (lane < 16) {
        if (lane < 8) {
            if (lane < 4) {
                if (lane < 2) {
                    if (DEPTH == 5 && lane < 1)
                        leaf<WORK>(a, x, 5);
                    else
                        leaf<WORK>(a, x, 1);
                } else
                    leaf<WORK>(a, x, 2);
            } else
                leaf<WORK>(a, x, 3);
        } else
            leaf<WORK>(a, x, 4);
    } else
        leaf<WORK>(a, x, 6);
    out[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

template <int DEPTH> static Run make_nested(const Params &p)
{
    const int blocks = p.at("blocks"), threads = p.at("B");
    if (p.at("work") != 64) abort();
    Array<float> out(blocks * threads);
    Run run;
    run.launch = [=] { nested<DEPTH, 64><<<blocks, threads>>>(out.at(), 1); };
    run.check = [=] {
        static const float LEAVES[] = {1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4};
        return differ_at(out.get(), out.size(), [&](size_t i) {
            return 64 * (i % 32 >= 16 ? 6 : DEPTH == 5 && i % 32 == 0 ? 5 : LEAVES[i % 32]);
        });
    };
    run.least.warp_insns = (DEPTH + 1.0) * 64 * blocks * threads / 32;
    return run;
}

std::vector<Case> branch_cases()
{
    return {
        {"divergence-0", "divergence", "divergence", "taken=0 trips=256 work=32 blocks=132 B=256", make_divergence},
        {"divergence-1", "divergence", "divergence", "taken=1 trips=256 work=32 blocks=132 B=256", make_divergence},
        {"divergence-16", "divergence", "divergence", "taken=16 trips=256 work=32 blocks=132 B=256", make_divergence},
        {"divergence-32", "divergence", "divergence", "taken=32 trips=256 work=32 blocks=132 B=256", make_divergence},
        {"divergence-short-16", "divergence-short", "divergence", "taken=16 trips=512 work=8 blocks=264 B=256", make_divergence},
        {"divergence-short-32", "divergence-short", "divergence", "taken=32 trips=512 work=8 blocks=264 B=256", make_divergence},
        {"halves-16", "halves", "divergence-half-warp", "G=16 N=2097152 work=32 B=256", make_halves, true},
        {"halves-32", "halves", "divergence-half-warp", "G=32 N=2097152 work=32 B=256", make_halves},
        {"if-else-0", "if-else", "if-else", "N=2097152 percent=0 sorted=0 work=32 B=256", make_if_else},
        {"if-else-50", "if-else", "if-else", "N=2097152 percent=50 sorted=0 work=32 B=256", make_if_else},
        {"if-else-sorted-50", "if-else", "if-else", "N=2097152 percent=50 sorted=1 work=32 B=256", make_if_else, true},
        {"nested-4", "nested", "nested-4", "work=64 blocks=2112 B=256", make_nested<4>},
        {"nested-5", "nested", "nested-5", "work=64 blocks=2112 B=256", make_nested<5>},
    };
}
