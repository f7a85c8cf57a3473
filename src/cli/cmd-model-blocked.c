/* Blocked matrix multiplication in closed form: accesses and misses of each level of caches, with the working. */
#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "model/blocked.h"

enum { CACHE_BYTES_MAX = 1 << 30 };

/* The options as given; NULLs are not there. */
typedef struct {
    char *n, *json, *cache[BLOCKED_LEVELS_MAX], *line[BLOCKED_LEVELS_MAX], *block[BLOCKED_LEVELS_MAX];
} BlockedOptions;

static void options_clear(BlockedOptions *o)
{
    g_free(o->n);
    g_free(o->json);
    for (int i = 0; i < BLOCKED_LEVELS_MAX; i++) {
        g_free(o->cache[i]);
        g_free(o->line[i]);
        g_free(o->block[i]);
    }
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(BlockedOptions, options_clear)

typedef struct {
    uint64_t n;
    unsigned levels;
    BlockedLevel level[BLOCKED_LEVELS_MAX];
    BlockedResult result[BLOCKED_LEVELS_MAX];
} Question;

static double miss_rate(const BlockedResult *r)
{
    return (double)r->misses / (double)r->accesses;
}

/* ---- for people ---- */

static void print_misses(FILE *out, const Question *q, unsigned i)
{
    const BlockedLevel *level = &q->level[i];
    const BlockedResult *r = &q->result[i];
    const Text n = format_count(q->n), b = format_count(r->block), words = format_count(r->words_in);
    if (q->n % r->block)
        word_paragraph(out, "Words", "n^2 + 2 n^2 x %s blocks along an edge, the last one smaller = %s",
                       format_count(r->blocks).text, words.text);
    else
        word_paragraph(out, "Words", "(b^2 + 2 b n) (n/b)^2 = (%s^2 + 2 x %s x %s) x %s^2 = %s", b.text, b.text, n.text,
                       format_count(r->blocks).text, words.text);
    const uint64_t formula = q->n * r->row_lines * (1 + 2 * r->blocks);
    g_autofree char *lines = level->line_words == 1 ? g_strdup("words")
                             : r->words_in == formula * level->line_words
                                 ? g_strdup_printf("words / %s of a line", format_count(level->line_words).text)
                                 : g_strdup_printf("lines of %s words, %s for a row of the matrix in pieces of b",
                                                   format_count(level->line_words).text, format_count(r->row_lines).text);
    word_paragraph(out, "Misses", "%s: %s%s, %s of the accesses", lines, format_count(r->misses).text,
                   formula > r->misses ? " (every access: the level above is blocked as well or better)" : "",
                   format_percent(miss_rate(r)).text);
}

static void print_level(FILE *out, const Question *q, unsigned i)
{
    const BlockedLevel *level = &q->level[i];
    const BlockedResult *r = &q->result[i];
    const uint64_t need = 3 * r->block * r->block;
    fprintf(out, "\nCache %u: Z = %s words in lines of %s\n", i + 1, format_count(level->words).text,
            format_count(level->line_words).text);
    if (!i)
        word_paragraph(out, "Accesses", "6 n^3 = 6 x %s^3 = %s", format_count(q->n).text, format_count(r->accesses).text);
    else
        word_paragraph(out, "Accesses", "%s: the misses of cache %u, %s each", format_count(r->accesses).text, i,
                       format_counted(r->accesses / q->result[i - 1].misses, "line").text);
    word_paragraph(out, "Block", "%s x %s: 3 b^2 = %s words %s", format_count(r->block).text, format_count(r->block).text,
                   format_count(need).text,
                   r->fits ? "fit" : "do not fit: blocks push each other out, and there are more misses than these");
    print_misses(out, q, i);
    g_autofree char *per_line =
        level->line_words == 1 ? g_strdup("") : g_strdup_printf(" / %s words of a line", format_count(level->line_words).text);
    word_paragraph(out, "Best", "b = %s = %s: (n^2 + 2 n^3 / b)%s = %s misses; a block of whole %s: b = %s",
                   r->ideal_block < (double)q->n ? "sqrt(Z/3)" : "n", format_fixed(r->ideal_block, 2).text, per_line,
                   format_count((uint64_t)(r->ideal_misses + 0.5)).text, r->best_block % level->line_words ? "words" : "lines",
                   format_count(r->best_block).text);
}

static void print_answer(FILE *out, const void *data)
{
    const Question *q = data;
    fprintf(out, "blocked: C = A*B of %s x %s floats, in blocks\n", format_count(q->n).text, format_count(q->n).text);
    for (unsigned i = 0; i < q->levels; i++)
        print_level(out, q, i);
}

/* ---- JSON ---- */

static void build_level(JsonBuilder *b, const BlockedLevel *level, const BlockedResult *r)
{
    json_builder_begin_object(b);
    json_add_count(b, "cache_bytes", level->words * BLOCKED_WORD_BYTES);
    json_add_count(b, "line_bytes", level->line_words * BLOCKED_WORD_BYTES);
    json_add_count(b, "block", r->block);
    json_add_bool(b, "fits", r->fits);
    json_add_count(b, "accesses", r->accesses);
    json_add_count(b, "words", r->words_in);
    json_add_count(b, "misses", r->misses);
    json_add_number(b, "miss_rate", miss_rate(r));
    json_add_count(b, "best_block", r->best_block);
    json_add_number(b, "ideal_block", r->ideal_block);
    json_add_number(b, "ideal_misses", r->ideal_misses);
    json_builder_end_object(b);
}

static void build_answer(JsonBuilder *b, const void *data)
{
    const Question *q = data;
    json_builder_begin_object(b);
    json_add_text(b, "model", "blocked");
    json_add_count(b, "n", q->n);
    json_builder_set_member_name(b, "levels");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < q->levels; i++)
        build_level(b, &q->level[i], &q->result[i]);
    json_builder_end_array(b);
    json_builder_end_object(b);
}

/* ---- the question ---- */

static const char *const CACHE[] = {"--cache", "--cache2", "--cache3"}, *const LINE[] = {"--line", "--line2", "--line3"},
                         *const BLOCK[] = {"--block", "--block2", "--block3"};

/* Bytes, a multiple of a word's; 0 and a message otherwise. */
static uint64_t parse_words(const Command *self, const char *option, const char *text, uint64_t min_words, uint64_t max_words)
{
    const NumberRule rule = {option, "bytes", min_words * BLOCKED_WORD_BYTES, max_words * BLOCKED_WORD_BYTES,
                             "a K after the number stands for 1024"};
    uint64_t bytes;
    if (!number_parse(self, &rule, text, &bytes)) return 0;
    if (bytes % BLOCKED_WORD_BYTES) {
        fail_usage(self, "%s = %s: want a multiple of %d bytes, a word", option, text, BLOCKED_WORD_BYTES);
        return 0;
    }
    return bytes / BLOCKED_WORD_BYTES;
}

/* `i`: the level; the ones above are parsed. */
static bool parse_level(const Command *self, const BlockedOptions *o, unsigned i, Question *q)
{
    BlockedLevel *level = &q->level[i];
    const uint64_t least = i ? q->level[i - 1].words : 3;
    level->words = parse_words(self, CACHE[i], o->cache[i], least, CACHE_BYTES_MAX / BLOCKED_WORD_BYTES);
    if (!level->words) return false;
    const uint64_t longest = MIN(level->words, BLOCKED_LINE_MAX);
    level->line_words = o->line[i] ? parse_words(self, LINE[i], o->line[i], 1, longest) : 1;
    if (!level->line_words) return false;
    const NumberRule rule = {BLOCK[i], "rows", 1, q->n, "a block is a part of the matrix"};
    return !o->block[i] || number_parse(self, &rule, o->block[i], &level->block);
}

static bool parse_question(const Command *self, const BlockedOptions *o, Question *q)
{
    if (!number_parse(self, &(NumberRule){"--n", "rows", 1, BLOCKED_N_MAX, NULL}, o->n, &q->n)) return false;
    for (unsigned i = 0; i < BLOCKED_LEVELS_MAX; i++) {
        if (!o->cache[i] && (o->line[i] || o->block[i])) {
            fail_usage(self, "%s: want %s with it", o->line[i] ? LINE[i] : BLOCK[i], CACHE[i]);
            return false;
        }
        if (o->cache[i] && i != q->levels) {
            fail_usage(self, "%s: want %s with it", CACHE[i], CACHE[i - 1]);
            return false;
        }
        if (!o->cache[i]) continue;
        if (!parse_level(self, o, i, q)) return false;
        q->levels++;
    }
    return true;
}

int cmd_model_blocked(const Command *self, int argc, char **argv)
{
    g_auto(BlockedOptions) o = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {
        {"n", 'n', 0, G_OPTION_ARG_FILENAME, &o.n, "Rows and columns of the matrices (required)", "N"},
        {"block", 0, 0, G_OPTION_ARG_FILENAME, &o.block[0], "Rows and columns of a block; default: the best", "B"},
        {"cache", 0, 0, G_OPTION_ARG_FILENAME, &o.cache[0], "Size of the cache (required)", "BYTES"},
        {"line", 0, 0, G_OPTION_ARG_FILENAME, &o.line[0], "Its lines; default 4, a word", "BYTES"},
        {"block2", 0, 0, G_OPTION_ARG_FILENAME, &o.block[1], "The same of the next cache, which --cache2 adds", "B"},
        {"cache2", 0, 0, G_OPTION_ARG_FILENAME, &o.cache[1], "No smaller than the one above", "BYTES"},
        {"line2", 0, 0, G_OPTION_ARG_FILENAME, &o.line[1], "Likewise", "BYTES"},
        {"block3", 0, 0, G_OPTION_ARG_FILENAME, &o.block[2], "And of a third", "B"},
        {"cache3", 0, 0, G_OPTION_ARG_FILENAME, &o.cache[2], "Likewise", "BYTES"},
        {"line3", 0, 0, G_OPTION_ARG_FILENAME, &o.line[2], "Likewise", "BYTES"},
        OPTION_JSON(&o.json),
        {NULL},
    };
    const int status = options_parse(self, entries, 0, 0, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    if (!o.n || !o.cache[0]) return fail_usage(self, "model blocked: want --n N and --cache BYTES");
    Question q = {0};
    if (!parse_question(self, &o, &q)) return STATUS_USAGE;
    for (unsigned i = 0; i < q.levels; i++)
        q.result[i] = blocked(q.n, &q.level[i], i ? &q.level[i - 1] : NULL, i ? &q.result[i - 1] : NULL);
    return answer_give(&(const Answer){print_answer, build_answer}, o.json, &q);
}
