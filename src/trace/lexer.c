#include "trace/lexer.h"

#include <string.h>

/* Longer signs first, so that the first match is the longest. */
/* clang-format off */
static const struct {
    const char *text;
    TokenKind kind;
} SIGNS[] = {
    {"<<", TK_SHL}, {">>", TK_SHR},      {"<=", TK_LE},      {">=", TK_GE},     {"==", TK_EQ},      {"!=", TK_NE},
    {"&&", TK_LAND}, {"||", TK_LOR},     {"*", TK_MUL},      {"/", TK_DIV},     {"%", TK_REM},      {"+", TK_ADD},
    {"-", TK_SUB},  {"<", TK_LT},        {">", TK_GT},       {"&", TK_AND},     {"^", TK_XOR},      {"|", TK_OR},
    {"!", TK_NOT},  {"~", TK_INV},       {"?", TK_QUESTION}, {":", TK_COLON},   {",", TK_COMMA},    {"=", TK_ASSIGN},
    {"@", TK_AT},   {"(", TK_LPAREN},    {")", TK_RPAREN},   {"[", TK_LBRACKET}, {"]", TK_RBRACKET},
    {"{", TK_LBRACE}, {"}", TK_RBRACE},
};
/* clang-format on */

/* The line being read: [at, end), of which `start` is column 1. */
typedef struct {
    Lexer *lexer;
    const char *start, *at, *end;
} Scan;

void lexer_init(Lexer *lexer, const char *text, size_t length, GStringChunk *strings)
{
    static const char BOM[] = "\xef\xbb\xbf";
    size_t skip = length >= 3 && memcmp(text, BOM, 3) == 0 ? 3 : 0;

    *lexer = (Lexer){.next = text + skip, .end = text + length, .strings = strings};
    lexer->tokens = g_array_new(FALSE, TRUE, sizeof(Token));
}

void lexer_clear(Lexer *lexer)
{
    g_clear_pointer(&lexer->tokens, g_array_unref);
}

static bool is_name_start(char c)
{
    return g_ascii_isalpha(c) || c == '_';
}

static bool is_name_part(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

static Token *push(Scan *s, TokenKind kind, const char *start, size_t length)
{
    Token token = {.kind = kind, .start = start, .length = (unsigned)length, .column = (int)(start - s->start) + 1};

    g_array_append_val(s->lexer->tokens, token);
    return &g_array_index(s->lexer->tokens, Token, s->lexer->tokens->len - 1);
}

/* A fault ends the line: what follows would be guessed. */
static void push_bad(Scan *s, const char *at, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void push_bad(Scan *s, const char *at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    push(s, TK_BAD, at, 0)->message = g_string_chunk_insert(s->lexer->strings, message);
    s->at = s->end;
}

static void scan_name(Scan *s)
{
    const char *start = s->at;
    char text[TRACE_NAME_MAX + 1];

    while (s->at < s->end && (is_name_part(*s->at) || (*s->at == '.' && s->at + 1 < s->end && is_name_part(s->at[1]))))
        s->at++;
    size_t length = (size_t)(s->at - start);
    if (length > TRACE_NAME_MAX) {
        push_bad(s, start, "name = %.16s...: a name has at most %d characters", start, TRACE_NAME_MAX);
        return;
    }
    memcpy(text, start, length);
    text[length] = '\0';
    push(s, TK_NAME, start, length)->name = g_string_chunk_insert_const(s->lexer->strings, text);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && g_ascii_isdigit(*at))
        at++;
    return at;
}

/* The end of a floating literal that starts at `at`, or NULL: digits, and then a fraction, an exponent or both. */
static const char *float_end(const char *at, const char *end)
{
    bool real = false;
    const char *p = skip_digits(at, end);

    if (p < end && *p == '.' && p + 1 < end && g_ascii_isdigit(p[1])) {
        p = skip_digits(p + 1, end);
        real = true;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *digits = p + 1 < end && (p[1] == '+' || p[1] == '-') ? p + 2 : p + 1;
        const char *stop = skip_digits(digits, end);
        if (stop > digits) {
            p = stop;
            real = true;
        }
    }
    return real && (p == end || !(is_name_part(*p) || *p == '.')) ? p : NULL;
}

/* Digits of the given base up to `end`. False when one is no digit; *ret_fits tells whether the value fits. */
static bool read_digits(const char *at, const char *end, int base, int64_t *ret_value, bool *ret_fits)
{
    int64_t value = 0;

    *ret_fits = true;
    if (at == end) return false;
    for (; at < end; at++) {
        int digit = g_ascii_xdigit_value(*at);
        if (digit < 0 || digit >= base) return false;
        if (*ret_fits) *ret_fits = !__builtin_mul_overflow(value, base, &value) && !__builtin_add_overflow(value, digit, &value);
    }
    *ret_value = value;
    return true;
}

static void scan_number(Scan *s)
{
    const char *start = s->at, *real = float_end(start, s->end);
    int64_t value;
    bool fits;

    if (real) {
        push(s, TK_FLOAT, start, (size_t)(real - start));
        s->at = real;
        return;
    }
    while (s->at < s->end && (is_name_part(*s->at) || *s->at == '.'))
        s->at++;
    bool hex = s->at - start >= 2 && start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
    int shown = (int)MIN(s->at - start, 40);
    if (!read_digits(hex ? start + 2 : start, s->at, hex ? 16 : 10, &value, &fits))
        push_bad(s, start, "number = %.*s: a decimal or 0x hexadecimal number was wanted", shown, start);
    else if (!hex && start[0] == '0' && s->at - start > 1)
        push_bad(s, start, "number = %.*s: a decimal number without leading zeros was wanted", shown, start);
    else if (!fits)
        push_bad(s, start, "number = %.*s: at most %" G_GINT64_FORMAT " was wanted", shown, start, G_MAXINT64);
    else
        push(s, TK_INT, start, (size_t)(s->at - start))->value = value;
}

static void scan_foreign(Scan *s)
{
    unsigned char c = (unsigned char)*s->at;
    gunichar wide = g_utf8_get_char_validated(s->at, s->end - s->at);

    if (wide == (gunichar)-1 || wide == (gunichar)-2)
        push_bad(s, s->at, "byte = 0x%02x: UTF-8 text was wanted", c);
    else if (g_unichar_isprint(wide))
        push_bad(s, s->at, "character = %.*s: this sign means nothing here", g_unichar_to_utf8(wide, NULL), s->at);
    else
        push_bad(s, s->at, "character = 0x%02x: text without control characters was wanted", wide);
}

/* Nothing escapes in a text: all between the quotes is meant as it stands. */
static void scan_text(Scan *s)
{
    const char *start = s->at, *close = memchr(start + 1, '"', (size_t)(s->end - start - 1));
    const int shown = (int)MIN(s->end - start, 16);

    if (!close) {
        push_bad(s, start, "text = %.*s%s: a closing \" was wanted", shown, start, s->end - start > shown ? "..." : "");
        return;
    }
    for (s->at = start + 1; s->at < close; s->at = g_utf8_next_char(s->at)) {
        const gunichar c = g_utf8_get_char_validated(s->at, close - s->at);
        if (c == (gunichar)-1 || c == (gunichar)-2 || !g_unichar_isprint(c)) {
            scan_foreign(s);
            return;
        }
    }
    g_autofree char *text = g_strndup(start + 1, (gsize)(close - start - 1));
    s->at = close + 1;
    push(s, TK_TEXT, start, (size_t)(s->at - start))->name = g_string_chunk_insert_const(s->lexer->strings, text);
}

static void scan_sign(Scan *s)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(SIGNS); i++) {
        size_t length = strlen(SIGNS[i].text);
        if ((size_t)(s->end - s->at) < length || memcmp(s->at, SIGNS[i].text, length) != 0) continue;
        push(s, SIGNS[i].kind, s->at, length);
        s->at += length;
        return;
    }
    scan_foreign(s);
}

static void scan_line(Scan *s)
{
    const char *nul = memchr(s->start, '\0', (size_t)(s->end - s->start));
    const char *stop = s->end;

    if (nul) s->end = nul;
    while (s->at < s->end && *s->at != '#') {
        if (*s->at == ' ' || *s->at == '\t')
            s->at++;
        else if (is_name_start(*s->at))
            scan_name(s);
        else if (g_ascii_isdigit(*s->at))
            scan_number(s);
        else if (*s->at == '"')
            scan_text(s);
        else
            scan_sign(s);
    }
    s->end = stop;
    if (nul) push_bad(s, nul, "byte = 0x00: text was wanted");
}

bool lexer_next_line(Lexer *lexer)
{
    const char *start = lexer->next;
    bool more = start < lexer->end;
    const char *newline = more ? memchr(start, '\n', (size_t)(lexer->end - start)) : NULL;
    const char *end = newline ? newline : lexer->end;

    g_array_set_size(lexer->tokens, 0);
    lexer->next = newline ? newline + 1 : lexer->end;
    if (more) lexer->line++;
    if (end > start && end[-1] == '\r') end--;
    Scan scan = {lexer, start, start, end};
    if (end - start > TRACE_LINE_MAX)
        push_bad(&scan, start, "line = %" G_GSIZE_FORMAT " bytes: at most %d were wanted", (gsize)(end - start), TRACE_LINE_MAX);
    else
        scan_line(&scan);
    push(&scan, TK_EOL, scan.at, 0);
    return more;
}

bool lexer_is_register(const char *name)
{
    return name[0] == 'r' && name[1] != '\0' && strspn(name + 1, "0123456789") == strlen(name + 1);
}
