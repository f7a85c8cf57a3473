#include "harness/bench.h"

#include <algorithm>

static const unsigned long long BEFORE_NS = 60000, BETWEEN_NS = 20000, AFTER_NS = 40000;
static const double STEADY = 0.005;

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

Bench::Bench(int runs, bool flush) : runs(runs), flush(flush), sweep(sweep_words()), sink(1), stamps(6)
{
    sweep.zero();
}

/* What was launched between the events of each launch, all queued at once. */
static double elapsed_us(const std::vector<cudaEvent_t> &events, int launches)
{
    double us = 0;
    for (int k = 0; k < launches; k++) {
        float ms = 0;
        CUDA(cudaEventElapsedTime(&ms, events[2 * k], events[2 * k + 1]));
        us += 1000.0 * ms;
    }
    return us;
}

Bench::One Bench::once(const Run &run)
{
    if (run.reset) run.reset();
    if (flush) read_all<<<1056, 256>>>((const float4 *)sweep.at(), sweep.size() / 4, sink.at());
    while (events.size() < 2 * (size_t)run.launches) {
        events.emplace_back();
        CUDA(cudaEventCreate(&events.back()));
    }
    for (int k = 0; k < run.launches; k++) {
        if (k == 0 || !run.span) hold<<<1, 1>>>(k ? BETWEEN_NS : BEFORE_NS, stamps.at() + (k ? 4 : 0));
        CUDA(cudaEventRecord(events[2 * k]));
        run.pass ? run.pass(k) : run.launch();
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(events[2 * k + 1]));
    }
    hold<<<1, 1>>>(AFTER_NS, stamps.at() + 2);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    const std::vector<Stamp> at = stamps.get();
    One one = {elapsed_us(events, run.launches), 1e6 * (at[1].clock - at[0].clock) / (at[1].ns - at[0].ns),
               1e6 * (at[3].clock - at[2].clock) / (at[3].ns - at[2].ns), 0};
    if (run.span) CUDA(cudaMemcpy(&one.span, run.span, sizeof one.span, cudaMemcpyDeviceToHost));
    return one;
}

static bool same(double a, double b)
{
    return std::fabs(a - b) <= STEADY * b;
}

static Run empty_kernels(int launches)
{
    Run empty;
    empty.launch = [=] {
        for (int i = 0; i < launches; i++)
            nothing<<<1, 32>>>();
    };
    return empty;
}

Timing Bench::time(const std::vector<Run> &places)
{
    Timing timing;
    const Run &first = places[0], empty = empty_kernels(1);
    std::vector<One> ones{once(first)}; /* the cold one goes ahead */
    std::vector<double> launch_us{first.span ? 0 : once(empty).us};
    while ((int)ones.size() <= runs) {
        const One one = once(places[(ones.size() - 1) % places.size()]);
        if (!first.span) launch_us.push_back(once(empty).us);
        const bool steady = same(one.khz, one.khz_after) && (ones.size() == 1 || same(one.khz, ones[1].khz));
        if (!steady && timing.again < 3 * runs) {
            if (++timing.again % runs == 0) ones.resize(1); /* the first may be the odd one */
            continue;
        }
        timing.unsteady |= !steady;
        ones.push_back(one);
    }
    timing.places.resize(std::min(places.size(), ones.size() - 1));
    timing.chain = first.span;
    timing.launches = first.launches;
    timing.dram_bytes = first.least.dram_bytes;
    timing.launch_us = middle_of(launch_us) * first.launches;
    finish(first, ones, &timing);
    return timing;
}

/* What the runs come to, once it is known what a launch takes. */
void Bench::finish(const Run &run, const std::vector<One> &ones, Timing *timing)
{
    std::vector<double> khz, us;
    for (const One &one : ones) {
        us.push_back(std::max(0.0, one.us - timing->launch_us));
        khz.push_back(one.khz);
        const double cycles = run.span ? one.span / run.steps : us.back() * (one.khz + one.khz_after) / 2 / 1000;
        if (us.size() == 1)
            timing->cold = cycles;
        else
            timing->places[(us.size() - 2) % timing->places.size()].push_back(cycles);
    }
    timing->khz = median_of(khz);
    timing->event_us = *std::min_element(us.begin(), us.end());
}

double Bench::overhead_us(int launches)
{
    std::vector<double> us;
    for (int i = 0; i < 51; i++)
        us.push_back(once(empty_kernels(launches)).us);
    return middle_of(us);
}
