/* Lanes to transactions: what one access of a warp to global memory asks of it, drawn and in words. */
#include <math.h>
#include <string.h>

#include "cli/access.h"
#include "cli/answer.h"
#include "cli/coalesce-why.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/wording.h"

enum {
    ROW_BYTES = 128,
    SECTOR_BYTES = 32,
    CELL_BYTES = 4,
    SECTORS = ROW_BYTES / SECTOR_BYTES,
    ROWS_MAX = 2 * COALESCE_MAX,
    ROWS_SHOWN = 16
};

typedef struct {
    WarpAccess access;
    const CoalescerConfig *config;
    Coalesced result;
} Access;

static double efficiency(const Coalesced *c)
{
    return c->bytes_moved ? (double)c->bytes_used / (double)c->bytes_moved : NAN;
}

/* The most operations on one word that a transaction brings. */
static unsigned deepest(const Coalesced *c)
{
    unsigned most = 0;
    for (uint32_t i = 0; i < c->n; i++)
        most = MAX(most, c->transactions[i].depth);
    return most;
}

/* ---- the figure: a row for each 128 bytes ---- */

/* The rows that transactions touch, in order. */
static unsigned find_rows(const Access *a, Addr ret[ROWS_MAX])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < a->result.n; i++) {
        const Transaction *t = &a->result.transactions[i];
        for (Addr row = t->addr / ROW_BYTES; row <= (t->addr + t->bytes - 1) / ROW_BYTES; row++) {
            unsigned at = 0;
            while (at < n && ret[at] < row)
                at++;
            if (at < n && ret[at] == row) continue;
            memmove(ret + at + 1, ret + at, (n - at) * sizeof *ret);
            ret[at] = row;
            n++;
        }
    }
    return n;
}

static LaneMask lanes_on(const Access *a, Addr first, Addr bytes)
{
    LaneMask lanes = 0;
    for (LaneMask left = a->access.lanes.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        const Addr at = a->access.lanes.addr[i];
        if (at < first + bytes && at + a->access.lanes.width > first) lanes |= (LaneMask)1 << i;
    }
    return lanes;
}

/* The last digit of the lane that uses the cell; * several; . moved, but not used; blank: not moved. */
static char cell(const Access *a, Addr addr)
{
    const LaneMask lanes = lanes_on(a, addr, CELL_BYTES);
    if (lanes) return bits_count(lanes) > 1 ? '*' : (char)('0' + bits_lowest(lanes) % 10);
    for (uint32_t i = 0; i < a->result.n; i++) {
        const Transaction *t = &a->result.transactions[i];
        if (addr - t->addr < t->bytes) return '.';
    }
    return ' ';
}

/* `[` where a transaction starts, `]` where one ends. */
static char edge(const Access *a, Addr addr, bool end)
{
    for (uint32_t i = 0; i < a->result.n; i++) {
        const Transaction *t = &a->result.transactions[i];
        if (end ? t->addr + t->bytes == addr : t->addr == addr) return end ? ']' : '[';
    }
    return ' ';
}

/* `2 x 64 + 1 x 32`: the transactions that start in the row. */
static char *sizes_in(const Access *a, Addr row)
{
    GString *text = g_string_new(NULL);
    for (unsigned bytes = ROW_BYTES; bytes >= SECTOR_BYTES; bytes /= 2) {
        unsigned n = 0;
        for (uint32_t i = 0; i < a->result.n; i++)
            n += a->result.transactions[i].addr / ROW_BYTES == row && a->result.transactions[i].bytes == bytes;
        if (n) g_string_append_printf(text, "%s%u x %u B", text->len ? " + " : "", n, bytes);
    }
    return g_string_free(text, FALSE);
}

static void print_row(FILE *out, const Access *a, Addr row)
{
    char cells[SECTORS * (SECTOR_BYTES / CELL_BYTES + 2) + 1], *to = cells;
    for (Addr at = row * ROW_BYTES; at < (row + 1) * ROW_BYTES; at += SECTOR_BYTES) {
        *to++ = edge(a, at, false);
        for (unsigned i = 0; i < SECTOR_BYTES; i += CELL_BYTES)
            *to++ = cell(a, at + i);
        *to++ = edge(a, at + SECTOR_BYTES, true);
    }
    *to = '\0';
    g_autofree char *sizes = sizes_in(a, row);
    fprintf(out, "%9" G_GUINT64_FORMAT " %s  %s\n", row * ROW_BYTES, cells, sizes);
}

static void print_figure(FILE *out, const Access *a)
{
    Addr rows[ROWS_MAX];
    const unsigned n = find_rows(a, rows), shown = n > ROWS_SHOWN ? ROWS_SHOWN - 2 : n;
    fprintf(out, "%9s  +%-9d+%-9d+%-9d+%-9d %s\n", "byte", 0, SECTOR_BYTES, 2 * SECTOR_BYTES, 3 * SECTOR_BYTES, "transactions");
    for (unsigned i = 0; i < shown; i++)
        print_row(out, a, rows[i]);
    if (shown < n) {
        fprintf(out, "%9s  and %u rows more, the last of them:\n", "...", n - shown);
        print_row(out, a, rows[n - 1]);
    }
    fputs("          a cell is 4 bytes: 0-9 the last digit of its lane, * several lanes,\n"
          "          . moved but not used; [ ] a transaction\n",
          out);
}

/* ---- the answer in words ---- */

static void print_count(FILE *out, const Access *a)
{
    const Coalesced *c = &a->result;
    g_autoptr(GString) sizes = g_string_new(NULL);
    for (unsigned bytes = ROW_BYTES; bytes >= SECTOR_BYTES; bytes /= 2) {
        unsigned n = 0;
        for (uint32_t i = 0; i < c->n; i++)
            n += c->transactions[i].bytes == bytes;
        if (n) g_string_append_printf(sizes, "%s%u of %u bytes", sizes->len ? ", " : "", n, bytes);
    }
    word_paragraph(out, "Transactions", "%u: %s", c->n, sizes->str);
    word_paragraph(out, "Efficiency", "%s: %s of %s moved bytes are used", format_percent(efficiency(c)).text,
                   format_count(c->bytes_used).text, format_count(c->bytes_moved).text);
}

static void print_answer(FILE *out, const void *data)
{
    const Access *a = data;
    warp_access_print_title(out, "coalesce", &a->access);
    fputc('\n', out);
    print_count(out, a);
    coalesce_print_why(out, a->config, &a->access.lanes, &a->result);
    coalesce_print_cure(out, a->config, &a->access.lanes, &a->result);
    fputc('\n', out);
    print_figure(out, a);
    fputc('\n', out);
    coalesce_print_rule(out, a->config, &a->access.lanes);
}

/* ---- the answer as JSON ---- */

static void build_answer(JsonBuilder *j, const void *data)
{
    const Access *a = data;
    const Coalesced *c = &a->result;
    json_builder_begin_object(j);
    json_builder_set_member_name(j, "transactions");
    json_builder_begin_array(j);
    for (uint32_t i = 0; i < c->n; i++) {
        json_builder_begin_object(j);
        json_add_count(j, "address", c->transactions[i].addr);
        json_add_count(j, "bytes", c->transactions[i].bytes);
        if (a->access.lanes.atomic) json_add_count(j, "depth", c->transactions[i].depth);
        json_builder_end_object(j);
    }
    json_builder_end_array(j);
    json_add_count(j, "count", c->n);
    json_add_count(j, "bytes_moved", c->bytes_moved);
    json_add_count(j, "bytes_used", c->bytes_used);
    json_add_number(j, "efficiency", efficiency(c));
    if (a->access.lanes.atomic) json_add_count(j, "depth", deepest(c));
    json_builder_end_object(j);
}

static void access_clear(Access *a)
{
    warp_access_clear(&a->access);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Access, access_clear)

int cmd_coalesce(const Command *self, int argc, char **argv)
{
    g_auto(Access) a = {0};
    const int status = warp_access_parse(self, SPACE_GLOBAL, argc, argv, &a.access);
    if (status != OPTIONS_GO_ON) return status;
    a.config = &a.access.machine.config.coalescer;
    coalesce(a.config, &a.access.lanes, &a.result);
    return answer_give(&(const Answer){print_answer, build_answer}, a.access.json, &a);
}
