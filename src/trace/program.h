#pragma once
/*
 * A Program is one launch of a kernel compiled for replay: a flat list of instructions, with every address, bound check and condition
 * prepared so that little is left to do per warp instruction. It is immutable and shared by all warps; what a warp has of
 * its own is its Cursor (cursor.h). There are addresses in it and no values (docs/accuracy.md, S1).
 *
 * An address, like any index or comparison, is held as
 *     uniform part (a running sum in the cursor, advanced by each loop)  +  offset of the lane (a Pattern, fixed for each warp of a block)
 * plus the few terms that fit neither and are evaluated when needed.
 */
#include "base/bits.h"
#include "trace/launch.h"
#include "trace/node.h"

typedef enum {
    /* These issue. */
    INSN_ALU,
    INSN_MEM, /* ld st atom tex; an ALU operation with a memory operand is an INSN_ALU with an access */
    INSN_BAR,
    INSN_MEMBAR,
    INSN_EXIT,
    INSN_BRANCH,
    INSN_ISSUES_N,
    /* These steer the cursor and cost nothing themselves. */
    CTL_LOOP = INSN_ISSUES_N, /* enters loop `ctl` */
    CTL_NEXT,                 /* end of an iteration of loop `ctl` */
    CTL_IF,                   /* decides branch `ctl` */
    CTL_ELSE,
    CTL_ENDIF,
    CTL_END,
} InsnKind;

typedef enum { MEM_LOAD, MEM_STORE, MEM_ATOMIC } MemOp;

enum { INSN_REGS_MAX = 16 };

typedef struct {
    uint8_t kind;          /* InsnKind */
    uint8_t cls;           /* OpClass: its issue cost */
    uint8_t mem;           /* MemOp, where there is an access */
    uint8_t space;         /* Space, where there is an access */
    uint8_t width;         /* bytes per lane of the access */
    uint8_t flops;         /* per lane */
    uint8_t n_dst;         /* regs[0 .. n_dst) are written */
    uint8_t n_regs;        /* regs[0 .. n_regs) must be ready: written, read, via; hidden ones included */
    uint8_t reads, writes; /* register operands of the program, 32-bit, per lane: hidden ones not counted */
    bool if_diverged : 1;  /* INSN_BRANCH: issues only where the warp diverged (the `bra` of else and end) */
    bool decides : 1;      /* INSN_BRANCH: a conditional one (of an if, of a loop), followed by its CTL_ */
    bool ahead : 1;        /* of a loop, whose count and compare are begun at the head of its turn (ProgramOptions.loops_ahead) */
    bool plain : 1; /* issues whenever the one before it has, and as it stands here: no register is given by an expression */
    uint16_t regs[INSN_REGS_MAX];
    int32_t access;    /* index, or -1 */
    int32_t predicate; /* condition index, or -1 */
    int32_t dynamic;   /* index into dynamic registers, or -1 */
    int32_t ctl;       /* loop or branch index */
    int32_t line;
} Insn;

/* Offsets of the lanes of one warp, the smallest being 0. Patterns of one affine form that are equal are one. */
typedef struct {
    int64_t offset[LANES];
    int64_t span; /* the largest offset */
    uint32_t id;  /* unique in the program */
} Pattern;

#define PATTERN_NONE UINT32_MAX

typedef struct {
    const Node *node;
    int64_t coef;
} Term;

typedef struct {
    int64_t base;
    const Pattern *pattern;
    uint32_t id; /* of the pattern: here, since every access of a warp asks for it */
} WarpPattern;

typedef struct {
    int32_t slot;             /* the running sum */
    const WarpPattern *lanes; /* one for each warp of a block; NULL: all lanes alike */
    const Term *uniform;      /* evaluated at each use, once */
    const Term *varying;      /* evaluated at each use, lane by lane */
    uint16_t n_uniform, n_varying;
} Affine;

/* An index that could not be shown to lie inside its array. */
typedef struct {
    Affine index;
    uint64_t dim;
    unsigned which; /* dimension */
    const AstExpr *written;
} BoundCheck;

typedef struct {
    Affine address; /* in the space of the array; of a local array: in the space of each lane's thread */
    const ArrayPlace *place;
    const BoundCheck *checks;
    unsigned n_checks;
    bool simple; /* without checks and terms: its running sum and the offsets of its lanes are all of its address */
    uint32_t n_patterns, first_pattern; /* ids of its patterns: first_pattern .. first_pattern + n_patterns - 1 */
} Access;

typedef struct Cond Cond;
struct Cond {
    enum { COND_UNIFORM, COND_STATIC, COND_COMPARE, COND_LANES, COND_AND, COND_OR, COND_NOT } kind;
    const Node *node;      /* UNIFORM, LANES */
    const LaneMask *masks; /* STATIC: one for each warp of a block */
    Affine diff;           /* COMPARE: diff op 0 */
    uint8_t op;            /* COMPARE: EX_LT ... EX_NE */
    const Cond *a, *b;
};

/* slots[slot] += coef at each iteration */
typedef struct {
    int32_t slot;
    int64_t coef;
} SlotStep;

typedef struct {
    const Node *start, *end, *step; /* values start, start + step, ... not beyond end */
    int64_t trips;                  /* known count, or -1: evaluated on entry */
    bool varies;                    /* lanes may leave at different times: holds a mask-stack entry */
    bool unrolled;                  /* issues nothing of its own: no branch that could diverge */
    uint32_t body, exit;            /* code indices: first instruction of the body; what follows the loop */
    uint32_t issues;                /* instructions issued by one iteration, at least */
    GArray *steps;                  /* of SlotStep */
    int line;
} Loop;

typedef struct {
    const Cond *cond;
    bool varies; /* holds a mask-stack entry */
    bool joins;  /* the branch before its CTL_ENDIF always issues */
    bool has_else;
    bool longer_else;    /* more instructions stand in it than before it */
    uint32_t other, end; /* code indices: the CTL_ELSE (or CTL_ENDIF) and the CTL_ENDIF */
    int line;
} Branch;

/* A slot's value at the start of a warp: c + sum of terms, which depend on the block alone. */
typedef struct {
    int64_t c;
    const Term *terms;
    unsigned n;
} SlotInit;

/* Register operands given by expressions: regs[at .. at + n) = value of node + 0 .. n-1. */
typedef struct {
    const Node *node;
    uint8_t at, n;
} DynamicReg;

typedef struct {
    const DynamicReg *regs;
    unsigned n;
} DynamicRegs;

typedef struct Program Program;
struct Program {
    const AstTrace *trace;
    const AstKernel *kernel;
    uint32_t grid[3], block[3];
    uint64_t n_blocks;
    uint32_t n_threads, n_warps; /* of one block */
    uint32_t regs;               /* per thread, as declared */
    uint32_t n_regs;             /* with the hidden ones: loop counters and a predicate */
    uint64_t shared_bytes;       /* static and dynamic, per block, without arguments */
    uint64_t local_bytes;        /* per thread: its local arrays, a multiple of 16 */
    uint64_t args_bytes;
    int64_t useful_bytes;      /* -1: not stated */
    int64_t flops;             /* floating-point operations, by `flops`; -1: not stated, they are those of the instructions */
    uint64_t steps;            /* that wait for each other, by `steps`; 0: not stated */
    uint32_t mask_stack_depth; /* deepest nesting of lane-dependent control */
    int mask_stack_line[65];   /* [d]: first line that needs depth d */
    uint64_t max_instructions;
    bool one_path; /* as in ProgramOptions */

    const Insn *code;
    uint32_t n_code;
    const Access *accesses;
    uint32_t n_accesses;
    const Cond *const *conds;
    const Loop *loops;
    const Branch *branches;
    const SlotInit *slots;
    const DynamicRegs *dynamics;
    uint32_t n_loops, n_branches, n_conds, n_slots, n_dynamics, n_patterns;

    int32_t (*tid)[3][LANES]; /* for each warp of a block: tid.x y z of its lanes */
    LaneMask *natural;        /* for each warp of a block: the lanes that exist */

    struct ProgramOwned *owned; /* storage */
};

/* What becomes of an `if` that controls few instructions. */
typedef enum {
    SHORT_BRANCH_NEVER,     /* a branch, as any other */
    SHORT_BRANCH_PREDICATE, /* predicated code, wherever it can be, however long */
    SHORT_BRANCH_AUTO,      /* predicated code up to the compiler's thresholds */
} ShortBranch;

extern const char *const short_branch_names[]; /* for the configuration; same order */

/* What the machine has to say about how a kernel is compiled. */
typedef struct {
    uint64_t max_instructions; /* of one warp */
    bool memory_operands;      /* ALU operations may take an operand from shared or constant memory; else a load comes before */
    ShortBranch short_branch;
    bool loops_ahead; /* a loop's branch gives out its counter for the next turn: the step that adds to it waits for that */
    bool
        convergence; /* an `if` that holds an entry of the mask stack has a branch at its end that always issues: where its lanes join */
    bool one_path; /* where a warp diverges at an `if` with an `else`, it takes one side alone: that of more instructions */
} ProgramOptions;

/* Compiles one launch. All faults come in one error. */
Program *program_new(const LaunchPlan *plan, const Launch *launch, const ProgramOptions *options, GError **error);
void program_free(Program *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Program, program_free)
