/*
 * Products of matrices. Loops over k are kept where the trace has a loop and unrolled where it has none. The compiler joins loads of one
 * row of a tile in shared memory into loads of 16 bytes, where the trace has one for each word: As[ty][k] of the unrolled versions.
 */
#include "harness/case.h"
#include "harness/device.h"

enum { T = 16 };

static __global__ void naive(const float *A, const float *B, float *C, int n)
{
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++)
        sum += A[row * n + k] * B[k * n + col];
    C[row * n + col] = sum;
}

template <int UNROLL> static __global__ void tiled(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[T][T], Bs[T][T];
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0;
#pragma unroll 1
    for (int m = 0; m < n / T; m++) {
        As[threadIdx.y][threadIdx.x] = A[row * n + m * T + threadIdx.x];
        Bs[threadIdx.y][threadIdx.x] = B[(m * T + threadIdx.y) * n + col];
        __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < T; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

static __global__ void prefetch(const float *A, const float *B, float *C, int n)
{
    __shared__ float As[T][T], Bs[T][T];
    const int row = blockIdx.y * T + threadIdx.y, col = blockIdx.x * T + threadIdx.x;
    float sum = 0, a = A[row * n + threadIdx.x], b = B[threadIdx.y * n + col];
#pragma unroll 1
    for (int m = 1; m <= n / T; m++) {
        As[threadIdx.y][threadIdx.x] = a;
        Bs[threadIdx.y][threadIdx.x] = b;
        __syncthreads();
        if (m < n / T) {
            a = A[row * n + m * T + threadIdx.x];
            b = B[(m * T + threadIdx.y) * n + col];
        }
#pragma unroll
        for (int k = 0; k < T; k++)
            sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + col] = sum;
}

template <int B1, int R> static __global__ void blocked(const float *A, const float *B, float *C, int N, int B2)
{
    constexpr int S = B1 / R; /* threads along an edge: T of the trace */
    __shared__ float As[B1][B1], Bs[B1][B1];
    const int tiles = B2 / B1, outer = blockIdx.x / (tiles * tiles), inner = blockIdx.x % (tiles * tiles);
    const int ty = threadIdx.y, tx = threadIdx.x;
    const int row = (outer / (N / B2) * tiles + inner / tiles) * B1 + ty;
    const int col = (outer % (N / B2) * tiles + inner % tiles) * B1 + tx;
    float c[R][R] = {}, a[R], b[R];
#pragma unroll 1
    for (int m = 0; m < N; m += B1) {
#pragma unroll
        for (int i = 0; i < B1; i += S)
#pragma unroll
            for (int j = 0; j < B1; j += S) {
                As[ty + i][tx + j] = A[(row + i) * N + m + tx + j];
                Bs[ty + i][tx + j] = B[(m + ty + i) * N + col + j];
            }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < B1; k++) {
#pragma unroll
            for (int i = 0; i < R; i++)
                a[i] = As[ty + i * S][k], b[i] = Bs[k][tx + i * S];
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++)
                    c[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++)
            C[(row + i * S) * N + col + j * S] = c[i][j];
}

/* Rows of C from the CPU, `step` apart: all of a product of 1024 x 1024 would take seconds. Sums are whole numbers and exact. */
static std::string check_rows(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &c, size_t m, size_t inner,
                              size_t n)
{
    std::vector<float> row(n);
    for (size_t y = 0; y < m; y += m > 64 ? m / 64 + 1 : 1) {
        std::fill(row.begin(), row.end(), 0.0f);
        for (size_t k = 0; k < inner; k++)
            for (size_t x = 0; x < n; x++)
                row[x] += a[y * inner + k] * b[k * n + x];
        const std::string why = differ_at({c.begin() + y * n, c.begin() + (y + 1) * n}, n, [&](size_t x) { return row[x]; });
        if (!why.empty()) return "row " + std::to_string(y) + ": " + why;
    }
    return "";
}

template <class Launch> static Run run_of(size_t m, size_t inner, size_t n, Launch launch)
{
    const std::vector<float> a = small_floats(m * inner, 1), b = small_floats(inner * n, 2);
    Array<float> A(a), B(b), C(m * n);
    Run run;
    run.launch = [=] { launch(A.at(), B.at(), C.at()); };
    run.check = [=] { return check_rows(a, b, C.get(), m, inner, n); };
    run.least.dram_bytes = 4.0 * (m * inner + inner * n);
    run.least.l2_bytes = 4.0 * (m * inner + inner * n + m * n);
    run.least.warp_insns = (double)m * inner * n / 32;
    return run;
}

template <void (*kernel)(const float *, const float *, float *, int)> static Run make(const Params &p)
{
    const int n = p.at("N");
    if (p.at("T") != T) abort();
    return run_of(n, n, n, [=](const float *a, const float *b, float *c) { kernel<<<dim3(n / T, n / T), dim3(T, T)>>>(a, b, c, n); });
}

static Run make_blocked(const Params &p)
{
    const int n = p.at("N"), b1 = p.at("B1"), b2 = p.at("B2"), r = p.at("R");
    if (!(b1 == 32 && r == 2) && !(b1 == 16 && r == 1) && !(b1 == 64 && r == 4)) abort();
    return run_of(n, n, n, [=](const float *a, const float *b, float *c) {
        const unsigned blocks = (n / b1) * (n / b1);
        if (r == 1) blocked<16, 1><<<blocks, dim3(16, 16)>>>(a, b, c, n, b2);
        if (r == 2) blocked<32, 2><<<blocks, dim3(16, 16)>>>(a, b, c, n, b2);
        if (r == 4) blocked<64, 4><<<blocks, dim3(16, 16)>>>(a, b, c, n, b2);
    });
}

/* ---- a column of tiles times a row of tiles: 16 steps for each element ---- */

static __global__ void ab_naive(const float *a, const float *b, float *c, int n)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 16; i++)
        sum += a[row * 16 + i] * b[i * n + col];
    c[row * n + col] = sum;
}

static __global__ void ab_one_tile(const float *a, const float *b, float *c, int n)
{
    __shared__ float atile[16][16];
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    atile[threadIdx.y][threadIdx.x] = a[row * 16 + threadIdx.x];
    __syncwarp(); /* from Volta on the lanes of a warp need not go in step */
#pragma unroll
    for (int i = 0; i < 16; i++)
        sum += atile[threadIdx.y][i] * b[i * n + col];
    c[row * n + col] = sum;
}

static __global__ void ab_two_tiles(const float *a, const float *b, float *c, int n)
{
    __shared__ float atile[16][16], btile[16][16];
    const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    atile[threadIdx.y][threadIdx.x] = a[row * 16 + threadIdx.x];
    btile[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++)
        sum += atile[threadIdx.y][i] * btile[i][threadIdx.x];
    c[row * n + col] = sum;
}

template <void (*kernel)(const float *, const float *, float *, int)> static Run make_ab(const Params &p)
{
    const int m = p.at("M"), n = p.at("N");
    return run_of(m, 16, n, [=](const float *a, const float *b, float *c) { kernel<<<dim3(n / 16, m / 16), dim3(16, 16)>>>(a, b, c, n); });
}

std::vector<Case> matmul_cases()
{
    return {
        {"matmul-naive-256", "matmul-256", "matmul-naive", "N=256 T=16", make<naive>},
        {"matmul-tiled-256", "matmul-256", "matmul", "N=256 T=16 adds=2", make<tiled<1>>},
        {"matmul-unrolled-256", "matmul-256", "matmul-unrolled", "N=256 T=16 ahead=6", make<tiled<T>>},
        {"matmul-prefetch-256", "matmul-256", "matmul-prefetch", "N=256 T=16 ahead=9", make<prefetch>},
        {"matmul-blocked-256", "matmul-256", "matmul-blocked", "N=256 B1=32 B2=128 R=2 fill=2 ahead=1", make_blocked},
        {"matmul-naive-384", "matmul-384", "matmul-naive", "N=384 T=16", make<naive>, true},
        {"matmul-tiled-384", "matmul-384", "matmul", "N=384 T=16 adds=2", make<tiled<1>>, true},
        {"matmul-unrolled-384", "matmul-384", "matmul-unrolled", "N=384 T=16 ahead=6", make<tiled<T>>, true},
        {"matmul-tiled-512", "matmul-512", "matmul", "N=512 T=16 adds=2", make<tiled<1>>, true},
        {"matmul-unrolled-512", "matmul-512", "matmul-unrolled", "N=512 T=16 ahead=6", make<tiled<T>>, true},
        {"matmul-prefetch-512", "matmul-512", "matmul-prefetch", "N=512 T=16 ahead=9", make<prefetch>, true},
        {"matmul-blocked-512", "matmul-512", "matmul-blocked", "N=512 B1=32 B2=128 R=2 fill=2 ahead=1", make_blocked, true},
        {"matmul-blocked-1-512", "matmul-512", "matmul-blocked", "N=512 B1=16 B2=128 R=1 fill=1 ahead=6", make_blocked, true},
        {"ab-naive", "ab", "ab-naive", "M=2048 N=2048 ahead=8", make_ab<ab_naive>, true},
        {"ab-one-tile", "ab", "ab-one-tile", "M=2048 N=2048 ahead=16", make_ab<ab_one_tile>, true},
        {"ab-two-tiles", "ab", "ab-two-tiles", "M=2048 N=2048 ahead=9", make_ab<ab_two_tiles>, true},
    };
}
