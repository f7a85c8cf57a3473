/*
 * Arithmetic: chains of multiply-adds whose number and warps vary, and special functions among additions. The operations are assembly, since
 * nvcc would fold a chain of constants. The traces unroll them all; here 256 or so stand in a loop, whose three instructions are one in a
 * hundred, and which fits the instruction caches.
 * Machine code of `chains`: 192 or 256 FFMA Ri, Ri, Rx, Ry, then UIADD3, ISETP, BRA between them and behind; of `mix`: 16 x rounds of the
 * turn of MUFU.RSQ and FADD, all on eight registers.
 */
#include <numeric>

#include "harness/case.h"
#include "harness/device.h"

static __global__ void latency_register(float *out, float x, int n, unsigned long long *span)
{
    float a = threadIdx.x;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i += 256)
#pragma unroll
        for (int k = 0; k < 256; k++)
            asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(x));
    span_end(span, begin);
    out[threadIdx.x] = a;
}

static Run make_register(const Params &p)
{
    const int n = p.at("n");
    Array<float> out(32);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { latency_register<<<1, 32>>>(out.at(), 1, n, span.at()); };
    run.check = [=] { return differ_at(out.get(), 32, [&](size_t i) { return (float)(i + n); }); };
    run.steps = n;
    run.span = span.at();
    run.least.warp_insns = n;
    return run;
}

/* C chains that do not wait for each other. */
template <int C> static __global__ void chains(float *out, float x, float y, int n, unsigned long long *span)
{
    constexpr int TURN = 32 * (8 / C); /* divides the n of all rows */
    float a[C];
#pragma unroll
    for (int c = 0; c < C; c++)
        a[c] = c;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i += TURN)
#pragma unroll
        for (int k = 0; k < TURN; k++)
#pragma unroll
            for (int c = 0; c < C; c++)
                fma_here(a[c], x, y);
    span_end(span, begin);
#pragma unroll
    for (int c = 1; c < C; c++)
        a[0] += a[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = a[0];
}

template <int C> static Run chains_run(int blocks, int warps, int n)
{
    Array<float> out(blocks * 32 * warps);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { chains<C><<<blocks, 32 * warps>>>(out.at(), 1, 1, n, span.at()); };
    run.check = [=] { return differ_at(out.get(), out.size(), [&](size_t) { return (float)(C * n + C * (C - 1) / 2); }); };
    run.steps = n;
    run.span = span.at();
    run.least.warp_insns = (double)blocks * warps * C * n;
    return run;
}

static Run make_ilp(const Params &p)
{
    const int n = p.at("n"), blocks = p.at("blocks"), warps = p.at("W");
    switch (p.at("C")) {
    case 1: return chains_run<1>(blocks, warps, n);
    case 2: return chains_run<2>(blocks, warps, n);
    case 4: return chains_run<4>(blocks, warps, n);
    case 6: return chains_run<6>(blocks, warps, n);
    case 8: return chains_run<8>(blocks, warps, n);
    default: abort();
    }
}

/* One block for an SM, which the hardware gives each SM as long as there are as many: W <= 16, as the trace has it. */
static Run make_hiding(const Params &p)
{
    return chains_run<1>(p.at("SMs"), p.at("W"), p.at("n"));
}

/* MIX special functions of 16 operations. All eight values go out: assembler drops a chain that nobody reads, volatile or not. */
template <int MIX> static __global__ void mix(float *out, int rounds)
{
    float a[8];
#pragma unroll
    for (int k = 0; k < 8; k++)
        a[k] = 1 + k;
#pragma unroll 16 /* 256 operations: a loop's own instructions are one in a hundred */
    for (int i = 0; i < rounds; i++)
#pragma unroll
        for (int k = 0; k < 16; k++)
            if (k < MIX)
                asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(a[k % 8])); /* without .ftz it is several instructions */
            else
                add_one(a[k % 8]);
#pragma unroll
    for (int k = 1; k < 8; k++)
        a[0] += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = a[0];
}

static float mixed(int mix, int rounds)
{
    float a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < 16; k++)
            a[k % 8] = k < mix ? 1 / std::sqrt(a[k % 8]) : a[k % 8] + 1;
    return std::accumulate(a, a + 8, 0.0f);
}

static Run make_mix(const Params &p)
{
    const int of = p.at("mix"), rounds = p.at("rounds"), blocks = p.at("blocks"), threads = p.at("B");
    Array<float> out(blocks * threads);
    Run run;
    run.launch = [=] {
        if (of == 0) mix<0><<<blocks, threads>>>(out.at(), rounds);
        if (of == 4) mix<4><<<blocks, threads>>>(out.at(), rounds);
        if (of == 8) mix<8><<<blocks, threads>>>(out.at(), rounds);
        if (of == 16) mix<16><<<blocks, threads>>>(out.at(), rounds);
    };
    run.check = [=] { return differ(out.get(), std::vector<float>(out.size(), mixed(of, rounds)), 1e-5); };
    run.least.warp_insns = 16.0 * rounds * blocks * threads / 32;
    return run;
}

std::vector<Case> alu_cases()
{
    return {
        {"register", "latency", "latency-register", "n=16384", make_register},
        {"ilp-1", "ilp", "ilp", "C=1 W=4 n=4096 blocks=132", make_ilp},
        {"ilp-2", "ilp", "ilp", "C=2 W=4 n=4096 blocks=132", make_ilp},
        {"ilp-4", "ilp", "ilp", "C=4 W=4 n=4096 blocks=132", make_ilp},
        {"ilp-6", "ilp", "ilp", "C=6 W=4 n=4096 blocks=132", make_ilp, true},
        {"ilp-8-8", "ilp", "ilp", "C=8 W=8 n=2048 blocks=132", make_ilp, true},
        {"hiding-4", "hiding", "latency-hiding", "W=4 n=4096 SMs=132", make_hiding},
        {"hiding-8", "hiding", "latency-hiding", "W=8 n=4096 SMs=132", make_hiding},
        {"hiding-16", "hiding", "latency-hiding", "W=16 n=4096 SMs=132", make_hiding},
        {"sfu-0", "sfu", "sfu-mix", "mix=0 rounds=256 blocks=264 B=256", make_mix},
        {"sfu-4", "sfu", "sfu-mix", "mix=4 rounds=256 blocks=264 B=256", make_mix},
        {"sfu-8", "sfu", "sfu-mix", "mix=8 rounds=256 blocks=264 B=256", make_mix, true},
        {"sfu-16", "sfu", "sfu-mix", "mix=16 rounds=256 blocks=264 B=256", make_mix},
    };
}
