#include "trace/parser-private.h"

enum {
    ON_GLOBAL = 1 << SPACE_GLOBAL,
    ON_SHARED = 1 << SPACE_SHARED,
    ON_CONST = 1 << SPACE_CONST,
    ON_TEX = 1 << SPACE_TEX,
    ON_LOCAL = 1 << SPACE_LOCAL
};

/* The spaces that a memory operand of each kind of instruction may be in. */
static const struct {
    unsigned spaces;
    const char *wanted;
} ACCESS[] = {
    [ST_LD] = {ON_GLOBAL | ON_SHARED | ON_CONST | ON_LOCAL, "a global, shared, const or local array"},
    [ST_ST] = {ON_GLOBAL | ON_SHARED | ON_LOCAL, "a global, shared or local array"},
    [ST_ATOM] = {ON_GLOBAL | ON_SHARED, "a global or shared array"},
    [ST_TEX] = {ON_TEX, "a tex array"},
    [ST_ALU] = {ON_SHARED | ON_CONST, "a shared or const array"},
};

static bool parse_access(Parser *p, AstStmt *stmt)
{
    const Token *token = parser_peek(p);

    if (!parse_memory(p, &stmt->mem)) return false;
    stmt->has_mem = true;
    if (!stmt->mem.array || (ACCESS[stmt->kind].spaces & (1u << stmt->mem.array->space))) return true;
    if (stmt->kind == ST_LD && stmt->mem.array->space == SPACE_TEX)
        parser_object(p, token, "array", "a tex array is read with tex, not with ld");
    else
        parser_object(p, token, "array", "%s was wanted, this one is %s", ACCESS[stmt->kind].wanted,
                      space_name(stmt->mem.array->space));
    return true;
}

static bool parse_destination(Parser *p, AstStmt *stmt)
{
    stmt->has_dst = parse_register(p, &stmt->dst);
    return stmt->has_dst;
}

static bool parse_data(Parser *p, AstStmt *stmt)
{
    return parser_expect(p, TK_COMMA, "',' and a register") && parse_register(p, &stmt->sources[stmt->n_sources++]);
}

/* ---- ALU operations ---- */

static bool starts_memory(const Parser *p)
{
    return parser_peek(p)->kind == TK_NAME && parser_peek2(p)->kind == TK_LBRACKET;
}

static const char OPERAND[] = "a register, an array element, a number, a parameter or an expression in parentheses";

static bool parse_parameter(Parser *p, const Token *token)
{
    Symbol *symbol = parser_find(p, token->name);

    if (symbol && symbol->kind == SYMBOL_PARAM) {
        parser_use(p, symbol);
    } else if (symbol && symbol->kind != SYMBOL_ARRAY && symbol->kind != SYMBOL_TABLE) {
        parser_object(p, token, "operand", "a register, or (%s) for an immediate, was wanted", token->name);
    } else if (symbol || g_hash_table_contains(p->words, token->name)) {
        parser_fault(p, token, "operand", "%s was wanted", OPERAND);
        return false;
    } else {
        parser_unknown_name(p, token, false);
    }
    parser_take(p);
    return true;
}

/* A literal, a parameter, or any expression in parentheses: checked, and of no further interest. */
static bool parse_immediate(Parser *p)
{
    const Token *token = parser_peek(p);

    if (token->kind == TK_NAME) return parse_parameter(p, token);
    if (parser_accept(p, TK_LPAREN)) return parse_expr(p, SCOPE_LANE) && parser_expect(p, TK_RPAREN, "')'");
    parser_accept(p, TK_SUB);
    if (parser_accept(p, TK_INT) || parser_accept(p, TK_FLOAT)) return true;
    parser_fault(p, parser_peek(p), "operand", "%s was wanted", OPERAND);
    return false;
}

static bool parse_source(Parser *p, AstStmt *stmt)
{
    if (parser_at_register(p)) return parse_register(p, &stmt->sources[stmt->n_sources++]);
    if (!starts_memory(p)) return parse_immediate(p);
    if (!stmt->has_mem) return parse_access(p, stmt);
    parser_fault(p, parser_peek(p), "operand", "at most one array element was wanted");
    return false;
}

static bool parse_alu(Parser *p, AstStmt *stmt)
{
    unsigned n = 0;

    if (!parse_destination(p, stmt)) return false;
    while (parser_accept(p, TK_COMMA)) {
        if (n++ == stmt->op->max_sources) {
            parser_fault(p, parser_peek(p), "operand", "%s takes at most %u %s after its destination", stmt->op->name,
                         stmt->op->max_sources, stmt->op->max_sources == 1 ? "operand" : "operands");
            return false;
        }
        if (!parse_source(p, stmt)) return false;
    }
    return true;
}

/* ---- all instructions ---- */

/* The hardware has atomic operations on words and double words. An array in the wrong space is reported already, one whose declaration
 * had a fault has no size. */
static void check_atom(Parser *p, const Token *token, const AstArray *array)
{
    if (!array || !array->elem_bytes || !(ACCESS[ST_ATOM].spaces & (1u << array->space))) return;
    if (array->elem_bytes != 4 && array->elem_bytes != 8)
        parser_object(p, token, "array", "atomic operations want an element of 4 or 8 bytes");
    else if (array->vector)
        parser_object(p, token, "array", "atomic operations want an element of 4 or 8 bytes that is no vector");
}

static bool parse_atom(Parser *p, AstStmt *stmt)
{
    if (parser_at_register(p) && !(parse_destination(p, stmt) && parser_expect(p, TK_COMMA, "',' and an array element")))
        return false;
    const Token *token = parser_peek(p);
    if (!parse_access(p, stmt)) return false;
    check_atom(p, token, stmt->mem.array);
    return parse_data(p, stmt);
}

static bool parse_operands(Parser *p, AstStmt *stmt)
{
    switch (stmt->kind) {
    case ST_LD:
    case ST_TEX:
        return parse_destination(p, stmt) && parser_expect(p, TK_COMMA, "',' and an array element") && parse_access(p, stmt);
    case ST_ST: return parse_access(p, stmt) && parse_data(p, stmt);
    case ST_ATOM: return parse_atom(p, stmt);
    case ST_ALU: return parse_alu(p, stmt);
    default: return true;
    }
}

static bool parse_via(Parser *p, AstStmt *stmt)
{
    const Token *token = parser_peek(p);

    if (!parser_accept_word(p, WORD_VIA)) return true;
    if (!stmt->has_mem) {
        parser_fault(p, token, "text", "an instruction with an array element was wanted before via");
        return false;
    }
    do {
        if (stmt->n_via == AST_VIA_MAX) {
            parser_fault(p, parser_peek(p), "via", "at most %d registers were wanted", AST_VIA_MAX);
            return false;
        }
        if (!parse_register(p, &stmt->via[stmt->n_via])) return false;
        stmt->n_via++;
    } while (parser_accept(p, TK_COMMA));
    return true;
}

static StmtKind kind_of(WordId id)
{
    switch (id) {
    case WORD_LD: return ST_LD;
    case WORD_ST: return ST_ST;
    case WORD_ATOM: return ST_ATOM;
    case WORD_TEX: return ST_TEX;
    case WORD_BAR: return ST_BAR;
    case WORD_MEMBAR: return ST_MEMBAR;
    case WORD_EXIT: return ST_EXIT;
    default: return ST_ALU;
    }
}

void parse_instruction(Parser *p, const Token *token, const Word *word, const AstExpr *predicate)
{
    AstStmt *stmt = parser_node(p, sizeof(*stmt));

    *stmt = (AstStmt){.kind = kind_of(word->id), .line = p->lexer.line, .column = token->column};
    stmt->op = word->op;
    stmt->predicate = predicate;
    p->kernel.n_instructions++;
    g_ptr_array_add(p->stmts, stmt);
    if (!parse_operands(p, stmt) || !parse_via(p, stmt)) return;
    if (parser_peek(p)->kind == TK_EOL) return;
    if (stmt->kind == ST_BAR || stmt->kind == ST_MEMBAR || stmt->kind == ST_EXIT)
        parser_fault(p, parser_peek(p), "text", "%s takes no operands; the end of the line was wanted", word->name);
    else if (stmt->kind == ST_ALU && !stmt->n_via)
        parser_fault(p, parser_peek(p), "text",
                     "',' or the end of the line was wanted; an expression as operand goes in parentheses");
}
