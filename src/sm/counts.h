#pragma once
/*
 * What the SMs of a cluster count. Nearly everything is counted per instruction of the program, in one array that the hot path touches
 * once; totals, counts per trace line and JSON groups are sums over it, made when the kernel ends.
 */
#include <stdint.h>

/* X(reason, meaning): what a warp waits for. */
#define WAIT_REASONS(X)                                                                                           \
    X(alu, "waited for the result of an arithmetic instruction")                                                  \
    X(memory, "waited for data from memory or shared memory")                                                     \
    X(barrier, "waited at a barrier")                                                                             \
    X(bank_conflict, "waited for a shared access that took more passes than one per group, or for one to finish") \
    X(memory_pipe, "a memory instruction found the load/store path or its slots taken")                           \
    X(unit, "an arithmetic unit was busy")                                                                        \
    X(cache, "waited for a constant or texture cache")                                                            \
    X(operand, "waited for register operands to be collected")                                                    \
    X(branch, "waited for a branch to resolve")

/* X(reason, meaning): why a scheduler did not issue, or that it did. Every cycle of every scheduler has exactly one. */
#define STALL_REASONS(X)                                          \
    X(issued, "the issue port was held by an instruction")        \
    X(no_warp, "no block on the SM")                              \
    X(dispatch, "a block was on its way to an SM without blocks") \
    WAIT_REASONS(X)

#define STALL_ENUM(name, doc) STALL_##name,
typedef enum { STALL_REASONS(STALL_ENUM) STALL_N } StallReason;
#undef STALL_ENUM

const char *stall_name(StallReason reason);
const char *stall_doc(StallReason reason);

typedef struct {
    uint64_t issued;         /* times issued, by a warp */
    uint64_t lanes;          /* sum over those of active lanes */
    uint64_t port_cycles;    /* scheduler cycles in which it held the issue port */
    uint64_t stall_cycles;   /* scheduler cycles in which this instruction was what the first warp waited with */
    uint64_t replay_cycles;  /* scheduler cycles in which it issued again for bank conflicts */
    uint64_t collect_cycles; /* scheduler cycles in which its operands were in each other's way */
    uint64_t diverged;       /* times that it split its warp */
    uint64_t requests;       /* memory: times issued with at least one lane */
    uint64_t request_lanes;  /* memory: sum over those of active lanes */
    uint64_t transactions, bytes_moved, bytes_used; /* memory spaces behind the coalescer */
    uint64_t passes, groups, broadcasts;            /* shared memory: passes; passes it would take without conflicts */
} InsnCounts;
