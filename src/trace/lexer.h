#pragma once
/*
 * The words and signs of the trace language, one line at a time. A line that holds something else gets a TK_BAD token
 * there, with the message for the user, and nothing after it; the caller reports it if it gets that far.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "trace/ast.h"

/* Limits of the text, in bytes. */
enum {
    TRACE_FILE_MAX = 64 << 20,
    TRACE_LINE_MAX = 64 << 10,
    TRACE_NAME_MAX = 128,
};

/* clang-format off */
typedef enum {
    TK_EOL,
    TK_BAD,   /* message */
    TK_NAME,  /* name; dots inside belong to it: tid.x */
    TK_INT,   /* value */
    TK_FLOAT, /* only its form is checked */
    TK_TEXT,  /* name: what stands between double quotes, of one line */
#define TK_BINARY(name, text, prec) TK_##name,
    AST_BINARY(TK_BINARY)
#undef TK_BINARY
    TK_NOT, TK_INV, TK_QUESTION, TK_COLON, TK_COMMA, TK_ASSIGN, TK_AT,
    TK_LPAREN, TK_RPAREN, TK_LBRACKET, TK_RBRACKET, TK_LBRACE, TK_RBRACE,
} TokenKind;
/* clang-format on */

typedef struct {
    TokenKind kind;
    int column;        /* in bytes, from 1 */
    unsigned length;   /* in bytes */
    const char *start; /* in the source */
    int64_t value;
    const char *name;    /* of TK_NAME, TK_TEXT. Interned: equal names are equal pointers */
    const char *message; /* `what = value: what was wanted` */
} Token;

typedef struct {
    const char *next, *end; /* the source still to be read */
    GStringChunk *strings;  /* not owned: names and messages go there */
    int line;               /* of the tokens, from 1 */
    GArray *tokens;         /* of Token: the current line; the last is TK_EOL */
} Lexer;

/* The text and `strings` must outlive the tokens. A byte order mark at the start is skipped. */
void lexer_init(Lexer *lexer, const char *text, size_t length, GStringChunk *strings);
void lexer_clear(Lexer *lexer);

/* Takes the next line into `tokens`; false, with a lone TK_EOL there, when there are no more. */
bool lexer_next_line(Lexer *lexer);

/* Is `name` of the form r0, r1, ...? */
bool lexer_is_register(const char *name);
