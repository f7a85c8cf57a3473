#include <string.h>

#include "trace/parser-private.h"

bool parser_at_register(const Parser *p)
{
    const Token *token = parser_peek(p);

    if (token->kind != TK_NAME) return false;
    return lexer_is_register(token->name) || parser_word(p, token) == WORD_R;
}

static const AstExpr *register_number(Parser *p, const Token *token)
{
    const char *digits = token->name + 1;
    gint64 number = strlen(digits) <= 3 ? g_ascii_strtoll(digits, NULL, 10) : REGISTER_MAX + 1;

    if (number > REGISTER_MAX || (digits[0] == '0' && digits[1] != '\0'))
        parser_object(p, token, "register", "one from r0 to r%d was wanted", REGISTER_MAX);
    return expr_const(p, token, number);
}

bool parse_register(Parser *p, AstReg *ret_reg)
{
    const Token *token = parser_peek(p);
    const AstExpr *index;

    if (!parser_at_register(p)) {
        parser_fault(p, token, "operand", "a register was wanted");
        return false;
    }
    parser_take(p);
    if (lexer_is_register(token->name)) {
        index = register_number(p, token);
    } else {
        if (!parser_expect(p, TK_LBRACKET, "a register, r0 or r[...],")) return false;
        index = parse_expr(p, SCOPE_FIXED);
        if (!index || !parser_expect(p, TK_RBRACKET, "']' after the register's number")) return false;
    }
    *ret_reg = (AstReg){.index = index, .line = p->lexer.line, .column = token->column};
    return true;
}

bool parse_indices(Parser *p, ExprScope scope, const AstExpr *ret_indices[AST_DIMS_MAX], unsigned *ret_n)
{
    unsigned n = 0;

    while (parser_peek(p)->kind == TK_LBRACKET) {
        if (n == AST_DIMS_MAX) {
            parser_fault(p, parser_peek(p), "index", "at most %d indices were wanted", AST_DIMS_MAX);
            return false;
        }
        parser_take(p);
        const AstExpr *index = parse_expr(p, scope);
        if (!index || !parser_expect(p, TK_RBRACKET, "']' after the index")) return false;
        ret_indices[n++] = index;
    }
    *ret_n = n;
    return true;
}

void check_indices(Parser *p, const Token *token, const Symbol *symbol, unsigned n)
{
    const unsigned wanted = symbol->table ? symbol->table->n_dims : symbol->array->n_dims;

    if (symbol->sound && n != wanted)
        parser_object(p, token, symbol->table ? "table" : "array", "%u %s wanted, %u given", wanted,
                      wanted == 1 ? "index was" : "indices were", n);
}

bool parse_memory(Parser *p, AstMem *ret_mem)
{
    const Token *token = parser_peek(p);
    AstMem mem = {.line = p->lexer.line, .column = token->column};

    if (token->kind != TK_NAME || g_hash_table_contains(p->words, token->name) || lexer_is_register(token->name)) {
        parser_fault(p, token, "operand", "an array with its indices was wanted");
        return false;
    }
    parser_take(p);
    Symbol *symbol = parser_find(p, token->name);
    if (!symbol)
        parser_unknown_name(p, token, true);
    else if (symbol->kind != SYMBOL_ARRAY)
        parser_object(p, token, "operand", "an array was wanted, this is %s (line %d)",
                      symbol->kind == SYMBOL_TABLE ? "a table" : "a number", symbol->line);
    if (!parse_indices(p, SCOPE_LANE, mem.indices, &mem.n_indices)) return false;
    if (symbol && symbol->kind == SYMBOL_ARRAY) {
        parser_use(p, symbol);
        check_indices(p, token, symbol, mem.n_indices);
        mem.array = symbol->array;
    }
    *ret_mem = mem;
    return true;
}
