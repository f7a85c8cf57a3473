#include "trace/parser-private.h"

void parse_param(Parser *p)
{
    const Token *name = parser_new_name(p, "parameter");

    if (!name) return;
    const AstExpr *value = parser_expect(p, TK_ASSIGN, "'=' and a value") ? parse_expr(p, SCOPE_PARAMS) : NULL;
    Symbol *symbol = parser_declare(p, name, SYMBOL_PARAM);
    if (symbol && p->trace->params->len == PARAMS_MAX)
        parser_object(p, name, "parameter", "at most %d parameters were wanted", PARAMS_MAX);
    AstNamed *param = parser_node(p, sizeof(*param));
    *param = (AstNamed){.name = name->name, .value = value, .line = p->lexer.line, .column = name->column};
    g_ptr_array_add(p->trace->params, param);
}

/* The source from `from` to the token before the next one. */
static const char *text_since(Parser *p, const Token *from)
{
    const Token *last = &g_array_index(p->lexer.tokens, Token, p->pos - 1);

    return g_string_chunk_insert_len(p->trace->names, from->start, last->start + last->length - from->start);
}

void parse_require(Parser *p, GPtrArray *requires)
{
    const Token *first = parser_peek(p);
    const AstExpr *cond = parse_expr(p, SCOPE_PARAMS);

    if (!cond) return;
    AstRequire *require = parser_node(p, sizeof(*require));
    *require = (AstRequire){.cond = cond, .line = p->lexer.line, .column = first->column};
    require->text = text_since(p, first);
    g_ptr_array_add(requires, require);
}

bool parse_dims(Parser *p, const char *what, const AstExpr *ret_dims[AST_DIMS_MAX], unsigned *ret_n)
{
    unsigned n = 0;

    if (parser_peek(p)->kind != TK_LBRACKET) {
        parser_fault(p, parser_peek(p), "text", "'[' and the %s's size was wanted", what);
        return false;
    }
    while (parser_peek(p)->kind == TK_LBRACKET) {
        if (n == AST_DIMS_MAX) {
            parser_fault(p, parser_peek(p), what, "at most %d dimensions were wanted", AST_DIMS_MAX);
            return false;
        }
        parser_take(p);
        const AstExpr *dim = parse_expr(p, SCOPE_PARAMS);
        if (!dim || !parser_expect(p, TK_RBRACKET, "']' after the size")) return false;
        ret_dims[n++] = dim;
    }
    *ret_n = n;
    return true;
}

static bool parse_type(Parser *p, AstArray *array)
{
    if (!parser_expect(p, TK_COLON, "':' and a type")) return false;
    const Token *token = parser_peek(p);
    const Word *word = token->kind == TK_NAME ? g_hash_table_lookup(p->words, token->name) : NULL;
    if (!word || word->id != WORD_TYPE) {
        parser_fault(p, token, "type", "u8 s8 u16 s16 u32 s32 u64 s64 f16 f32 f64, or x2 or x4 of u8 u16 u32 s32 f32 was wanted");
        return false;
    }
    parser_take(p);
    array->elem_bytes = word->bytes;
    array->vector = word->vector;
    array->elem_regs = MAX(word->bytes / 4, 1);
    return true;
}

static bool parse_placement(Parser *p, AstArray *array)
{
    const Token *token = parser_peek(p);

    if (!parser_accept(p, TK_AT)) return true;
    if (array->space == SPACE_SHARED || array->space == SPACE_LOCAL) {
        parser_fault(p, token, "text", "no address was wanted: only global, const and tex arrays are placed");
        return false;
    }
    array->at = parse_expr(p, SCOPE_PARAMS);
    return array->at != NULL;
}

void parse_array(Parser *p, const Token *word, Space space, GPtrArray *arrays)
{
    const Token *name = parser_new_name(p, "array");

    if (!name) return;
    AstArray *array = parser_node(p, sizeof(*array));
    *array = (AstArray){.name = name->name, .space = space, .line = p->lexer.line, .column = word->column};
    bool sound = parse_dims(p, "array", array->dims, &array->n_dims) && parse_type(p, array) && parse_placement(p, array);
    Symbol *symbol = parser_declare(p, name, SYMBOL_ARRAY);
    if (!symbol) return;
    symbol->array = array;
    symbol->sound = sound;
    if (arrays->len == ARRAYS_MAX) parser_object(p, name, "array", "at most %d arrays were wanted", ARRAYS_MAX);
    g_ptr_array_add(arrays, array);
}
