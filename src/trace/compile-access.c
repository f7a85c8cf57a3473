#include "trace/compile-private.h"

static const ArrayPlace *find_place(const Compiler *c, const AstArray *array)
{
    const GPtrArray *globals = c->plan->trace->arrays;
    for (unsigned i = 0; i < globals->len; i++)
        if (globals->pdata[i] == array) return &c->plan->arrays[i];
    for (unsigned i = 0; i < c->places->len; i++) {
        const ArrayPlace *place = c->places->pdata[i];
        if (place->array == array) return place;
    }
    return NULL; /* its declaration had a fault, which is reported */
}

/* An index known to lie outside whenever it is evaluated is a fault of the text; one that may is checked as it runs. */
static bool known_inside(const Node *index, uint64_t dim)
{
    return index->safe && index->lo >= 0 && (uint64_t)index->hi < dim;
}

int compile_access(Compiler *c, const AstMem *mem)
{
    const ArrayPlace *place = find_place(c, mem->array);
    if (!place) return -1;
    Linear address = {.c = (int64_t)place->base};
    BoundCheck checks[AST_DIMS_MAX];
    unsigned n_checks = 0;
    for (unsigned d = 0; d < mem->n_indices; d++) {
        const Node *index = compile_bind(c, mem->indices[d]);
        if (!index) return -1;
        const Linear form = compile_linear(c, index);
        if (!linear_add(&address, &form, (int64_t)place->strides[d])) {
            faults_add(c->faults, mem->line, mem->column, "%s[...]: want an address of at most %d terms", mem->array->name,
                       LINEAR_TERMS_MAX);
            return -1;
        }
        if (known_inside(index, place->dims[d])) continue;
        checks[n_checks++] = (BoundCheck){compile_affine(c, &form, false), place->dims[d], d, mem->indices[d]};
    }
    Access access = {.place = place, .n_checks = n_checks, .checks = compile_own_copy(c, checks, sizeof *checks * n_checks)};
    access.first_pattern = c->p->n_patterns;
    access.address = compile_affine(c, &address, true);
    access.n_patterns = c->p->n_patterns - access.first_pattern;
    access.simple = !n_checks && !access.address.n_uniform && !access.address.n_varying;
    g_array_append_val(c->accesses, access);
    return (int)c->accesses->len - 1;
}
