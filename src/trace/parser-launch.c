#include "base/nearest.h"
#include "trace/parser-private.h"

static AstLaunch *launch_new(Parser *p, const Token *word)
{
    AstLaunch *launch = parser_node(p, sizeof(*launch));

    *launch = (AstLaunch){.line = p->lexer.line, .column = word->column, .with = parser_list(p), .body = parser_list(p)};
    g_ptr_array_add(p->launches, launch);
    return launch;
}

/* ---- launch NAME [grid ...] [block ...] [with ...] ---- */

static void check_with(Parser *p, const Token *token, const AstLaunch *launch)
{
    const Symbol *symbol = parser_find(p, token->name);

    if (!symbol)
        parser_unknown_name(p, token, false);
    else if (symbol->kind != SYMBOL_PARAM)
        parser_object(p, token, "with", "a parameter was wanted");
    for (guint i = 0; i < launch->with->len; i++) {
        const AstNamed *other = g_ptr_array_index(launch->with, i);
        if (other->name == token->name) parser_object(p, token, "with", "each parameter once was wanted");
    }
}

static bool parse_with(Parser *p, AstLaunch *launch)
{
    do {
        const Token *token = parser_peek(p);
        if (token->kind != TK_NAME || g_hash_table_contains(p->words, token->name)) {
            parser_fault(p, token, "with", "a parameter was wanted");
            return false;
        }
        if (launch->with->len == PARAMS_MAX) {
            parser_fault(p, token, "with", "at most %d parameters were wanted", PARAMS_MAX);
            return false;
        }
        check_with(p, token, launch);
        parser_take(p);
        const AstExpr *value = parser_expect(p, TK_ASSIGN, "'=' and a value") ? parse_expr(p, SCOPE_FIXED) : NULL;
        if (!value) return false;
        AstNamed *with = parser_node(p, sizeof(*with));
        *with = (AstNamed){.name = token->name, .value = value, .line = p->lexer.line, .column = token->column};
        g_ptr_array_add(launch->with, with);
    } while (parser_accept(p, TK_COMMA) || (parser_peek(p)->kind == TK_NAME && parser_word(p, parser_peek(p)) == WORD_NONE));
    return true;
}

static bool once(Parser *p, const Token *token, bool given)
{
    if (given) parser_fault(p, token, "launch", "%s was wanted once", token->name);
    return !given;
}

static void parse_overrides(Parser *p, AstLaunch *launch)
{
    bool going = true;

    while (going && parser_peek(p)->kind != TK_EOL) {
        const Token *token = parser_peek(p);
        if (parser_accept_word(p, WORD_GRID))
            going = once(p, token, launch->n_grid) && parse_extent(p, SCOPE_FIXED, "grid", launch->grid, &launch->n_grid);
        else if (parser_accept_word(p, WORD_BLOCK))
            going = once(p, token, launch->n_block) && parse_extent(p, SCOPE_FIXED, "block", launch->block, &launch->n_block);
        else if (parser_accept_word(p, WORD_WITH))
            going = once(p, token, launch->with->len > 0) && parse_with(p, launch);
        else {
            parser_fault(p, token, "text", "grid, block, with or the end of the line was wanted");
            going = false;
        }
    }
}

void parse_launch(Parser *p, const Token *word)
{
    const Token *name = parser_peek(p);
    AstLaunch *launch = launch_new(p, word);

    if (name->kind != TK_NAME || g_hash_table_contains(p->words, name->name)) {
        parser_fault(p, name, "launch", "the name of a kernel was wanted");
        return;
    }
    parser_take(p);
    PendingLaunch pending = {launch, name->name, p->lexer.line, name->column};
    g_array_append_val(p->pending, pending);
    parse_overrides(p, launch);
}

/* ---- loops around launches ---- */

void parse_launch_loop(Parser *p, const Token *word, WordId id)
{
    AstLaunch *launch = launch_new(p, word);
    LoopHead head;

    parse_loop_head(p, id, SCOPE_FIXED, &head);
    launch->name = head.name;
    launch->a = head.a;
    launch->b = head.b;
    launch->c = head.c;
    block_open(p, word, id, NULL);
    p->launches = launch->body;
    if (head.name) parser_declare(p, head.token, SYMBOL_VAR);
}

/* ---- kernels by name ---- */

static const char *nearest_kernel(Parser *p, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();

    for (guint i = 0; i < p->trace->kernels->len; i++) {
        const AstKernel *kernel = g_ptr_array_index(p->trace->kernels, i);
        g_ptr_array_add(names, (char *)kernel->name);
    }
    return nearest_name(name, (const char *const *)names->pdata, names->len);
}

void launches_resolve(Parser *p)
{
    for (guint i = 0; i < p->pending->len; i++) {
        const PendingLaunch *pending = &g_array_index(p->pending, PendingLaunch, i);
        pending->launch->kernel = g_hash_table_lookup(p->kernels, pending->name);
        if (pending->launch->kernel || !g_hash_table_add(p->unknown, (char *)pending->name)) continue;
        const char *nearest = faults_count(p->faults) < FAULTS_MAX ? nearest_kernel(p, pending->name) : NULL;
        faults_add(p->faults, pending->line, pending->column, "kernel = %s: a kernel of this file was wanted%s%s", pending->name,
                   nearest ? "; the nearest is " : "", nearest ? nearest : "");
    }
}
