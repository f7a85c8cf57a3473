#pragma once
/*
 * [registers]: how the register file gives an instruction its operands. Each operand is a read; where operands get in each other's way
 * there are more, and each takes the issue port for read_cycles and may delay the result by as much. What gets in whose way depends on
 * nothing but the register numbers of the instruction and of the one before it, the size of the block and the warp's place in it.
 */
#include "base/config.h"

/* REGISTER_LATE_CONTENDED: where another warp of the scheduler is ready to issue right behind. */
typedef enum { REGISTER_LATE_NO, REGISTER_LATE_YES, REGISTER_LATE_CONTENDED } RegisterLate;

typedef struct {
    uint32_t conflicts;   /* the rule: none, rows, banks */
    uint32_t banks;       /* rule `banks`: register r is in bank r modulo these */
    uint32_t bank_reads;  /* rule `banks`: registers that one bank gives to an instruction at once */
    uint32_t read_cycles; /* of each further read */
    bool reuse;           /* an operand that the warp's instruction before had in the same place is not read again */
    uint32_t late;        /* RegisterLate: whether further reads delay the result, too */
} RegisterConfig;

extern const GsConfigTable register_config;

/* The warp whose operands are read. */
typedef struct {
    uint32_t block_threads, warp; /* threads of a block; number of the warp in it */
} RegisterReader;

/* Cycles of the further reads for `n` different registers. */
unsigned register_collect(const RegisterConfig *config, const uint16_t *regs, unsigned n, RegisterReader reader);

/* Whether they depend on the warp. */
bool register_collect_varies(const RegisterConfig *config, uint32_t block_threads);
