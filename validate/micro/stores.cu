/*
 * Stores on their way to L2. Those of a warp to the same sectors arrive as one where they come close to each other: the times of three stores of
 * 12 bytes a lane show that. What the limits are is for the profiler to count: `ncu --kernel-name regex:held` with the metrics
 * lts__t_requests_srcunit_tex_op_write and l1tex__t_requests_pipe_lsu_mem_global_op_st; each launch has TURNS turns. Of held_partly
 * dram__sectors_read and dram__sectors_write.
 */
#include <utility>

#include "micro/micro.h"

enum { REGION = 24 << 20, TURNS = 64 };

static __device__ __forceinline__ void store(char *at, float v)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory");
}

template <int N> static __device__ __forceinline__ void idle(float &v)
{
#pragma unroll
    for (int k = 0; k < N; k++)
        asm volatile("add.rn.f32 %0, %0, %0;" : "+f"(v));
}

/* Three words of each of 32 structures of 12 bytes, as one store each, or as three lines in order. */
template <bool WORDS> static __global__ void threes(char *data, int n, unsigned long long *span)
{
    const unsigned warps = gridDim.x * (blockDim.x / 32), warp = threadIdx.x / 32 + blockIdx.x * (blockDim.x / 32), lane = threadIdx.x % 32;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        char *at = data + (i * warps + warp) * 384 % (REGION / 384 * 384) + lane * (WORDS ? 12 : 4);
        store(at, 1);
        store(at + (WORDS ? 4 : 128), 1);
        store(at + (WORDS ? 8 : 256), 1);
    }
    __syncthreads();
    span_end(span, begin);
}

/* What stands between the two. */
enum Other {
    LINES,   /* whole lines */
    SECTORS, /* a sector of a line */
    FOURS,   /* a sector of each of four lines */
};

/* One store of half of each sector of a line, and one of the other half: behind BEFORE other stores, with BETWEEN others and GAP additions,
 * each waiting for the one before, between them. Then what is under way has time to go. */
template <int BEFORE, int BETWEEN, int GAP, Other OTHER> static __global__ void held(char *data)
{
    const unsigned lane = threadIdx.x % 32, of_other = OTHER == FOURS ? 512 : 128;
    const unsigned other = OTHER == LINES ? lane * 4 : OTHER == SECTORS ? lane % 8 * 4 : lane / 8 * 128 + lane % 8 * 4;
    float v = 1;
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
        char *at = data + (size_t)i * 128 * 1024, *half = at + 64 * 1024 + lane % 16 / 4 * 32 + lane % 4 * 4;
#pragma unroll
        for (int k = 0; k < BEFORE; k++)
            store(at + other + k * of_other, v);
        store(half, v);
        idle<GAP>(v);
#pragma unroll
        for (int k = 0; k < BETWEEN; k++)
            store(at + other + (BEFORE + k) * of_other, v);
        store(half + 16, v);
#pragma unroll 1
        for (int k = 0; k < 64; k++)
            idle<8>(v);
    }
}

/* Eight stores of one warp, one behind the other, each a word of the same sector of each of so many lines. */
template <int N> static __global__ void held_columns(char *data)
{
    float v = 1;
#pragma unroll 1
    for (int i = 0; i < TURNS; i++) {
        char *at = data + (size_t)i * 128 * 1024 + threadIdx.x % 32 % N * 128;
#pragma unroll
        for (int k = 0; k < 8; k++)
            store(at + k * 4, v);
#pragma unroll 1
        for (int k = 0; k < 64; k++)
            idle<8>(v);
    }
}

/* A word of each of so many lines: whether the L2 reads the rest of their sectors says how many it keeps as they are. */
static __global__ void held_partly(char *data, size_t lines)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < lines; i += (size_t)gridDim.x * blockDim.x)
        store(data + i * 128, 1);
    float v = 1;
#pragma unroll 1
    for (int k = 0; k < 4096; k++) /* 100 us */
        idle<8>(v);
}

static void launch_partly()
{
    enum { MOST = 1 << 20 };
    Array<char> data((size_t)MOST * 128);
    data.zero();
    for (const size_t lines : {32768, 49152, 53248, 55296, 56320, 57344, 58368, 61440, 65536, 98304, 262144, (int)MOST})
        held_partly<<<264, 256>>>(data.at(), lines);
    CUDA(cudaDeviceSynchronize());
}

template <int BEFORE, Other OTHER, int... N> static void held_between(char *data, std::integer_sequence<int, N...>)
{
    (held<BEFORE, N, 0, OTHER><<<1, 32>>>(data), ...);
}

template <int... N> static void held_gaps(char *data, std::integer_sequence<int, N...>)
{
    (held<0, 0, N, LINES><<<1, 32>>>(data), ...);
}

template <int... N> static void held_by_columns(char *data, std::integer_sequence<int, N...>)
{
    (held_columns<N><<<1, 32>>>(data), ...);
}

template <int... N> using Numbers = std::integer_sequence<int, N...>;

static void launch_held(char *data)
{
    using Between = Numbers<0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 15, 16, 18, 20, 24, 28, 31, 32, 40, 48>;
    held_gaps(data, Numbers<0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28, 32, 48, 64>());
    held_between<0, LINES>(data, Between());
    held_between<32, LINES>(data, Between());
    held_between<0, SECTORS>(data, Between());
    held_between<32, SECTORS>(data, Between());
    held_between<32, FOURS>(data, Numbers<0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16>());
    held_by_columns(data, Numbers<1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32>());
    CUDA(cudaDeviceSynchronize());
}

void micro_stores(const MicroTable &table, const Board &board, Bench &bench)
{
    Array<char> data(REGION + (128 << 10));
    Array<unsigned long long> span(1);
    data.zero();
    using Kernel = void (*)(char *, int, unsigned long long *);
    const auto cycles = [&](Kernel kernel, int blocks, int warps, bool chip) {
        const auto time = [&](int n) {
            Run run;
            run.reset = [=] { span.zero(); };
            run.launch = [=] { kernel<<<blocks, 32 * warps>>>(data.at(), n, span.at()); };
            if (!chip) run.steps = 1;
            if (!chip) run.span = span.at();
            return bench.time(run).median();
        };
        return (time(1024) - time(512)) / 512 / warps / (chip ? blocks / board.sms : blocks);
    };
    for (const int warps : {1, 4, 8, 16, 32}) {
        table.aside("three stores 12 bytes apart, " + std::to_string(warps) + " warps", cycles(threes<true>, 1, warps, false), "cycles", "of the SM, the three; L2 holds them");
        table.aside("three stores of a line each, " + std::to_string(warps) + " warps", cycles(threes<false>, 1, warps, false), "cycles", "likewise");
    }
    for (const int warps : {1, 2, 8}) {
        table.aside("three stores 12 bytes apart, " + std::to_string(8 * warps) + " warps of each SM", cycles(threes<true>, 8 * board.sms, warps, true), "cycles", "of an SM");
        table.aside("three stores of a line each, " + std::to_string(8 * warps) + " warps of each SM", cycles(threes<false>, 8 * board.sms, warps, true), "cycles", "of an SM");
    }
    launch_held(data.at());
    launch_partly();
}
