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

struct Timing {
    double cold = 0;                 /* cycles of the first run; with its steps: of one */
    std::vector<double> cycles;      /* of the others, in the order in which they were made; the copies take turns */
    int copies = 1;
    double launch_us = 0;            /* what was taken off; 0 for a chain */
    double event_us = 0;             /* the shortest time between the events, the launch taken off */
    double khz = 0;                  /* median */
    int again = 0;                   /* runs made again since the clock had changed */
    bool unsteady = false;           /* it changed too often: runs of different clocks are among them */
    double minimum() const, median() const, mean() const;
    double value() const;            /* middle_of the runs: what a row says */
    double spread_percent() const;   /* (largest - smallest) of the middle 80 %, by the median */
    double copies_percent() const;   /* (largest - smallest) of the values of the copies, by the value */
};

struct Stamp {
    unsigned long long ns, clock;
};

class Bench {
public:
    Bench(int runs, bool flush);
    Timing time(const std::vector<Run> &copies); /* of one row: its arrays at several places, since these matter to L2 and DRAM */
    Timing time(const Run &run) { return time(std::vector<Run>{run}); }
    double overhead_us(int launches); /* of so many empty kernels, one behind the other */
    double lowest_khz = 0, highest_khz = 0; /* of all runs */

private:
    struct One {
        double us, khz, khz_after;
        unsigned long long span;
    };
    One once(const Run &run);
    void finish(const Run &run, const std::vector<One> &ones, Timing *timing);
    int runs;
    bool flush;
    Array<float> sweep; /* larger than L2 several times */
    Array<float> sink;
    Array<Stamp> stamps;
    std::vector<cudaEvent_t> events; /* before and behind each launch */
};

double median_of(std::vector<double> values);

/* The mean of the middle half. As robust as the median, and not bound to the 32 ns in which events are told. */
double middle_of(std::vector<double> values);

/* A second of work, so that the clock has come up. */
void wake_up();
