#pragma once
/* Two runs that are to have counted the same. */
#include "simulate.h"

static inline void assert_same_lines(const KernelResult *a, const KernelResult *b)
{
    ck_assert_uint_eq(a->n_lines, b->n_lines);
    for (unsigned i = 0; i < a->n_lines; i++) {
        const LineResult *x = &a->lines[i], *y = &b->lines[i];
        ck_assert_int_eq(x->line, y->line);
        ck_assert_uint_eq(x->issued, y->issued);
        ck_assert_uint_eq(x->requests, y->requests);
        ck_assert_uint_eq(x->transactions, y->transactions);
        ck_assert_uint_eq(x->passes, y->passes);
        ck_assert_uint_eq(x->conflict_passes, y->conflict_passes);
    }
}

/* Every counter, hidden ones included: the structs hold nothing but counters up to `partitions`. */
static inline void assert_identical(const KernelResult *a, const KernelResult *b)
{
    ck_assert_mem_eq(a, b, offsetof(KernelResult, partitions));
    ck_assert_uint_eq(a->n_partitions, b->n_partitions);
    ck_assert_mem_eq(a->partitions, b->partitions, a->n_partitions * sizeof *a->partitions);
    ck_assert_uint_eq(a->n_lines, b->n_lines);
    for (unsigned i = 0; i < a->n_lines; i++)
        ck_assert_uint_eq(a->lines[i].stall_cycles, b->lines[i].stall_cycles);
    assert_same_lines(a, b);
}
