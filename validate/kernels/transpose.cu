/*
 * The eight transposes: tiles of T x T words, T x R threads. All loops are unrolled, as in the traces. Within an unrolled loop the compiler
 * may put several loads before the first store that waits for one.
 */
#include "harness/case.h"
#include "harness/device.h"

enum { T = 32, R = 8 };

static __global__ void copy(float *odata, const float *idata, int n)
{
    const int index = blockIdx.x * T + threadIdx.x + n * (blockIdx.y * T + threadIdx.y);
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[index + i * n] = idata[index + i * n];
}

static __global__ void copy_shared(float *odata, const float *idata, int n)
{
    __shared__ float tile[T][T];
    const int index = blockIdx.x * T + threadIdx.x + n * (blockIdx.y * T + threadIdx.y);
#pragma unroll
    for (int i = 0; i < T; i += R)
        tile[threadIdx.y + i][threadIdx.x] = idata[index + i * n];
    __syncthreads();
    /* volatile: the thread reads what it has written itself, and the compiler would know */
    volatile float(*again)[T] = tile;
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[index + i * n] = again[threadIdx.y + i][threadIdx.x];
}

static __global__ void naive(float *odata, const float *idata, int n)
{
    const int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    const int in = x + n * y, out = y + n * x;
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[out + i] = idata[in + i * n];
}

/* By rows into the tile, by columns out of it: P columns of padding decide on the conflicts. */
template <int P> static __global__ void through_tile(float *odata, const float *idata, int n)
{
    __shared__ float tile[T][T + P];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    const int in = x + n * y;
    x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T + threadIdx.y;
    const int out = x + n * y;
#pragma unroll
    for (int i = 0; i < T; i += R)
        tile[threadIdx.y + i][threadIdx.x] = idata[in + i * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[out + i * n] = tile[threadIdx.x][threadIdx.y + i];
}

static __global__ void diagonal(float *odata, const float *idata, int n)
{
    __shared__ float tile[T][T + 1];
    const int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    int x = bx * T + threadIdx.x, y = by * T + threadIdx.y;
    const int in = x + n * y;
    x = by * T + threadIdx.x, y = bx * T + threadIdx.y;
    const int out = x + n * y;
#pragma unroll
    for (int i = 0; i < T; i += R)
        tile[threadIdx.y + i][threadIdx.x] = idata[in + i * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[out + i * n] = tile[threadIdx.x][threadIdx.y + i];
}

static __global__ void fine(float *odata, const float *idata, int n)
{
    __shared__ float tile[T][T + 1];
    const int index = blockIdx.x * T + threadIdx.x + n * (blockIdx.y * T + threadIdx.y);
#pragma unroll
    for (int i = 0; i < T; i += R)
        tile[threadIdx.y + i][threadIdx.x] = idata[index + i * n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[index + i * n] = tile[threadIdx.x][threadIdx.y + i];
}

static __global__ void coarse(float *odata, const float *idata, int n)
{
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
    const int in = x + n * y;
    x = blockIdx.y * T + threadIdx.x, y = blockIdx.x * T + threadIdx.y;
    const int out = x + n * y;
#pragma unroll
    for (int i = 0; i < T; i += R)
        tile[threadIdx.y + i][threadIdx.x] = idata[in + i * n];
    __syncthreads();
    volatile float(*again)[T + 1] = tile; /* as in copy_shared */
#pragma unroll
    for (int i = 0; i < T; i += R)
        odata[out + i * n] = again[threadIdx.y + i][threadIdx.x];
}

using Kernel = void (*)(float *, const float *, int);
enum Result { COPIED, TRANSPOSED, TURNED_TILES, MOVED_TILES };

static float wanted(Result result, const std::vector<float> &in, size_t n, size_t x, size_t y)
{
    const size_t tx = x / T * T, ty = y / T * T, dx = x % T, dy = y % T;
    switch (result) {
    case COPIED: return in[y * n + x];
    case TRANSPOSED: return in[x * n + y];
    case TURNED_TILES: return in[(ty + dx) * n + tx + dy];
    default: return in[(tx + dy) * n + ty + dx];
    }
}

static Run run_of(const Params &p, Kernel kernel, Result result)
{
    const size_t n = p.at("N");
    if (p.at("T") != T || p.at("R") != R) abort();
    const std::vector<float> x = small_floats(n * n);
    Array<float> in(x), out(n * n);
    Run run;
    run.launch = [=] { kernel<<<dim3(n / T, n / T), dim3(T, R)>>>(out.at(), in.at(), n); };
    run.check = [=] { return differ_at(out.get(), n * n, [&](size_t i) { return wanted(result, x, n, i % n, i / n); }); };
    run.least.dram_bytes = 4.0 * n * n;
    run.least.l2_bytes = 8.0 * n * n;
    return run;
}

static Run make_copy(const Params &p) { return run_of(p, copy, COPIED); }
static Run make_copy_shared(const Params &p) { return run_of(p, copy_shared, COPIED); }
static Run make_naive(const Params &p) { return run_of(p, naive, TRANSPOSED); }
static Run make_coalesced(const Params &p) { return run_of(p, through_tile<0>, TRANSPOSED); }
static Run make_padded(const Params &p) { return run_of(p, p.at("P") ? through_tile<1> : through_tile<0>, TRANSPOSED); }
static Run make_diagonal(const Params &p) { return run_of(p, diagonal, TRANSPOSED); }
static Run make_fine(const Params &p) { return run_of(p, fine, TURNED_TILES); }
static Run make_coarse(const Params &p) { return run_of(p, coarse, MOVED_TILES); }

std::vector<Case> transpose_cases()
{
    return {
        {"copy-3k", "transpose-3k", "transpose-copy", "N=3072 T=32 R=8", make_copy, true},
        {"copy-shared-3k", "transpose-3k", "transpose-copy-shared", "N=3072 T=32 R=8", make_copy_shared, true},
        {"naive-3k", "transpose-3k", "transpose-naive", "N=3072 T=32 R=8", make_naive, true},
        {"coalesced-3k", "transpose-3k", "transpose-coalesced", "N=3072 T=32 R=8", make_coalesced, true},
        {"padded-3k", "transpose-3k", "transpose-padded", "N=3072 T=32 R=8 P=1", make_padded, true},
        {"diagonal-3k", "transpose-3k", "transpose-diagonal", "N=3072 T=32 R=8 P=1", make_diagonal, true},
        {"fine-3k", "transpose-3k", "transpose-fine", "N=3072 T=32 R=8 P=1", make_fine, true},
        {"coarse-3k", "transpose-3k", "transpose-coarse", "N=3072 T=32 R=8 P=1", make_coarse, true},
        {"copy-2k", "transpose-2k", "transpose-copy", "N=2048 T=32 R=8", make_copy},
        {"copy-shared-2k", "transpose-2k", "transpose-copy-shared", "N=2048 T=32 R=8", make_copy_shared, true},
        {"naive-2k", "transpose-2k", "transpose-naive", "N=2048 T=32 R=8", make_naive},
        {"coalesced-2k", "transpose-2k", "transpose-coalesced", "N=2048 T=32 R=8", make_coalesced, true},
        {"padded-2k", "transpose-2k", "transpose-padded", "N=2048 T=32 R=8 P=1", make_padded},
        {"diagonal-2k", "transpose-2k", "transpose-diagonal", "N=2048 T=32 R=8 P=1", make_diagonal, true},
        {"fine-2k", "transpose-2k", "transpose-fine", "N=2048 T=32 R=8 P=1", make_fine, true},
        {"coarse-2k", "transpose-2k", "transpose-coarse", "N=2048 T=32 R=8 P=1", make_coarse, true},
    };
}
