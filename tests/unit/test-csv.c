#include "unit.h"

#include <string.h>

#include "base/csv.h"
#include "random.h"

/* Records as text: cells in brackets, the line of each record before it. */
static char *shown(const GPtrArray *records)
{
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < records->len; i++) {
        const CsvRecord *record = records->pdata[i];
        ck_assert_uint_eq(g_strv_length(record->cells), record->n);
        g_string_append_printf(text, "%s%d", i ? " " : "", record->line);
        for (unsigned k = 0; k < record->n; k++)
            g_string_append_printf(text, "[%s]", record->cells[k]);
    }
    return g_string_free(text, FALSE);
}

static const struct {
    const char *text, *want;
} GOOD[] = {
    /* clang-format off */
    {"", ""},
    {"a,b\n1,2\n", "1[a][b] 2[1][2]"},
    {"a,b\n1,2", "1[a][b] 2[1][2]"},              /* no end of the last line */
    {"a,b\r\n1,2\r\n", "1[a][b] 2[1][2]"},        /* CRLF */
    {"a,b\r\n1,2\r", "1[a][b] 2[1][2]"},          /* half a CRLF at the end */
    {"\xef\xbb\xbf" "a,b\n", "1[a][b]"},          /* a byte order mark */
    {"# x,\"\n\n \t\na\n\r\n#\nb", "4[a] 7[b]"},  /* comments and blank lines count as lines */
    {"a\n #b\n", "1[a] 2[#b]"},                   /* a comment begins its line */
    {"\"#a\"\n", "1[#a]"},
    {",\n", "1[][]"},
    {",,x,\n", "1[][][x][]"},
    {" a , b\tc \n", "1[a][b\tc]"},               /* blanks around a field */
    {"\" a \" , \"\"\n", "1[ a ][]"},             /* and in quotes */
    {"\"a,b\",c\n", "1[a,b][c]"},
    {"\"say \"\"hi\"\"\"\n", "1[say \"hi\"]"},
    {"\"\"\"\"\n", "1[\"]"},
    {"\"a\nb\",c\nd,e\n", "1[a\nb][c] 3[d][e]"},  /* a line end in quotes counts */
    {"\"a\r\n#b\"\nc\n", "1[a\r\n#b] 3[c]"},
    {"\"a\rb\"\n", "1[a\rb]"},                    /* a CR alone ends no line, and is part of a field in quotes only */
    {"\xc3\xa9,\xe2\x82\xac\n", "1[\xc3\xa9][\xe2\x82\xac]"},
    /* clang-format on */
};

START_TEST(records)
{
    const char *text = GOOD[_i].text;
    g_autoptr(Faults) faults = faults_new("a.csv");
    g_autoptr(GPtrArray) found = csv_parse(text, strlen(text), faults);
    g_autofree char *got = shown(found);
    ck_assert_str_eq(got, GOOD[_i].want);
    ck_assert_uint_eq(faults_count(faults), 0);
}
END_TEST

static const struct {
    const char *text;
    size_t length; /* 0: up to the NUL */
    const char *want;
} BAD[] = {
    /* clang-format off */
    {"a,b\n1,\"2\n3,4\n", 0, "a.csv:2: field 2: begins with a quote that nothing closes: want \" at its end"},
    {"\"", 0, "a.csv:1: field 1: begins with a quote that nothing closes: want \" at its end"},
    {"\"a\"\"", 0, "a.csv:1: field 1: begins with a quote that nothing closes: want \" at its end"},
    {"\"a\"b,c\n", 0, "a.csv:1: field 1: text behind its closing quote: want a comma"},
    {"\"a\nb\" c,d\n", 0, "a.csv:2: field 1: text behind its closing quote: want a comma"},
    {"x,5\" board\n", 0, "a.csv:1: field 2 = 5\" board: a quote inside: want all of it in quotes, and \"\" there"},
    {"a,b\rc,d\re,f\r", 0, "a.csv:1: field 2 = b\\rc: a CR that no LF follows: want LF or CR LF at the end of a line"},
    {"a\nb\0c\n", 6, "a.csv:2: a byte 0x00 that is no text: want UTF-8"},
    {"a\n\n\xe9\n", 0, "a.csv:3: a byte 0xe9 that is no text: want UTF-8"},
    {"\xef\xbb\xbf\xff", 0, "a.csv:1: a byte 0xff that is no text: want UTF-8"},
    {"\"a\"b\n\"c\"d\n", 0, "a.csv:1: field 1: text behind its closing quote: want a comma\n"
                            "a.csv:2: field 1: text behind its closing quote: want a comma"},
    /* clang-format on */
};

START_TEST(faults_with_their_lines)
{
    const size_t length = BAD[_i].length ? BAD[_i].length : strlen(BAD[_i].text);
    g_autoptr(GError) error = NULL;
    g_autoptr(Faults) faults = faults_new("a.csv");
    g_autoptr(GPtrArray) found = csv_parse(BAD[_i].text, length, faults);
    ck_assert(!faults_none(faults, G80SIM_ERROR_USAGE, &error));
    ck_assert_str_eq(error->message, BAD[_i].want);
}
END_TEST

START_TEST(broken_records_say_so)
{
    static const char TEXT[] = "a,b\n\"c\"d,e\nf,g\nh,i\"\n";
    const bool want[] = {false, true, false, true};
    g_autoptr(Faults) faults = faults_new(NULL);
    g_autoptr(GPtrArray) found = csv_parse(TEXT, strlen(TEXT), faults);
    ck_assert_uint_eq(found->len, G_N_ELEMENTS(want));
    for (unsigned i = 0; i < found->len; i++)
        ck_assert(((const CsvRecord *)found->pdata[i])->broken == want[i]);
}
END_TEST

static void append_cell(GString *text, const char *cell)
{
    g_string_append_c(text, '"');
    for (; *cell; cell++)
        g_string_append(text, *cell == '"' ? "\"\"" : (const char[2]){*cell, '\0'});
    g_string_append_c(text, '"');
}

/* Whatever is written in quotes is read back, and the text may end at any byte of it without harm. */
START_TEST(random_cells_come_back)
{
    static const char LETTERS[] = "a,\"\r\n# \t";
    uint64_t random = (uint64_t)_i + 1;
    char cells[12][8];
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(cells); i++) {
        const unsigned n = (unsigned)random_below(&random, sizeof cells[i]);
        for (unsigned k = 0; k < n; k++)
            cells[i][k] = LETTERS[random_below(&random, strlen(LETTERS))];
        cells[i][n] = '\0';
        append_cell(text, cells[i]);
        g_string_append(text, i % 3 == 2 ? "\r\n" : ",");
    }
    g_autoptr(Faults) none = faults_new(NULL);
    g_autoptr(GPtrArray) found = csv_parse(text->str, text->len, none);
    ck_assert_uint_eq(faults_count(none), 0);
    ck_assert_uint_eq(found->len, 4);
    for (unsigned i = 0; i < G_N_ELEMENTS(cells); i++)
        ck_assert_str_eq(((const CsvRecord *)found->pdata[i / 3])->cells[i % 3], cells[i]);
    for (size_t cut = 0; cut < text->len; cut++) {
        g_autofree char *half = g_strndup(text->str, cut); /* of its own, so that reading beyond it is seen */
        g_autoptr(Faults) some = faults_new(NULL);
        g_autoptr(GPtrArray) part = csv_parse(half, cut, some);
        ck_assert_uint_le(part->len, 4);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, records, 0, G_N_ELEMENTS(GOOD));
    tcase_add_loop_test(tcase, faults_with_their_lines, 0, G_N_ELEMENTS(BAD));
    tcase_add_test(tcase, broken_records_say_so);
    tcase_add_loop_test(tcase, random_cells_come_back, 0, 50);
}

int main(void)
{
    return unit_main("csv", add);
}
