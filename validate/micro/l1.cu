/*
 * Requests to the first-level cache: loads that hit it by the lines, sectors and words that they touch, loads that miss it and hit L2 by the same,
 * fetches of a texture that hit. Each rate is the difference of a run and one of twice its turns, in one SM unless it says so.
 */
#include "harness/texture.h"
#include "micro/micro.h"

enum { UNROLL = 8, STEP = 8192, REGION = 16 << 20 };

/* Where each lane's word lies, in bytes from the warp's place. */
struct Lanes {
    int at[32];
};

struct Loads {
    const char *data; /* zeros */
    Lanes lanes;
    int n;            /* turns of UNROLL loads */
    int warp_bytes;   /* from a warp's place to the next one's */
    int load_bytes;   /* from a load's place to the next one's; streams alone */
    unsigned zero;
    float *sink;
    unsigned long long *span;
};

template <int WORDS, int K> static __device__ __forceinline__ float load(const char *at)
{
    float a, b = 0, c = 0, d = 0;
    if (WORDS == 1) asm volatile("ld.global.ca.f32 %0, [%1+%2];" : "=f"(a) : "l"(at), "n"(K *STEP));
    if (WORDS == 2) asm volatile("ld.global.ca.v2.f32 {%0, %1}, [%2+%3];" : "=f"(a), "=f"(b) : "l"(at), "n"(K *STEP));
    if (WORDS == 4)
        asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4+%5];" : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(at), "n"(K *STEP));
    return a + b + c + d;
}

/* UNROLL independent loads a turn, which hit from the second on. The place changes by nothing that the compiler knows to be nothing. */
template <int WORDS> static __global__ void hits(Loads t)
{
    const char *at = t.data + t.lanes.at[threadIdx.x % 32] + threadIdx.x / 32 * t.warp_bytes;
    float sum = 0;
    for (int k = 0; k < 2 * UNROLL * STEP; k += 32 * 32) /* all of it into the cache */
        sum += __ldca((const float *)(t.data + k + threadIdx.x % 32 * 32));
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++) {
        sum += load<WORDS, 0>(at) + load<WORDS, 1>(at) + load<WORDS, 2>(at) + load<WORDS, 3>(at);
        sum += load<WORDS, 4>(at) + load<WORDS, 5>(at) + load<WORDS, 6>(at) + load<WORDS, 7>(at);
        at += t.zero;
    }
    __syncthreads();
    span_end(t.span, begin);
    t.sink[threadIdx.x] = sum;
}

/* Each load from where the one before says. */
static __global__ void chain(Loads t)
{
    const char *at = t.data + t.lanes.at[threadIdx.x % 32];
    for (int k = 0; k < STEP; k += 32)
        t.sink[0] = __ldca((const float *)(t.data + k));
    unsigned v = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++)
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(at));
            at += v;
        }
    span_end(t.span, begin);
    t.sink[threadIdx.x] = v;
}

/* Loads that go on through REGION, which L1 does not hold and L2 does: each warp through all of it, in steps of an odd number of turns' bytes. */
template <int WORDS> static __global__ void __launch_bounds__(1024, 1) misses(Loads t)
{
    const char *data = t.data + t.lanes.at[threadIdx.x % 32];
    const unsigned warps = gridDim.x * (blockDim.x / 32), mine = UNROLL * t.load_bytes;
    unsigned at = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * mine;
    float sum = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++, at += (warps | 1) * mine) {
        float v[UNROLL][4];
#pragma unroll
        for (int k = 0; k < UNROLL; k++) {
            const char *from = data + (at + k * t.load_bytes) % REGION;
            if (WORDS == 1) asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v[k][0]) : "l"(from));
            if (WORDS == 4)
                asm volatile("ld.global.ca.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v[k][0]), "=f"(v[k][1]), "=f"(v[k][2]), "=f"(v[k][3]) : "l"(from));
        }
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum += WORDS == 1 ? v[k][0] : v[k][0] + v[k][1] + v[k][2] + v[k][3];
    }
    __syncthreads();
    span_end(t.span, begin);
    t.sink[threadIdx.x] = sum;
}

struct Fetches {
    cudaTextureObject_t texture;
    int wide; /* texels of a row that a warp's lanes take, before the next row */
    int n;
    float zero;
    float *sink;
    unsigned long long *span;
};

static __global__ void fetches(Fetches t)
{
    const int lane = threadIdx.x % 32;
    const float y = lane / t.wide + threadIdx.x / 32 % 2;
    float x = lane % t.wide;
    float sum = 0;
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < t.n; i++, x += t.zero) {
#pragma unroll
        for (int k = 0; k < UNROLL; k++)
            sum += tex2D<float>(t.texture, x + k, y);
    }
    __syncthreads();
    span_end(t.span, begin);
    t.sink[threadIdx.x] = sum;
}

/* Cycles of a turn's share: what `launch` runs n turns of. */
template <class Launch> static double cycles_of(Bench &bench, const Array<unsigned long long> &span, int n, double loads, Launch launch)
{
    const auto cycles = [&](int turns) {
        Run run;
        run.reset = [=] { span.zero(); };
        run.launch = [=] { launch(turns); };
        run.steps = 1;
        run.span = span.at();
        return bench.time(run).median();
    };
    return (cycles(2 * n) - cycles(n)) / (n * loads);
}

struct Pattern {
    const char *name;
    int words; /* of a lane */
    int (*at)(int lane);
};

static const Pattern PATTERNS[] = {
    {"one word", 1, [](int) { return 0; }},
    {"two words of a line", 1, [](int i) { return i / 16 * 64; }},
    {"half a line, twice", 1, [](int i) { return i % 16 * 4; }},
    {"a line", 1, [](int i) { return i * 4; }},
    {"a line backwards", 1, [](int i) { return 124 - i * 4; }},
    {"a line, a word on", 1, [](int i) { return i * 4 + 4; }},
    {"two halves of lines, banks apart", 1, [](int i) { return i * 4 + i / 16 * 128; }},
    {"two halves of lines, banks alike", 1, [](int i) { return i % 16 * 4 + i / 16 * 128; }},
    {"4 parts of lines, banks apart", 1, [](int i) { return i * 4 + i / 8 * 128; }},
    {"4 parts of lines, banks alike", 1, [](int i) { return i % 8 * 4 + i / 8 * 128; }},
    {"8 parts of lines, banks apart", 1, [](int i) { return i * 4 + i / 4 * 128; }},
    {"8 parts of lines, banks alike", 1, [](int i) { return i % 4 * 4 + i / 4 * 128; }},
    {"16 parts of lines, banks apart", 1, [](int i) { return i * 4 + i / 2 * 128; }},
    {"16 parts of lines, banks alike", 1, [](int i) { return i % 2 * 4 + i / 2 * 128; }},
    {"32 lines, banks apart", 1, [](int i) { return i * 4 + i * 128; }},
    {"32 lines, banks alike", 1, [](int i) { return i * 128; }},
    {"2 words apart", 1, [](int i) { return i * 8; }},
    {"3 words apart", 1, [](int i) { return i * 12; }},
    {"4 words apart", 1, [](int i) { return i * 16; }},
    {"8 words apart", 1, [](int i) { return i * 32; }},
    {"16 words apart", 1, [](int i) { return i * 64; }},
    {"8 bytes a lane", 2, [](int i) { return i * 8; }},
    {"8 bytes a lane, 8 bytes on", 2, [](int i) { return i * 8 + 8; }},
    {"16 bytes a lane", 4, [](int i) { return i * 16; }},
    {"16 bytes a lane, 16 bytes on", 4, [](int i) { return i * 16 + 16; }},
    {"16 bytes of all", 4, [](int) { return 0; }},
};

static Lanes lanes_of(const Pattern &p)
{
    Lanes lanes;
    for (int i = 0; i < 32; i++)
        lanes.at[i] = p.at(i);
    return lanes;
}

static void micro_hits(const MicroTable &table, Bench &bench)
{
    Array<char> data(4 * UNROLL * STEP);
    Array<float> sink(1024);
    Array<unsigned long long> span(1);
    data.zero();
    for (const Pattern &p : PATTERNS) {
        Loads t = {data.at(), lanes_of(p), 0, 0, 0, 0, sink.at(), span.at()};
        const auto kernel = p.words == 1 ? hits<1> : p.words == 2 ? hits<2> : hits<4>;
        for (const int warps : {1, 4, 8, 16, 32}) {
            const double cycles = cycles_of(bench, span, 64, UNROLL * warps, [=](int n) {
                Loads of = t;
                of.n = n;
                kernel<<<1, 32 * warps>>>(of);
            });
            table.aside(std::string("load that hits L1, ") + p.name + ", " + std::to_string(warps) + " warps", cycles, "cycles", "of the SM");
        }
        if (p.words > 1) continue;
        const double cycles = cycles_of(bench, span, 64, UNROLL, [=](int n) {
            Loads of = t;
            of.n = n;
            chain<<<1, 32>>>(of);
        });
        table.aside(std::string("step in L1, ") + p.name, cycles, "cycles", "each load from where the one before says");
    }
}

/* The places of a warp's loads: a pattern, and how far the next load's is. */
struct Stream {
    const char *name;
    int words;
    int bytes;
    int (*at)(int lane);
};

static const Stream STREAMS[] = {
    {"a word of a line", 1, 128, [](int) { return 0; }},
    {"a word of a sector", 1, 32, [](int) { return 0; }},
    {"two sectors of a line", 1, 128, [](int i) { return i / 16 * 64; }},
    {"half a line", 1, 64, [](int i) { return i % 16 * 4; }},
    {"a line", 1, 128, [](int i) { return i * 4; }},
    {"a word of each of 2 lines", 1, 256, [](int i) { return i / 16 * 128; }},
    {"a word of each of 4 lines", 1, 512, [](int i) { return i / 8 * 128; }},
    {"a word of each of 8 lines", 1, 1024, [](int i) { return i / 4 * 128; }},
    {"a word of each of 32 lines", 1, 4096, [](int i) { return i * 128; }},
    {"a word of each of 32 sectors", 1, 1024, [](int i) { return i * 32; }},
    {"16 bytes a lane", 4, 512, [](int i) { return i * 16; }},
};

static void micro_misses(const MicroTable &table, const Board &board, Bench &bench)
{
    Array<char> data(REGION + 8192);
    Array<float> sink(1024);
    Array<unsigned long long> span(1);
    data.zero();
    for (const Stream &p : STREAMS) {
        const Loads t = {data.at(), lanes_of({p.name, p.words, p.at}), 0, 0, p.bytes, 0, sink.at(), span.at()};
        const auto kernel = p.words == 1 ? misses<1> : misses<4>;
        const auto tell = [&](int blocks, int warps, const std::string &who) {
            const double cycles = cycles_of(bench, span, p.bytes < 1024 ? 128 : 32, UNROLL * warps, [=](int n) {
                Loads of = t;
                of.n = n;
                kernel<<<blocks, 32 * warps>>>(of);
            });
            table.aside(std::string("load that misses L1, ") + p.name + ", " + who, cycles, "cycles", "of the SM; L2 hits");
        };
        tell(1, 8, "8 warps");
        tell(1, 32, "32 warps");
        tell(board.sms, 32, "32 warps of all SMs");
    }
}

static void micro_textures(const MicroTable &table, Bench &bench)
{
    enum { W = 64, H = 32 };
    const Texture texture = texture_of_rows(std::vector<float>(W * H), W, H);
    Fetches t = {*texture, 0, 0, 0, nullptr, nullptr};
    Array<float> sink(1024);
    Array<unsigned long long> span(1);
    t.sink = sink.at();
    t.span = span.at();
    for (const int wide : {32, 16, 8, 1})
        for (const int warps : {1, 4, 8, 16, 32}) {
            t.wide = wide;
            const double cycles = cycles_of(bench, span, 64, UNROLL * warps, [=](int n) {
                Fetches of = t;
                of.n = n;
                fetches<<<1, 32 * warps>>>(of);
            });
            const std::string of = std::to_string(wide) + " x " + std::to_string(32 / wide) + " texels, " + std::to_string(warps) + " warps";
            table.aside("fetch of " + of, cycles, "cycles", "of the SM; a texture of 8 KB");
        }
}

void micro_l1(const MicroTable &table, const Board &board, Bench &bench)
{
    micro_hits(table, bench);
    micro_misses(table, board, bench);
    micro_textures(table, bench);
}
