#include "trace/layout.h"

static bool too_large(const AstArray *array, Faults *faults)
{
    faults_add(faults, array->line, array->column, "%s: want an array of at most 2^44 bytes", array->name);
    return false;
}

/* Strides from the last dimension to the first; *ret_bytes: all of it. */
static bool set_strides(const AstArray *array, const int64_t *dims, bool tiled, ArrayPlace *place, uint64_t *ret_bytes,
                        Faults *faults)
{
    uint64_t bytes = array->elem_bytes;
    for (unsigned d = array->n_dims; d-- > 0;) {
        if (dims[d] < 1) {
            faults_add(faults, array->line, array->column, "%s[...] dimension %u = %" G_GINT64_FORMAT ": want 1 or more",
                       array->name, d + 1, dims[d]);
            return false;
        }
        place->dims[d] = (uint64_t)dims[d];
        place->strides[d] = bytes;
        if (__builtin_mul_overflow(bytes, (uint64_t)dims[d], &bytes) || bytes > ARRAY_BYTES_MAX) return too_large(array, faults);
        if (tiled && d == array->n_dims - 1) bytes = place->pitch = layout_align(bytes, TEX_TILE_BYTES);
    }
    *ret_bytes = bytes;
    return true;
}

bool array_lay_out(const AstArray *array, const int64_t *dims, uint64_t base, ArrayPlace *ret, Faults *faults)
{
    const bool tiled = array->space == SPACE_TEX && array->n_dims > 1;
    *ret = (ArrayPlace){.array = array, .dims = {1, 1, 1}, .base = base};
    uint64_t bytes;
    if (!set_strides(array, dims, tiled, ret, &bytes, faults)) return false;
    if (tiled) bytes = layout_align(bytes / ret->pitch, TEX_TILE_ROWS) * ret->pitch;
    if (bytes > ARRAY_BYTES_MAX) return too_large(array, faults);
    ret->bytes = bytes;
    return true;
}
