#pragma once
/*
 * Energy: what each event at each level of the machine takes, times how often it happened, and leakage, which is power times time. A pure
 * function of counts. Left out (docs/accuracy.md, S33): clock distribution, the front end beyond a fixed sum for each instruction, the host's
 * side, refresh and the idle power of the memory chips, voltage and temperature. Figures: sources E. Those of one level come from one
 * source, not all levels from the same, so ratios are worth more than absolute values.
 *
 * All arithmetic is of integers, in femtojoules, so that results are the same everywhere.
 */
#include <stdint.h>

#include "base/config.h"

/* X(part, meaning): the parts of the sum. */
#define ENERGY_PARTS(X)                                                                     \
    X(register, "Register operands read and written.")                                      \
    X(shared, "Words of shared memory read and written.")                                   \
    X(constant, "Caches of constants, all levels: accesses and fills.")                     \
    X(texture, "Texture caches: accesses and fills.")                                       \
    X(l1, "L1 data caches: accesses, fills, dirty lines read for eviction.")                \
    X(l2, "L2: data read, written, filled, and dirty lines read for eviction.")             \
    X(interconnect, "Flits between clusters, partitions and the third level of constants.") \
    X(dram, "DRAM: data read and written, rows activated.")                                 \
    X(alu, "Arithmetic of active lanes.")                                                   \
    X(issue, "Fetch, decode and issue of warp instructions.")                               \
    X(leakage, "Leakage of the SMs and of the rest of the chip, over the time of the kernel.")

#define ENERGY_ENUM(name, doc) ENERGY_##name,
typedef enum { ENERGY_PARTS(ENERGY_ENUM) ENERGY_N } EnergyPart;
#undef ENERGY_ENUM

enum { ENERGY_SECTOR_BYTES = 32 }; /* what L2, interconnect and DRAM are counted in */

/* Femtojoules of one event; the INI has picojoules with up to three places. */
typedef struct {
    uint64_t register_read, register_write;       /* a 32-bit operand of a thread */
    uint64_t shared_word;                         /* 32 bits of a thread */
    uint64_t constant_access, constant_fill;      /* one look-up at one level; 32 bytes that come in */
    uint64_t texture_access, texture_fill;        /* a line of 32 bytes; 32 bytes that come in */
    uint64_t l1_access, l1_fill;                  /* a line; 32 bytes that come in */
    uint64_t l2_read, l2_write;                   /* 32 bytes */
    uint64_t icnt_flit;                           /* a header, or 32 bytes of data */
    uint64_t dram_read, dram_write;               /* 32 bytes */
    uint64_t dram_activate;                       /* a row, with its precharge */
    uint64_t op_int, op_float, op_sfu, op_double; /* of a lane */
    uint64_t issue;                               /* a warp instruction */
    uint64_t leakage_sm_mw, leakage_chip_mw;      /* milliwatts: of one SM; of the rest */
} EnergyConfig;

extern const GsConfigTable energy_config; /* [energy] */

/* How often each event happened. */
typedef struct {
    uint64_t register_reads, register_writes, shared_words;
    uint64_t constant_accesses, constant_fills, texture_accesses, texture_fills, l1_accesses, l1_fills; /* fills: of 32 bytes */
    uint64_t l2_reads, l2_writes, flits, dram_reads, dram_writes;                                       /* of 32 bytes */
    uint64_t activates;
    uint64_t ops_int, ops_float, ops_sfu, ops_double; /* of lanes */
    uint64_t instructions;                            /* of warps */
    uint64_t cycles, khz, sms;                        /* cycles at khz > 0 that the kernel took, SMs of the chip */
} EnergyCounts;

/* Picojoules of each part, rounded down; what does not fit is UINT64_MAX, 18 MJ. */
typedef struct {
    uint64_t pj[ENERGY_N];
} Energy;

Energy energy_of(const EnergyConfig *config, const EnergyCounts *counts);

/* Whether any event or leakage takes anything: else the machine has no figures. */
bool energy_known(const EnergyConfig *config);

const char *energy_part_name(EnergyPart part);
