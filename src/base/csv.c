#include "base/csv.h"

#include <string.h>

typedef struct {
    const char *at, *end;
    int line;
    int cr_line; /* on which a CR was told last */
    Faults *faults;
} Reader;

static void record_free(void *data)
{
    CsvRecord *record = data;
    g_strfreev(record->cells);
    g_free(record);
}

static bool at_blank(const Reader *r)
{
    return r->at < r->end && (*r->at == ' ' || *r->at == '\t');
}

static bool at_line_end(const Reader *r)
{
    if (r->at == r->end || *r->at == '\n') return true;
    return *r->at == '\r' && (r->at + 1 == r->end || r->at[1] == '\n');
}

static bool at_field_end(const Reader *r)
{
    return at_line_end(r) || *r->at == ',';
}

static void skip_blanks(Reader *r)
{
    while (at_blank(r))
        r->at++;
}

static void skip_line(Reader *r)
{
    while (r->at < r->end && *r->at++ != '\n')
        ;
    r->line++;
}

/* The text between quotes; the first one is at `at`. */
static char *read_quoted(Reader *r, unsigned field)
{
    const int line = r->line;
    GString *text = g_string_new(NULL);
    for (r->at++; r->at < r->end; r->at++) {
        if (*r->at == '\n') r->line++;
        if (*r->at == '"' && (++r->at == r->end || *r->at != '"')) return g_string_free(text, FALSE);
        g_string_append_c(text, *r->at);
    }
    faults_add(r->faults, line, 0, "field %u: begins with a quote that nothing closes: want \" at its end", field);
    return g_string_free(text, FALSE);
}

static char *read_plain(Reader *r, unsigned field)
{
    const char *start = r->at;
    while (!at_field_end(r))
        r->at++;
    char *text = g_strchomp(g_strndup(start, (size_t)(r->at - start)));
    g_autofree char *shown = faults_excerpt(text);
    if (strchr(text, '\r') && r->cr_line != r->line) {
        faults_add(r->faults, r->line, 0, "field %u = %s: a CR that no LF follows: want LF or CR LF at the end of a line", field,
                   shown);
        r->cr_line = r->line; /* once in a file that ends lines so */
    }
    if (strchr(text, '"'))
        faults_add(r->faults, r->line, 0, "field %u = %s: a quote inside: want all of it in quotes, and \"\" there", field,
                   shown);
    return text;
}

static char *read_field(Reader *r, unsigned field)
{
    skip_blanks(r);
    if (r->at == r->end || *r->at != '"') return read_plain(r, field);
    char *text = read_quoted(r, field);
    skip_blanks(r);
    if (at_field_end(r)) return text;
    faults_add(r->faults, r->line, 0, "field %u: text behind its closing quote: want a comma", field);
    while (!at_field_end(r))
        r->at++;
    return text;
}

static CsvRecord *read_record(Reader *r)
{
    CsvRecord *record = g_new0(CsvRecord, 1);
    GPtrArray *cells = g_ptr_array_new();
    const unsigned before = faults_count(r->faults);
    record->line = r->line;
    for (;;) {
        g_ptr_array_add(cells, read_field(r, cells->len + 1));
        if (at_line_end(r)) break;
        r->at++;
    }
    skip_line(r);
    record->broken = faults_count(r->faults) > before;
    record->n = cells->len;
    g_ptr_array_add(cells, NULL);
    record->cells = (char **)g_ptr_array_free(cells, FALSE);
    return record;
}

static bool at_empty_line(const Reader *r)
{
    Reader ahead = *r;
    skip_blanks(&ahead);
    return at_line_end(&ahead);
}

static bool is_text(const Reader *r)
{
    const char *bad;
    if (g_utf8_validate(r->at, (gssize)(r->end - r->at), &bad)) return true;
    int line = 1;
    for (const char *c = r->at; c < bad; c++)
        line += *c == '\n';
    faults_add(r->faults, line, 0, "a byte 0x%02x that is no text: want UTF-8", (unsigned char)*bad);
    return false;
}

GPtrArray *csv_parse(const char *text, size_t length, Faults *faults)
{
    static const char MARK[] = "\xef\xbb\xbf";
    GPtrArray *records = g_ptr_array_new_with_free_func(record_free);
    Reader r = {text, text + length, 1, 0, faults};
    if (length >= strlen(MARK) && memcmp(text, MARK, strlen(MARK)) == 0) r.at += strlen(MARK);
    if (!is_text(&r)) return records;
    while (r.at < r.end) {
        if (*r.at == '#' || at_empty_line(&r))
            skip_line(&r);
        else
            g_ptr_array_add(records, read_record(&r));
    }
    return records;
}
