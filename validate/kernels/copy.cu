/*
 * Streams: vecadd, copies with an offset, a stride and through an index, copies of structures, passes over a set that L2 may hold.
 * Loads and stores are those of the traces. Addresses have 64 bits, and the compiler makes each with one wide multiply-add where the
 * traces have a shift and an add.
 */
#include "harness/case.h"
#include "harness/device.h"

static __global__ void vecadd(const float *a, const float *b, float *c, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

static Run make_vecadd(const Params &p)
{
    const size_t n = p.at("N"), threads = p.at("B");
    const std::vector<float> x = small_floats(n, 1), y = small_floats(n, 2);
    Array<float> a(x), b(y), c(n);
    Run run;
    run.launch = [=] { vecadd<<<(n + threads - 1) / threads, threads>>>(a.at(), b.at(), c.at(), n); };
    run.check = [=] { return differ_at(c.get(), n, [&](size_t i) { return x[i] + y[i]; }); };
    run.least.dram_bytes = 8.0 * n;
    run.least.l2_bytes = 12.0 * n;
    return run;
}

static __global__ void offset_copy(float *odata, const float *idata, int offset)
{
    const int xid = blockIdx.x * blockDim.x + threadIdx.x + offset;
    odata[xid] = idata[xid];
}

static Run make_offset(const Params &p)
{
    const size_t n = p.at("N"), offset = p.at("offset"), threads = p.at("B");
    const std::vector<float> x = small_floats(n + std::max<size_t>(offset, 256));
    Array<float> in(x), out(x.size());
    Run run;
    run.launch = [=] { offset_copy<<<n / threads, threads>>>(out.at(), in.at(), offset); };
    run.check = [=] {
        const std::vector<float> got = out.get();
        return differ_at({got.begin() + offset, got.end()}, n, [&](size_t i) { return x[i + offset]; });
    };
    run.least.dram_bytes = 4.0 * n;
    run.least.l2_bytes = 8.0 * n;
    return run;
}

static __global__ void stride_copy(float *odata, const float *idata, int stride)
{
    const int xid = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    odata[xid] = idata[xid];
}

static Run make_stride(const Params &p)
{
    const size_t n = p.at("N"), stride = p.at("stride"), threads = p.at("B");
    const std::vector<float> x = small_floats(n * stride);
    Array<float> in(x), out(x.size());
    Run run;
    run.launch = [=] { stride_copy<<<n / threads, threads>>>(out.at(), in.at(), stride); };
    run.check = [=] {
        const std::vector<float> got = out.get();
        for (size_t i = 0; i < n; i++)
            if (got[i * stride] != x[i * stride]) return std::string("an element is not copied");
        return std::string();
    };
    /* The sectors of 32 bytes that the loads touch. */
    run.least.dram_bytes = stride < 8 ? 4.0 * n * stride : 32.0 * n;
    run.least.l2_bytes = 8.0 * n;
    return run;
}

static __global__ void gather(const float *x, const int *index, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[index[i]];
}

static Run make_gather(const Params &p)
{
    static const int ORDER[2][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                     {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}};
    const size_t n = p.at("N"), m = p.at("M"), threads = p.at("B");
    const int pattern = p.at("pattern");
    const std::vector<float> x = small_floats(m);
    std::vector<int> order(n);
    for (size_t i = 0; i < n; i++)
        order[i] = pattern < 2 ? 16 * (trace_hash(i / 16) % (m / 16)) + ORDER[pattern][i % 16] : trace_hash(i) % m;
    Array<float> from(x), y(n);
    Array<int> index(order);
    Run run;
    run.launch = [=] { gather<<<n / threads, threads>>>(from.at(), index.at(), y.at()); };
    run.check = [=] { return differ_at(y.get(), n, [&](size_t i) { return x[order[i]]; }); };
    run.least.dram_bytes = 4.0 * n;
    run.least.l2_bytes = 12.0 * n;
    return run;
}

static __global__ void copy_float3(float3 *odata, const float3 *idata)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    odata[i] = idata[i];
}

template <int B> static __global__ void copy_float3_shared(float *odata, const float *idata)
{
    __shared__ float s[3 * B];
    const int i = blockIdx.x * blockDim.x * 3 + threadIdx.x;
    s[threadIdx.x] = idata[i];
    s[threadIdx.x + B] = idata[i + B];
    s[threadIdx.x + 2 * B] = idata[i + 2 * B];
    __syncthreads();
    /* volatile: nothing is done to the structure, and the detour would be left out */
    volatile float *mine = s + 3 * threadIdx.x;
    const float a = mine[0], b = mine[1], c = mine[2];
    mine[0] = a, mine[1] = b, mine[2] = c;
    __syncthreads();
    odata[i] = s[threadIdx.x];
    odata[i + B] = s[threadIdx.x + B];
    odata[i + 2 * B] = s[threadIdx.x + 2 * B];
}

static Run float3_run(const Params &p, bool shared)
{
    const size_t n = p.at("N");
    if (p.at("B") != 256) abort();
    const std::vector<float> x = small_floats(3 * n);
    Array<float> in(x), out(3 * n);
    Run run;
    run.launch = [=] {
        if (shared)
            copy_float3_shared<256><<<n / 256, 256>>>(out.at(), in.at());
        else
            copy_float3<<<n / 256, 256>>>((float3 *)out.at(), (const float3 *)in.at());
    };
    run.check = [=] { return differ_at(out.get(), 3 * n, [&](size_t i) { return x[i]; }); };
    run.least.dram_bytes = 12.0 * n;
    run.least.l2_bytes = 24.0 * n;
    return run;
}

static Run make_float3(const Params &p)
{
    return float3_run(p, false);
}

static Run make_float3_shared(const Params &p)
{
    return float3_run(p, true);
}

/* The share of a block moves on with each pass, so that another SM's loads have brought it to L2. */
template <int U> static __global__ void stream(const float *data, float *out, int passes, int sweeps)
{
    float sum = 0;
    for (int pass = 0; pass < passes; pass++) {
        const int share = (blockIdx.x + pass) % gridDim.x;
        const float *at = data + (size_t)share * U * blockDim.x + threadIdx.x;
#pragma unroll 1
        for (int sweep = 0; sweep < sweeps; sweep++, at += (size_t)gridDim.x * U * blockDim.x) {
            float v[U];
#pragma unroll
            for (int u = 0; u < U; u++)
                asm volatile("ld.global.f32 %0, [%1];" : "=f"(v[u]) : "l"(at + u * blockDim.x)); /* volatile: passes are not made one */
#pragma unroll
            for (int u = 0; u < U; u++)
                sum += v[u];
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static Run make_l2_reuse(const Params &p)
{
    const size_t bytes = p.at("bytes"), passes = p.at("passes"), blocks = p.at("blocks"), threads = p.at("B");
    if (p.at("U") != 4) abort();
    const size_t sweeps = bytes / (4 * blocks * threads * 4);
    const std::vector<float> x = small_floats(bytes / 4);
    Array<float> data(x), out(blocks * threads);
    Run run;
    run.launch = [=] { stream<4><<<blocks, threads>>>(data.at(), out.at(), passes, sweeps); };
    run.check = [=] {
        return differ_at(out.get(), blocks * threads, [&](size_t i) {
            float sum = 0;
            for (size_t pass = 0; pass < passes; pass++)
                for (size_t s = 0; s < sweeps; s++)
                    for (size_t u = 0; u < 4; u++)
                        sum += x[((s * blocks + (i / threads + pass) % blocks) * 4 + u) * threads + i % threads];
            return sum;
        });
    };
    run.least.dram_bytes = bytes;
    run.least.l2_bytes = bytes;
    return run;
}

std::vector<Case> copy_cases()
{
    return {
        {"vecadd-4m", "vecadd", "vecadd", "N=4194304 B=256", make_vecadd},
        {"vecadd-8m", "vecadd", "vecadd", "N=8388608 B=256", make_vecadd, true},
        {"offset-0", "offset", "copy-offset", "N=4194304 offset=0 B=256", make_offset},
        {"offset-1", "offset", "copy-offset", "N=4194304 offset=1 B=256", make_offset, true},
        {"offset-8", "offset", "copy-offset", "N=4194304 offset=8 B=256", make_offset, true},
        {"offset-17", "offset", "copy-offset", "N=4194304 offset=17 B=256", make_offset, true},
        {"offset-0-8m", "offset", "copy-offset", "N=8388608 offset=0 B=256", make_offset, true},
        {"stride-1", "stride", "copy-stride", "N=2097152 stride=1 B=256", make_stride},
        {"stride-2", "stride", "copy-stride", "N=2097152 stride=2 B=256", make_stride},
        {"stride-4", "stride", "copy-stride", "N=2097152 stride=4 B=256", make_stride, true},
        {"stride-8", "stride", "copy-stride", "N=1048576 stride=8 B=256", make_stride, true},
        {"stride-16", "stride", "copy-stride", "N=1048576 stride=16 B=256", make_stride, true},
        {"stride-32", "stride", "copy-stride", "N=524288 stride=32 B=256", make_stride, true},
        {"gather-0", "gather", "gather", "N=2097152 M=8388608 pattern=0 B=256", make_gather, true},
        {"gather-1", "gather", "gather", "N=2097152 M=8388608 pattern=1 B=256", make_gather},
        {"gather-2", "gather", "gather", "N=1048576 M=4194304 pattern=2 B=256", make_gather, true},
        {"float3-1m", "float3", "copy-float3", "N=1048576 B=256", make_float3, true},
        {"float3-2m", "float3", "copy-float3", "N=2097152 B=256", make_float3, true},
        {"float3-shared-1m", "float3", "copy-float3-shared", "N=1048576 B=256", make_float3_shared},
        {"float3-shared-2m", "float3", "copy-float3-shared", "N=2097152 B=256", make_float3_shared, true},
        {"l2-reuse-8m", "l2-reuse", "l2-reuse", "bytes=8388608 passes=8 blocks=256 B=256 U=4", make_l2_reuse},
        {"l2-reuse-16m", "l2-reuse", "l2-reuse", "bytes=16777216 passes=4 blocks=256 B=256 U=4", make_l2_reuse, true},
        {"l2-reuse-64m", "l2-reuse", "l2-reuse", "bytes=67108864 passes=2 blocks=256 B=256 U=4", make_l2_reuse, true},
    };
}
