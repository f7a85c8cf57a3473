#pragma once
/*
 * Times a Run. Two ways:
 *
 * - Kernels: the time between two CUDA events around all launches, less the time between two such events around as many launches of an
 *   empty kernel, times the SM clock. The host has queued all of it before the GPU begins, since a kernel that spins for 60 us goes ahead.
 *   Not clock64 of the SMs: their counters need not agree with each other, and stamps in every block would be part of what is measured.
 * - Chains, whose trace states steps: clock64 around the chain, in the kernel, by the number of steps. No clock enters.
 *
 * The SM clock is clock64 over %globaltimer, both read where the timer ticks, in that spinning kernel before each run and in another one
 * behind it. A run in which they differ from each other or from the first by more than half a percent is made again.
 */
#include <vector>

#include "harness/case.h"
#include "harness/device.h"

struct Timing {
    double cold = 0;                 /* cycles of the first run; with its steps: of one */
    std::vector<double> cycles;      /* of the others, in the order in which they were made */
    double event_us = 0;             /* the shortest time between the events, the launch taken off */
    double khz = 0;                  /* median */
    int again = 0;                   /* runs made again since the clock had changed */
    bool unsteady = false;           /* it changed too often: runs of different clocks are among them */
    double minimum() const, median() const, mean() const;
    double spread_percent() const;   /* (largest - smallest) of the middle 80 %, by the median */
};

struct Stamp {
    unsigned long long ns, clock;
};

class Bench {
public:
    Bench(int runs, bool flush);
    Timing time(const Run &run);
    double overhead_us(int launches); /* of so many empty kernels, one behind the other: median */
    double lowest_khz = 0, highest_khz = 0; /* of all runs */

private:
    struct One {
        double us, khz, khz_after;
        unsigned long long span;
    };
    One once(const Run &run);
    int runs;
    bool flush;
    Array<float> sweep; /* larger than L2 several times */
    Array<float> sink;
    Array<Stamp> stamps;
    cudaEvent_t begin, end;
    std::vector<double> overheads; /* by launches; 0: not yet known */
};

double median_of(std::vector<double> values);

/* A second of work, so that the clock has come up. */
void wake_up();
