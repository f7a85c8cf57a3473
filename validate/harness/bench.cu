#include "harness/bench.h"

#include <algorithm>
#include <numeric>

static const unsigned long long BEFORE_NS = 60000, AFTER_NS = 40000;
static const double STEADY = 0.005;

double median_of(std::vector<double> values)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double Timing::minimum() const
{
    return *std::min_element(cycles.begin(), cycles.end());
}

double Timing::median() const
{
    return median_of(cycles);
}

double Timing::mean() const
{
    return std::accumulate(cycles.begin(), cycles.end(), 0.0) / cycles.size();
}

double Timing::spread_percent() const
{
    std::vector<double> sorted = cycles;
    std::sort(sorted.begin(), sorted.end());
    const size_t cut = sorted.size() / 10;
    return 100 * (sorted[sorted.size() - 1 - cut] - sorted[cut]) / median();
}

static __device__ unsigned long long timer_ns()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

/* Spins for `ns`; the two stamps are taken where the timer ticks, however coarse it is. */
static __global__ void hold(unsigned long long ns, Stamp *stamp)
{
    const unsigned long long now = timer_ns();
    unsigned long long t = now;
    while (t == now)
        t = timer_ns();
    const unsigned long long from = t, clock = clock64();
    while (t - from < ns)
        t = timer_ns();
    const unsigned long long last = clock64();
    stamp[0] = {from, clock};
    stamp[1] = {t, last};
}

/* Reads all of it: whatever was in L2 goes, and what was dirty is written back. */
static __global__ void read_all(const float4 *data, size_t n, float *sink)
{
    float sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        const float4 v = data[i];
        sum += v.x + v.y + v.z + v.w;
    }
    if (sum == 12345.678f) *sink = sum; /* never: all of it is 0 */
}

static __global__ void nothing()
{
}

static __global__ void work(float *out, int n)
{
    float a = threadIdx.x;
    for (int i = 0; i < n; i++)
        add_one(a);
    out[threadIdx.x] = a;
}

void wake_up()
{
    Array<float> out(1024);
    cudaEvent_t begin, now;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&now));
    CUDA(cudaEventRecord(begin));
    float ms = 0;
    for (int i = 0; i < 100000 && ms < 1000; i++) {
        work<<<1024, 256>>>(out.at(), 100000);
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(now));
        CUDA(cudaEventSynchronize(now));
        CUDA(cudaEventElapsedTime(&ms, begin, now));
    }
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(now));
}

static size_t sweep_words()
{
    int l2 = 0;
    CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    return std::max<size_t>(4 * (size_t)l2, 64 << 20) / 16 * 16 / sizeof(float);
}

Bench::Bench(int runs, bool flush) : runs(runs), flush(flush), sweep(sweep_words()), sink(1), stamps(4)
{
    sweep.zero();
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
}

Bench::One Bench::once(const Run &run)
{
    if (run.reset) run.reset();
    if (flush) read_all<<<1056, 256>>>((const float4 *)sweep.at(), sweep.size() / 4, sink.at());
    hold<<<1, 1>>>(BEFORE_NS, stamps.at());
    CUDA(cudaEventRecord(begin));
    run.launch();
    CUDA(cudaGetLastError());
    CUDA(cudaEventRecord(end));
    hold<<<1, 1>>>(AFTER_NS, stamps.at() + 2);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    float ms = 0;
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    const std::vector<Stamp> at = stamps.get();
    One one = {1000.0 * ms, 1e6 * (at[1].clock - at[0].clock) / (at[1].ns - at[0].ns),
               1e6 * (at[3].clock - at[2].clock) / (at[3].ns - at[2].ns), 0};
    if (run.span) CUDA(cudaMemcpy(&one.span, run.span, sizeof one.span, cudaMemcpyDeviceToHost));
    return one;
}

static bool same(double a, double b)
{
    return std::fabs(a - b) <= STEADY * b;
}

Timing Bench::time(const Run &run)
{
    Timing timing;
    const double off = run.span ? 0 : overhead_us(run.launches);
    std::vector<double> khz, us;
    const One cold = once(run);
    const auto cycles = [&](const One &one) {
        return run.span ? one.span / run.steps : std::max(0.0, one.us - off) * (one.khz + one.khz_after) / 2 / 1000;
    };
    timing.cold = cycles(cold);
    while ((int)timing.cycles.size() < runs) {
        const One one = once(run);
        const bool steady = same(one.khz, one.khz_after) && (khz.empty() || same(one.khz, khz[0]));
        if (!steady && timing.again < 3 * runs) {
            if (++timing.again % runs == 0) khz.clear(), us.clear(), timing.cycles.clear(); /* the first may be the odd one */
            continue;
        }
        timing.unsteady |= !steady;
        timing.cycles.push_back(cycles(one));
        khz.push_back(one.khz);
        us.push_back(std::max(0.0, one.us - off));
    }
    timing.khz = median_of(khz);
    timing.event_us = *std::min_element(us.begin(), us.end());
    lowest_khz = lowest_khz == 0 ? timing.khz : std::min(lowest_khz, timing.khz);
    highest_khz = std::max(highest_khz, timing.khz);
    return timing;
}

double Bench::overhead_us(int launches)
{
    if ((int)overheads.size() <= launches) overheads.resize(launches + 1);
    if (overheads[launches] > 0) return overheads[launches];
    Run empty;
    empty.launch = [=] {
        for (int i = 0; i < launches; i++)
            nothing<<<1, 32>>>();
    };
    std::vector<double> us;
    for (int i = 0; i < 51; i++)
        us.push_back(once(empty).us);
    return overheads[launches] = median_of(us);
}
