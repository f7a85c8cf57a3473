#include <string.h>

#include "trace/parser-private.h"

enum { VERSION = 1 };

/* Does the rest of the line look like that of a block's word? Then taking a misspelt one for it spares the reader the faults
 * that would follow from a lost block. */
static bool looks_like(const Parser *p, WordId id)
{
    const Token *first = parser_peek2(p), *second = first->kind == TK_EOL ? first : first + 1;

    switch (id) {
    case WORD_FOR:
    case WORD_LOOP: return first->kind == TK_NAME && second->kind == TK_ASSIGN;
    case WORD_REPEAT:
    case WORD_IF: return first->kind != TK_EOL && !(first->kind == TK_NAME && lexer_is_register(first->name));
    case WORD_KERNEL: return first->kind == TK_NAME && second->kind == TK_EOL;
    case WORD_TABLE: return first->kind == TK_NAME && second->kind == TK_LBRACKET;
    case WORD_ELSE:
    case WORD_END: return first->kind == TK_EOL;
    default: return false;
    }
}

static const Word *unknown_word(Parser *p, const Token *token, const char *what, unsigned where)
{
    /* PTX qualifies its instructions: ld.global.f32. */
    g_autofree char *head = g_strndup(token->name, strcspn(token->name, "."));
    const Word *nearest = faults_count(p->faults) < FAULTS_MAX ? word_nearest(p->words, head, where) : NULL;

    if (nearest)
        parser_fault(p, token, what, "a known one was wanted; the nearest is %s", nearest->name);
    else
        parser_fault(p, token, what, "a known one was wanted");
    return nearest && looks_like(p, nearest->id) ? nearest : NULL;
}

const Word *parse_statement_word(Parser *p, const char *what, unsigned where)
{
    const Token *token = parser_peek(p);

    if (token->kind != TK_NAME) {
        parser_fault(p, token, what, "%s was wanted", where & IN_FILE ? "a statement" : "an instruction");
        return NULL;
    }
    const Word *word = g_hash_table_lookup(p->words, token->name);
    if (!word) word = unknown_word(p, token, what, where);
    if (word) parser_take(p);
    return word;
}

static bool starts_file_part(WordId id)
{
    return id == WORD_PARAM || id == WORD_REQUIRE || id == WORD_GLOBAL || id == WORD_CONST || id == WORD_TABLE ||
           id == WORD_KERNEL || id == WORD_LAUNCH;
}

static void parse_in_file(Parser *p, const Token *token, WordId id)
{
    switch (id) {
    case WORD_PARAM: parse_param(p); break;
    case WORD_REQUIRE: parse_require(p, p->trace->requires); break;
    case WORD_GLOBAL: parse_array(p, token, SPACE_GLOBAL, p->trace->arrays); break;
    case WORD_CONST: parse_array(p, token, SPACE_CONST, p->trace->arrays); break;
    case WORD_TEX: parse_array(p, token, SPACE_TEX, p->trace->arrays); break;
    case WORD_TABLE: parse_table(p, token); break;
    case WORD_KERNEL: parse_kernel(p, token); break;
    case WORD_LAUNCH: parse_launch(p, token); break;
    case WORD_END: parse_end(p, token); break;
    default: parse_launch_loop(p, token, id);
    }
}

static void refuse_in_file(Parser *p, const Token *token, WordId id)
{
    if (id == WORD_LET) {
        parser_fault(p, token, "statement", "a kernel around it was wanted; param names a number of the whole file");
        parse_param(p);
        return;
    }
    if (id == WORD_RECORDED)
        parser_fault(p, token, "statement", "another one was wanted, this version does not have it");
    else if (id == WORD_G80TRACE)
        parser_fault(p, token, "statement", "this line was wanted once, at the start");
    else
        parser_fault(p, token, "statement", "a kernel around it was wanted");
    /* Most likely an `end` too many closed the kernel, and every line up to the next part would say the same. */
    p->astray = true;
}

static void parse_file_line(Parser *p)
{
    const Token *token = parser_peek(p);
    WordId first = parser_word(p, token);

    if (starts_file_part(first)) p->astray = false;
    if (p->astray && !(first == WORD_END && p->blocks->len)) {
        p->muted = true;
        return;
    }
    const Word *word = parse_statement_word(p, "statement", IN_FILE);
    if (!word) return;
    if (!(word->where & IN_FILE)) {
        refuse_in_file(p, token, word->id);
        return;
    }
    if (p->blocks->len && word->id == WORD_KERNEL)
        block_unterminated(p, token);
    else if (p->blocks->len && (starts_file_part(word->id) || word->id == WORD_TEX) && word->id != WORD_LAUNCH)
        parser_fault(p, token, "statement", "only launches and their loops were wanted in the block of line %d",
                     g_array_index(p->blocks, Block, p->blocks->len - 1).line);
    parse_in_file(p, token, word->id);
}

static bool parse_version(Parser *p)
{
    do {
        if (!parser_next_line(p)) {
            faults_add(p->faults, 1, 1, "first statement = nothing: 'g80trace %d' was wanted, the file is empty", VERSION);
            return false;
        }
    } while (parser_peek(p)->kind == TK_EOL);
    const Token *token = parser_peek(p);
    if (token->kind == TK_BAD) {
        faults_add(p->faults, p->lexer.line, token->column, "first statement = unreadable (%s): 'g80trace %d' was wanted",
                   token->message, VERSION);
        return false;
    }
    if (!parser_accept_word(p, WORD_G80TRACE)) {
        parser_fault(p, token, "first statement", "'g80trace %d' was wanted; this is no trace", VERSION);
        return false;
    }
    token = parser_peek(p);
    if (token->kind != TK_INT || token->value != VERSION) {
        parser_fault(p, token, "version", "%d was wanted, the version that this program reads", VERSION);
        return false;
    }
    parser_take(p);
    return parser_expect(p, TK_EOL, "the end of the line");
}

void parse_file(Parser *p)
{
    if (!parse_version(p)) return;
    while (parser_next_line(p)) {
        if (parser_peek(p)->kind == TK_EOL) continue;
        if (p->kernel.ast)
            parse_kernel_line(p);
        else
            parse_file_line(p);
        parser_expect(p, TK_EOL, "the end of the line");
    }
    if (p->blocks->len) block_unterminated(p, NULL);
    launches_resolve(p);
    if (!p->trace->kernels->len && !faults_count(p->faults))
        faults_add(p->faults, MAX(p->lexer.line, 1), 1, "kernel = none: at least one 'kernel ... end' was wanted");
}
