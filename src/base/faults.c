#include "base/faults.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_LAST = INT_MAX };

typedef struct {
    int line, column;
    char *text;
} Fault;

struct Faults {
    char *file;
    GPtrArray *kept; /* of Fault: the first ones by line, never more than 2 * FAULTS_MAX */
    unsigned count;
    const void *context;
};

static void fault_free(void *data)
{
    Fault *fault = data;
    g_free(fault->text);
    g_free(fault);
}

static int compare(const void *a, const void *b)
{
    const Fault *x = *(Fault *const *)a, *y = *(Fault *const *)b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* Keeps a text with millions of faults from filling the memory with reports that nobody will see. */
static void drop_last(Faults *faults)
{
    g_ptr_array_sort(faults->kept, compare);
    if (faults->kept->len > FAULTS_MAX) g_ptr_array_set_size(faults->kept, FAULTS_MAX);
}

/* Characters that would break a report's line or rearrange it on a terminal. */
static bool is_hidden(gunichar c)
{
    const GUnicodeType type = g_unichar_type(c);
    return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR ||
           type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

static void append_escaped(GString *out, gunichar c)
{
    if (c == '\n')
        g_string_append(out, "\\n");
    else if (c == '\r')
        g_string_append(out, "\\r");
    else if (c == '\t')
        g_string_append(out, "\\t");
    else if (c < 0x80)
        g_string_append_printf(out, "\\x%02x", c);
    else
        g_string_append_printf(out, "\\u{%x}", c);
}

static char *escape(const char *text)
{
    GString *out = g_string_new(NULL);
    while (*text) {
        const gunichar c = g_utf8_get_char_validated(text, -1);
        if (c == (gunichar)-1 || c == (gunichar)-2) {
            g_string_append_printf(out, "\\x%02x", (unsigned char)*text++);
            continue;
        }
        const char *next = g_utf8_next_char(text);
        if (is_hidden(c))
            append_escaped(out, c);
        else
            g_string_append_len(out, text, next - text);
        text = next;
    }
    return g_string_free(out, FALSE);
}

Faults *faults_new(const char *file)
{
    Faults *faults = g_new0(Faults, 1);
    faults->file = file ? escape(file) : NULL;
    faults->kept = g_ptr_array_new_with_free_func(fault_free);
    return faults;
}

void faults_free(Faults *faults)
{
    if (!faults) return;
    g_ptr_array_unref(faults->kept);
    g_free(faults->file);
    g_free(faults);
}

static void add(Faults *faults, int line, int column, const char *prefix, const char *message)
{
    g_autofree char *shown = escape(message);
    Fault *fault = g_new(Fault, 1);
    *fault = (Fault){.line = line, .column = column, .text = g_strconcat(prefix, *prefix ? " " : "", shown, NULL)};
    g_ptr_array_add(faults->kept, fault);
    faults->count++;
    if (faults->kept->len >= 2 * FAULTS_MAX) drop_last(faults);
}

void faults_add(Faults *faults, int line, int column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_autoptr(GString) prefix = g_string_new(NULL);
    if (faults->file) g_string_append_printf(prefix, "%s:", faults->file);
    if (line > 0) g_string_append_printf(prefix, "%d:", line);
    if (column > 0) g_string_append_printf(prefix, "%d:", column);
    add(faults, line, column, prefix->str, message);
}

void faults_add_where(Faults *faults, const char *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *shown = escape(where);
    g_autofree char *prefix = g_strconcat(shown, ":", NULL);
    add(faults, LINE_LAST, 0, prefix, message);
}

char *faults_excerpt(const char *text)
{
    if (strnlen(text, FAULTS_EXCERPT + 1) <= FAULTS_EXCERPT) return g_strdup(text);
    size_t end = FAULTS_EXCERPT;
    while (end > FAULTS_EXCERPT - 4 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--;
    return g_strdup_printf("%.*s...", (int)end, text);
}

void faults_set_context(Faults *faults, const void *context)
{
    faults->context = context;
}

const void *faults_context(const Faults *faults)
{
    return faults->context;
}

unsigned faults_count(const Faults *faults)
{
    return faults->count;
}

bool faults_none(const Faults *faults, G80simError code, GError **error)
{
    if (faults->count == 0) return true;
    g_autoptr(GString) all = g_string_new(NULL);
    g_ptr_array_sort(faults->kept, compare);
    const unsigned shown = MIN(faults->kept->len, (unsigned)FAULTS_MAX), rest = faults->count - shown;
    for (unsigned i = 0; i < shown; i++) {
        const Fault *fault = g_ptr_array_index(faults->kept, i);
        g_string_append_printf(all, "%s%s", i ? "\n" : "", fault->text);
    }
    if (rest) {
        g_string_append_c(all, '\n');
        if (faults->file) g_string_append_printf(all, "%s: ", faults->file);
        g_string_append_printf(all, "%u more fault%s", rest, rest == 1 ? "" : "s");
    }
    g_set_error_literal(error, G80SIM_ERROR, (int)code, all->str);
    return false;
}
