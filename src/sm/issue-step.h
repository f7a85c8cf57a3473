#pragma once
/*
 * What issuing an instruction of a program amounts to on a machine, as far as it is known before: worked out once per instruction and
 * kernel, read once per warp instruction.
 */
#include "mem/constant-config.h"
#include "sm/op-config.h"
#include "sm/register-file.h"
#include "sm/shared.h"
#include "sm/sm-config.h"
#include "sm/until.h"
#include "trace/program.h"

/* How it is carried out. */
typedef enum {
    ISSUE_ALU, /* its operands come from registers */
    ISSUE_BRANCH,
    ISSUE_PLAIN_TO = ISSUE_BRANCH, /* up to here: takes the port and a unit, and that is all */
    ISSUE_ALU_SHARED,
    ISSUE_SHARED,
    ISSUE_SHARED_TO = ISSUE_SHARED,
    ISSUE_MEMORY,
    ISSUE_TEXTURE,
    ISSUE_EXIT,
    ISSUE_HALTS_FROM, /* from here on: the warp may have to wait for more than the registers of its next instruction */
    ISSUE_ALU_CONSTANT = ISSUE_HALTS_FROM,
    ISSUE_CONSTANT,
    ISSUE_BARRIER,
    ISSUE_FENCE,
} IssueKind;

/* What an instruction may need beside an issue port: a set of these is a bit mask. */
typedef enum {
    UNIT_MEMORY, /* the load/store path */
    UNIT_SHARED, /* the shared memory */
    UNIT_SFU,    /* special functions */
    UNIT_DP,     /* double precision */
    UNIT_N,
} Unit;

/* Not a unit that is needed: where the SFU has a multiplier, it may take this instruction instead of the SPs. */
enum { UNIT_EXTRA_MUL = UNIT_N, UNIT_SETS };

typedef struct {
    InsnCounts *counts; /* of this instruction in the cluster: set when a kernel begins */
    uint32_t result;    /* Until, counted from the issue: when its result may be used, if nothing comes between */
    uint32_t follow;    /* Until, counted from the issue: when the warp may issue again */
    uint16_t hold;      /* cycles of the issue port */
    uint16_t busy;      /* cycles of the SFU or DP unit */
    uint8_t kind;       /* IssueKind */
    uint8_t units;      /* mask of those above */
    bool predicated;
    bool decides;                 /* a conditional branch */
    bool turns : 1;               /* the next scheduler is the first that may use a unit of the SM */
    bool longer : 1;              /* it has `busy` or `collect` */
    bool dynamic;                 /* its registers are given by expressions: they stand in the cursor's instruction, not here */
    uint8_t n_dst;                /* regs[0 .. n_dst) are written */
    uint8_t n_regs;               /* regs[0 .. n_regs) must be ready: those of the instruction, each once */
    uint16_t regs[INSN_REGS_MAX]; /* from n_regs on: where fewer than two, one that is always ready */
    uint16_t written;             /* regs[0]; where none is written, one that nobody reads */
    uint16_t collect; /* cycles of the port, after `hold`, for operands in each other's way; COLLECT_LATER: to be worked out */
} IssueStep;

_Static_assert(sizeof(IssueStep) == 64, "a line of the host's cache each: they are aligned to their size");

/* Registers that a warp has beside its program's: one that is always ready and one that nobody reads, so that each instruction has some. */
enum { REGS_BESIDE = 2 };

/* Where registers are given by expressions, or each warp has its own conflicts. */
#define COLLECT_LATER UINT16_MAX

/* The registers of an instruction, for the one behind it: regs[0 .. n_dst) are written, the others read. */
typedef struct {
    uint16_t regs[INSN_REGS_MAX];
    uint8_t n_dst, n_regs;
} Operands;

static inline Operands operands_of(const Insn *insn)
{
    Operands o = {.n_dst = insn->n_dst, .n_regs = insn->n_regs};
    for (unsigned i = 0; i < insn->n_regs; i++)
        o.regs[i] = insn->regs[i];
    return o;
}

/* Cycles of the issue port for operands of this instruction, in this warp of a block, that cannot be read at once. `before`: the warp's
 * instruction before, where the operands that it had may still be there. */
unsigned issue_collect(const RegisterConfig *config, const Insn *insn, const Operands *before, const Program *program,
                       uint32_t warp);

/* What they are made from. */
typedef struct {
    const SmConfig *sm;
    const OpConfig *op;
    const RegisterConfig *registers;
    const SharedConfig *shared;
    const ConstantConfig *constant;
} IssueSetup;

/* The steps of a program's instructions, one each (those that steer have none); to be freed with g_aligned_free. */
IssueStep *issue_steps_new(const Program *program, const IssueSetup *setup);
