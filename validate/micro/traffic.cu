/* What memory takes of the traffic that programs make: L2 by sectors and lines, DRAM in order and at random, and how
 * long it takes until all SMs are at work. */
#include <algorithm>

#include "micro/micro.h"

enum { SECTOR = 32, WORDS = SECTOR / 4, UNROLL = 4 };

enum Op { READ, WRITE };

/* One word at `at`; past L1. */
template <Op OP> __device__ __forceinline__ void touch(float *at, float &v)
{
    if (OP == READ)
        asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(v) : "l"(at));
    else
        asm volatile("st.global.f32 [%0], %1;" ::"l"(at), "f"(v) : "memory");
}

/* All threads together go through `words` words, `rounds` times; neighbours are `stride` words apart. `words` is a multiple of what all
 * threads touch in UNROLL turns. */
template <Op OP> static __global__ void sweep(float *data, size_t words, int stride, int rounds, float *sink)
{
    const size_t all = (size_t)gridDim.x * blockDim.x * stride;
    float sum = 1;
    for (int round = 0; round < rounds; round++)
        for (size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * stride; i < words; i += UNROLL * all) {
            float v[UNROLL] = {1, 2, 3, 4};
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                touch<OP>(data + i + u * all, v[u]);
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                sum += v[u];
        }
    if (sum == 12345.678f) *sink = sum;
}

/* The same with 16 bytes a thread. */
template <Op OP> static __global__ void sweep_wide(float4 *data, size_t n, int rounds, float *sink)
{
    const size_t all = (size_t)gridDim.x * blockDim.x;
    float sum = 1;
    for (int round = 0; round < rounds; round++)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += UNROLL * all) {
            float4 v[UNROLL] = {};
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                if (OP == READ)
                    asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                                 : "=f"(v[u].x), "=f"(v[u].y), "=f"(v[u].z), "=f"(v[u].w)
                                 : "l"(data + i + u * all));
                else
                    asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(data + i + u * all), "f"(sum) : "memory");
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                sum += v[u].x + v[u].y + v[u].z + v[u].w;
        }
    if (sum == 12345.678f) *sink = sum;
}

/* Pieces of `piece` sectors from places that look random; each lane takes a sector. `pieces` is a power of two. */
static __global__ void at_random(float *data, size_t pieces, int piece, int turns, float *sink)
{
    const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x / piece;
    float sum = 1;
    for (int k = 0; k < turns; k += UNROLL) {
        float v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            size_t z = (thread / piece + (k + u) * all + 1) * 0x9e3779b97f4a7c15u;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
            z ^= z >> 27;
            touch<READ>(data + ((z & (pieces - 1)) * piece + thread % piece) * WORDS, v[u]);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum += v[u];
    }
    if (sum == 12345.678f) *sink = sum;
}

static __global__ void nothing(float *sink)
{
    if (sink == nullptr) *sink = 1;
}

/* Sectors of 32 bytes in a clock of the SMs; whole: all words of each. */
template <Op OP> static double sectors(Bench &bench, unsigned grid, size_t bytes, int stride, int rounds)
{
    const size_t turn = (size_t)grid * 256 * UNROLL * stride, words = bytes / 4 / turn * turn;
    Array<float> data(words), sink(1);
    Run run;
    run.launch = [=] { sweep<OP><<<grid, 256>>>(data.at(), words, stride, rounds, sink.at()); };
    return (double)words / WORDS * rounds / bench.time(run).median();
}

template <Op OP> static double sectors_wide(Bench &bench, unsigned grid, size_t bytes, int rounds)
{
    const size_t turn = (size_t)grid * 256 * UNROLL, n = bytes / 16 / turn * turn;
    Array<float4> data(n);
    Array<float> sink(1);
    Run run;
    run.launch = [=] { sweep_wide<OP><<<grid, 256>>>(data.at(), n, rounds, sink.at()); };
    return (double)n / 2 * rounds / bench.time(run).median();
}

static double random_sectors(const Board &board, Bench &bench, int piece)
{
    const size_t bytes = (size_t)8 << 30;
    const unsigned grid = board.sms * 8;
    const int turns = 64;
    Array<float> data(bytes / 4), sink(1);
    Run run;
    run.launch = [=] { at_random<<<grid, 256>>>(data.at(), bytes / SECTOR / piece, piece, turns, sink.at()); };
    return (double)grid * 256 * turns / bench.time(run).median();
}

/* Cycles of the chip for a block of so many threads, and of so much shared memory. */
static double block(const Board &board, Bench &bench, int threads, int shared)
{
    Array<float> sink(1);
    if (shared) CUDA(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    const auto cycles = [&](int blocks) {
        Run run;
        run.launch = [=] { nothing<<<blocks, threads, shared>>>(sink.at()); };
        return bench.time(run).median();
    };
    return (cycles(board.sms * 1024) - cycles(board.sms * 512)) / (board.sms * 512.0);
}

/* Additions of the lanes of the chip to words that look random, in a clock. */
static __global__ void add_at_random(unsigned *counter, unsigned mask, int times)
{
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * 0x9e3779b9u;
#pragma unroll 1
    for (int k = 0; k < times; k++) {
        i = i * 1664525u + 1013904223u;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter + (i >> 8 & mask)), "r"(1) : "memory");
    }
}

static double additions(const Board &board, Bench &bench, unsigned words)
{
    Array<unsigned> counter(words);
    counter.zero();
    Run run;
    run.launch = [=] { add_at_random<<<board.sms * 8, 256>>>(counter.at(), words - 1, 16); };
    return 256.0 * board.sms * 8 * 16 / bench.time(run).median();
}

/* Cycles of a kernel that reads so much once, a word of each thread, or reads and writes it. */
static __global__ void read_once(const float *from, float *sink)
{
    const float v = from[(size_t)blockIdx.x * blockDim.x + threadIdx.x];
    if (v == 12345.678f) *sink = v;
}

static __global__ void write_once(float *to)
{
    to[(size_t)blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

static void once(const MicroTable &table, Bench &bench, const char *how)
{
    Array<float> data((size_t)64 << 18), sink(1);
    data.zero();
    for (size_t mb = 1; mb <= 64; mb *= 2) {
        Run reads, writes;
        const unsigned grid = (unsigned)(mb << 10);
        reads.launch = [=] { read_once<<<grid, 256>>>(data.at(), sink.at()); };
        writes.launch = [=] { write_once<<<grid, 256>>>(data.at()); };
        table.aside("read once, " + std::to_string(mb) + " MB", bench.time(reads).median(), "cycles", how);
        table.aside("write once, " + std::to_string(mb) + " MB", bench.time(writes).median(), "cycles", how);
    }
}

/* ---- once through, 16 bytes a lane, by blocks that stay: the rate of their start does not bind ---- */

enum Way { FETCH, STORE, COPY, COPY_HALF }; /* half: of the words of each sector */

template <Way WAY> static __global__ void stream(const float4 *from, float4 *to, size_t n, float *sink)
{
    const size_t all = (size_t)gridDim.x * blockDim.x;
    float sum = 1;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += UNROLL * all) {
        float4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const size_t k = i + u * all;
            v[u] = make_float4(1, 2, 3, 4);
            if (WAY != STORE && k < n)
                asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v[u].x), "=f"(v[u].y), "=f"(v[u].z), "=f"(v[u].w)
                             : "l"(from + k));
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            const size_t k = i + u * all;
            if (k >= n) continue;
            if (WAY == FETCH) sum += v[u].x + v[u].y + v[u].z + v[u].w;
            if (WAY == STORE || WAY == COPY)
                asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to + k), "f"(v[u].x), "f"(v[u].y), "f"(v[u].z), "f"(v[u].w) : "memory");
            if (WAY == COPY_HALF) asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to + k), "f"(v[u].x), "f"(v[u].y) : "memory");
        }
    }
    if (sum == 12345.678f) *sink = sum;
}

template <Way WAY> static void streams(const MicroTable &table, const Board &board, Bench &flushed, const char *name)
{
    Array<float4> from((size_t)32 << 16), to((size_t)32 << 16);
    Array<float> sink(1);
    from.zero();
    for (size_t mb = 2; mb <= 32; mb *= 2) {
        Run run;
        run.launch = [=] { stream<WAY><<<board.sms * 8, 256>>>(from.at(), to.at(), mb << 16, sink.at()); };
        table.aside(std::string(name) + ", 16 bytes a lane, " + std::to_string(mb) + " MB", flushed.time(run).median(), "cycles", "behind a flush of L2, by blocks that stay");
    }
}

/* One load under way for each warp. */
template <bool STORES> static __global__ void walk(const unsigned *from, unsigned *to, int steps, unsigned *sink)
{
    const size_t all = (size_t)gridDim.x * blockDim.x;
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps; k++) {
        unsigned v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(from + i));
        if (STORES) asm volatile("st.global.u32 [%0], %1;" ::"l"(to + i), "r"(v) : "memory");
        sum += v;
        i += all + v; /* v is 0 */
    }
    if (sum) *sink = sum;
}

template <bool STORES> static double step(const Board &board, Bench &flushed, int warps)
{
    const size_t words = (size_t)64 << 18; /* more than 24 steps of 64 warps */
    Array<unsigned> from(words), to(words), sink(1);
    from.zero();
    const unsigned grid = board.sms * (warps > 32 ? 2 : 1), threads = 32 * warps * board.sms / grid;
    const auto cycles = [&](int steps) {
        Run run;
        run.launch = [=] { walk<STORES><<<grid, threads>>>(from.at(), to.at(), steps, sink.at()); };
        return flushed.time(run).median();
    };
    return (cycles(24) - cycles(8)) / 16;
}

/* ---- a step of a chase by its address: how far the halves of the chip are apart, and how long refreshes hold it up ---- */

enum { HOPS = 4096, HOP_WORDS = 64, LAPS = 40 };

static __global__ void link_up(unsigned *list)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < HOPS; i += gridDim.x * blockDim.x)
        list[(size_t)i * HOP_WORDS] = (i + 1) % HOPS * HOP_WORDS;
}

/* A block for each SM, which stay until all have one; `block` goes on. */
static __global__ void hops(const unsigned *list, unsigned short *took, unsigned block)
{
    __shared__ unsigned short t[HOPS];
    unsigned at = 0;
    for (const long long from = clock64(); clock64() - from < 40000;)
        ;
    if (blockIdx.x != block) return;
    for (int k = 0; k < HOPS; k++) {
        const long long begin = clock64();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(list + at) : "memory");
        if (at == 0xffffffffu) return; /* waits for it */
        t[k] = (unsigned short)(clock64() - begin);
    }
    for (int k = 0; k < HOPS; k++)
        took[k] = t[k];
}

/* The cycles of each hop of each lap, behind a flush of L2. */
static std::vector<std::vector<unsigned short>> laps_of(const Board &board, Bench &once, double *khz)
{
    Array<unsigned> list((size_t)HOPS * HOP_WORDS);
    Array<unsigned short> took(HOPS);
    link_up<<<264, 256>>>(list.at());
    Run run;
    run.launch = [=] { hops<<<board.sms, 1>>>(list.at(), took.at(), 0); };
    std::vector<std::vector<unsigned short>> laps;
    while (laps.size() < LAPS) {
        *khz = once.time(run).khz;
        laps.push_back(took.get());
    }
    return laps;
}

/* What a refresh of its bank adds to a load: anything up to the whole of it. So the least that a hop took is without one, and of how much
 * later the other laps were the longest is a refresh, and the share of late ones that of the time which refreshes take. What the laps differ
 * otherwise is less than EARLY. */
static void refreshes(const MicroTable &table, const Board &board)
{
    enum { EARLY = 60, NEVER = 700 };
    Bench once(1, true);
    double khz = 0;
    std::vector<unsigned short> least(HOPS, 0xffff), late;
    const auto laps = laps_of(board, once, &khz);
    for (const auto &lap : laps)
        for (int i = 0; i < HOPS; i++)
            least[i] = std::min(least[i], lap[i]);
    for (const auto &lap : laps)
        for (int i = 0; i < HOPS; i++)
            if (lap[i] - least[i] >= EARLY && lap[i] - least[i] < NEVER) late.push_back(lap[i] - least[i]);
    if (late.size() < LAPS) return; /* nothing holds steps up here */
    std::sort(least.begin(), least.end());
    std::sort(late.begin(), late.end());
    const double near = least[HOPS / 4], far = least[HOPS * 3 / 4], longest = late[late.size() * 95 / 100];
    const double share = late.size() * longest / (longest - EARLY) / ((double)LAPS * HOPS);
    table.aside("step in memory without a refresh, a quarter takes at most", near, "cycles", "its clocks included; chase through 1 MB at 256 bytes behind a flush of L2");
    table.aside("step in memory without a refresh, a quarter takes at least", far, "cycles", "the same: the other half of the chip");
    table.key("l2.far_cycles", far - near, "cycle", "the difference of these two");
    for (int of : {10, 25, 50, 75, 90, 95, 98})
        table.aside("late steps, " + std::to_string(of) + " of 100 by at most", late[late.size() * of / 100], "cycles", "of those that took 60 to 700 more than the least of 40 laps");
    table.aside("late steps, share", 100 * share, "%", "of all, those late by less than 60 cycles worked out from the others");
    if (board.dram_peak() <= 0) return;
    const double clocks = longest / khz * dram_khz(board);
    table.key("dram.t_rfc", clocks, "dram cycle", "what 95 of 100 late steps in memory are late by at most");
    table.key("dram.t_refi", clocks / share, "dram cycle", "that over the share of late steps");
}

/* Hops through what another SM has brought to the L2, and once more: those of an SM of the other half find lines there the first time. */
static void other_half(const MicroTable &table, const Board &board)
{
    enum { BLOCKS = 24 };
    Bench once(1, true);
    Array<unsigned> list((size_t)HOPS * HOP_WORDS);
    Array<unsigned short> took(HOPS);
    link_up<<<264, 256>>>(list.at());
    const auto walk = [&](unsigned block) {
        hops<<<board.sms, 1>>>(list.at(), took.at(), block);
        CUDA(cudaDeviceSynchronize());
        return took.get();
    };
    Run nothing_yet;
    nothing_yet.launch = [] {};
    double least = 1e9, most = -1e9;
    std::vector<int> later(HOPS);
    for (unsigned block = 1; block <= BLOCKS; block++) {
        once.time(nothing_yet); /* flushes L2 */
        walk(0);
        const std::vector<unsigned short> one = walk(block % board.sms), two = walk(block % board.sms);
        std::vector<int> apart(HOPS);
        double sum = 0;
        for (int i = 0; i < HOPS; i++)
            sum += apart[i] = one[i] - two[i];
        least = std::min(least, sum / HOPS);
        if (sum / HOPS > most) most = sum / HOPS, later = apart;
    }
    std::sort(later.begin(), later.end());
    table.aside("step in L2 that another SM fetched, later than the next lap, least of 24 SMs", least, "cycles", "mean of a lap through 1 MB at 256 bytes");
    table.aside("the same, most of 24 SMs", most, "cycles", "an SM of the other half");
    table.aside("the same SM, a quarter is later by at most", later[HOPS / 4], "cycles", "lines of its half");
    table.aside("the same SM, a quarter is later by at least", later[HOPS * 3 / 4], "cycles", "lines of the other half");
}

/* ---- additions to a few places: which of them share a slice, and what it takes ---- */

/* The first `lanes` lanes of each warp, to words side by side of one of so many places, or with `same` all to one word. */
static __global__ void add_to_places(unsigned *counter, unsigned mask, unsigned apart, unsigned lanes, bool same, int times)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 0x9e3779b9u + 12345;
    if (lane >= lanes) return;
#pragma unroll 1
    for (int k = 0; k < times; k++) {
        i = i * 1664525u + 1013904223u;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(counter + (i >> 8 & mask) * apart + (same ? 0 : lane)), "r"(1) : "memory");
    }
}

/* Instructions of warps in a clock of the chip. */
static double additions_to_places(const Board &board, Bench &bench, unsigned places, unsigned apart, unsigned lanes, bool same)
{
    Array<unsigned> counter((size_t)places * apart + 32);
    counter.zero();
    Run run;
    run.launch = [=] { add_to_places<<<board.sms * 8, 256>>>(counter.at(), places - 1, apart, lanes, same, 16); };
    return 8.0 * board.sms * 8 * 16 / bench.time(run).median();
}

static void places(const MicroTable &table, const Board &board, Bench &bench)
{
    for (unsigned n : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 1024u, 65536u})
        table.aside("additions of one lane to " + std::to_string(n) + " places", additions_to_places(board, bench, n, 64, 1, true), "warp instructions a clock", "256 bytes apart");
    for (unsigned n : {1u, 2u, 16u, 65536u})
        table.aside("additions to 32 words side by side in " + std::to_string(n) + " places", additions_to_places(board, bench, n, 64, 32, false), "warp instructions a clock", "256 bytes apart");
    for (unsigned n : {1u, 2u, 16u, 65536u})
        table.aside("additions of 32 lanes to one word of " + std::to_string(n), additions_to_places(board, bench, n, 64, 32, true), "warp instructions a clock", "256 bytes apart");
}

void micro_traffic(const MicroTable &table, const Board &board, Bench &bench, Bench &flushed)
{
    const size_t some = (size_t)24 << 20, much = (size_t)4 << 30;
    const unsigned grid = board.sms * 8, fewer = board.sms * 4;
    table.aside("L2 read, a word of each sector", sectors<READ>(bench, fewer, some, WORDS, 16), "sectors a clock", "24 MB or less again and again");
    table.aside("L2 read, words", sectors<READ>(bench, grid, some, 1, 16), "sectors a clock", "the same, all words");
    table.aside("L2 read, 16 bytes a lane", sectors_wide<READ>(bench, fewer, some, 16), "sectors a clock", "the same");
    table.aside("L2 write, a word of each sector", sectors<WRITE>(bench, fewer, some, WORDS, 16), "sectors a clock", "24 MB or less again and again");
    table.aside("L2 write, words", sectors<WRITE>(bench, grid, some, 1, 16), "sectors a clock", "the same, all words");
    table.aside("L2 write, 16 bytes a lane", sectors_wide<WRITE>(bench, fewer, some, 16), "sectors a clock", "the same");
    for (int stride : {2, 3, 4, 16, 32})
        table.aside("L2 write, lanes " + std::to_string(stride) + " words apart", sectors<WRITE>(bench, fewer / 4, some, stride, 16) * WORDS / stride, "lanes a clock", "the same");
    for (int stride : {2, 3, 4, 16, 32})
        table.aside("L2 read, lanes " + std::to_string(stride) + " words apart", sectors<READ>(bench, fewer / 4, some, stride, 16) * WORDS / stride, "lanes a clock", "the same");
    for (unsigned blocks : {1u, 8u}) {
        const std::string of = blocks == 1 ? "a block of one SM" : "8 SMs";
        table.aside("L2 read, 16 bytes a lane, " + of, sectors_wide<READ>(bench, blocks, (size_t)1 << 20, 16), "sectors a clock", "1 MB again and again");
        table.aside("L2 write, 16 bytes a lane, " + of, sectors_wide<WRITE>(bench, blocks, (size_t)1 << 20, 16), "sectors a clock", "1 MB again and again");
    }
    table.aside("memory read, a word of each sector", sectors<READ>(bench, grid, much, WORDS, 1), "sectors a clock", "4 GB once");
    table.aside("memory read, words", sectors<READ>(bench, grid, much, 1, 1), "sectors a clock", "4 GB once");
    table.aside("memory read, a word of 64 bytes", sectors<READ>(bench, grid, much, 2 * WORDS, 1) / 2, "sectors a clock", "4 GB once");
    table.aside("memory read, a word of 128 bytes", sectors<READ>(bench, grid, much, 4 * WORDS, 1) / 4, "sectors a clock", "4 GB once");
    table.aside("memory write, 16 bytes a lane", sectors_wide<WRITE>(bench, grid, much, 1), "sectors a clock", "4 GB once");
    table.aside("memory write, a word of each sector", sectors<WRITE>(bench, grid, much, WORDS, 1), "sectors a clock", "4 GB once");
    for (int piece : {1, 2, 4, 8, 32})
        table.aside("memory read at random, " + std::to_string(piece) + " sectors", random_sectors(board, bench, piece), "sectors a clock", "of 8 GB");
    for (int threads : {32, 128, 256, 1024})
        table.aside("block of " + std::to_string(threads) + " threads that do nothing", block(board, bench, threads, 0), "cycles", "of the chip");
    for (int threads : {32, 256, 1024})
        table.aside("block of " + std::to_string(threads) + " threads, one an SM", block(board, bench, threads, 128 << 10) * board.sms, "cycles", "of its SM");
    for (unsigned words : {1u, 32u, 256u, 1024u, 1u << 15, 1u << 20})
        table.aside("additions at random to " + std::to_string(words) + " words", additions(board, bench, words), "lanes a clock", "of the chip");
    once(table, flushed, "behind a flush of L2");
    once(table, bench, "L2 holds what it can");
    streams<FETCH>(table, board, flushed, "read");
    streams<STORE>(table, board, flushed, "write");
    streams<COPY>(table, board, flushed, "copy");
    streams<COPY_HALF>(table, board, flushed, "copy to halves of sectors");
    for (int warps : {1, 16, 32, 64}) {
        table.aside("step from memory, " + std::to_string(warps) + " warps an SM", step<false>(board, flushed, warps), "cycles", "all SMs, a word a lane");
        table.aside("step of a copy, " + std::to_string(warps) + " warps an SM", step<true>(board, flushed, warps), "cycles", "the same, and stored");
    }
    refreshes(table, board);
    other_half(table, board);
    places(table, board, bench);
}
