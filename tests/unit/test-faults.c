#include "unit.h"

#include <string.h>

#include "base/faults.h"
#include "base/nearest.h"

/* The message of all faults; the collector is freed. */
static char *message(Faults *faults)
{
    g_autoptr(GError) error = NULL;
    ck_assert(!faults_none(faults, G80SIM_ERROR_TRACE, &error));
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    faults_free(faults);
    return g_strdup(error->message);
}

static void assert_message(Faults *faults, const char *want)
{
    g_autofree char *text = message(faults);
    ck_assert_str_eq(text, want);
}

START_TEST(no_faults_is_success)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(Faults) faults = faults_new("a.ini");
    ck_assert(faults_none(faults, G80SIM_ERROR_CONFIG, &error));
    ck_assert_ptr_null(error);
    ck_assert_uint_eq(faults_count(faults), 0);
}
END_TEST

static const struct {
    const char *file;
    int line, column;
    const char *want;
} PLACES[] = {
    {"a.ini", 14, 3, "a.ini:14:3: bad"},
    {"a.ini", 14, 0, "a.ini:14: bad"},
    {"a.ini", 0, 0, "a.ini: bad"},
    {NULL, 14, 3, "14:3: bad"},
    {NULL, 14, 0, "14: bad"},
    {NULL, 0, 0, "bad"},
    {"a\nb.ini", 1, 0, "a\\nb.ini:1: bad"},
};

START_TEST(place_is_shown_as_far_as_known)
{
    Faults *faults = faults_new(PLACES[_i].file);
    faults_add(faults, PLACES[_i].line, PLACES[_i].column, "b%sd", "a");
    assert_message(faults, PLACES[_i].want);
}
END_TEST

START_TEST(faults_come_out_by_line_column_and_age)
{
    Faults *faults = faults_new("f");
    faults_add(faults, 9, 1, "fifth");
    faults_add(faults, 2, 7, "second");
    faults_add(faults, 2, 9, "third");
    faults_add(faults, 2, 9, "fourth");
    faults_add(faults, 0, 0, "first");
    assert_message(faults, "f: first\nf:2:7: second\nf:2:9: third\nf:2:9: fourth\nf:9:1: fifth");
}
END_TEST

START_TEST(faults_from_elsewhere_come_last)
{
    Faults *faults = faults_new("f");
    faults_add_where(faults, "-s dram.banks=0", "want %d..32", 1);
    faults_add(faults, 1000000, 0, "first");
    assert_message(faults, "f:1000000: first\n-s dram.banks=0: want 1..32");
}
END_TEST

static const struct {
    const char *text, *want;
} ESCAPES[] = {
    {"a\nb\rc\td", "a\\nb\\rc\\td"},
    {"\x1b[31m\x7f", "\\x1b[31m\\x7f"},
    {"\xff\xc3", "\\xff\\xc3"},
    {"caf\xc3\xa9", "caf\xc3\xa9"},
    {"\xc2\x9b", "\\u{9b}"},
    {"\xe2\x80\xae"
     "abc",
     "\\u{202e}abc"},
    {"\xe2\x80\xa8", "\\u{2028}"},
    {"50 % %s", "50 % %s"},
};

START_TEST(hidden_characters_are_escaped)
{
    Faults *faults = faults_new(NULL);
    faults_add(faults, 0, 0, "%s", ESCAPES[_i].text);
    assert_message(faults, ESCAPES[_i].want);
}
END_TEST

static unsigned count_lines(const char *text)
{
    unsigned n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static const struct {
    unsigned n;
    const char *last;
} CROWDS[] = {
    {49, "f:49: fault"}, {50, "f:50: fault"}, {51, "f: 1 more fault"}, {52, "f: 2 more faults"}, {12345, "f: 12295 more faults"}};

START_TEST(many_faults_end_in_a_count_of_the_rest)
{
    Faults *faults = faults_new("f");
    for (unsigned i = CROWDS[_i].n; i > 0; i--)
        faults_add(faults, (int)i, 0, "fault");
    ck_assert_uint_eq(faults_count(faults), CROWDS[_i].n);
    g_autofree char *text = message(faults);
    ck_assert(g_str_has_prefix(text, "f:1: fault\nf:2: fault\n"));
    ck_assert_str_eq(strrchr(text, '\n') + 1, CROWDS[_i].last);
    ck_assert_uint_eq(count_lines(text), MIN(CROWDS[_i].n, FAULTS_MAX + 1u));
}
END_TEST

START_TEST(excerpt_of_a_short_text_is_the_text)
{
    g_autofree char *sixty = g_strnfill(60, 'x'), *shown = faults_excerpt(sixty);
    ck_assert_str_eq(shown, sixty);
}
END_TEST

START_TEST(excerpt_of_a_long_text_is_cut)
{
    g_autofree char *sixty = g_strnfill(60, 'x'), *longer = g_strconcat(sixty, "y", NULL);
    g_autofree char *shown = faults_excerpt(longer), *want = g_strconcat(sixty, "...", NULL);
    ck_assert_str_eq(shown, want);
}
END_TEST

START_TEST(excerpt_does_not_cut_a_character)
{
    g_autofree char *start = g_strnfill(59, 'x'), *longer = g_strconcat(start, "\xc3\xa9\xc3\xa9", NULL);
    g_autofree char *shown = faults_excerpt(longer), *want = g_strconcat(start, "...", NULL);
    ck_assert_str_eq(shown, want);
}
END_TEST

START_TEST(context_is_kept)
{
    g_autoptr(Faults) faults = faults_new(NULL);
    const int thing = 1;
    ck_assert_ptr_null(faults_context(faults));
    faults_set_context(faults, &thing);
    ck_assert_ptr_eq(faults_context(faults), &thing);
}
END_TEST

static const char *const NAMES[] = {"banks", "t_rcd", "t_ras", "row_bytes", "page", "x"};

static const struct {
    const char *word, *want;
} NEAREST[] = {
    {"banks", "banks"},
    {"bnaks", "banks"},
    {"BANKS", "banks"},
    {"bank", "banks"},
    {"bankss", "banks"},
    {"t_rdc", "t_rcd"},
    {"trcd", "t_rcd"},
    {"row_byts", "row_bytes"},
    {"rowbytes", "row_bytes"},
    {"pgae", "page"},
    {"x", "x"},
    {"y", NULL},
    {"", NULL},
    {"frequency", NULL},
    {"ba", NULL},
    {"xx", NULL},
    {"p\xff"
     "ge",
     "page"},
};

START_TEST(nearest_name_is_offered_when_near_enough)
{
    const char *nearest = nearest_name(NEAREST[_i].word, NAMES, G_N_ELEMENTS(NAMES));
    ck_assert_pstr_eq(nearest, NEAREST[_i].want);
}
END_TEST

START_TEST(a_tie_goes_to_the_first)
{
    const char *const tied[] = {"abcx", "abcy"};
    ck_assert_str_eq(nearest_name("abcd", tied, 2), "abcx");
}
END_TEST

START_TEST(no_candidates_no_name)
{
    ck_assert_ptr_null(nearest_name("banks", NULL, 0));
}
END_TEST

START_TEST(a_very_long_word_is_near_nothing)
{
    g_autofree char *word = g_strnfill(1 << 20, 'a');
    ck_assert_ptr_null(nearest_name(word, NAMES, G_N_ELEMENTS(NAMES)));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, no_faults_is_success);
    tcase_add_loop_test(tcase, place_is_shown_as_far_as_known, 0, G_N_ELEMENTS(PLACES));
    tcase_add_test(tcase, faults_come_out_by_line_column_and_age);
    tcase_add_test(tcase, faults_from_elsewhere_come_last);
    tcase_add_loop_test(tcase, hidden_characters_are_escaped, 0, G_N_ELEMENTS(ESCAPES));
    tcase_add_loop_test(tcase, many_faults_end_in_a_count_of_the_rest, 0, G_N_ELEMENTS(CROWDS));
    tcase_add_test(tcase, excerpt_of_a_short_text_is_the_text);
    tcase_add_test(tcase, excerpt_of_a_long_text_is_cut);
    tcase_add_test(tcase, excerpt_does_not_cut_a_character);
    tcase_add_test(tcase, context_is_kept);
    tcase_add_loop_test(tcase, nearest_name_is_offered_when_near_enough, 0, G_N_ELEMENTS(NEAREST));
    tcase_add_test(tcase, a_tie_goes_to_the_first);
    tcase_add_test(tcase, no_candidates_no_name);
    tcase_add_test(tcase, a_very_long_word_is_near_nothing);
}

int main(void)
{
    return unit_main("faults", add);
}
