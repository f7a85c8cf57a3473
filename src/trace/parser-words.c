#include <string.h>

#include "base/nearest.h"
#include "trace/parser-private.h"

#define WORD_ROW(id, text, where) {text, WORD_##id, where, NULL, 0, 0, false, 0, 0},
static const Word KEYWORDS[] = {PARSER_WORDS(WORD_ROW)};
#undef WORD_ROW

/* clang-format off */
static const char *const BUILTINS[BI_N] = {
    "tid.x",   "tid.y",   "tid.z",   "ntid.x",   "ntid.y",   "ntid.z",   "ctaid.x",
    "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z", "laneid",   "warpid",
};
/* clang-format on */

static const char *const VECTORS[] = {"tid", "ntid", "ctaid", "nctaid"};

/* clang-format off */
static const struct {
    const char *name;
    unsigned bytes;
} TYPES[] = {
    {"u8", 1},    {"s8", 1},    {"u16", 2},   {"s16", 2},   {"u32", 4},    {"s32", 4},    {"u64", 8},
    {"s64", 8},   {"f16", 2},   {"f32", 4},   {"f64", 8},   {"u8x2", 2},   {"u8x4", 4},   {"u16x2", 4},
    {"u16x4", 8}, {"u32x2", 8}, {"s32x2", 8}, {"f32x2", 8}, {"u32x4", 16}, {"s32x4", 16}, {"f32x4", 16},
};
/* clang-format on */

static Word *word_add(GHashTable *words, const char *name, WordId id, unsigned where)
{
    Word *word = g_hash_table_lookup(words, name);

    if (!word) {
        word = g_new0(Word, 1);
        g_hash_table_insert(words, (char *)name, word);
    }
    *word = (Word){.name = name, .id = id, .where = where};
    return word;
}

static void word_set_function(GHashTable *words, const char *name, ExprOp function, unsigned n_args)
{
    Word *word = g_hash_table_lookup(words, name);

    word->function = function;
    word->n_args = n_args;
}

static void word_add_type(GHashTable *words, const char *name, unsigned bytes)
{
    Word *word = word_add(words, name, WORD_TYPE, 0);

    word->bytes = bytes;
    word->vector = strchr(name, 'x') != NULL;
}

GHashTable *words_new(void)
{
    GHashTable *words = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
    unsigned n_ops;
    const OpInfo *ops = op_all(&n_ops);

    for (unsigned i = 0; i < G_N_ELEMENTS(KEYWORDS); i++)
        word_add(words, KEYWORDS[i].name, KEYWORDS[i].id, KEYWORDS[i].where);
    for (unsigned i = 0; i < n_ops; i++)
        word_add(words, ops[i].name, WORD_OP, IN_BODY)->op = &ops[i];
    for (unsigned i = 0; i < BI_N; i++)
        word_add(words, BUILTINS[i], WORD_BUILTIN, 0)->builtin = (Builtin)i;
    for (unsigned i = 0; i < G_N_ELEMENTS(VECTORS); i++)
        word_add(words, VECTORS[i], WORD_VECTOR, 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(TYPES); i++)
        word_add_type(words, TYPES[i].name, TYPES[i].bytes);
    word_set_function(words, "min", EX_MIN, 2);
    word_set_function(words, "max", EX_MAX, 2);
    word_set_function(words, "hash", EX_HASH, 1);
    return words;
}

const char *word_text(WordId id)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(KEYWORDS); i++)
        if (KEYWORDS[i].id == id) return KEYWORDS[i].name;
    return "";
}

const Word *word_nearest(GHashTable *words, const char *name, unsigned where)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    unsigned n_ops;
    const OpInfo *ops = op_all(&n_ops);

    /* The order decides between equally near names, so it is that of the tables and not of the hash table. */
    for (unsigned i = 0; i < G_N_ELEMENTS(KEYWORDS); i++)
        if (KEYWORDS[i].where & where) g_ptr_array_add(names, (char *)KEYWORDS[i].name);
    for (unsigned i = 0; i < n_ops && (where & IN_BODY); i++)
        g_ptr_array_add(names, (char *)ops[i].name);
    const char *nearest = nearest_name(name, (const char *const *)names->pdata, names->len);
    return nearest ? g_hash_table_lookup(words, nearest) : NULL;
}
