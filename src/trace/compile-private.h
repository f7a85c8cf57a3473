#pragma once
/* The compiler from AstKernel to Program: its state, shared by the files compile-*.c. */
#include "trace/eval.h"
#include "trace/linear.h"
#include "trace/program.h"

typedef struct {
    const char *name;
    const Node *value;
} Named;

/* What predicated code is under: the condition and the hidden register that holds it; cond -1: nothing. */
typedef struct {
    int cond;
    unsigned reg;
} Guard;

typedef struct {
    Program *p;
    const LaunchPlan *plan;
    const Launch *launch;
    const ProgramOptions *options;
    NodePool *pool;
    Faults *faults;
    GPtrArray *owned;    /* every array that the program refers to */
    GArray *scope;       /* of Named, innermost last */
    GArray *code;        /* of Insn */
    GArray *accesses;    /* of Access */
    GPtrArray *conds;    /* of Cond */
    GArray *loops;       /* of Loop */
    GArray *branches;    /* of Branch */
    GArray *slots;       /* of SlotInit */
    GArray *dynamics;    /* of DynamicRegs */
    GPtrArray *iters;    /* of const Node: the ND_ITER of each loop */
    GPtrArray *places;   /* of ArrayPlace: shared and local arrays */
    GArray *loop_issues; /* of bool: whether loop k is a `loop`, which issues instructions, or a `for` */
    Guard guard;         /* of the predicated code that is being compiled */
    unsigned mask_depth;
    unsigned hidden, hidden_max; /* registers of HIDDEN_NESTED: in use, needed */
} Compiler;

/* Hidden registers come after the declared ones: the predicate of branches, two for an operand loaded from memory, then a stack of what
 * nested statements need: loop counters, predicates of predicated code. */
enum { HIDDEN_PREDICATE, HIDDEN_OPERAND, HIDDEN_NESTED = HIDDEN_OPERAND + 2 };

/* Memory that lives as long as the program. */
void *compile_own(Compiler *c, gsize bytes);
void *compile_own_copy(Compiler *c, const void *data, gsize bytes);

/* Binds an expression in the present scope; NULL with a fault reported. */
const Node *compile_bind(Compiler *c, const AstExpr *expr);

/* Puts a `let` in scope. One with a fault, which is reported, stands for 0, so that its uses do not report it again. */
void compile_name(Compiler *c, const char *name, const AstExpr *value);

/* compile-affine.c: a linear form as an Affine. `pattern` asks for a lane pattern even if all lanes are alike. */
Affine compile_affine(Compiler *c, const Linear *form, bool pattern);
Linear compile_linear(Compiler *c, const Node *node);

/* compile-access.c: index of the access, -1 with a fault reported. */
int compile_access(Compiler *c, const AstMem *mem);

/* compile-cond.c: index of the condition; of both together, of which either may be -1, always; of its opposite. */
int compile_cond(Compiler *c, const Node *node);
int compile_both(Compiler *c, int a, int b);
int compile_not(Compiler *c, int cond);

/* compile-insn.c: emits one instruction of the trace. */
void compile_insn(Compiler *c, const AstStmt *s);
Insn *compile_emit(Compiler *c, InsnKind kind, int line);
void insn_uses(Insn *insn, unsigned reg, unsigned n);
void insn_guard(Compiler *c, Insn *insn);

/* compile-stmt.c */
void compile_body(Compiler *c, const GPtrArray *body);
void compile_nested(Compiler *c, const GPtrArray *body);                  /* in a scope of its own */
void compile_set(Compiler *c, int line, unsigned predicate, int counter); /* counter: the register it compares, or -1 */
unsigned compile_hidden(Compiler *c);                                     /* takes the next register of HIDDEN_NESTED */
int64_t compile_most_trips(const Node *start, const Node *end, const Node *step);

/* compile-short.c: is this `if`, whose condition is `node`, to become predicated code; and makes it so. */
bool compile_is_short(Compiler *c, const AstStmt *s);
void compile_short(Compiler *c, const AstStmt *s, const Node *node);
