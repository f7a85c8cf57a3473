#include "trace/table.h"

char *table_shape(const Table *table)
{
    GString *shape = g_string_new(table->name);
    for (unsigned d = 0; d < table->n_dims; d++)
        g_string_append_printf(shape, "[%" G_GUINT64_FORMAT "]", table->dims[d]);
    return g_string_free(shape, FALSE);
}

static uint64_t table_size(const Table *table)
{
    return table->dims[0] * table->dims[1] * table->dims[2];
}

bool table_lay_out(Table *table, const AstTable *written, const int64_t *dims, Faults *faults)
{
    *table = (Table){.name = written->name, .written = written, .n_dims = written->n_dims, .dims = {1, 1, 1}};
    int64_t size = 1;
    for (unsigned d = 0; d < written->n_dims; d++) {
        if (dims[d] < 1) {
            faults_add(faults, written->line, written->column, "%s[...] dimension %u = %" G_GINT64_FORMAT ": want 1 or more",
                       written->name, d + 1, dims[d]);
            return false;
        }
        if (__builtin_mul_overflow(size, dims[d], &size) || size > TABLE_VALUES_MAX) {
            faults_add(faults, written->line, written->column, "%s: want a table of at most 2^27 values", written->name);
            return false;
        }
        table->dims[d] = (uint64_t)dims[d];
    }
    return true;
}

void table_clear(Table *table)
{
    g_clear_pointer(&table->values, g_free);
    g_clear_pointer(&table->file, g_free);
    g_clear_pointer(&table->sha256, g_free);
}

void table_add(Table *table, int64_t value)
{
    enum { ROOM_FIRST = 64 };

    if (table->n < table_size(table)) {
        if (table->n == table->n_room) { /* grows with what comes, not with what was announced */
            table->n_room = MIN(MAX(2 * table->n_room, ROOM_FIRST), table_size(table));
            table->values = g_renew(int64_t, table->values, table->n_room);
        }
        table->values[table->n] = value;
    }
    table->n++;
}

bool table_close(Table *table, Faults *faults)
{
    const AstTable *written = table->written;
    const uint64_t size = table_size(table);

    if (table->n != size) {
        g_autofree char *shape = table_shape(table);
        faults_add(faults, written->line, written->column, "%s: %s%" G_GUINT64_FORMAT " value%s%s%s: want %" G_GUINT64_FORMAT,
                   shape, table->n > TABLE_VALUES_MAX ? "more than " : "", MIN(table->n, (uint64_t)TABLE_VALUES_MAX),
                   table->n == 1 ? "" : "s", table->file ? " in " : "", table->file ? table->file : "", size);
        return false;
    }
    table->min = table->max = table->values[0];
    for (uint64_t i = 1; i < size; i++) {
        table->min = MIN(table->min, table->values[i]);
        table->max = MAX(table->max, table->values[i]);
    }
    return true;
}

bool table_look_up(const Table *table, const int64_t *indices, int64_t *ret)
{
    uint64_t at = 0;
    for (unsigned d = 0; d < table->n_dims; d++) {
        if ((uint64_t)indices[d] >= table->dims[d]) return false;
        at = at * table->dims[d] + (uint64_t)indices[d];
    }
    *ret = table->values[at];
    return true;
}
