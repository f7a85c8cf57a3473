/* The one name space of parameters, arrays, tables, lets and loop variables. */
#include <string.h>

#include "base/nearest.h"
#include "trace/parser-private.h"

const char *symbol_kind_name(SymbolKind kind)
{
    static const char *const NAMES[] = {"a parameter", "an array", "a let", "a loop variable", "a table"};

    return NAMES[kind];
}

Symbol *parser_find(const Parser *p, const char *name)
{
    return g_hash_table_lookup(p->symbols, name);
}

const Token *parser_new_name(Parser *p, const char *what)
{
    const Token *token = parser_peek(p);

    if (token->kind != TK_NAME) {
        parser_fault(p, token, what, "a name was wanted");
        return NULL;
    }
    if (g_hash_table_contains(p->words, token->name) || lexer_is_register(token->name)) {
        parser_fault(p, token, what, "this word belongs to the language; another name was wanted");
        return NULL;
    }
    if (strchr(token->name, '.')) {
        parser_fault(p, token, what, "a name without dots was wanted");
        return NULL;
    }
    return parser_take(p);
}

Symbol *parser_declare(Parser *p, const Token *name, SymbolKind kind)
{
    Symbol *symbol = parser_find(p, name->name);

    if (symbol) {
        parser_object(p, name, "name", "another name was wanted, it is %s of line %d", symbol_kind_name(symbol->kind),
                      symbol->line);
        return NULL;
    }
    symbol = g_new0(Symbol, 1);
    *symbol = (Symbol){.name = name->name, .kind = kind, .line = p->lexer.line, .sound = true};
    g_hash_table_insert(p->symbols, (char *)symbol->name, symbol);
    g_ptr_array_add(p->scope, symbol);
    return symbol;
}

void parser_close_scope(Parser *p, guint n_scope)
{
    while (p->scope->len > n_scope) {
        const Symbol *symbol = g_ptr_array_index(p->scope, p->scope->len - 1);
        g_ptr_array_set_size(p->scope, (gint)p->scope->len - 1);
        g_hash_table_remove(p->symbols, symbol->name);
    }
}

void parser_unknown_name(Parser *p, const Token *token, bool array)
{
    const char *what = array ? "array" : "name";

    if (p->muted || !g_hash_table_add(p->unknown, (char *)token->name)) return;
    /* Nothing beyond FAULTS_MAX is shown; the search for the nearest name would only cost time. */
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < p->scope->len && faults_count(p->faults) < FAULTS_MAX; i++) {
        const Symbol *symbol = g_ptr_array_index(p->scope, i);
        if ((symbol->kind == SYMBOL_ARRAY) == array) g_ptr_array_add(names, (char *)symbol->name);
    }
    const char *nearest = nearest_name(token->name, (const char *const *)names->pdata, names->len);
    if (nearest)
        parser_object(p, token, what, "a known name was wanted; the nearest is %s", nearest);
    else
        parser_object(p, token, what, "a known name was wanted");
}

void parser_use(Parser *p, Symbol *symbol)
{
    AstKernel *kernel = p->kernel.ast;

    if (!kernel || symbol->used_in == kernel) return;
    symbol->used_in = kernel;
    if (symbol->kind == SYMBOL_PARAM)
        kernel->n_params_used++;
    else if (symbol->array && symbol->array->space != SPACE_SHARED && symbol->array->space != SPACE_LOCAL)
        g_ptr_array_add(kernel->uses, (AstArray *)symbol->array);
}
