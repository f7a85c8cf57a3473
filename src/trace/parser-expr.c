#include "trace/parser-private.h"

/* An expression with the height of its tree, which bounds the recursion of whoever walks it. */
typedef struct {
    AstExpr expr;
    unsigned height;
} ExprNode;

typedef struct {
    ExprOp op;
    int precedence; /* 0: no binary operator */
} Binary;

static Binary binary_of(TokenKind kind)
{
    switch (kind) {
#define BINARY_CASE(name, text, prec) \
    case TK_##name: return (Binary){EX_##name, prec};
        AST_BINARY(BINARY_CASE)
#undef BINARY_CASE
    default: return (Binary){EX_CONST, 0};
    }
}

static ExprNode *expr_new(Parser *p, const Token *token, ExprOp op)
{
    ExprNode *node = parser_node(p, sizeof(*node));

    node->expr.op = op;
    node->expr.line = p->lexer.line;
    node->expr.column = token->column;
    node->height = 1;
    return node;
}

static unsigned height_of(const AstExpr *expr)
{
    return expr ? ((const ExprNode *)expr)->height : 0;
}

static AstExpr *expr_of(Parser *p, const Token *token, ExprOp op, const AstExpr *a, const AstExpr *b, const AstExpr *c)
{
    ExprNode *node = expr_new(p, token, op);

    node->expr.a = a;
    node->expr.b = b;
    node->expr.c = c;
    node->height = 1 + MAX(height_of(a), MAX(height_of(b), height_of(c)));
    if (node->height <= EXPR_HEIGHT_MAX) return &node->expr;
    parser_fault(p, token, "expression", "at most %d operations on each other's results were wanted", EXPR_HEIGHT_MAX);
    return NULL;
}

const AstExpr *expr_const(Parser *p, const Token *token, int64_t value)
{
    ExprNode *node = expr_new(p, token, EX_CONST);

    node->expr.value = value;
    return &node->expr;
}

/* ---- names ---- */

static void check_scope(Parser *p, const Token *token, Symbol *symbol, ExprScope scope)
{
    parser_use(p, symbol);
    if (symbol->kind == SYMBOL_ARRAY)
        parser_object(p, token, "name", "a number was wanted, this is an array (line %d)", symbol->line);
    else if (scope == SCOPE_PARAMS && symbol->kind != SYMBOL_PARAM)
        parser_object(p, token, "name", "only parameters may be used here");
    else if (scope == SCOPE_FIXED && (symbol->kind == SYMBOL_LET || symbol->kind == SYMBOL_TABLE))
        parser_object(p, token, "name", "only parameters and loop variables may be used here");
}

/* Brackets after a name that is no table: one fault says so, and those that would follow are spared. */
static void check_no_lookup(Parser *p, const Token *token, const Symbol *symbol)
{
    if (symbol && symbol->kind != SYMBOL_ARRAY)
        parser_fault(p, token, "name", "a table was wanted before '[', this is %s (line %d)", symbol_kind_name(symbol->kind),
                     symbol->line);
    p->muted = true;
}

static const AstExpr *parse_builtin(Parser *p, const Token *token, const Word *word, ExprScope scope)
{
    ExprNode *node = expr_new(p, token, EX_BUILTIN);

    if (scope == SCOPE_PARAMS)
        parser_object(p, token, "name", "only parameters may be used here");
    else if (scope == SCOPE_FIXED)
        parser_object(p, token, "name", "only parameters and loop variables may be used here");
    node->expr.builtin = word->builtin;
    return &node->expr;
}

static const AstExpr *parse_call(Parser *p, const Token *token, const Word *word, ExprScope scope)
{
    const AstExpr *args[2] = {NULL, NULL};

    if (!parser_expect(p, TK_LPAREN, "'(' after the function's name")) return NULL;
    for (unsigned i = 0; i < word->n_args; i++) {
        if (i > 0 && !parser_expect(p, TK_COMMA, "',' and a second argument")) return NULL;
        args[i] = parse_expr(p, scope);
        if (!args[i]) return NULL;
    }
    if (!parser_expect(p, TK_RPAREN, "')' after the argument")) return NULL;
    return expr_of(p, token, word->function, args[0], args[1], NULL);
}

static const AstExpr *parse_word(Parser *p, const Word *word, ExprScope scope)
{
    const Token *token = parser_peek(p);

    if (word->n_args || word->id == WORD_BUILTIN) {
        parser_take(p);
        return word->n_args ? parse_call(p, token, word, scope) : parse_builtin(p, token, word, scope);
    }
    if (word->id == WORD_VECTOR)
        parser_fault(p, token, "name", "%s.x, %s.y or %s.z was wanted", token->name, token->name, token->name);
    else
        parser_fault(p, token, "text", "an expression was wanted");
    return NULL;
}

static const AstExpr *parse_lookup(Parser *p, const Token *token, const Symbol *symbol, ExprScope scope)
{
    const AstExpr *indices[AST_DIMS_MAX] = {NULL};
    unsigned n = 0;

    if (!parse_indices(p, scope, indices, &n)) return NULL;
    check_indices(p, token, symbol, n);
    AstExpr *expr = expr_of(p, token, EX_TABLE, indices[0], indices[1], indices[2]);
    if (!expr) return NULL;
    expr->name = token->name;
    expr->table = symbol->table;
    return expr;
}

static const AstExpr *parse_name(Parser *p, ExprScope scope)
{
    const Token *token = parser_peek(p);
    const Word *word = g_hash_table_lookup(p->words, token->name);

    if (word) return parse_word(p, word, scope);
    parser_take(p);
    if (lexer_is_register(token->name)) {
        parser_fault(p, token, "name", "an expression knows no registers");
        return NULL;
    }
    Symbol *symbol = parser_find(p, token->name);
    if (symbol)
        check_scope(p, token, symbol, scope);
    else if (scope == SCOPE_NONE)
        parser_object(p, token, "name", "only numbers and the names of the hardware may be used here");
    else
        parser_unknown_name(p, token, false);
    if (symbol && symbol->kind == SYMBOL_TABLE) return parse_lookup(p, token, symbol, scope);
    if (parser_peek(p)->kind == TK_LBRACKET) check_no_lookup(p, token, symbol);
    ExprNode *node = expr_new(p, token, EX_NAME);
    node->expr.name = token->name;
    return &node->expr;
}

/* ---- operators ---- */

static const AstExpr *parse_unary(Parser *p, ExprScope scope);

static bool descend(Parser *p)
{
    if (p->depth > EXPR_NESTING_MAX) { /* the outermost expression is no nesting */
        parser_fault(p, parser_peek(p), "expression", "at most %d levels of nesting were wanted", EXPR_NESTING_MAX);
        return false;
    }
    p->depth++;
    return true;
}

static const AstExpr *parse_primary(Parser *p, ExprScope scope)
{
    const Token *token = parser_peek(p);
    const AstExpr *inner;

    switch (token->kind) {
    case TK_INT: parser_take(p); return expr_const(p, token, token->value);
    case TK_NAME: return parse_name(p, scope);
    case TK_LPAREN:
        parser_take(p);
        inner = parse_expr(p, scope);
        return inner && parser_expect(p, TK_RPAREN, "')'") ? inner : NULL;
    case TK_FLOAT: parser_fault(p, token, "number", "an integer was wanted"); return NULL;
    default: parser_fault(p, token, "text", "an expression was wanted"); return NULL;
    }
}

static const AstExpr *parse_unary(Parser *p, ExprScope scope)
{
    const Token *token = parser_peek(p);
    ExprOp op = token->kind == TK_SUB ? EX_NEG : token->kind == TK_NOT ? EX_NOT : EX_INV;

    if (token->kind != TK_SUB && token->kind != TK_NOT && token->kind != TK_INV) return parse_primary(p, scope);
    if (!descend(p)) return NULL;
    parser_take(p);
    const AstExpr *a = parse_unary(p, scope);
    p->depth--;
    return a ? expr_of(p, token, op, a, NULL, NULL) : NULL;
}

static const AstExpr *parse_binary(Parser *p, ExprScope scope, int lowest)
{
    const AstExpr *left = parse_unary(p, scope);

    while (left) {
        const Token *token = parser_peek(p);
        Binary binary = binary_of(token->kind);
        if (binary.precedence == 0 || binary.precedence < lowest) break;
        parser_take(p);
        const AstExpr *right = parse_binary(p, scope, binary.precedence + 1);
        left = right ? expr_of(p, token, binary.op, left, right, NULL) : NULL;
    }
    return left;
}

static const AstExpr *parse_condition(Parser *p, ExprScope scope)
{
    const AstExpr *a = parse_binary(p, scope, 1), *b, *c;
    const Token *token = parser_peek(p);

    if (!a || !parser_accept(p, TK_QUESTION)) return a;
    b = parse_expr(p, scope);
    if (!b || !parser_expect(p, TK_COLON, "':' of the condition")) return NULL;
    c = parse_expr(p, scope);
    return c ? expr_of(p, token, EX_COND, a, b, c) : NULL;
}

const AstExpr *parse_expr(Parser *p, ExprScope scope)
{
    if (!descend(p)) return NULL;
    const AstExpr *expr = parse_condition(p, scope);
    p->depth--;
    return expr;
}

bool parser_starts_expr(const Parser *p)
{
    const Token *token = parser_peek(p);
    const Word *word;

    switch (token->kind) {
    case TK_INT:
    case TK_FLOAT:
    case TK_SUB:
    case TK_NOT:
    case TK_INV:
    case TK_LPAREN: return true;
    case TK_NAME:
        word = g_hash_table_lookup(p->words, token->name);
        return !word || word->n_args || word->id == WORD_BUILTIN || word->id == WORD_VECTOR;
    default: return false;
    }
}

bool parse_extent(Parser *p, ExprScope scope, const char *what, const AstExpr *ret_exprs[3], unsigned *ret_n)
{
    const AstExpr *exprs[3] = {NULL, NULL, NULL};
    unsigned n = 0;

    do {
        const Token *token = parser_peek(p);
        if (n == 3) {
            parser_fault(p, token, what, "at most 3 sizes were wanted");
            return false;
        }
        exprs[n] = parse_expr(p, scope);
        if (!exprs[n++]) return false;
    } while (parser_accept(p, TK_COMMA) || parser_starts_expr(p));
    for (unsigned i = 0; i < 3; i++)
        ret_exprs[i] = exprs[i];
    *ret_n = n;
    return true;
}
