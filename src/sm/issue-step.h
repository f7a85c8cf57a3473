#pragma once
/*
 * What issuing an instruction of a program amounts to on a machine, as far as it is known before: worked out once per instruction and
 * kernel, read once per warp instruction.
 */
#include "sm/op-config.h"
#include "sm/register-file.h"
#include "sm/sm-config.h"
#include "trace/program.h"

/* How it is carried out. */
typedef enum {
    ISSUE_ALU, /* its operands come from registers */
    ISSUE_ALU_SHARED,
    ISSUE_ALU_CONSTANT,
    ISSUE_SHARED,
    ISSUE_CONSTANT,
    ISSUE_MEMORY,
    ISSUE_TEXTURE,
    ISSUE_BRANCH,
    ISSUE_BARRIER,
    ISSUE_EXIT,
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
    uint16_t hold;    /* cycles of the issue port */
    uint16_t busy;    /* cycles of the SFU or DP unit */
    uint16_t latency; /* issue to use of the result; of a branch: until the next instruction */
    uint8_t kind;     /* IssueKind */
    uint8_t units;    /* mask of those above */
    uint16_t collect; /* cycles of the port, after `hold`, for operands in each other's way; COLLECT_DYNAMIC: to be worked out */
} IssueStep;

/* Registers given by expressions are known when the instruction issues. */
#define COLLECT_DYNAMIC UINT16_MAX

/* Cycles of the issue port for operands of this instruction that cannot be read at once. */
unsigned issue_collect(const RegisterConfig *config, const Insn *insn, const Program *program);

/* The steps of a program's instructions, one each (those that steer have none); to be freed with g_free. */
IssueStep *issue_steps_new(const Program *program, const SmConfig *sm, const OpConfig *op, const RegisterConfig *registers);
