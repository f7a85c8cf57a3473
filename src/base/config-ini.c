/*
 * The text of a configuration. GKeyFile reads the values, but merges duplicates, keeps trailing comments in values, stops
 * at the first fault and has no line numbers. So the text is scanned here first: every line that is not sound is reported
 * and left out, and GKeyFile is given the rest.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/config-private.h"
#include "base/nearest.h"

enum { INI_MAX_BYTES = 1 << 20 };

static const char BOM[] = "\xef\xbb\xbf";

typedef struct {
    GsConfigLoad *load;
    int line;
    bool in_section;          /* a section line was seen, sound or not */
    const GsConfigPart *part; /* of the present section; NULL when it is none of the machine's */
    GString *sound;           /* what GKeyFile gets */
} Scan;

static bool read_bounded(const char *path, GByteArray *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    g_byte_array_set_size(bytes, INI_MAX_BYTES + 1);
    errno = 0;
    const size_t n = fread(bytes->data, 1, bytes->len, file);
    const int reason = ferror(file) ? (errno ? errno : EIO) : 0;
    fclose(file);
    g_byte_array_set_size(bytes, (unsigned)n);
    errno = reason;
    return reason == 0;
}

char *gs_config_ini_read(const char *path, size_t *ret_length, GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    g_autoptr(Faults) faults = faults_new(path);
    if (!read_bounded(path, bytes))
        faults_add(faults, 0, 0, "%s", g_strerror(errno));
    else if (bytes->len > INI_MAX_BYTES)
        faults_add(faults, 0, 0, "too large: want at most 1 MiB of text");
    if (!faults_none(faults, G80SIM_ERROR_CONFIG, error)) return NULL;
    *ret_length = bytes->len;
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}

/* Without the blanks at both ends; other white space than blanks is no part of the dialect. */
static char *strip(char *text)
{
    text += strspn(text, " \t");
    size_t n = strlen(text);
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    text[n] = '\0';
    return text;
}

static void mark_faulty(Scan *scan)
{
    if (scan->part) scan->load->faulty[scan->part - scan->load->parts] = true;
}

/* A fault of the whole line. */
static void refuse_line(Scan *scan, const char *line, const char *wanted)
{
    g_autofree char *shown = faults_excerpt(line);
    faults_add(scan->load->faults, scan->line, 0, "%s: %s", shown, wanted);
    mark_faulty(scan);
}

/* True the first time that `name` is met, else adds to `ret_wanted` where it was. */
static bool is_first(Scan *scan, const char *name, const char *what, char **ret_wanted)
{
    const int earlier = GPOINTER_TO_INT(g_hash_table_lookup(scan->load->lines, name));
    if (earlier)
        *ret_wanted = g_strdup_printf("want each %s once, line %d has it", what, earlier);
    else
        g_hash_table_insert(scan->load->lines, g_strdup(name), GINT_TO_POINTER(scan->line));
    return !earlier;
}

static void enter_section(Scan *scan, const GsConfigPart *part)
{
    scan->in_section = true;
    scan->part = part;
}

static void scan_section(Scan *scan, char *line)
{
    char *close = strchr(line, ']');
    enter_section(scan, NULL);
    if (!close || close[1]) {
        const bool comment = close && strpbrk(close, "#;");
        refuse_line(scan, line, comment ? "want [section]; a comment goes on a line of its own" : "want [section]");
        return;
    }
    g_autofree char *section = g_strndup(line + 1, (size_t)(close - line - 1)), *wanted = NULL;
    enter_section(scan, gs_config_find_part(scan->load, section));
    if (!scan->part) {
        wanted = gs_config_wanted_section(scan->load, section);
        refuse_line(scan, line, wanted);
    } else if (!is_first(scan, line, "section", &wanted)) {
        refuse_line(scan, line, wanted);
    }
}

static void scan_pair(Scan *scan, char *line, char *equals)
{
    if (!scan->in_section) refuse_line(scan, line, "want a [section] before it");
    if (!scan->part) return;
    *equals = '\0';
    const GsConfigTable *table = scan->part->table;
    const char *key = strip(line), *value = strip(equals + 1);
    g_autofree char *name = g_strdup_printf("[%s] %s", table->section, key), *wanted = NULL;
    if (!gs_config_find_key(table, key)) {
        wanted = gs_config_wanted_key(table, key);
    } else if (is_first(scan, name, "key", &wanted)) {
        g_string_append_printf(scan->sound, "[%s]\n%s=%s\n", table->section, key, value);
        return;
    }
    g_autofree char *shown_name = faults_excerpt(name), *shown = faults_excerpt(value);
    faults_add(scan->load->faults, scan->line, 0, "%s = %s: %s", shown_name, shown, wanted);
    mark_faulty(scan);
}

static void scan_words(Scan *scan, char *line)
{
    char *equals = strchr(line, '=');
    if (*line == '\0' || *line == '#') return;
    if (*line == ';')
        refuse_line(scan, line, "want # before a comment");
    else if (*line == '[')
        scan_section(scan, line);
    else if (equals)
        scan_pair(scan, line, equals);
    else
        refuse_line(scan, line, "want [section], key = value or # comment");
}

static void scan_line(Scan *scan, const char *text, size_t length)
{
    if (length && text[length - 1] == '\r') length--;
    g_autofree char *line = g_strndup(text, length);
    const char *bad;
    if (!g_utf8_validate(line, (gssize)length, &bad)) {
        faults_add(scan->load->faults, scan->line, 0, "byte 0x%02x: want UTF-8 text", (unsigned char)*bad);
        if (*strip(line) == '[') enter_section(scan, NULL);
        mark_faulty(scan);
    } else if (strchr(line, '\r')) {
        refuse_line(scan, line, "want lines that end in LF or CRLF");
    } else {
        scan_words(scan, strip(line));
    }
}

static void scan_text(Scan *scan, const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;
        scan->line++;
        scan_line(scan, text, (size_t)(stop - text));
        text = newline ? newline + 1 : end;
    }
}

/* A NUL means a binary file or UTF-16: one fault says it better than one for each line. */
static bool is_text(Scan *scan, const char *text, size_t length)
{
    const char *nul = memchr(text, '\0', length);
    if (!nul) return true;
    int line = 1;
    for (const char *at = text; at < nul; at++)
        line += *at == '\n';
    faults_add(scan->load->faults, line, 0, "byte 0x00: want UTF-8 text");
    return false;
}

GKeyFile *gs_config_ini_parse(GsConfigLoad *load, const char *text, size_t length)
{
    Scan scan = {.load = load, .sound = g_string_new(NULL)};
    const size_t skip = length >= strlen(BOM) && memcmp(text, BOM, strlen(BOM)) == 0 ? strlen(BOM) : 0;
    if (is_text(&scan, text, length)) {
        scan_text(&scan, text + skip, length - skip);
        if (!scan.in_section && faults_count(load->faults) == 0)
            faults_add(load->faults, 0, 0, "empty: want at least one [section]");
    }
    GKeyFile *values = g_key_file_new();
    g_autoptr(GError) error = NULL;
    if (scan.sound->len && !g_key_file_load_from_data(values, scan.sound->str, scan.sound->len, G_KEY_FILE_NONE, &error))
        faults_add(load->faults, 0, 0, "not an INI file: %s", error->message);
    g_string_free(scan.sound, TRUE);
    return values;
}
