#include "trace/op.h"

#include <glib.h>

/* clang-format off */
static const OpInfo OPS[] = {
    {"mov",   OP_CLASS_alu,     1, 1, 0}, {"add",   OP_CLASS_alu,     2, 1, 1}, {"sub",   OP_CLASS_alu,     2, 1, 1},
    {"mul",   OP_CLASS_mul,     2, 1, 1}, {"mad",   OP_CLASS_alu,     3, 1, 2}, {"fma",   OP_CLASS_alu,     3, 1, 2},
    {"min",   OP_CLASS_alu,     2, 1, 0}, {"max",   OP_CLASS_alu,     2, 1, 0}, {"and",   OP_CLASS_alu,     2, 1, 0},
    {"or",    OP_CLASS_alu,     2, 1, 0}, {"xor",   OP_CLASS_alu,     2, 1, 0}, {"shl",   OP_CLASS_shift,   2, 1, 0},
    {"shr",   OP_CLASS_shift,   2, 1, 0}, {"set",   OP_CLASS_compare, 2, 1, 0}, {"sel",   OP_CLASS_compare, 3, 1, 0},
    {"cvt",   OP_CLASS_convert, 1, 1, 0}, {"mul24", OP_CLASS_mul24,   2, 1, 0}, {"mad24", OP_CLASS_mul24,   3, 1, 0},
    {"imul",  OP_CLASS_imul,    2, 1, 0}, {"imad",  OP_CLASS_imad,    3, 1, 0}, {"rcp",   OP_CLASS_rcp,     1, 1, 1},
    {"rsqrt", OP_CLASS_rcp,     1, 1, 1}, {"lg2",   OP_CLASS_lg2,     1, 1, 1}, {"ex2",   OP_CLASS_ex2,     1, 1, 1},
    {"sin",   OP_CLASS_sincos,  1, 1, 1}, {"cos",   OP_CLASS_sincos,  1, 1, 1}, {"sqrt",  OP_CLASS_sqrt,    1, 1, 1},
    {"div",   OP_CLASS_div,     2, 1, 1}, {"rem",   OP_CLASS_rem,     2, 1, 0}, {"dadd",  OP_CLASS_dp,      2, 2, 1},
    {"dmul",  OP_CLASS_dp,      2, 2, 1}, {"dfma",  OP_CLASS_dp,      3, 2, 2},
};
/* clang-format on */

static const struct {
    const char *name, *doc;
} CLASSES[OP_CLASS_N] = {
#define OP_CLASS_ROW(name, doc) {#name, doc},
    OP_CLASSES(OP_CLASS_ROW)
#undef OP_CLASS_ROW
};

const OpInfo *op_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(OPS); i++)
        if (g_str_equal(OPS[i].name, name)) return &OPS[i];
    return NULL;
}

const OpInfo *op_all(unsigned *ret_n)
{
    *ret_n = G_N_ELEMENTS(OPS);
    return OPS;
}

const char *op_class_name(OpClass cls)
{
    return CLASSES[cls].name;
}

const char *op_class_doc(OpClass cls)
{
    return CLASSES[cls].doc;
}
