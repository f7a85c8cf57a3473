#pragma once
/*
 * [registers]: how the register file gives an instruction its operands. All of them are read at once unless some get in each other's
 * way; each further read takes the issue port for read_cycles more and delays the result by as much. What gets in whose way depends on
 * nothing but the register numbers of the instruction and the warps of a block, so it is worked out once for each instruction.
 */
#include "base/config.h"

typedef struct {
    uint32_t conflicts;   /* the rule: none, rows, banks */
    uint32_t banks;       /* rule `banks`: register r is in bank r modulo these */
    uint32_t bank_reads;  /* rule `banks`: registers that one bank gives to an instruction at once */
    uint32_t read_cycles; /* of each read beyond the first */
} RegisterConfig;

extern const GsConfigTable register_config;

/* Cycles that the reads beyond the first take for the operands of an instruction: `n` different registers in a block of `n_warps` warps. */
unsigned register_collect(const RegisterConfig *config, const uint16_t *regs, unsigned n, uint32_t n_warps);
