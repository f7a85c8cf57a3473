/*
 * The levels of memory: how long a load takes that finds its word there, and how much they hold. One thread follows a chain; the first
 * laps are not timed where the level is to hold the chain already.
 */
#include "micro/micro.h"

static __global__ void make_chain(unsigned char *memory, size_t stride, unsigned count)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        *(unsigned long long *)(memory + i * stride) = (unsigned long long)(memory + (i + 1) % count * stride);
}

static __device__ __forceinline__ unsigned long long follow(unsigned long long p, unsigned steps)
{
#pragma unroll 1
    for (unsigned i = 0; i < steps; i += 8)
#pragma unroll
        for (int k = 0; k < 8; k++)
            asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
    return p;
}

static __global__ void chase_levels(unsigned char *memory, unsigned warm, unsigned steps, unsigned long long *end, unsigned long long *span)
{
    unsigned long long p = follow((unsigned long long)memory, warm);
    if (p == 0) return;
    const long long clock = clock64();
    p = follow(p, steps);
    if (p == 0) return;
    span_end(span, clock);
    *end = p;
}

/* Cycles of a step, median. `count` places, `stride` bytes apart; whole laps of warming up. */
static double chase(Bench &bench, size_t stride, unsigned count, unsigned warm_laps, unsigned steps)
{
    Array<unsigned char> memory(stride * count);
    Array<unsigned long long> end(1), span(1);
    make_chain<<<64, 256>>>(memory.at(), stride, count);
    CUDA(cudaDeviceSynchronize());
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { chase_levels<<<1, 1>>>(memory.at(), warm_laps * count, steps, end.at(), span.at()); };
    run.steps = steps;
    run.span = span.at();
    return bench.time(run).median();
}

static __global__ void chase_shared(unsigned *end, unsigned long long *span, unsigned steps)
{
    __shared__ unsigned next[64];
    const unsigned base = (unsigned)__cvta_generic_to_shared(next);
    for (int i = 0; i < 64; i++)
        next[i] = base + 4 * ((i + 1) % 64);
    unsigned p = base;
    const long long clock = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < steps; i += 16)
#pragma unroll
        for (int k = 0; k < 16; k++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    if (p == ~0u) return;
    span_end(span, clock);
    *end = p;
}

enum { CONSTANT_WORDS = 16384 };
static __constant__ unsigned levels_constant[CONSTANT_WORDS];

static __device__ __forceinline__ unsigned follow_constant(unsigned p, unsigned steps)
{
#pragma unroll 1
    for (unsigned i = 0; i < steps; i += 16)
#pragma unroll
        for (int k = 0; k < 16; k++)
            p = *(const unsigned *)((const char *)levels_constant + p);
    return p;
}

static __global__ void chase_constant(unsigned *end, unsigned long long *span, unsigned warm, unsigned steps)
{
    unsigned p = follow_constant(0, warm);
    if (p == ~0u) return;
    const long long clock = clock64();
    p = follow_constant(p, steps);
    if (p == ~0u) return;
    span_end(span, clock);
    *end = p;
}

static double constant(Bench &bench, unsigned stride, unsigned bytes)
{
    std::vector<unsigned> image(CONSTANT_WORDS);
    for (unsigned at = 0; at < bytes; at += stride)
        image[at / 4] = (at + stride) % bytes;
    CUDA(cudaMemcpyToSymbol(levels_constant, image.data(), sizeof(unsigned) * CONSTANT_WORDS));
    Array<unsigned> end(1);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { chase_constant<<<1, 1>>>(end.at(), span.at(), (2 * bytes / stride + 15) / 16 * 16, 4096); };
    run.steps = 4096;
    run.span = span.at();
    return bench.time(run).median();
}

/* The rest of a step beside the key: what a simulation of the same chase with configs/h200.ini takes (280, 658 and 28 cycles a step) less
 * the key that it has there (165, 425 and 24). */
enum { AROUND_L2 = 115, AROUND_MEMORY = 233, AROUND_CONSTANT = 4 };

void micro_latencies(const MicroTable &table, Bench &bench, Bench &flushed)
{
    Array<unsigned> end(1);
    Array<unsigned long long> span(1);
    Run run;
    run.reset = [=] { span.zero(); };
    run.launch = [=] { chase_shared<<<1, 1>>>(end.at(), span.at(), 8192); };
    run.steps = 8192;
    run.span = span.at();
    table.key("shared.latency", bench.time(run).median(), "cycle", "chase through 256 bytes of shared memory, a step");
    table.key("l1.latency", chase(bench, 128, 128, 2, 8192), "cycle", "chase through 16 KB, second lap on, a step");
    const double l2 = chase(bench, 256, 8192, 1, 8192), far = chase(bench, 4096, 4096, 1, 4096), memory = chase(flushed, 1024, 32768, 0, 32768);
    table.aside("step in L2", l2, "cycles", "chase through 2 MB at 256 bytes, second lap");
    table.aside("step in L2, 16 MB", far, "cycles", "chase through 16 MB at 4096 bytes, second lap");
    table.aside("step in memory", memory, "cycles", "chase through 32 MB at 1024 bytes, one lap behind a flush of L2");
    table.aside("step in memory, 512 bytes", chase(flushed, 512, 16384, 0, 16384), "cycles", "the same through 8 MB at 512 bytes");
    table.key("l2.hit_cycles", l2 - AROUND_L2, "cycle", "step in L2, less 115 of the way there and back with configs/h200.ini");
    table.key("l2.miss_cycles", memory - AROUND_MEMORY, "cycle", "step in memory, less 233 of the way, the DRAM and half of l2.far_cycles with configs/h200.ini");
    table.key("constant.latency", constant(bench, 64, 1024) - AROUND_CONSTANT, "cycle", "chase through 1 KB of constant memory, a step less 4");
    table.aside("step in the second constant level", constant(bench, 64, 16384), "cycles", "chase through 16 KB of constant memory");
    table.aside("step in constant memory, 64 KB", constant(bench, 256, 65536), "cycles", "chase through 64 KB at 256 bytes");
    for (const unsigned pages : {16u, 64u, 256u, 512u, 1024u, 2048u})
        table.aside("step, a word in each of " + std::to_string(pages) + " pages of 2 MB", chase(bench, (2 << 20) + 128, pages, 2, 2048),
                    "cycles", "L2 holds the words: more than in L2 is translation");
}

/* The largest footprint whose step is nearer to the first than to the last one, with all steps told. */
template <class Step> static double knee(const MicroTable &table, const char *of, const std::vector<double> &bytes, Step step)
{
    std::vector<double> steps;
    for (const double b : bytes) {
        steps.push_back(step(b));
        table.aside(std::string("step in ") + of + ", " + std::to_string((long)b) + " bytes", steps.back(), "cycles", "for the knee");
    }
    double last = bytes[0];
    for (size_t i = 0; i < bytes.size() && steps[i] < (steps[0] + steps.back()) / 2; i++)
        last = bytes[i];
    return last;
}

void micro_knees(const MicroTable &table, const Board &board, Bench &quick)
{
    const double k = 1024, m = 1024 * 1024;
    const double l1 = knee(table, "L1", {32 * k, 96 * k, 160 * k, 192 * k, 208 * k, 224 * k, 240 * k, 256 * k, 288 * k, 384 * k},
                           [&](double b) { return chase(quick, 128, b / 128, 2, 8192); });
    table.aside("L1 at its largest", l1, "bytes", "the knee of a chase at 128 bytes; l1.unified_bytes is the next power of two");
    const double l2 = knee(table, "L2", {8 * m, 16 * m, 24 * m, 32 * m, 40 * m, 48 * m, 56 * m, 64 * m, 96 * m},
                           [&](double b) { return chase(quick, 256, b / 256, 1, 65536); });
    table.aside("L2", l2, "bytes", "the knee of a chase at 256 bytes from one SM");
    table.key("l2.bytes", board.l2_bytes / PARTITIONS, "byte", "the driver's size of L2 over partition.count = 96");
    const double c1 = knee(table, "constant L1", {512, k, 1.5 * k, 2 * k, 3 * k, 4 * k, 8 * k}, [&](double b) { return constant(quick, 64, b); });
    table.key("constant.l1_bytes", c1, "byte", "the knee of a chase at 64 bytes through constant memory");
    const double c2 = knee(table, "constant L2", {8 * k, 16 * k, 24 * k, 32 * k, 48 * k, 64 * k}, [&](double b) { return constant(quick, 256, b); });
    table.aside("constant L2", c2, "bytes", "the knee of a chase at 256 bytes, 64 KB at most");
}
