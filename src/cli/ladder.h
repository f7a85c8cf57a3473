#pragma once
/*
 * The levels of storage of a machine, from registers to global memory, each with the latency that a chain of dependent steps measures on the
 * simulated machine. A level's trace is made here, with sizes by the configuration, and run with n steps and with 2n: the difference over n
 * is free of the start of the kernel, of its end and of caches that fill. What a machine lacks has a reason in place of a latency.
 */
#include "cli/simulations.h"

typedef struct {
    const char *name;
    const char *scope;   /* who sees what it holds: thread, block, device */
    const char *manager; /* who decides what it holds: compiler, programmer, hardware */
    const char *of;      /* what has one of `bytes`: "SM", "cluster", "chip"; NULL: the configuration has no size */
    uint64_t bytes;
    uint64_t registers; /* of an SM, 32-bit; 0 for other levels */
    char *absent;       /* why there is none, or why it cannot be measured; NULL: there is */
    char *trace;        /* its trace, of `steps` n; NULL when absent */
    uint64_t steps;     /* n */
    double latency;     /* cycles of a step; NAN when absent */
} LadderLevel;

typedef struct {
    const Machine *machine;
    GArray *levels; /* of LadderLevel: by latency, absent ones last */
} Ladder;

/* Measures all levels. False when a run did not come to its end (limits). The machine must outlive the ladder, which is cleared either way. */
bool ladder_measure(const Machine *machine, Ladder *ret, GError **error);
void ladder_clear(Ladder *ladder);
