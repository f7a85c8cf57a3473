#include "trace/ast.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace/parser-private.h"

const char *space_name(Space space)
{
    static const char *const NAMES[SPACE_N] = {"global", "shared", "const", "tex", "local"};

    return NAMES[space];
}

static void list_free(void *list)
{
    g_ptr_array_unref(list);
}

static AstTrace *trace_new(const char *file, const char *text, gsize length)
{
    AstTrace *trace = g_new0(AstTrace, 1);

    trace->file = g_strdup(file);
    trace->text = g_malloc(length + 1);
    if (length) memcpy(trace->text, text, length);
    trace->text[length] = '\0';
    trace->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)trace->text, length);
    trace->lines = g_ptr_array_new();
    trace->params = g_ptr_array_new();
    trace->requires = g_ptr_array_new();
    trace->arrays = g_ptr_array_new();
    trace->tables = g_ptr_array_new();
    trace->kernels = g_ptr_array_new();
    trace->launches = g_ptr_array_new();
    trace->names = g_string_chunk_new(4096);
    trace->nodes = g_ptr_array_new_with_free_func(g_free);
    trace->lists = g_ptr_array_new_with_free_func(list_free);
    return trace;
}

void ast_trace_free(AstTrace *trace)
{
    if (!trace) return;
    g_free(trace->file);
    g_free(trace->text);
    g_free(trace->sha256);
    g_ptr_array_unref(trace->lines);
    g_ptr_array_unref(trace->params);
    g_ptr_array_unref(trace->requires);
    g_ptr_array_unref(trace->arrays);
    g_ptr_array_unref(trace->tables);
    g_ptr_array_unref(trace->kernels);
    g_ptr_array_unref(trace->launches);
    g_ptr_array_unref(trace->nodes);
    g_ptr_array_unref(trace->lists);
    g_string_chunk_free(trace->names);
    g_free(trace);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void add_line(AstTrace *trace, const char *start, const char *end)
{
    const char *comment = memchr(start, '#', (size_t)(end - start));

    if (comment) end = comment;
    while (start < end && is_blank(*start))
        start++;
    while (end > start && is_blank(end[-1]))
        end--;
    g_ptr_array_add(trace->lines, end > start ? g_string_chunk_insert_len(trace->names, start, end - start) : (char *)"");
}

static void split_lines(AstTrace *trace, gsize length)
{
    const char *at = trace->text, *end = at + length;

    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        add_line(trace, at, newline ? newline : end);
        at = newline ? newline + 1 : end;
    }
}

const char *ast_trace_line(const AstTrace *trace, int line)
{
    return line >= 1 && (guint)line <= trace->lines->len ? g_ptr_array_index(trace->lines, line - 1) : "";
}

AstTrace *ast_trace_parse(const char *file, const char *text, gsize length, GError **error)
{
    if (length > TRACE_FILE_MAX) {
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE, "%s: size = %" G_GSIZE_FORMAT " bytes: at most %d were wanted", file,
                    length, TRACE_FILE_MAX);
        return NULL;
    }
    g_autoptr(AstTrace) trace = trace_new(file, text, length);
    g_autoptr(Faults) faults = faults_new(file);
    Parser parser;

    parser_init(&parser, trace, faults, trace->text, length);
    parse_file(&parser);
    parser_clear(&parser);
    if (!faults_none(faults, G80SIM_ERROR_TRACE, error)) return NULL;
    split_lines(trace, length);
    return g_steal_pointer(&trace);
}

AstTrace *ast_expr_parse(const char *what, const char *text, const AstExpr **ret_expr, GError **error)
{
    gsize length = strlen(text);
    g_autoptr(AstTrace) trace = trace_new(what, text, length);
    g_autoptr(Faults) faults = faults_new(what);
    Parser parser;

    parser_init(&parser, trace, faults, trace->text, length);
    parser_next_line(&parser);
    parser.lexer.line = 1; /* of an empty text too */
    const AstExpr *expr = parse_expr(&parser, SCOPE_NONE);
    if (expr && parser_expect(&parser, TK_EOL, "the end of the expression") && parser_next_line(&parser))
        parser_fault(&parser, parser_peek(&parser), "text", "an expression of one line was wanted");
    parser_clear(&parser);
    if (!faults_none(faults, G80SIM_ERROR_USAGE, error)) return NULL;
    *ret_expr = expr;
    return g_steal_pointer(&trace);
}

/* ---- files ---- */

/* The rest of the stream, one byte more than is allowed at most; NULL, with errno set, when it cannot be read. */
static GByteArray *read_stream(FILE *stream)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    guint8 buffer[1 << 14];
    size_t n;

    while (bytes->len <= TRACE_FILE_MAX && (n = fread(buffer, 1, sizeof(buffer), stream)) > 0)
        g_byte_array_append(bytes, buffer, (guint)n);
    return ferror(stream) ? NULL : g_steal_pointer(&bytes);
}

AstTrace *ast_trace_load(const char *path, GError **error)
{
    bool standard = g_str_equal(path, "-");
    const char *file = standard ? "<stdin>" : path;
    FILE *stream = standard ? stdin : fopen(path, "rb");
    g_autoptr(GByteArray) bytes = stream ? read_stream(stream) : NULL;
    int reason = errno;

    if (stream && !standard) fclose(stream);
    if (!bytes) {
        g_autofree char *shown = g_filename_display_name(file);
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE, "%s: %s", shown, g_strerror(reason));
        return NULL;
    }
    return ast_trace_parse(file, (const char *)bytes->data, bytes->len, error);
}
