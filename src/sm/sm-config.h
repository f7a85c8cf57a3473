#pragma once
/* [sm]: the streaming multiprocessor. Default values are a GeForce 8800 GTX's; later machines issue by the same rules (docs/accuracy.md,
 * S23). */
#include "base/config.h"

/* To whom the special-function and double-precision units belong. */
enum { UNITS_OF_SM, UNITS_OF_SCHEDULER };

typedef struct {
    uint32_t khz;                /* SM (shader) clock: the clock of every Cycle */
    uint64_t compute_capability; /* in thousandths */
    uint32_t count;              /* SMs of the chip */
    uint32_t per_cluster;        /* SMs of one cluster (TPC), which share its port of the interconnect */
    uint32_t schedulers;         /* of one SM; a warp belongs to scheduler (its slot modulo their number) */
    uint32_t scheduler;          /* index into scheduler_names */
    uint32_t units;              /* UNITS_OF_SM, UNITS_OF_SCHEDULER */
    bool units_turn;             /* which scheduler comes first to the SM's units: the one behind that which used one last */
    uint32_t lanes;              /* of one scheduler: a warp holds the port 32/lanes cycles for a memory or barrier instruction */
    bool memory_operands;        /* an ALU operation may take one operand from shared or constant memory */
    uint32_t shared_operand_cycles; /* issue cycles of an operation that does, and of a shared load: a move of such an operand */
    uint32_t sfu_mul_cycles;        /* of the SFU for a multiplication that it takes from the SPs; 0: it never does */
    uint32_t barrier_cycles;        /* from the last arrival at a barrier until its warps may issue */
    uint32_t mask_stack_depth;
    uint32_t short_branch;       /* ShortBranch */
    uint32_t loop_cycles;        /* from a loop's branch until its counter may be added to again; 0: as any register */
    uint32_t join_cycles;        /* of the branches at else and end of an if whose lanes may disagree; 0: as any branch */
    uint32_t memory_slots;       /* warp memory instructions in flight */
    uint32_t memory_cycles;      /* issue of a memory instruction until its first transaction leaves the SM */
    uint32_t transaction_cycles; /* between two transactions of one instruction */
    uint32_t store_requests;     /* stores that wait for the way out, where others may join them; 0: none does */
    uint32_t store_lines;        /* of a store that others may join, at most */
    uint32_t store_cycles;       /* the last one waits for another to join it */
    uint32_t writeback_cycles;   /* arrival of the last data until a dependent instruction may issue */
} SmConfig;

extern const GsConfigTable sm_config;
