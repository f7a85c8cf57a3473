#pragma once
/*
 * What the parts of the parser share. The file is read line by line: each line is one statement, and blocks are kept on a
 * stack, so that statements need no recursion. A fault of form mutes the rest of its line (parser_fault); a fault of
 * meaning does not (parser_object). Functions that return a pointer or bool return NULL or false after a fault of form.
 */
#include <stdbool.h>
#include <stdint.h>

#include <glib.h>

#include "base/faults.h"
#include "trace/ast.h"
#include "trace/lexer.h"

/* Limits of the tree. */
enum {
    EXPR_NESTING_MAX = 200, /* parentheses, signs and conditions inside each other */
    EXPR_HEIGHT_MAX = 1000, /* of an expression's tree: a sum of a thousand terms */
    BLOCK_NESTING_MAX = 64,
    PARAMS_MAX = 1000,
    ARRAYS_MAX = 1000, /* of the file; and of each kernel */
    TABLES_MAX = 1000,
    TABLE_INLINE_MAX = 1 << 20, /* values written in the trace; more come from a file */
    KERNELS_MAX = 1000,
    LETS_MAX = 1000, /* of a kernel */
    REGISTER_MAX = 254,
};

/* ---- words of the language ---- */

/* Where a statement that starts with the word may stand. */
enum { IN_FILE = 1, IN_HEADER = 2, IN_BODY = 4 };

/* X(id, text, where) */
/* clang-format off */
#define PARSER_WORDS(X)                                                                                          \
    X(G80TRACE, "g80trace", 0) X(PARAM, "param", IN_FILE) X(REQUIRE, "require", IN_FILE | IN_HEADER)             \
    X(GLOBAL, "global", IN_FILE) X(CONST, "const", IN_FILE) X(TEX, "tex", IN_FILE | IN_BODY)                     \
    X(SHARED, "shared", IN_HEADER) X(LOCAL, "local", IN_HEADER) X(KERNEL, "kernel", IN_FILE)                     \
    X(END, "end", IN_FILE | IN_BODY) X(LAUNCH, "launch", IN_FILE) X(FOR, "for", IN_FILE | IN_BODY)               \
    X(LOOP, "loop", IN_BODY) X(REPEAT, "repeat", IN_FILE | IN_BODY) X(IF, "if", IN_BODY)                         \
    X(ELSE, "else", IN_BODY) X(LET, "let", IN_HEADER | IN_BODY) X(GRID, "grid", IN_HEADER)                       \
    X(BLOCK, "block", IN_HEADER) X(REGS, "regs", IN_HEADER) X(ARGS, "args", IN_HEADER)                           \
    X(SHMEM, "shmem", IN_HEADER) X(USEFUL, "useful", IN_HEADER) X(STEPS, "steps", IN_HEADER)                     \
    X(FLOPS, "flops", IN_HEADER) X(LD, "ld", IN_BODY) X(ST, "st", IN_BODY)                                                                    \
    X(ATOM, "atom", IN_BODY) X(BAR, "bar", IN_BODY) X(MEMBAR, "membar", IN_BODY) X(EXIT, "exit", IN_BODY)        \
    X(TO, "to", 0) X(STEP, "step", 0) X(WITH, "with", 0) X(VIA, "via", 0) X(HASH, "hash", 0) X(R, "r", 0)        \
    X(TABLE, "table", IN_FILE) X(RECORDED, "recorded", 0)
/* clang-format on */

#define WORD_ENUM(id, text, where) WORD_##id,
typedef enum {
    WORD_NONE,
    PARSER_WORDS(WORD_ENUM) WORD_OP, /* an ALU operation */
    WORD_BUILTIN,                    /* tid.x ... */
    WORD_VECTOR,                     /* tid ...: wants .x .y .z */
    WORD_TYPE,                       /* f32 ... */
} WordId;
#undef WORD_ENUM

typedef struct {
    const char *name;
    WordId id;
    unsigned where;
    const OpInfo *op;
    Builtin builtin;
    unsigned bytes;  /* of a type */
    bool vector;     /* a type of two or four parts */
    ExprOp function; /* min, max, hash, */
    unsigned n_args; /* which take so many; 0: not a function */
} Word;

/* All words by their names. Free with g_hash_table_unref. */
GHashTable *words_new(void);

/* The text of a word of PARSER_WORDS. */
const char *word_text(WordId id);

/* The nearest name to `name` among the words that may start a statement in `where`, or NULL. */
const Word *word_nearest(GHashTable *words, const char *name, unsigned where);

/* ---- the parser ---- */

typedef enum { SYMBOL_PARAM, SYMBOL_ARRAY, SYMBOL_LET, SYMBOL_VAR, SYMBOL_TABLE } SymbolKind;

/* "a parameter", "an array" ... */
const char *symbol_kind_name(SymbolKind kind);

typedef struct {
    const char *name;
    SymbolKind kind;
    int line;
    bool sound; /* false: its declaration had a fault, so its shape is not known */
    const AstArray *array;
    const AstTable *table;
    const AstKernel *used_in; /* the last kernel that named it */
} Symbol;

/* An open block, innermost last in Parser.blocks. */
typedef struct {
    WordId word;
    int line, column;
    guint n_scope;       /* symbols in scope outside of it */
    AstStmt *stmt;       /* of a kernel; NULL for the kernel itself */
    GPtrArray *stmts;    /* where statements after its end go */
    GPtrArray *launches; /* where launches after its end go */
} Block;

/* A launch whose kernel is looked up at the end of the file. */
typedef struct {
    AstLaunch *launch;
    const char *name;
    int line, column;
} PendingLaunch;

enum { N_HEADER_ITEMS = 8 };

/* The state of the kernel being read. */
typedef struct {
    AstKernel *ast;    /* NULL between kernels */
    bool in_body;      /* the header is over */
    unsigned n_faults; /* of the file when it began */
    unsigned n_instructions, n_lets;
    int given[N_HEADER_ITEMS]; /* the lines of grid, block ...; 0: not given */
    /* The first `end` that is not below the first word of its block: a hint when an `end` is missing. */
    int odd_end_line, odd_block_line;
    WordId odd_block;
} KernelState;

typedef struct {
    AstTrace *trace;
    Faults *faults;
    Lexer lexer;
    guint pos;           /* of the next token in the line */
    bool muted;          /* the line has had its fault */
    bool held;           /* the line is to be read again */
    bool astray;         /* statements of a kernel outside of any have been reported */
    unsigned depth;      /* of the expression being read */
    GHashTable *words;   /* of Word */
    GHashTable *symbols; /* of Symbol, by name: those in scope. Owns them */
    GPtrArray *scope;    /* of Symbol: the same, oldest first */
    GHashTable *unknown; /* names reported as unknown: each is reported once */
    GHashTable *kernels; /* of AstKernel, by name */
    GArray *blocks;      /* of Block */
    GArray *pending;     /* of PendingLaunch */
    GPtrArray *stmts;    /* of AstStmt: where the next one goes */
    GPtrArray *launches; /* of AstLaunch: where the next one goes */
    KernelState kernel;
} Parser;

/* parser-core.c: tokens, faults, memory, names */

void parser_init(Parser *p, AstTrace *trace, Faults *faults, const char *text, gsize length);
void parser_clear(Parser *p);

bool parser_next_line(Parser *p);
void parser_hold_line(Parser *p);           /* parser_next_line will give this line again; till then it is muted */
const Token *parser_peek(const Parser *p);  /* the next token; TK_EOL stays */
const Token *parser_peek2(const Parser *p); /* the one after it */
const Token *parser_take(Parser *p);
bool parser_accept(Parser *p, TokenKind kind);
bool parser_expect(Parser *p, TokenKind kind, const char *wanted); /* `wanted` completes "... was wanted" */
WordId parser_word(const Parser *p, const Token *token);           /* WORD_NONE for anything else */
bool parser_accept_word(Parser *p, WordId id);

/* Report `what = TOKEN: wanted`. parser_fault mutes the rest of the line; both are silent in a muted line. */
void parser_fault(Parser *p, const Token *token, const char *what, const char *wanted, ...) G_GNUC_PRINTF(4, 5);
void parser_object(Parser *p, const Token *token, const char *what, const char *wanted, ...) G_GNUC_PRINTF(4, 5);

void *parser_node(Parser *p, gsize size); /* zeroed, owned by the trace */
GPtrArray *parser_list(Parser *p);        /* owned by the trace */

/* The symbol in scope, or NULL. */
Symbol *parser_find(const Parser *p, const char *name);

/* Takes a name for a new thing (`what` it is); NULL after a fault. It may be in use already: parser_declare tells. */
const Token *parser_new_name(Parser *p, const char *what);

/* Brings a name into scope until its block ends; NULL, after a fault, when it is in use. */
Symbol *parser_declare(Parser *p, const Token *name, SymbolKind kind);
void parser_close_scope(Parser *p, guint n_scope);

/* Faults for a name that is not in scope: with the nearest of those that are, arrays or the rest. */
void parser_unknown_name(Parser *p, const Token *token, bool array);

/* Notes that the kernel being read names the symbol. */
void parser_use(Parser *p, Symbol *symbol);

/* parser-expr.c */

typedef enum {
    SCOPE_NONE,   /* hardware names only */
    SCOPE_PARAMS, /* parameters */
    SCOPE_FIXED,  /* parameters and loop variables */
    SCOPE_LANE,   /* all */
} ExprScope;

const AstExpr *parse_expr(Parser *p, ExprScope scope);
const AstExpr *expr_const(Parser *p, const Token *token, int64_t value);
bool parser_starts_expr(const Parser *p);

/* One to three expressions, separated by blanks or commas. */
bool parse_extent(Parser *p, ExprScope scope, const char *what, const AstExpr *ret_exprs[3], unsigned *ret_n);

/* One to three `[size]` of an array or table: `what` it is. */
bool parse_dims(Parser *p, const char *what, const AstExpr *ret_dims[AST_DIMS_MAX], unsigned *ret_n);

/* Up to three `[index]`. */
bool parse_indices(Parser *p, ExprScope scope, const AstExpr *ret_indices[AST_DIMS_MAX], unsigned *ret_n);

/* Reports a wrong number of indices, if the shape of `symbol` is known. */
void check_indices(Parser *p, const Token *token, const Symbol *symbol, unsigned n);

/* parser-decl.c, parser-table.c: each takes the tokens after the statement's first word */

void parse_param(Parser *p);
void parse_require(Parser *p, GPtrArray *requires);
void parse_array(Parser *p, const Token *word, Space space, GPtrArray *arrays);
void parse_table(Parser *p, const Token *word); /* and the further lines of its values */

/* parser-kernel.c */

void parse_kernel(Parser *p, const Token *word);
void parse_kernel_line(Parser *p);
void kernel_close(Parser *p);

/* parser-operand.c, parser-instr.c */

bool parser_at_register(const Parser *p);
bool parse_register(Parser *p, AstReg *ret_reg);
bool parse_memory(Parser *p, AstMem *ret_mem);
void parse_instruction(Parser *p, const Token *token, const Word *word, const AstExpr *predicate);

/* parser-block.c: blocks, and the loops of kernels and of launches */

/* `name = a to b [step c]`, or the count of a repeat. */
typedef struct {
    const char *name;
    const Token *token; /* of the name */
    const AstExpr *a, *b, *c;
} LoopHead;

void parse_loop_head(Parser *p, WordId word, ExprScope scope, LoopHead *ret_head);
void block_open(Parser *p, const Token *word, WordId id, AstStmt *stmt);
void parse_else(Parser *p, const Token *word);
void parse_end(Parser *p, const Token *word);
void block_unterminated(Parser *p, const Token *before);

/* parser-launch.c */

void parse_launch(Parser *p, const Token *word);
void parse_launch_loop(Parser *p, const Token *word, WordId id);
void launches_resolve(Parser *p);

/* parser-file.c */

/* The word that starts the line's statement, taken; NULL after a fault. `what` it is and `where` serve the message for an
 * unknown one. A misspelt word of a block is returned as what it was meant to be, in a line now muted. */
const Word *parse_statement_word(Parser *p, const char *what, unsigned where);

void parse_file(Parser *p);
