#pragma once
/*
 * The values of a `table` of the trace: integers for indirect addressing, such as the indices of a gather or the rows of a sparse
 * matrix. They are known before anything runs and cost the machine nothing: a kernel that reads its indices from memory says so with a
 * load of its own.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/faults.h"
#include "trace/ast.h"

#define TABLE_VALUES_MAX (INT64_C(1) << 27)
#define TABLE_FILE_MAX (INT64_C(1) << 31) /* bytes */

typedef struct {
    const char *name;
    const AstTable *written;
    unsigned n_dims;
    uint64_t dims[AST_DIMS_MAX]; /* unused ones are 1 */
    int64_t *values;             /* the last dimension runs fastest */
    uint64_t n, n_room;          /* given so far, those too many counted; with room */
    int64_t min, max;
    char *file;   /* path of the file that it came from, or NULL */
    char *sha256; /* of that file, in hex, or NULL */
} Table;

/* Starts a table of that size, without values. False: the fault is reported. */
bool table_lay_out(Table *table, const AstTable *written, const int64_t *dims, Faults *faults);
void table_clear(Table *table);

/* The next value. Those beyond the table's size are counted only. */
void table_add(Table *table, int64_t value);

/* Checks that there are as many values as the size says, and sums up their range. False: the fault is reported. */
bool table_close(Table *table, Faults *faults);

/* Adds the values of the file that `from` names, and closes: numbers, decimal or 0x, with blanks, commas or newlines between them and
 * comments from `#` on. The path counts from the folder of `trace_file`. */
bool table_read(Table *table, const char *trace_file, Faults *faults);

/* The value there, one index for each dimension; false when one is outside. */
bool table_look_up(const Table *table, const int64_t *indices, int64_t *ret);

/* `name[2][3]`. Free with g_free. */
char *table_shape(const Table *table);
