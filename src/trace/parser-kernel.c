#include "trace/parser-private.h"

/* ---- the header ---- */

enum { ITEM_GRID, ITEM_BLOCK, ITEM_REGS, ITEM_ARGS, ITEM_SHMEM, ITEM_USEFUL, ITEM_STEPS, ITEM_FLOPS };
G_STATIC_ASSERT(ITEM_FLOPS + 1 == N_HEADER_ITEMS);

static void parse_item(Parser *p, const Token *token, unsigned item)
{
    AstKernel *kernel = p->kernel.ast;
    const AstExpr **scalars[] = {NULL,           NULL,          &kernel->regs, &kernel->args, &kernel->shmem, &kernel->useful,
                                 &kernel->steps, &kernel->flops};

    if (p->kernel.given[item])
        parser_fault(p, token, "statement", "one %s was wanted, line %d has it already", token->name, p->kernel.given[item]);
    else
        p->kernel.given[item] = p->lexer.line;
    if (item == ITEM_GRID)
        parse_extent(p, SCOPE_PARAMS, "grid", kernel->grid, &kernel->n_grid);
    else if (item == ITEM_BLOCK)
        parse_extent(p, SCOPE_PARAMS, "block", kernel->block, &kernel->n_block);
    else
        *scalars[item] = parse_expr(p, SCOPE_PARAMS);
}

static void parse_header(Parser *p, const Token *token, WordId id)
{
    AstKernel *kernel = p->kernel.ast;

    if (p->kernel.in_body) parser_fault(p, token, "statement", "a place before the kernel's first instruction was wanted");
    switch (id) {
    case WORD_GRID: parse_item(p, token, ITEM_GRID); break;
    case WORD_BLOCK: parse_item(p, token, ITEM_BLOCK); break;
    case WORD_REGS: parse_item(p, token, ITEM_REGS); break;
    case WORD_ARGS: parse_item(p, token, ITEM_ARGS); break;
    case WORD_SHMEM: parse_item(p, token, ITEM_SHMEM); break;
    case WORD_USEFUL: parse_item(p, token, ITEM_USEFUL); break;
    case WORD_STEPS: parse_item(p, token, ITEM_STEPS); break;
    case WORD_FLOPS: parse_item(p, token, ITEM_FLOPS); break;
    case WORD_SHARED: parse_array(p, token, SPACE_SHARED, kernel->arrays); break;
    case WORD_LOCAL: parse_array(p, token, SPACE_LOCAL, kernel->arrays); break;
    default: parse_require(p, kernel->requires);
    }
}

/* ---- statements ---- */

static void parse_let(Parser *p, const Token *word)
{
    const Token *name = parser_new_name(p, "let");

    if (!name) return;
    const AstExpr *value = parser_expect(p, TK_ASSIGN, "'=' and a value") ? parse_expr(p, SCOPE_LANE) : NULL;
    parser_declare(p, name, SYMBOL_LET);
    if (p->kernel.n_lets++ == LETS_MAX) parser_object(p, name, "let", "at most %d lets in a kernel were wanted", LETS_MAX);
    if (p->kernel.in_body) {
        AstStmt *stmt = parser_node(p, sizeof(*stmt));
        *stmt = (AstStmt){.kind = ST_LET, .line = p->lexer.line, .column = word->column, .name = name->name, .a = value};
        g_ptr_array_add(p->stmts, stmt);
    } else {
        AstNamed *let = parser_node(p, sizeof(*let));
        *let = (AstNamed){.name = name->name, .value = value, .line = p->lexer.line, .column = name->column};
        g_ptr_array_add(p->kernel.ast->lets, let);
    }
}

static void parse_block(Parser *p, const Token *word, WordId id)
{
    AstStmt *stmt = parser_node(p, sizeof(*stmt));
    LoopHead head = {.name = NULL};

    *stmt = (AstStmt){.kind = id == WORD_IF ? ST_IF : id == WORD_LOOP ? ST_LOOP : ST_FOR, .line = p->lexer.line};
    stmt->column = word->column;
    stmt->body = parser_list(p);
    if (id == WORD_IF)
        head.a = parse_expr(p, SCOPE_LANE);
    else
        parse_loop_head(p, id, SCOPE_LANE, &head);
    stmt->name = head.name;
    stmt->a = head.a;
    stmt->b = head.b;
    stmt->c = head.c;
    stmt->other = id == WORD_IF ? parser_list(p) : NULL;
    g_ptr_array_add(p->stmts, stmt);
    block_open(p, word, id, stmt);
    p->stmts = stmt->body;
    if (head.name) parser_declare(p, head.token, SYMBOL_VAR);
}

static void parse_body(Parser *p, const Token *token, const Word *word)
{
    switch (word->id) {
    case WORD_END: parse_end(p, token); return;
    case WORD_ELSE: parse_else(p, token); return;
    case WORD_FOR:
    case WORD_LOOP:
    case WORD_REPEAT:
    case WORD_IF:
        p->kernel.in_body = true;
        parse_block(p, token, word->id);
        return;
    default: p->kernel.in_body = true; parse_instruction(p, token, word, NULL);
    }
}

static void parse_predicated(Parser *p)
{
    parser_take(p);
    const AstExpr *predicate = parse_expr(p, SCOPE_LANE);
    const Token *token = parser_peek(p);
    p->kernel.in_body = true;
    if (!predicate) return;
    const Word *word = parse_statement_word(p, "instruction", IN_BODY);
    if (!word) return;
    if (!(word->where & IN_BODY) || word->id == WORD_LET || word->id == WORD_END || word->id == WORD_ELSE ||
        word->id == WORD_FOR || word->id == WORD_LOOP || word->id == WORD_REPEAT || word->id == WORD_IF)
        parser_fault(p, token, "instruction", "an instruction was wanted after the predicate");
    else
        parse_instruction(p, token, word, predicate);
}

/* Statements of the file that stand in a kernel. Their names are still taken, so that their uses are no faults too. */
static void parse_misplaced(Parser *p, const Token *token, WordId id)
{
    if (id == WORD_KERNEL) {
        block_unterminated(p, token);
        parse_kernel(p, token);
        return;
    }
    if (id == WORD_RECORDED)
        parser_fault(p, token, "statement", "another one was wanted, this version does not have it");
    else if (id == WORD_PARAM || id == WORD_LAUNCH || id == WORD_GLOBAL || id == WORD_CONST || id == WORD_TABLE)
        parser_fault(p, token, "statement", "a place outside of kernels was wanted; the kernel of line %d is open",
                     p->kernel.ast->line);
    else
        parser_fault(p, token, "statement", "a statement or an instruction was wanted");
    if (id == WORD_PARAM) parse_param(p);
    if (id == WORD_GLOBAL) parse_array(p, token, SPACE_GLOBAL, p->trace->arrays);
    if (id == WORD_CONST) parse_array(p, token, SPACE_CONST, p->trace->arrays);
    if (id == WORD_TABLE) parse_table(p, token);
}

void parse_kernel_line(Parser *p)
{
    const Token *token = parser_peek(p);

    if (token->kind == TK_AT) {
        parse_predicated(p);
        return;
    }
    const Word *word = parse_statement_word(p, "instruction", p->kernel.in_body ? IN_BODY : IN_HEADER | IN_BODY);
    if (!word) return;
    if (word->id == WORD_LET)
        parse_let(p, token);
    else if (word->where & IN_HEADER)
        parse_header(p, token, word->id);
    else if (word->where & IN_BODY)
        parse_body(p, token, word);
    else
        parse_misplaced(p, token, word->id);
}

/* ---- the whole ---- */

void parse_kernel(Parser *p, const Token *word)
{
    AstKernel *kernel = parser_node(p, sizeof(*kernel));
    const Token *name;

    block_open(p, word, WORD_KERNEL, NULL);
    /* In a muted line the kernel has had a fault already. */
    p->kernel = (KernelState){.ast = kernel, .n_faults = faults_count(p->faults) - (p->muted ? 1 : 0)};
    *kernel =
        (AstKernel){.name = "", .line = p->lexer.line, .column = word->column, .arrays = parser_list(p), .lets = parser_list(p)};
    kernel->requires = parser_list(p);
    kernel->body = parser_list(p);
    kernel->uses = parser_list(p);
    p->stmts = kernel->body;
    name = parser_new_name(p, "kernel");
    if (!name) return;
    kernel->name = name->name;
    if (p->trace->kernels->len == KERNELS_MAX) parser_object(p, name, "kernel", "at most %d kernels were wanted", KERNELS_MAX);
    g_ptr_array_add(p->trace->kernels, kernel);
    const AstKernel *other = g_hash_table_lookup(p->kernels, name->name);
    if (other)
        parser_object(p, name, "kernel", "another name was wanted, line %d has this one", other->line);
    else
        g_hash_table_insert(p->kernels, (char *)name->name, kernel);
}

void kernel_close(Parser *p)
{
    static const WordId MANDATORY[] = {WORD_GRID, WORD_BLOCK, WORD_REGS};
    AstKernel *kernel = p->kernel.ast;

    kernel->end_line = p->lexer.line;
    /* What is missing may stand in a line that has a fault already. */
    if (faults_count(p->faults) != p->kernel.n_faults) return;
    for (unsigned i = 0; i < G_N_ELEMENTS(MANDATORY); i++)
        if (!p->kernel.given[i])
            faults_add(p->faults, kernel->line, kernel->column, "kernel = %s: a line with %s was wanted", kernel->name,
                       word_text(MANDATORY[i]));
    if (!p->kernel.n_instructions)
        faults_add(p->faults, kernel->line, kernel->column, "kernel = %s: at least one instruction was wanted", kernel->name);
}
