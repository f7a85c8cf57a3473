/*
 * What lies between instructions: operands of one register bank, turns of loops, lanes that join, and loads from constant memory. Each figure
 * is the difference of a run and one of twice its turns, in one SM. Where registers lie is the compiler's choice: the machine code has the
 * last word (cuobjdump -sass), and is the one on which configs/h200.ini relies.
 */
#include "micro/micro.h"

enum { WORDS = 8192 };
static __constant__ unsigned words[WORDS]; /* 0 */

struct Turns {
    float *out;
    float x, y; /* 1 */
    int lanes;  /* that take the first side; different addresses of a load */
    int step;   /* bytes from a turn's loads to the next one's */
    int n;
    unsigned long long *span;
};

static __device__ void finish(const Turns &t, long long begin, float value)
{
    __syncthreads();
    span_end(t.span, begin);
    t.out[threadIdx.x] = value;
}

/* ptxas 13.0 puts an accumulator and one of two neighbours x and y, loaded as a pair, into one bank; with x alone it does not. */
template <bool BOTH> static __global__ void one_bank(Turns t)
{
    float a = threadIdx.x;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i += 64)
#pragma unroll
        for (int k = 0; k < 64; k++)
            if (BOTH)
                asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(a) : "f"(t.x), "f"(t.y));
            else
                asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(t.x));
    finish(t, begin, a);
}

template <int N> static __device__ __forceinline__ void chain(float &a, float x)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(a) : "f"(x));
}

template <int N> static __global__ void loop(Turns t)
{
    float a = 1;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++)
        chain<N>(a, t.x);
    finish(t, begin, a);
}

static __global__ void sides(Turns t)
{
    float a = 1, b = 2;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++)
        if ((int)(threadIdx.x % 32) < t.lanes)
            chain<16>(a, t.x);
        else
            chain<16>(b, t.x);
    finish(t, begin, a + b);
}

/* Eight loads a turn: each from where the one before says, or from lines of 64 bytes of their own. */
template <bool CHAIN> static __global__ void constants(Turns t)
{
    unsigned at = threadIdx.x % 32 % t.lanes * 4, sum = 0;
    const unsigned base = (unsigned)__cvta_generic_to_constant(words);
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            unsigned v;
            asm volatile("ld.const.u32 %0, [%1];" : "=r"(v) : "r"(CHAIN ? base + at : base + at + k * 64));
            if (CHAIN)
                at += v;
            else
                sum += v;
        }
        if (!CHAIN) at = (at + t.step) % WORDS;
    }
    finish(t, begin, (float)(at + sum));
}

/* Cycles of a turn, with so many warps. */
static double turn(Bench &bench, void (*kernel)(Turns), int warps, int lanes, int n, int step = 0)
{
    Array<float> out(32 * warps);
    Array<unsigned long long> span(1);
    const auto cycles = [&](int turns) {
        Run run;
        run.reset = [=] { span.zero(); };
        run.launch = [=] { kernel<<<1, 32 * warps>>>({out.at(), 1, 1, lanes, step, turns, span.at()}); };
        run.steps = 1;
        run.span = span.at();
        return bench.time(run).median();
    };
    return (cycles(2 * n) - cycles(n)) / n;
}

static std::string of_warps(const char *what, int warps)
{
    return std::string(what) + ", " + std::to_string(warps) + " warps";
}

static void micro_registers(const MicroTable &table, Bench &bench)
{
    for (const int warps : {4, 5, 8, 12, 16, 32}) {
        table.aside(of_warps("fma of two registers of a bank", warps), turn(bench, one_bank<true>, warps, 0, 2048), "cycles", "one chain each");
        table.aside(of_warps("fma of one register of a bank", warps), turn(bench, one_bank<false>, warps, 0, 2048), "cycles", "one chain each");
    }
}

void micro_issue(const MicroTable &table, Bench &bench)
{
    micro_registers(table, bench);
    const double one = turn(bench, loop<1>, 1, 0, 512), sixteen = turn(bench, loop<16>, 1, 0, 512);
    const double all = turn(bench, sides, 1, 32, 512), none = turn(bench, sides, 1, 0, 512), half = turn(bench, sides, 1, 16, 512);
    table.key("sm.loop_cycles", one - 3, "cycle", "a turn of a loop of one addition, less compare and branch");
    table.key("op.branch_latency", sixteen - 63, "cycle", "a turn of a loop of 16 additions that wait for each other, less 15 * 4 and 3");
    table.key("sm.join_cycles", all - sixteen - 13, "cycle", "an `if` that all lanes take in that loop, less compare and branch");
    table.aside("if that no lane takes", none - sixteen, "cycles", "likewise, 13 included");
    table.aside("if that half of the lanes take", half - sixteen - 64, "cycles", "likewise, less the other side");
    const double rate = turn(bench, constants<false>, 32, 32, 128) / 8;
    table.key("constant.unit_cycles", rate / (32 * 32), "cycle", "loads of 32 addresses by 32 warps");
    const double alone = turn(bench, constants<true>, 1, 1, 128) / 8, spread = turn(bench, constants<true>, 1, 32, 128) / 8;
    table.key("constant.further_cycles", (spread - alone) / 31, "cycle", "a load that waits for the one before: 32 addresses less one, over 31");
    table.aside("constants, one address", turn(bench, constants<false>, 32, 1, 128) / 8, "cycles", "32 warps, each a load");
    table.aside("constants that miss, one address", turn(bench, constants<false>, 32, 1, 128, 512) / 8, "cycles", "likewise, a line of 64 bytes each");
}
