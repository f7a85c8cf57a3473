#pragma once
/*
 * A trace as written: the syntax tree that the parser makes of a file. Names are still names; nothing is evaluated. The
 * tree belongs to its AstTrace and is immutable once parsed. Each launch turns it into a Program (program.h).
 */
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "base/faults.h"
#include "trace/op.h"

/* ---- expressions ---- */

/* clang-format off */
/* X(name, text, precedence): binary operators of C, higher binds tighter. */
#define AST_BINARY(X)                                                                                         \
    X(MUL, "*", 10) X(DIV, "/", 10) X(REM, "%", 10) X(ADD, "+", 9) X(SUB, "-", 9) X(SHL, "<<", 8) X(SHR, ">>", 8) \
    X(LT, "<", 7) X(LE, "<=", 7) X(GT, ">", 7) X(GE, ">=", 7) X(EQ, "==", 6) X(NE, "!=", 6) X(AND, "&", 5)     \
    X(XOR, "^", 4) X(OR, "|", 3) X(LAND, "&&", 2) X(LOR, "||", 1)

typedef enum {
    EX_CONST,              /* value */
    EX_NAME,               /* name: a parameter, a let, a loop variable */
    EX_BUILTIN,            /* builtin: tid.x ... */
    EX_NEG, EX_NOT, EX_INV, /* - ! ~ of a */
#define AST_EX(name, text, prec) EX_##name,
    AST_BINARY(AST_EX) /* a op b */
#undef AST_EX
    EX_COND,              /* a ? b : c */
    EX_MIN, EX_MAX,       /* of a, b */
    EX_HASH,              /* of a: the 64-bit mixer with the top bit cleared */
    EX_TABLE,             /* table[a], table[a][b], table[a][b][c] */
} ExprOp;

/* Identities of the hardware, PTX's names. */
typedef enum {
    BI_TID_X, BI_TID_Y, BI_TID_Z,
    BI_NTID_X, BI_NTID_Y, BI_NTID_Z,
    BI_CTAID_X, BI_CTAID_Y, BI_CTAID_Z,
    BI_NCTAID_X, BI_NCTAID_Y, BI_NCTAID_Z,
    BI_LANEID, BI_WARPID,
    BI_N,
} Builtin;
/* clang-format on */

typedef struct AstTable AstTable;
typedef struct AstExpr AstExpr;
struct AstExpr {
    ExprOp op;
    int line, column;
    int64_t value;
    Builtin builtin;
    const char *name;
    const AstTable *table;
    const AstExpr *a, *b, *c;
};

/* ---- declarations ---- */

typedef enum { SPACE_GLOBAL, SPACE_SHARED, SPACE_CONST, SPACE_TEX, SPACE_LOCAL, SPACE_N } Space;

const char *space_name(Space space); /* "global", "shared", ... */

enum { AST_DIMS_MAX = 3 };

typedef struct {
    const char *name;
    Space space;
    int line, column;
    unsigned n_dims;
    const AstExpr *dims[AST_DIMS_MAX];
    const AstExpr *at;   /* `@ address`, or NULL: placed in order */
    unsigned elem_bytes; /* f32x2: 8 */
    bool vector;         /* x2, x4 */
    unsigned elem_regs;  /* consecutive registers of one element: 1 up to 4 bytes, 2 for 8 (f64, f32x2), 4 for 16 (f32x4) */
} AstArray;

typedef struct {
    const char *name;
    const AstExpr *value;
    int line, column;
} AstNamed; /* param NAME = value; with NAME = value */

/* Integers for indirect addressing, looked up by expressions. They are no memory of the machine. */
struct AstTable {
    const char *name;
    int line, column;
    unsigned index; /* in AstTrace.tables */
    unsigned n_dims;
    const AstExpr *dims[AST_DIMS_MAX];
    GPtrArray *values; /* of AstExpr: the last dimension runs fastest */
    const char *from;  /* the file to read instead, as written; NULL when the values are here */
};

/* ---- statements of a kernel ---- */

/* A register operand: rN, or r[EXPR]. */
typedef struct {
    const AstExpr *index; /* rN: an EX_CONST */
    int line, column;
} AstReg;

/* A memory operand NAME[i][j][k]. */
typedef struct {
    const AstArray *array;
    unsigned n_indices;
    const AstExpr *indices[AST_DIMS_MAX];
    int line, column;
} AstMem;

/* clang-format off */
typedef enum {
    ST_LD, ST_ST, ST_ATOM, ST_TEX, ST_ALU, /* instructions with operands */
    ST_BAR, ST_MEMBAR, ST_EXIT,            /* instructions without */
    ST_LET,                                /* name = a */
    ST_FOR, ST_LOOP,                       /* name = a to b step c; body.  `repeat n` is FOR with name NULL, a = 1, b = n */
    ST_IF,                                 /* a; body; other */
} StmtKind;
/* clang-format on */

enum { AST_SOURCES_MAX = 3, AST_VIA_MAX = 4 };

typedef struct AstStmt AstStmt;
struct AstStmt {
    StmtKind kind;
    int line, column;
    const OpInfo *op;         /* ST_ALU */
    const AstExpr *predicate; /* `@cond`, or NULL */
    bool has_dst;
    AstReg dst;         /* ld, atom, tex, ALU */
    unsigned n_sources; /* register sources: of an ALU operation, the data of st and atom */
    AstReg sources[AST_SOURCES_MAX];
    bool has_mem; /* the memory operand: of ld st atom tex, or the one of an ALU operation */
    AstMem mem;
    unsigned n_via;
    AstReg via[AST_VIA_MAX];
    const char *name;
    const AstExpr *a, *b, *c; /* c: NULL when no step is written */
    bool has_else;
    GPtrArray *body, *other; /* of AstStmt */
    int end_line, else_line;
};

/* ---- kernels and launches ---- */

typedef struct {
    const char *name;
    int line, column, end_line;
    unsigned n_grid, n_block; /* how many of the three were written; at least 1 each */
    const AstExpr *grid[3], *block[3];
    const AstExpr *regs;                                  /* never NULL */
    const AstExpr *args, *shmem, *useful, *steps, *flops; /* NULL when absent */
    GPtrArray *arrays;                                    /* of AstArray: shared and local */
    GPtrArray *lets;                                      /* of AstNamed: lets before the first instruction, in order */
    GPtrArray *requires;                                  /* of AstRequire */
    GPtrArray *body;                                      /* of AstStmt */
    GPtrArray *uses;        /* of AstArray: global, const and tex arrays that the body names, each once */
    unsigned n_params_used; /* parameters named anywhere in the kernel, each counted once */
} AstKernel;

typedef struct {
    const AstExpr *cond;
    const char *text; /* as written */
    int line, column;
} AstRequire;

/* A launch, or a `for` around launches. */
typedef struct AstLaunch AstLaunch;
struct AstLaunch {
    int line, column;
    const AstKernel *kernel;  /* NULL for a `for` */
    unsigned n_grid, n_block; /* 0: as the kernel says */
    const AstExpr *grid[3], *block[3];
    GPtrArray *with;  /* of AstNamed */
    const char *name; /* `for name = a to b step c`; NULL for repeat (then a = 1) */
    const AstExpr *a, *b, *c;
    GPtrArray *body; /* of AstLaunch */
};

typedef struct {
    char *file;          /* as named in messages */
    char *text;          /* the whole source, NUL-terminated */
    char *sha256;        /* of the source bytes, in hex */
    GPtrArray *lines;    /* of char*: line N of the source at index N-1, without outer blanks, comment and end */
    GPtrArray *params;   /* of AstNamed, in order */
    GPtrArray *requires; /* of AstRequire */
    GPtrArray *arrays;   /* of AstArray: global, const, tex, in order */
    GPtrArray *tables;   /* of AstTable, in order */
    GPtrArray *kernels;  /* of AstKernel */
    GPtrArray *launches; /* of AstLaunch; empty: each kernel once, in order */
    GStringChunk *names; /* owns every string */
    GPtrArray *nodes;    /* owns every node */
    GPtrArray *lists;    /* of GPtrArray: owns every list inside a node */
} AstTrace;

/* Reads and parses `path` ("-" is standard input). All faults of the file come in one error, as `file:line:column: ...`.
 * NULL on failure. */
AstTrace *ast_trace_load(const char *path, GError **error);

/* Parses text of `length` bytes; `file` is the name for messages. */
AstTrace *ast_trace_parse(const char *file, const char *text, gsize length, GError **error);

/* Parses one expression alone (the EXPR of the command line); names other than builtins are faults. Its errors are of
 * G80SIM_ERROR_USAGE and name `what` as the file. The expression lives as long as the returned trace, which is otherwise
 * empty. */
AstTrace *ast_expr_parse(const char *what, const char *text, const AstExpr **ret_expr, GError **error);

void ast_trace_free(AstTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AstTrace, ast_trace_free)

/* Line `line` of the source with outer blanks and trailing comment removed; "" outside the file. */
const char *ast_trace_line(const AstTrace *trace, int line);
