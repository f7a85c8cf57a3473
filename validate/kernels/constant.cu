/*
 * Constant memory: a coefficient for all lanes, and lanes that want different words. The compiler unrolls the four steps and takes
 * coefficients as operands or by loads of several words, as it finds best; the traces have a load for each.
 */
#include "harness/case.h"
#include "harness/device.h"

enum { COEFFICIENTS = 8192 };
static __constant__ float coefficients[COEFFICIENTS];

static __global__ void polynomial(const float *x, float *y, int terms)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float a = x[i];
    float sum = 0;
#pragma unroll 4
    for (int k = terms - 1; k >= 0; k--)
        sum = sum * a + coefficients[k];
    y[i] = sum;
}

static Run make_broadcast(const Params &p)
{
    const size_t n = p.at("N"), terms = p.at("K"), threads = p.at("B");
    if (p.at("U") != 4 || terms > COEFFICIENTS) abort();
    std::vector<float> x = small_floats(n), c = small_floats(COEFFICIENTS, 3);
    for (float &value : x)
        value /= 16; /* -1/2 .. 7/16: the sum stays small */
    Array<float> from(x), y(n);
    Run run;
    run.reset = [=] { CUDA(cudaMemcpyToSymbol(coefficients, c.data(), sizeof(float) * COEFFICIENTS)); };
    run.launch = [=] { polynomial<<<n / threads, threads>>>(from.at(), y.at(), terms); };
    run.check = [=] {
        const std::vector<float> all = y.get();
        const size_t step = n > 65536 ? n / 65536 * 2 + 1 : 1; /* enough of them: each is K operations of the CPU */
        std::vector<float> got, want;
        for (size_t i = 0; i < n; i += step) {
            float sum = 0;
            for (size_t k = terms; k-- > 0;)
                sum = sum * x[i] + c[k];
            got.push_back(all[i]);
            want.push_back(sum);
        }
        return differ(got, want, 1e-4);
    };
    run.least.dram_bytes = 4.0 * n;
    run.least.l2_bytes = 8.0 * n;
    run.least.warp_insns = (double)n / 32 * terms;
    return run;
}

static __global__ void columns(float *out, int rows, int laps, int d)
{
    const int j = (threadIdx.x % 16) * d >> 4;
    float sum = 0;
#pragma unroll 1
    for (int lap = 0; lap < laps; lap++)
#pragma unroll 1
        for (int t = 0; t < rows; t++)
            sum += coefficients[t * 16 + j];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

static Run make_diverge(const Params &p)
{
    const size_t d = p.at("D"), rows = p.at("rows"), laps = p.at("laps"), blocks = p.at("blocks"), threads = p.at("B");
    if (rows * 16 > COEFFICIENTS) abort();
    const std::vector<float> c = small_floats(COEFFICIENTS, 3);
    Array<float> out(blocks * threads);
    Run run;
    run.reset = [=] { CUDA(cudaMemcpyToSymbol(coefficients, c.data(), sizeof(float) * COEFFICIENTS)); };
    run.launch = [=] { columns<<<blocks, threads>>>(out.at(), rows, laps, d); };
    run.check = [=] {
        return differ_at(out.get(), out.size(), [&](size_t i) {
            float sum = 0;
            for (size_t t = 0; t < rows; t++)
                sum += c[t * 16 + (i % threads % 16 * d >> 4)];
            return sum * laps;
        });
    };
    run.least.warp_insns = 2.0 * rows * laps * blocks * threads / 32;
    return run;
}

std::vector<Case> constant_cases()
{
    return {
        {"broadcast-64", "constant", "constant-broadcast", "N=2097152 K=64 U=4 B=256", make_broadcast, true},
        {"broadcast-256", "constant", "constant-broadcast", "N=1048576 K=256 U=4 B=256", make_broadcast, true},
        {"broadcast-1024", "constant", "constant-broadcast", "N=262144 K=1024 U=4 B=256", make_broadcast},
        {"diverge-1", "diverge", "constant-diverge", "D=1 rows=64 laps=16 blocks=264 B=256", make_diverge},
        {"diverge-2", "diverge", "constant-diverge", "D=2 rows=64 laps=16 blocks=264 B=256", make_diverge},
        {"diverge-4", "diverge", "constant-diverge", "D=4 rows=64 laps=16 blocks=264 B=256", make_diverge, true},
        {"diverge-8", "diverge", "constant-diverge", "D=8 rows=64 laps=16 blocks=264 B=256", make_diverge, true},
        {"diverge-16", "diverge", "constant-diverge", "D=16 rows=64 laps=16 blocks=264 B=256", make_diverge, true},
    };
}
