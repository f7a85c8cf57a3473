/* Rates: passes of shared memory, atomic operations, L2 and DRAM. */
#include "micro/micro.h"

/* `loads` of 8 warps, all lanes `stride` words apart: the cycles of one. */
template <bool ATOMIC> static __global__ void shared_requests(unsigned *out, int stride, int n, unsigned one, unsigned long long *span)
{
    extern __shared__ unsigned words[];
    const unsigned at = (unsigned)__cvta_generic_to_shared(words) + threadIdx.x % 32 * stride * 4;
    words[threadIdx.x % 32 * stride] = 0;
    __syncthreads();
    unsigned sum = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        unsigned v[8] = {};
#pragma unroll
        for (int u = 0; u < 8; u++)
            if (ATOMIC)
                asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(one) : "memory");
            else
                asm volatile("ld.volatile.shared.u32 %0, [%1];" /* or the assembler keeps one of them */ : "=r"(v[u]) : "r"(at) : "memory");
#pragma unroll
        for (int u = 0; u < 8; u++)
            sum += v[u];
    }
    __syncthreads();
    span_end(span, begin);
    out[threadIdx.x] = sum;
}

template <bool ATOMIC> static double request(Bench &bench, int stride)
{
    Array<unsigned> out(256);
    Array<unsigned long long> span(1);
    const auto cycles = [&](int n) {
        Run run;
        run.reset = [=] { span.zero(); };
        run.launch = [=] { shared_requests<ATOMIC><<<1, 256, 4 * 32 * 32>>>(out.at(), stride, n, 1, span.at()); };
        run.steps = 1;
        run.span = span.at();
        return bench.time(run).median();
    };
    return (cycles(256) - cycles(128)) / (128.0 * 8 * 8);
}

static __global__ void add_global(unsigned *counter, unsigned mask, int times, unsigned one)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *mine = counter + (i & mask);
#pragma unroll 1
    for (int k = 0; k < times; k++)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(mine), "r"(one) : "memory");
}

/* Cycles of the chip for an addition of one lane to one of `words` counters. */
static double addition(const Board &board, Bench &bench, unsigned words, int times)
{
    Array<unsigned> counter(words);
    counter.zero();
    Run run;
    run.launch = [=] { add_global<<<board.sms * 8, 256>>>(counter.at(), words - 1, times, 1); };
    return bench.time(run).median() / (256.0 * board.sms * 8 * times);
}

static __global__ void read_rounds(const float4 *data, size_t n, int rounds, float *sink)
{
    float sum = 0;
    for (int round = 0; round < rounds; round++)
        for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i + 3 * (size_t)gridDim.x * blockDim.x < n;
             i += 4 * (size_t)gridDim.x * blockDim.x) {
            float4 v[4];
#pragma unroll
            for (int u = 0; u < 4; u++)
                asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];" /* .cg: past L1 */
                             : "=f"(v[u].x), "=f"(v[u].y), "=f"(v[u].z), "=f"(v[u].w)
                             : "l"(data + i + u * (size_t)gridDim.x * blockDim.x));
#pragma unroll
            for (int u = 0; u < 4; u++)
                sum += v[u].x + v[u].y + v[u].z + v[u].w;
        }
    if (sum == 12345.678f) *sink = sum;
}

static __global__ void copy_words(float4 *to, const float4 *from, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

/* GB/s, of the median. */
static double read_rate(const Board &board, Bench &bench, size_t bytes, int rounds)
{
    const size_t grid = board.sms * 8, turn = grid * 256 * 4 * 16, whole = bytes / turn * turn;
    Array<float4> data(whole / 16);
    Array<float> sink(1);
    Run run;
    run.launch = [=] { read_rounds<<<grid, 256>>>(data.at(), whole / 16, rounds, sink.at()); };
    const Timing t = bench.time(run);
    return (double)whole * rounds / (t.median() / t.khz / 1000) / 1e9;
}

static double copy_rate(const Board &board, Bench &bench, size_t bytes)
{
    Array<float4> from(bytes / 16), to(bytes / 16);
    Run run;
    run.launch = [=] { copy_words<<<board.sms * 16, 256>>>(to.at(), from.at(), bytes / 16); };
    const Timing t = bench.time(run);
    return 2.0 * bytes / (t.median() / t.khz / 1000) / 1e9;
}

void micro_throughput(const MicroTable &table, const Board &board, Bench &bench)
{
    const double one = request<false>(bench, 1), all = request<false>(bench, 32);
    table.key("shared.pass_cycles", (all - one) / 31, "cycle", "a load of 32 words in one bank less one of 32 banks, over 31");
    table.aside("shared load", one, "cycles", "8 warps, one pass each");
    table.key("shared.atomic_cycles", request<true>(bench, 1), "cycle", "an addition of a warp to 32 words in 32 banks, 8 warps");
    table.aside("shared atomic, 2 lanes a bank", request<true>(bench, 2), "cycles", "8 warps");
    table.aside("shared atomic, 32 lanes a bank", request<true>(bench, 32), "cycles", "8 warps");
    table.key("atomic.same_word_cycles", addition(board, bench, 1, 16), "cycle", "additions of all threads to one word, a lane's");
    const double spread = addition(board, bench, 1 << 18, 64);
    table.key("atomic.words_per_clock", 1 / spread / PARTITIONS, "count", "additions to 262144 words in a clock, over partition.count = 96");
    table.aside("additions in a clock, 32 words", 1 / addition(board, bench, 32, 16), "lanes", "one segment");
    const double l2 = read_rate(board, bench, (size_t)24 << 20, 32), memory = read_rate(board, bench, (size_t)4 << 30, 1);
    const double copy = copy_rate(board, bench, (size_t)2 << 30);
    table.aside("L2 read", l2, "GB/s", "17 MB or more again and again, past L1");
    table.aside("memory read", memory, "GB/s", "4 GB once");
    table.aside("memory copy", copy, "GB/s", "2 GB to 2 GB, read and written");
    if (board.dram_peak() > 0) table.aside("memory read, share of the peak", 100 * memory * 1e9 / board.dram_peak(), "%", "of the driver's clock and bus");
    if (board.dram_peak() > 0 && std::fmax(memory, copy) * 1e9 > 1.02 * board.dram_peak())
        table.aside("refused", std::fmax(memory, copy), "GB/s", "above the peak: the work was optimised away");
}
