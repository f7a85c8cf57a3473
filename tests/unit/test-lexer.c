#include <string.h>

#include "trace/lexer.h"
#include "unit.h"

/* The tokens of a line in short: names as they are, #value, ~float, a sign as it is, !message, each followed by a blank. */
static char *tokens_of(const Lexer *lexer)
{
    GString *out = g_string_new(NULL);

    for (guint i = 0; i + 1 < lexer->tokens->len; i++) {
        const Token *t = &g_array_index(lexer->tokens, Token, i);
        if (t->kind == TK_INT)
            g_string_append_printf(out, "#%" G_GINT64_FORMAT " ", t->value);
        else if (t->kind == TK_BAD)
            g_string_append_printf(out, "!%d:%s ", t->column, t->message);
        else
            g_string_append_printf(out, "%s%.*s ", t->kind == TK_FLOAT ? "~" : "", (int)t->length, t->start);
    }
    return g_string_free(out, FALSE);
}

static char *scan(const char *text, size_t length)
{
    GStringChunk *strings = g_string_chunk_new(64);
    Lexer lexer;

    lexer_init(&lexer, text, length, strings);
    lexer_next_line(&lexer);
    ck_assert_int_eq(g_array_index(lexer.tokens, Token, lexer.tokens->len - 1).kind, TK_EOL);
    char *tokens = tokens_of(&lexer);
    lexer_clear(&lexer);
    g_string_chunk_free(strings);
    return tokens;
}

/* clang-format off */
static const struct {
    const char *text, *tokens;
} LINES[] = {
    {"", ""}, {" \t ", ""}, {"# all \xff a comment \x01", ""}, {"a#b", "a "}, {"\xef\xbb\xbfg80trace 1", "g80trace #1 "},
    {"ld r1, A[i]\r", "ld r1 , A [ i ] "}, {"tid.x laneid a.b.c _x9", "tid.x laneid a.b.c _x9 "},
    {"0 7 9223372036854775807 0x7fffffffffffffff 0XaB", "#0 #7 #9223372036854775807 #9223372036854775807 #171 "},
    {"1.5 2e-3 0.5E+10 3e4", "~1.5 ~2e-3 ~0.5E+10 ~3e4 "},
    {"a<<b>>c<=d>=e==f!=g&&h||i", "a << b >> c <= d >= e == f != g && h || i "},
    {"+-*/%<>&|^~!?:,=@()[]", "+ - * / % < > & | ^ ~ ! ? : , = @ ( ) [ ] "}, {"a<<<b", "a << < b "}, {"2-1", "#2 - #1 "},
    {"9223372036854775808", "!1:number = 9223372036854775808: at most 9223372036854775807 was wanted "},
    {"0x8000000000000000", "!1:number = 0x8000000000000000: at most 9223372036854775807 was wanted "},
    {"a 12ab b", "a !3:number = 12ab: a decimal or 0x hexadecimal number was wanted "},
    {"1_000", "!1:number = 1_000: a decimal or 0x hexadecimal number was wanted "},
    {"0x", "!1:number = 0x: a decimal or 0x hexadecimal number was wanted "},
    {"1.", "!1:number = 1.: a decimal or 0x hexadecimal number was wanted "},
    {"1.5.2", "!1:number = 1.5.2: a decimal or 0x hexadecimal number was wanted "},
    {"010", "!1:number = 010: a decimal number without leading zeros was wanted "},
    {"a ; b", "a !3:character = ;: this sign means nothing here "},
    {"tid.", "tid !4:character = .: this sign means nothing here "},
    {"a \xc3\xa9 b", "a !3:character = \xc3\xa9: this sign means nothing here "},
    {"a \xff b", "a !3:byte = 0xff: UTF-8 text was wanted "}, {"\xc3", "!1:byte = 0xc3: UTF-8 text was wanted "},
    {"a\x1b[0m", "a !2:character = 0x1b: text without control characters was wanted "},
    {"a\rb", "a !2:character = 0x0d: text without control characters was wanted "},
    {"\xc2\x85", "!1:character = 0x85: text without control characters was wanted "},
};
/* clang-format on */

START_TEST(a_line_is_split)
{
    g_autofree char *tokens = scan(LINES[_i].text, strlen(LINES[_i].text));
    ck_assert_str_eq(tokens, LINES[_i].tokens);
}
END_TEST

START_TEST(a_nul_is_a_fault_even_in_a_comment)
{
    g_autofree char *plain = scan("a\0b", 3), *comment = scan("a # \0b", 6);
    ck_assert_str_eq(plain, "a !2:byte = 0x00: text was wanted ");
    ck_assert_str_eq(comment, "a !5:byte = 0x00: text was wanted ");
}
END_TEST

START_TEST(lines_are_counted_and_columns_start_at_one)
{
    static const char TEXT[] = "\n  a\r\n\n\tb";
    GStringChunk *strings = g_string_chunk_new(64);
    Lexer lexer;

    lexer_init(&lexer, TEXT, strlen(TEXT), strings);
    for (int line = 1; line <= 4; line++) {
        ck_assert(lexer_next_line(&lexer));
        ck_assert_int_eq(lexer.line, line);
        const Token *first = &g_array_index(lexer.tokens, Token, 0);
        ck_assert_int_eq(first->kind, line % 2 ? TK_EOL : TK_NAME);
        if (line == 2) ck_assert_int_eq(first->column, 3);
        if (line == 4) ck_assert_int_eq(first->column, 2);
    }
    ck_assert(!lexer_next_line(&lexer));
    ck_assert_int_eq(g_array_index(lexer.tokens, Token, 0).kind, TK_EOL);
    lexer_clear(&lexer);
    g_string_chunk_free(strings);
}
END_TEST

START_TEST(equal_names_are_equal_pointers)
{
    GStringChunk *strings = g_string_chunk_new(64);
    Lexer lexer;

    lexer_init(&lexer, "row col row", 11, strings);
    lexer_next_line(&lexer);
    const Token *tokens = &g_array_index(lexer.tokens, Token, 0);
    ck_assert_ptr_eq(tokens[0].name, tokens[2].name);
    ck_assert_ptr_ne(tokens[0].name, tokens[1].name);
    lexer_clear(&lexer);
    g_string_chunk_free(strings);
}
END_TEST

START_TEST(a_name_has_a_longest_length)
{
    g_autofree char *longest = g_strnfill(TRACE_NAME_MAX, 'n'), *longer = g_strnfill(TRACE_NAME_MAX + 1, 'n');
    g_autofree char *good = scan(longest, strlen(longest)), *bad = scan(longer, strlen(longer));
    ck_assert_int_eq(strlen(good), TRACE_NAME_MAX + 1);
    ck_assert_str_eq(bad, "!1:name = nnnnnnnnnnnnnnnn...: a name has at most 128 characters ");
}
END_TEST

START_TEST(a_line_has_a_longest_length)
{
    g_autofree char *longest = g_strnfill(TRACE_LINE_MAX, ' '), *longer = g_strnfill(TRACE_LINE_MAX + 1, ' ');
    g_autofree char *good = scan(longest, strlen(longest)), *bad = scan(longer, strlen(longer));
    ck_assert_str_eq(good, "");
    ck_assert_str_eq(bad, "!1:line = 65537 bytes: at most 65536 were wanted ");
}
END_TEST

START_TEST(registers_are_r_and_digits)
{
    ck_assert(lexer_is_register("r0"));
    ck_assert(lexer_is_register("r999"));
    ck_assert(!lexer_is_register("r"));
    ck_assert(!lexer_is_register("r1x"));
    ck_assert(!lexer_is_register("row"));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_line_is_split, 0, G_N_ELEMENTS(LINES));
    tcase_add_test(tcase, a_nul_is_a_fault_even_in_a_comment);
    tcase_add_test(tcase, lines_are_counted_and_columns_start_at_one);
    tcase_add_test(tcase, equal_names_are_equal_pointers);
    tcase_add_test(tcase, a_name_has_a_longest_length);
    tcase_add_test(tcase, a_line_has_a_longest_length);
    tcase_add_test(tcase, registers_are_r_and_digits);
}

int main(void)
{
    return unit_main("lexer", add);
}
