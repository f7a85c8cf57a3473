#pragma once
/*
 * Hong and Kim's closed form for the cycles of a kernel (ISCA 2009; the equations and their worked example: sources D9). It compares how
 * many warps of an SM can wait for memory at the same time (MWP) with how many warps' computation fits into one warp's memory time (CWP).
 * It knows counts, a latency, how fast one access follows another and a bandwidth; no caches, no bank conflicts, no divergence, no order of
 * instructions. A pure function of its input.
 */
#include <stdint.h>

#include "base/config.h"

typedef struct {
    uint32_t mem_latency;           /* of an access, unloaded; 0: of the machine described by the other sections */
    uint32_t departure_coalesced;   /* between coalesced accesses of an SM; 0: as above */
    uint32_t departure_uncoalesced; /* between transactions of one that is not coalesced; 0: as above */
} MwpCwpConfig;

extern const GsConfigTable mwp_cwp_config; /* [mwp-cwp] */

/* Averages where warps differ. Times in cycles of the SM clock. */
typedef struct {
    double mem_latency, departure_coalesced, departure_uncoalesced;
    double issue_cycles; /* of an instruction, on one SM */
    double sm_hz;
    double bytes_per_second; /* of the memory, at its peak */
    double sms;              /* that have blocks */
    double blocks;           /* of the launch */
    double blocks_per_sm;    /* at once */
    double warps_per_block;
    /* Of a warp: */
    double compute_instructions;
    double coalesced_accesses, uncoalesced_accesses;
    double transactions; /* of an uncoalesced access */
    double bytes;        /* asked for by an access */
    double barriers;
} MwpCwpInput;

/* X(case, name, meaning) */
#define MWP_CWP_CASES(X)                                                        \
    X(NO_MEMORY, "no-memory", "no access to memory: computation alone")         \
    X(FEW_WARPS, "few-warps", "too few warps to fill memory or computation")    \
    X(MEMORY, "memory", "the time is that of memory; computation is behind it") \
    X(COMPUTE, "compute", "the time is that of computation; memory is behind it")

#define MWP_CWP_ENUM(id, name, doc) MWP_CWP_##id,
typedef enum { MWP_CWP_CASES(MWP_CWP_ENUM) MWP_CWP_N } MwpCwpCase;
#undef MWP_CWP_ENUM

const char *mwp_cwp_case_name(MwpCwpCase which);
const char *mwp_cwp_case_doc(MwpCwpCase which);

/* The names of the paper in parentheses. Times in cycles. */
typedef struct {
    double warps;                 /* of an SM at once (N) */
    double latency_uncoalesced;   /* of an uncoalesced access (Mem_L_uncoal) */
    double latency;               /* of the mean access (Mem_L) */
    double departure;             /* from one access of an SM to the next (departure delay) */
    double mwp_latency;           /* most warps that wait together, by latency and departure (MWP_Without_BW) */
    double warp_bytes_per_second; /* of a warp that always waits (BW_per_warp) */
    double mwp_bandwidth;         /* most warps that wait together, by bandwidth (MWP_peak_BW) */
    double mwp;                   /* the least of these and N */
    double compute_cycles;        /* of a warp (Comp_cycles) */
    double memory_cycles;         /* of a warp (Mem_cycles) */
    double cwp;
    double rounds;         /* of blocks, one after the other (Rep); a part of a round counts as that part */
    double barrier_cycles; /* (Synch_cost) */
    double cycles;         /* of the launch, with barrier_cycles */
    MwpCwpCase which;
} MwpCwp;

/* Every count is 0 or more; latency, departures, issue cycles, clock, bandwidth, SMs and blocks are more than 0. */
MwpCwp mwp_cwp(const MwpCwpInput *input);
