/* Blocks, which `end` closes, and the heads of loops. */
#include "trace/parser-private.h"

static bool parse_range(Parser *p, ExprScope scope, LoopHead *head)
{
    head->token = parser_new_name(p, "loop variable");
    if (!head->token || !parser_expect(p, TK_ASSIGN, "'=' and the first value")) return false;
    head->name = head->token->name;
    head->a = parse_expr(p, scope);
    if (!head->a) return false;
    if (!parser_accept_word(p, WORD_TO)) {
        parser_fault(p, parser_peek(p), "text", "'to' and the last value was wanted");
        return false;
    }
    head->b = parse_expr(p, scope);
    if (!head->b) return false;
    if (parser_accept_word(p, WORD_STEP)) head->c = parse_expr(p, scope);
    return true;
}

void parse_loop_head(Parser *p, WordId word, ExprScope scope, LoopHead *ret_head)
{
    *ret_head = (LoopHead){.name = NULL};
    if (word != WORD_REPEAT) {
        parse_range(p, scope, ret_head);
        return;
    }
    ret_head->a = expr_const(p, parser_peek(p), 1);
    ret_head->b = parse_expr(p, scope);
}

void block_open(Parser *p, const Token *word, WordId id, AstStmt *stmt)
{
    Block block = {.word = id, .line = p->lexer.line, .column = word->column, .n_scope = p->scope->len};
    guint depth = p->blocks->len - (p->kernel.ast && p->blocks->len ? 1 : 0);

    block.stmt = stmt;
    block.stmts = p->stmts;
    block.launches = p->launches;
    if (depth == BLOCK_NESTING_MAX)
        parser_object(p, word, "block", "at most %d blocks inside each other were wanted", BLOCK_NESTING_MAX);
    g_array_append_val(p->blocks, block);
}

static Block *innermost(Parser *p)
{
    return p->blocks->len ? &g_array_index(p->blocks, Block, p->blocks->len - 1) : NULL;
}

void parse_else(Parser *p, const Token *word)
{
    const Block *block = innermost(p);

    if (!block->stmt || block->stmt->kind != ST_IF) {
        parser_fault(p, word, "statement", "an if around it was wanted; the block here is the %s of line %d",
                     word_text(block->word), block->line);
        return;
    }
    if (block->stmt->has_else) {
        parser_fault(p, word, "statement", "'end' was wanted; the if of line %d has its else in line %d", block->line,
                     block->stmt->else_line);
        return;
    }
    block->stmt->has_else = true;
    block->stmt->else_line = p->lexer.line;
    p->stmts = block->stmt->other;
    parser_close_scope(p, block->n_scope);
}

static void block_pop(Parser *p)
{
    const Block *block = innermost(p);

    parser_close_scope(p, block->n_scope);
    p->stmts = block->stmts;
    p->launches = block->launches;
    if (block->word == WORD_KERNEL) p->kernel = (KernelState){.ast = NULL};
    g_array_set_size(p->blocks, p->blocks->len - 1);
}

void parse_end(Parser *p, const Token *word)
{
    const Block *block = innermost(p);

    if (!block) {
        parser_fault(p, word, "statement", "no 'end' was wanted: no block is open");
        return;
    }
    if (block->column != word->column && !p->kernel.odd_end_line) {
        p->kernel.odd_end_line = p->lexer.line;
        p->kernel.odd_block_line = block->line;
        p->kernel.odd_block = block->word;
    }
    parser_expect(p, TK_EOL, "the end of the line");
    if (block->stmt) block->stmt->end_line = p->lexer.line;
    if (block->word == WORD_KERNEL) kernel_close(p);
    block_pop(p);
}

void block_unterminated(Parser *p, const Token *before)
{
    const Block *block = innermost(p);
    const KernelState *kernel = &p->kernel;
    g_autofree char *where =
        before ? g_strdup_printf("the %s of line %d", before->name, p->lexer.line) : g_strdup("the end of the file");
    g_autofree char *hint =
        kernel->odd_end_line ? g_strdup_printf(" (by its indentation, the 'end' of line %d was not meant for the %s of line %d)",
                                               kernel->odd_end_line, word_text(kernel->odd_block), kernel->odd_block_line)
                             : g_strdup("");

    faults_add(p->faults, block->line, block->column, "block = %s of line %d: an 'end' was wanted before %s%s",
               word_text(block->word), block->line, where, hint);
    while (p->blocks->len)
        block_pop(p);
}
