#include <string.h>

#include "base/nearest.h"
#include "trace/parser-private.h"

/* How much of a long token a message shows. */
enum { SHOWN_MAX = 40 };

void parser_init(Parser *p, AstTrace *trace, Faults *faults, const char *text, gsize length)
{
    *p = (Parser){.trace = trace, .faults = faults, .launches = trace->launches};
    lexer_init(&p->lexer, text, length, trace->names);
    p->words = words_new();
    p->symbols = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    p->scope = g_ptr_array_new();
    p->unknown = g_hash_table_new(g_str_hash, g_str_equal);
    p->kernels = g_hash_table_new(g_str_hash, g_str_equal);
    p->blocks = g_array_new(FALSE, TRUE, sizeof(Block));
    p->pending = g_array_new(FALSE, TRUE, sizeof(PendingLaunch));
}

void parser_clear(Parser *p)
{
    lexer_clear(&p->lexer);
    g_hash_table_unref(p->words);
    g_ptr_array_unref(p->scope);
    g_hash_table_unref(p->symbols);
    g_hash_table_unref(p->unknown);
    g_hash_table_unref(p->kernels);
    g_array_unref(p->blocks);
    g_array_unref(p->pending);
}

/* ---- tokens ---- */

bool parser_next_line(Parser *p)
{
    const bool held = p->held;

    p->pos = 0;
    p->muted = false;
    p->held = false;
    p->depth = 0;
    return held || lexer_next_line(&p->lexer);
}

void parser_hold_line(Parser *p)
{
    p->held = true;
    p->muted = true;
}

static const Token *token_at(const Parser *p, guint pos)
{
    const GArray *tokens = p->lexer.tokens;

    return &g_array_index(tokens, Token, MIN(pos, tokens->len - 1));
}

const Token *parser_peek(const Parser *p)
{
    return token_at(p, p->pos);
}

const Token *parser_peek2(const Parser *p)
{
    return token_at(p, p->pos + 1);
}

const Token *parser_take(Parser *p)
{
    const Token *token = parser_peek(p);

    if (token->kind != TK_EOL && token->kind != TK_BAD) p->pos++;
    return token;
}

bool parser_accept(Parser *p, TokenKind kind)
{
    if (parser_peek(p)->kind != kind) return false;
    parser_take(p);
    return true;
}

bool parser_expect(Parser *p, TokenKind kind, const char *wanted)
{
    if (parser_accept(p, kind)) return true;
    parser_fault(p, parser_peek(p), "text", "%s was wanted", wanted);
    return false;
}

WordId parser_word(const Parser *p, const Token *token)
{
    const Word *word = token->kind == TK_NAME ? g_hash_table_lookup(p->words, token->name) : NULL;

    return word ? word->id : WORD_NONE;
}

bool parser_accept_word(Parser *p, WordId id)
{
    if (parser_word(p, parser_peek(p)) != id) return false;
    parser_take(p);
    return true;
}

/* ---- faults ---- */

static void report(Parser *p, const Token *token, const char *what, const char *wanted, va_list args) G_GNUC_PRINTF(4, 0);
static void report(Parser *p, const Token *token, const char *what, const char *wanted, va_list args)
{
    if (token->kind == TK_BAD) {
        faults_add(p->faults, p->lexer.line, token->column, "%s", token->message);
        return;
    }
    g_autofree char *message = g_strdup_vprintf(wanted, args);
    g_autofree char *value = token->kind == TK_EOL       ? g_strdup("end of line")
                             : token->length > SHOWN_MAX ? g_strdup_printf("%.*s...", SHOWN_MAX, token->start)
                                                         : g_strndup(token->start, token->length);
    faults_add(p->faults, p->lexer.line, token->column, "%s = %s: %s", what, value, message);
}

void parser_fault(Parser *p, const Token *token, const char *what, const char *wanted, ...)
{
    va_list args;

    if (p->muted) return;
    p->muted = true;
    va_start(args, wanted);
    report(p, token, what, wanted, args);
    va_end(args);
}

void parser_object(Parser *p, const Token *token, const char *what, const char *wanted, ...)
{
    va_list args;

    if (p->muted) return;
    va_start(args, wanted);
    report(p, token, what, wanted, args);
    va_end(args);
}

/* ---- memory ---- */

void *parser_node(Parser *p, gsize size)
{
    void *node = g_malloc0(size);

    g_ptr_array_add(p->trace->nodes, node);
    return node;
}

GPtrArray *parser_list(Parser *p)
{
    GPtrArray *list = g_ptr_array_new();

    g_ptr_array_add(p->trace->lists, list);
    return list;
}
