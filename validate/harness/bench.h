#pragma once
/*
 * Times a Run. Two ways:
 *
 * - Kernels: the time between two CUDA events around a launch, less the time between two such events around the launch of an empty kernel,
 *   times the SM clock. The host has queued all of it before the GPU begins, since a kernel that spins for 60 us goes ahead. Several launches
 *   are timed each for itself, behind a spinning kernel, and added: the gap between launches back to back changes by a microsecond from
 *   one process to the next. Empty kernels take turns with the row's runs, since their time drifts as well.
 *   Not clock64 of the SMs: their counters need not agree with each other, and stamps in every block would be part of what is measured.
 * - Chains, whose trace states steps: clock64 around the chain, in the kernel, by the number of steps. No clock enters.
 *
 * The SM clock is clock64 over %globaltimer, both read where the timer ticks, in that spinning kernel before each run and in another one
 * behind it. A run in which they differ from each other or from the first by more than half a percent is made again.
 */
#include <vector>

#include "harness/case.h"
#include "harness/device.h"
#include "harness/timing.h"

struct Stamp {
    unsigned long long ns, clock;
};

class Bench {
public:
    Bench(int runs, bool flush);
    const int runs; /* of `time`, behind the cold one */
    Timing time(const std::vector<Run> &places); /* of one row: its arrays at several places, which take turns */
    Timing time(const Run &run) { return time(std::vector<Run>{run}); }
    double overhead_us(int launches); /* of so many empty kernels, one behind the other */

private:
    struct One {
        double us, khz, khz_after;
        unsigned long long span;
    };
    One once(const Run &run);
    void finish(const Run &run, const std::vector<One> &ones, Timing *timing);
    bool flush;
    Array<float> sweep; /* larger than L2 several times */
    Array<float> sink;
    Array<Stamp> stamps;
    std::vector<cudaEvent_t> events; /* before and behind each launch */
};

/* A second of work, so that the clock has come up. */
void wake_up();
