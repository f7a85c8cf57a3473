/* Reading a table's file, as a stream: what is kept are the values, however long the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace/table.h"

enum { WORD_SHOWN = 40, BUFFER_BYTES = 1 << 16 };

typedef struct {
    Table *table;
    Faults *faults;
    uint64_t line, bytes;
    unsigned n_faults;
    bool comment;     /* up to the end of the line */
    bool after_value; /* a comma may follow */
    bool stopped;
    char word[WORD_SHOWN + 1]; /* being read; of a longer one the beginning */
    size_t length;
} Reader;

/* ---- faults ---- */

static void report(Reader *r, const char *what, const char *value, const char *wanted)
{
    g_autofree char *where = g_strdup_printf("%s:%" G_GUINT64_FORMAT, r->table->file, r->line);

    faults_add_where(r->faults, where, "%s = %s: %s", what, value, wanted);
    if (++r->n_faults == FAULTS_MAX) r->stopped = true; /* no more would be shown */
}

static void report_word(Reader *r, const char *wanted)
{
    g_autofree char *shown = g_strdup_printf("%.*s%s", WORD_SHOWN, r->word, r->length > WORD_SHOWN ? "..." : "");

    report(r, "value", shown, wanted);
}

/* ---- numbers ---- */

/* Digits up to the end of the word; false when one is no digit or there are none. A value too large becomes UINT64_MAX. */
static bool read_digits(const char *at, unsigned base, uint64_t *ret)
{
    *ret = 0;
    if (!*at) return false;
    for (; *at; at++) {
        const int digit = g_ascii_xdigit_value(*at);
        if (digit < 0 || (unsigned)digit >= base) return false;
        if (__builtin_mul_overflow(*ret, base, ret) || __builtin_add_overflow(*ret, (unsigned)digit, ret)) *ret = UINT64_MAX;
    }
    return true;
}

static void end_word(Reader *r)
{
    if (!r->length) return;
    r->word[MIN(r->length, WORD_SHOWN)] = '\0';
    const bool minus = r->word[0] == '-';
    const char *digits = r->word + minus;
    const bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    uint64_t value;
    if (r->length > WORD_SHOWN || !read_digits(hex ? digits + 2 : digits, hex ? 16 : 10, &value))
        report_word(r, "want a decimal or 0x hexadecimal integer");
    else if (!hex && digits[0] == '0' && digits[1])
        report_word(r, "want a decimal integer without leading zeros");
    else if (value > (uint64_t)INT64_MAX + minus)
        report_word(r, "want -9223372036854775808..9223372036854775807");
    else
        table_add(r->table, (int64_t)(minus ? 0 - value : value));
    r->after_value = true;
    r->length = 0;
    if (r->table->n > TABLE_VALUES_MAX) r->stopped = true;
}

/* ---- bytes ---- */

static void read_byte(Reader *r, char c)
{
    if (c == '\n') {
        end_word(r);
        r->line++;
        r->comment = false;
    } else if (c == '\0') {
        end_word(r);
        report(r, "byte", "0x00", "want text");
        r->stopped = true;
    } else if (r->comment) {
        return;
    } else if (c == '#' || c == ' ' || c == '\t' || c == '\r') {
        end_word(r);
        r->comment = c == '#';
    } else if (c == ',') {
        end_word(r);
        if (!r->after_value) report(r, "text", ",", "want a value before each comma");
        r->after_value = false;
    } else {
        if (r->length < WORD_SHOWN) r->word[r->length] = c;
        r->length++;
    }
}

static void read_bytes(Reader *r, const char *at, size_t n)
{
    if (r->bytes == 0 && n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
        at += 3;
        n -= 3;
    }
    r->bytes += n;
    for (const char *end = at + n; at < end && !r->stopped; at++)
        read_byte(r, *at);
    if (r->bytes <= TABLE_FILE_MAX || r->stopped) return;
    report(r, "size", "more than 2 GiB", "want a smaller file");
    r->stopped = true;
}

/* True when the whole stream was read. */
static bool read_stream(Reader *r, FILE *stream)
{
    g_autofree char *buffer = g_malloc(BUFFER_BYTES);
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    size_t n;

    while (!r->stopped && (n = fread(buffer, 1, BUFFER_BYTES, stream)) > 0) {
        g_checksum_update(sum, (const guchar *)buffer, (gssize)n);
        read_bytes(r, buffer, n);
    }
    const bool good = !ferror(stream);
    if (good && !r->stopped) end_word(r);
    r->table->sha256 = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return good;
}

/* ---- files ---- */

static char *path_of(const char *from, const char *trace_file)
{
    g_autofree char *folder = g_path_get_dirname(trace_file);
    const bool as_it_is = g_path_is_absolute(from) || strcmp(folder, ".") == 0;

    return as_it_is ? g_strdup(from) : g_build_filename(folder, from, NULL);
}

bool table_read(Table *table, const char *trace_file, Faults *faults)
{
    Reader r = {.table = table, .faults = faults, .line = 1};

    table->file = path_of(table->written->from, trace_file);
    errno = 0;
    FILE *stream = fopen(table->file, "rb");
    const bool good = stream && read_stream(&r, stream);
    const int reason = errno;
    if (stream) fclose(stream);
    if (!good) {
        faults_add(faults, table->written->line, table->written->column, "%s: %s: %s", table->name, table->file,
                   g_strerror(reason));
        return false;
    }
    return r.n_faults == 0 && table_close(table, faults);
}
