/* table NAME[size].. = { value, ... }, over as many lines as it takes; or from "file". */
#include <string.h>

#include "trace/parser-private.h"

/* A line that starts with one of these is no part of the values: their closing brace was forgotten. */
static bool starts_statement(const Parser *p)
{
    const Token *token = parser_peek(p);
    const Word *word = token->kind == TK_NAME ? g_hash_table_lookup(p->words, token->name) : NULL;

    return word && word->where & IN_FILE;
}

static void unterminated(Parser *p, const AstTable *table, const char *before)
{
    faults_add(p->faults, table->line, table->column, "table = %s: a '}' after its values was wanted before %s", table->name,
               before);
    p->muted = true;
}

/* Goes on to the next line as long as there is nothing in this one. False: the values have come to a wrong end. */
static bool next_in_braces(Parser *p, const AstTable *table)
{
    while (parser_peek(p)->kind == TK_EOL) {
        if (!parser_next_line(p)) {
            unterminated(p, table, "the end of the file");
            return false;
        }
        if (!starts_statement(p)) continue;
        g_autofree char *before = g_strdup_printf("the %s of line %d", parser_peek(p)->name, p->lexer.line);
        unterminated(p, table, before);
        parser_hold_line(p);
        return false;
    }
    return true;
}

static bool parse_value(Parser *p, AstTable *table)
{
    const Token *token = parser_peek(p);
    const AstExpr *value = parse_expr(p, SCOPE_PARAMS);

    if (!value) return false;
    if (table->values->len == TABLE_INLINE_MAX) {
        parser_fault(p, token, "table", "at most %d values were wanted here; more can come from a file", TABLE_INLINE_MAX);
        return false;
    }
    g_ptr_array_add(table->values, (AstExpr *)value);
    return true;
}

static bool parse_values(Parser *p, AstTable *table)
{
    if (!parser_expect(p, TK_LBRACE, "'{' and the table's values")) return false;
    while (next_in_braces(p, table) && !parser_accept(p, TK_RBRACE)) {
        if (!parse_value(p, table) || !next_in_braces(p, table)) return false;
        if (parser_accept(p, TK_COMMA)) continue;
        return parser_expect(p, TK_RBRACE, "',' or '}' after a value");
    }
    return true;
}

static bool parse_from(Parser *p, AstTable *table)
{
    const Token *token = parser_peek(p);

    if (token->kind != TK_TEXT || !token->name[0]) {
        parser_fault(p, token, "text", "a file name in double quotes was wanted");
        return false;
    }
    table->from = parser_take(p)->name;
    return true;
}

static bool parse_contents(Parser *p, AstTable *table)
{
    const Token *token = parser_peek(p);

    if (parser_accept(p, TK_ASSIGN)) return parse_values(p, table);
    /* `from` is a word of the language here only: there may be parameters of that name. */
    if (token->kind == TK_NAME && strcmp(token->name, "from") == 0) {
        parser_take(p);
        return parse_from(p, table);
    }
    parser_fault(p, token, "text", "'=' and values in braces, or from and a file name, was wanted");
    return false;
}

static bool line_has(const Parser *p, TokenKind kind)
{
    for (guint i = 0; i < p->lexer.tokens->len; i++)
        if (g_array_index(p->lexer.tokens, Token, i).kind == kind) return true;
    return false;
}

/* After a fault, leaves the lines up to the closing brace behind: they would only give more. */
static void skip_values(Parser *p)
{
    while (!line_has(p, TK_RBRACE) && parser_next_line(p)) {
        if (!starts_statement(p)) continue;
        parser_hold_line(p);
        return;
    }
    p->muted = true;
}

void parse_table(Parser *p, const Token *word)
{
    AstTable *table = parser_node(p, sizeof(*table));
    const int line = p->lexer.line;

    *table = (AstTable){.line = line, .column = word->column, .index = p->trace->tables->len, .values = parser_list(p)};
    const Token *name = parser_new_name(p, "table");
    if (name) table->name = name->name;
    const bool shaped = name && parse_dims(p, "table", table->dims, &table->n_dims);
    if (name && p->trace->tables->len == TABLES_MAX) parser_object(p, name, "table", "at most %d tables were wanted", TABLES_MAX);
    Symbol *symbol = name ? parser_declare(p, name, SYMBOL_TABLE) : NULL;
    if (symbol) {
        symbol->table = table;
        symbol->sound = shaped;
        g_ptr_array_add(p->trace->tables, table);
    }
    const bool opens = p->lexer.line == line && line_has(p, TK_LBRACE);
    if (shaped && parse_contents(p, table)) return;
    if (opens && !p->held) skip_values(p);
}
