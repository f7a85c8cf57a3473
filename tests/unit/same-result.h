#pragma once
/* Two runs that are to have counted the same. */
#include <string.h>

#include "holds.h"
#include "simulate.h"

static inline void assert_same_lines(const KernelResult *a, const KernelResult *b)
{
    HOLDS(a->n_lines == b->n_lines);
    for (unsigned i = 0; i < a->n_lines; i++) {
        const LineResult *x = &a->lines[i], *y = &b->lines[i];
        HOLDS(x->line == y->line);
        HOLDS(x->issued == y->issued);
        HOLDS(x->requests == y->requests);
        HOLDS(x->transactions == y->transactions);
        HOLDS(x->passes == y->passes);
        HOLDS(x->conflict_passes == y->conflict_passes);
    }
}

/* Every counter, hidden ones included: the structs hold nothing but counters up to `partitions`. */
static inline void assert_identical(const KernelResult *a, const KernelResult *b)
{
    HOLDS(memcmp(a, b, offsetof(KernelResult, partitions)) == 0);
    HOLDS(a->n_partitions == b->n_partitions);
    HOLDS(memcmp(a->partitions, b->partitions, a->n_partitions * sizeof *a->partitions) == 0);
    HOLDS(a->n_lines == b->n_lines);
    for (unsigned i = 0; i < a->n_lines; i++)
        HOLDS(a->lines[i].stall_cycles == b->lines[i].stall_cycles);
    assert_same_lines(a, b);
}
