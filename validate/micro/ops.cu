/*
 * What an operation of each class costs. Latency: a chain of it in one warp. Issue: 32 warps of one block, 8 to each of four schedulers,
 * with four chains each. Both are differences of two lengths, so that the start and the end drop out. The operations are volatile
 * assembly and keep their order; 64 of them stand in a loop, whose own three instructions are a twentieth of the issue slots at the most.
 */
#include "micro/micro.h"

#define OP(name, type, letter, text)                                                                                                        \
    struct name {                                                                                                                           \
        using T = type;                                                                                                                     \
        static __device__ __forceinline__ void step(type &a, type b) { asm volatile(text : "+" letter(a) : letter(b)); }                    \
    };

OP(Add, float, "f", "add.rn.f32 %0, %0, %1;")
OP(Fma, float, "f", "fma.rn.f32 %0, %0, %1, %1;")
OP(AddXor, int, "r", "{ add.s32 %0, %0, %1; xor.b32 %0, %0, %1; }") /* two additions would become one IADD3 */
OP(FmaSelf, float, "f", "fma.rn.f32 %0, %0, 0fC0000000, %0;") /* -a */
OP(AddOne, float, "f", "add.rn.f32 %0, %0, 0f3F800000;")
OP(Mul, float, "f", "mul.rn.f32 %0, %0, %1;")
OP(Shift, int, "r", "shl.b32 %0, %0, %1;")
OP(Compare, float, "f", "set.lt.f32.f32 %0, %0, %1;")
OP(Convert, int, "r", "{ .reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t; }")
OP(Mul24, int, "r", "mul24.lo.s32 %0, %0, %1;")
OP(IntMul, int, "r", "mul.lo.s32 %0, %0, %1;")
OP(IntMad, int, "r", "mad.lo.s32 %0, %0, %1, %1;")
OP(RcpAdd, float, "f", "{ rcp.approx.ftz.f32 %0, %0; add.rn.f32 %0, %0, %1; }") /* of 1/(1/a) the assembler makes a */
OP(Rsqrt, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
OP(Lg2, float, "f", "lg2.approx.ftz.f32 %0, %0;")
OP(Ex2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
OP(Sin, float, "f", "sin.approx.ftz.f32 %0, %0;")
OP(Sqrt, float, "f", "sqrt.rn.f32 %0, %0;")
OP(Div, float, "f", "div.rn.f32 %0, %0, %1;")
OP(Rem, int, "r", "rem.s32 %0, %0, %1;")
OP(DoubleAdd, double, "d", "add.rn.f64 %0, %0, %1;")
OP(DoubleFma, double, "d", "fma.rn.f64 %0, %0, %1, %1;")

template <class Op, int CHAINS> static __global__ void op_chains(typename Op::T *out, typename Op::T b, int n, unsigned long long *span)
{
    typename Op::T a[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        a[c] = (typename Op::T)(threadIdx.x + c + 1);
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i += 64 / CHAINS)
#pragma unroll
        for (int k = 0; k < 64 / CHAINS; k++)
#pragma unroll
            for (int c = 0; c < CHAINS; c++)
                Op::step(a[c], b);
    span_end(span, begin);
#pragma unroll
    for (int c = 0; c < CHAINS; c++)
        out[threadIdx.x + c * blockDim.x] = a[c];
}

/* Cycles of n turns: the median. */
template <class Op, int CHAINS> static double cycles(Bench &bench, int threads, int n, typename Op::T b)
{
    Array<typename Op::T> out(threads * CHAINS);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { op_chains<Op, CHAINS><<<1, threads>>>(out.at(), b, n, span.at()); };
    run.steps = 1;
    run.span = span.at();
    return bench.time(run).median();
}

template <class Op> static double latency(Bench &bench, typename Op::T b)
{
    return (cycles<Op, 1>(bench, 32, 2048, b) - cycles<Op, 1>(bench, 32, 1024, b)) / 1024;
}

/* Cycles of a scheduler for a warp instruction: 8 warps of 4 chains. */
template <class Op> static double issue(Bench &bench, typename Op::T b)
{
    return (cycles<Op, 4>(bench, 1024, 512, b) - cycles<Op, 4>(bench, 1024, 256, b)) / (256.0 * 4 * 8);
}

template <class Op> static void both(const MicroTable &table, Bench &bench, const char *key, const char *what, typename Op::T b)
{
    const std::string name = std::string("op.") + key;
    table.key((name + "_issue").c_str(), issue<Op>(bench, b), "cycle", std::string(what) + ": 8 warps of 4 chains for each scheduler");
    table.key((name + "_latency").c_str(), latency<Op>(bench, b), "cycle", std::string(what) + ": a chain in one warp");
}

template <class Op> static void aside(const MicroTable &table, Bench &bench, const char *what, typename Op::T b)
{
    table.aside(std::string("issue of ") + what, issue<Op>(bench, b), "cycles", "as the keys");
    table.aside(std::string("latency of ") + what, latency<Op>(bench, b), "cycles", "as the keys");
}

/* Cycles of a scheduler for an operation of 8 warps with a chain each, in which no register stays with its unit for the next operation. */
template <class Op> static void crowd(const MicroTable &table, Bench &bench, const char *what, typename Op::T b)
{
    const double turns = (cycles<Op, 1>(bench, 1024, 1024, b) - cycles<Op, 1>(bench, 1024, 512, b)) / (512.0 * 8);
    table.aside(std::string("issue of ") + what, turns, "cycles", "8 warps of one chain for each scheduler");
}

/* 1/(1/a) is a: an addition stands between, whose latency is taken off. It is issued while the reciprocal is at work. */
static void reciprocal(const MicroTable &table, Bench &bench)
{
    const double add = latency<Add>(bench, 1);
    table.key("op.rcp_issue", issue<RcpAdd>(bench, 1), "cycle", "rcp.approx.f32 and add.f32: 8 warps of 4 chains for each scheduler");
    table.key("op.rcp_latency", latency<RcpAdd>(bench, 1) - add, "cycle", "rcp.approx.f32 and add.f32, a chain in one warp, less add.f32");
}

static __global__ void barriers(float *out, int n, unsigned long long *span)
{
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i += 16)
#pragma unroll
        for (int k = 0; k < 16; k++)
            __syncthreads();
    span_end(span, begin);
    out[threadIdx.x] = 0;
}

static double barrier_step(Bench &bench, int threads)
{
    Array<float> out(threads);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { barriers<<<1, threads>>>(out.at(), 1024, span.at()); };
    run.steps = 1024;
    run.span = span.at();
    return bench.time(run).median();
}

void micro_ops(const MicroTable &table, Bench &bench)
{
    both<Add>(table, bench, "alu", "add.f32", 1);
    aside<Fma>(table, bench, "fma.f32", 1);
    crowd<Add>(table, bench, "add.f32 of two registers", 1);
    crowd<AddOne>(table, bench, "add.f32 of a register and a number", 1);
    crowd<Fma>(table, bench, "fma.f32 of two registers", 1);
    crowd<FmaSelf>(table, bench, "fma.f32 of a register, twice, and a number", 1);
    aside<AddXor>(table, bench, "add.s32 and xor.b32, both", 1);
    both<Mul>(table, bench, "mul", "mul.f32", 1);
    both<Shift>(table, bench, "shift", "shl.b32", 1);
    both<Compare>(table, bench, "compare", "set.f32", 2);
    both<Convert>(table, bench, "convert", "cvt.f32.s32", 0);
    both<Mul24>(table, bench, "mul24", "mul24.s32, which the compiler makes several instructions of", 3);
    both<IntMul>(table, bench, "imul", "mul.lo.s32", 3);
    both<IntMad>(table, bench, "imad", "mad.lo.s32", 3);
    reciprocal(table, bench);
    aside<Rsqrt>(table, bench, "rsqrt.approx.f32", 0);
    both<Lg2>(table, bench, "lg2", "lg2.approx.f32", 0);
    both<Ex2>(table, bench, "ex2", "ex2.approx.f32", 0);
    both<Sin>(table, bench, "sincos", "sin.approx.f32", 0);
    both<Sqrt>(table, bench, "sqrt", "sqrt.rn.f32, as sqrtf", 0);
    both<Div>(table, bench, "div", "div.rn.f32, as /", 1);
    both<Rem>(table, bench, "rem", "rem.s32", 7);
    both<DoubleFma>(table, bench, "dp", "fma.f64", 1);
    aside<DoubleAdd>(table, bench, "add.f64", 1);
    table.aside("barrier of 1 warp", barrier_step(bench, 32), "cycles", "__syncthreads, one behind the other");
    table.aside("barrier of 8 warps", barrier_step(bench, 256), "cycles", "__syncthreads, one behind the other");
}
