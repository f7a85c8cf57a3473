#include <errno.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "config-machine.h"

START_TEST(crlf_and_bom_are_accepted)
{
    Machine machine = {0};
    assert_loads("\xef\xbb\xbf[dram]\r\n# comment\r\n\r\nbanks = 4\r\npage = closed\r\n", NULL, &machine);
    ck_assert_uint_eq(machine.dram.banks, 4);
    ck_assert_uint_eq(machine.dram.page, 1);
}
END_TEST

/* One value of one key that is wrong: `x.ini:2: [section] line: want`. */
static const struct {
    const char *section, *line, *want;
} VALUES[] = {
    {"dram", "t_rcd = 0", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 256", "want 1..255 dram cycle"},
    {"dram", "t_rcd = ", "want 1..255 dram cycle"},
    {"dram", "t_rcd = -1", "want 1..255 dram cycle"},
    {"dram", "t_rcd = +1", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 12.5", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 1e2", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 5 6", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 12x", "want 1..255 dram cycle"},
    {"dram", "t_rcd = = 12", "want 1..255 dram cycle"},
    {"dram", "t_rcd = \"12\"", "want 1..255 dram cycle"},
    {"dram", "t_rcd = \xd9\xa1\xd9\xa2", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 0x10", "want 1..255 dram cycle, in decimal"},
    {"dram", "t_rcd = 012", "want 1..255 dram cycle, without leading zeros"},
    {"dram", "t_rcd = 1K", "want 1..255 dram cycle; K, M and G go with bytes only"},
    {"dram", "t_rcd = 12 # comment", "want 1..255 dram cycle; a comment goes on a line of its own"},
    {"dram", "t_rcd = 12 ; comment", "want 1..255 dram cycle; a comment goes on a line of its own"},
    {"dram", "t_rcd = 12;", "want 1..255 dram cycle; a comment goes on a line of its own"},
    {"dram", "t_rcd = 4294967297", "want 1..255 dram cycle"},
    {"dram", "t_rcd = 18446744073709551617", "want 1..255 dram cycle"},
    {"dram", "khz = 18446744073709551616", "want 1..18446744073709551615 kHz"},
    {"dram", "row_bytes = 128K", "want 32..64K byte"},
    {"dram", "row_bytes = 4k", "want 32..64K byte; the suffixes are K, M and G"},
    {"dram", "row_bytes = 4 K", "want 32..64K byte; the suffixes are K, M and G"},
    {"dram", "row_bytes = 4KiB", "want 32..64K byte; the suffixes are K, M and G"},
    {"dram", "row_bytes = K", "want 32..64K byte"},
    {"dram", "row_bytes = 4T", "want 32..64K byte"},
    {"dram", "row_bytes = 04K", "want 32..64K byte, without leading zeros"},
    {"dram", "row_bytes = 17179869184G", "want 32..64K byte"},
    {"dram", "row_bytes = 17179869185G", "want 32..64K byte"},
    {"dram", "overhead_us = 1000.001", "want 0..1000 us"},
    {"dram", "overhead_us = 2.0005", "want 0..1000 us, with at most three decimals"},
    {"dram", "overhead_us = 2.", "want 0..1000 us"},
    {"dram", "overhead_us = .5", "want 0..1000 us"},
    {"dram", "overhead_us = 2,5", "want 0..1000 us"},
    {"dram", "overhead_us = 1.-1", "want 0..1000 us"},
    {"dram", "overhead_us = 1..1", "want 0..1000 us"},
    {"dram", "overhead_us = 00.5", "want 0..1000 us, without leading zeros"},
    {"dram", "overhead_us = 18446744073709551616", "want 0..1000 us"},
    {"dram", "refresh = true", "want yes or no"},
    {"dram", "refresh = Yes", "want yes or no"},
    {"dram", "refresh = 1", "want yes or no"},
    {"dram", "page = opne", "want open, closed or adaptive"},
    {"dram", "page = Open", "want open, closed or adaptive"},
    {"dram", "page = 0", "want open, closed or adaptive"},
    {"dram", "page = open # rows", "want open, closed or adaptive; a comment goes on a line of its own"},
    {"shared", "banks = 32", "want 16 count"},
    {"dram", "bnaks = 8", "want a key of [dram], the nearest is banks"},
    {"dram", "T_RCD = 8", "want a key of [dram], the nearest is t_rcd"},
    {"dram", "frequency = 8", "want a key of [dram]"},
    {"dram", "banks[de] = 8", "want a key of [dram], the nearest is banks"},
    {"dram", "Encoding = latin1", "want a key of [dram]"},
    {"dram", " = 8", "want a key of [dram]"},
    {"shared", "page = open", "want a key of [shared]"},
};

START_TEST(wrong_value_is_named_with_what_was_wanted)
{
    g_autofree char *text = g_strdup_printf("[%s]\n%s\n", VALUES[_i].section, VALUES[_i].line);
    g_autofree char *want = g_strdup_printf("x.ini:2: [%s] %s: %s", VALUES[_i].section, VALUES[_i].line, VALUES[_i].want);
    assert_faults(text, strlen(text), NULL, want);
}
END_TEST

/* clang-format off */
static const struct {
    const char *text, *want;
} TEXTS[] = {
    {"", "x.ini: empty: want at least one [section]"},
    {"\xef\xbb\xbf", "x.ini: empty: want at least one [section]"},
    {"\n# only a comment\n", "x.ini: empty: want at least one [section]"},
    {"[dram]\nbanks = 4\nt_rcd = 9\nbanks = 8\n", "x.ini:4: [dram] banks = 8: want each key once, line 2 has it"},
    {"[dram]\nbanks = 4\nbanks = 4\nbanks = 4\n",
     "x.ini:3: [dram] banks = 4: want each key once, line 2 has it\nx.ini:4: [dram] banks = 4: want each key once, line 2 has it"},
    {"[dram]\nbanks = 4\n[shared]\n[dram]\nt_rcd = 9\n", "x.ini:4: [dram]: want each section once, line 1 has it"},
    {"[dram]\nbanks = 4\n[dram]\nbanks = 4\nt_rcd = 0\n",
     "x.ini:3: [dram]: want each section once, line 1 has it\nx.ini:4: [dram] banks = 4: want each key once, line 2 has it\n"
     "x.ini:5: [dram] t_rcd = 0: want 1..255 dram cycle"},
    {"[drma]\nbanks = 0\n", "x.ini:1: [drma]: want a section of the machine, the nearest is [dram]"},
    {"[DRAM]\n", "x.ini:1: [DRAM]: want a section of the machine, the nearest is [dram]"},
    {"[ dram ]\n", "x.ini:1: [ dram ]: want a section of the machine, the nearest is [dram]"},
    {"[texture]\n", "x.ini:1: [texture]: want one of [dram], [shared]"},
    {"[]\n", "x.ini:1: []: want one of [dram], [shared]"},
    {"[dram\nbanks = 0\n", "x.ini:1: [dram: want [section]"},
    {"[dram]]\n", "x.ini:1: [dram]]: want [section]"},
    {"[dram] # memory\n", "x.ini:1: [dram] # memory: want [section]; a comment goes on a line of its own"},
    {"[dram] banks = 8\n", "x.ini:1: [dram] banks = 8: want [section]"},
    {"banks = 8\n[dram]\n", "x.ini:1: banks = 8: want a [section] before it"},
    {"hello\n[dram]\n", "x.ini:1: hello: want [section], key = value or # comment"},
    {"[dram]\nbanks 8\n", "x.ini:2: banks 8: want [section], key = value or # comment"},
    {"[dram]\nbanks: 8\n", "x.ini:2: banks: 8: want [section], key = value or # comment"},
    {"[dram]\n; old style\n", "x.ini:2: ; old style: want # before a comment"},
    {"[dram]\n\f\n", "x.ini:2: \\x0c: want [section], key = value or # comment"},
    {"[dram]\rbanks = 8\r", "x.ini:1: [dram]\\rbanks = 8: want lines that end in LF or CRLF"},
    {"[dram]\n# note\rbanks = 8\n", "x.ini:2: # note\\rbanks = 8: want lines that end in LF or CRLF"},
    {"[dram]\nbanks = 8\xff\nt_rcd = 0\n",
     "x.ini:2: byte 0xff: want UTF-8 text\nx.ini:3: [dram] t_rcd = 0: want 1..255 dram cycle"},
    {"[dr\xe4m]\nbanks = 0\n", "x.ini:1: byte 0xe4: want UTF-8 text"},
    {"[dram]\n# caf\xe9\n", "x.ini:2: byte 0xe9: want UTF-8 text"},
    {"[dram]\nbanks = \xc2\xa0" "8\n", "x.ini:2: [dram] banks = \xc2\xa0" "8: want 1..32 count"},
    {"[dram]\nbanks = \x1b[2J8\n", "x.ini:2: [dram] banks = \\x1b[2J8: want 1..32 count"},
    {"\xef\xbb\xbf\xef\xbb\xbf[dram]\n", "x.ini:1: \\u{feff}[dram]: want [section], key = value or # comment"},
    {"[dram]\nbanks = 0\nt_rdc = 1\njunk\n[shraed]\nbanks = 1\n[shared]\nbanks = 1\n",
     "x.ini:2: [dram] banks = 0: want 1..32 count\nx.ini:3: [dram] t_rdc = 1: want a key of [dram], the nearest is t_rcd\n"
     "x.ini:4: junk: want [section], key = value or # comment\n"
     "x.ini:5: [shraed]: want a section of the machine, the nearest is [shared]\nx.ini:8: [shared] banks = 1: want 16 count"},
    {"[dram]\nbanks = 6\n", "x.ini:2: [dram] banks = 6: want a power of 2"},
    {"[dram]\nt_rcd = 30\n", "x.ini: [dram] t_ras = 24: want at least t_rcd = 30"},
    {"[dram]\nt_ras = 20\nbanks = 3\nt_rcd = 30\n",
     "x.ini:2: [dram] t_ras = 20: want at least t_rcd = 30\nx.ini:3: [dram] banks = 3: want a power of 2"},
    {"[dram]\nt_rcd = 30\nt_ars = 40\n", "x.ini:3: [dram] t_ars = 40: want a key of [dram], the nearest is t_ras"},
};
/* clang-format on */

START_TEST(wrong_text_is_refused_with_every_fault)
{
    assert_faults(TEXTS[_i].text, strlen(TEXTS[_i].text), NULL, TEXTS[_i].want);
}
END_TEST

START_TEST(nul_bytes_are_refused_once)
{
    static const char TEXT[] = "[dram]\nbanks = 8\0\nt_rcd = 0\0\n";
    assert_faults(TEXT, sizeof TEXT - 1, NULL, "x.ini:2: byte 0x00: want UTF-8 text");
}
END_TEST

START_TEST(utf16_is_refused_once)
{
    static const char TEXT[] = "\xff\xfe[\0d\0r\0a\0m\0]\0\n\0";
    assert_faults(TEXT, sizeof TEXT - 1, NULL, "x.ini:1: byte 0x00: want UTF-8 text");
}
END_TEST

START_TEST(long_value_is_cut)
{
    g_autofree char *nines = g_strnfill(100000, '9'), *shown = g_strnfill(60, '9');
    g_autofree char *text = g_strdup_printf("[dram]\nbanks = %s\n", nines);
    g_autofree char *want = g_strdup_printf("x.ini:2: [dram] banks = %s...: want 1..32 count", shown);
    assert_faults(text, strlen(text), NULL, want);
}
END_TEST

START_TEST(long_key_is_cut)
{
    g_autofree char *key = g_strnfill(100000, 'k'), *shown = g_strnfill(53, 'k');
    g_autofree char *text = g_strdup_printf("[dram]\n%s = 1\n", key);
    g_autofree char *want = g_strdup_printf("x.ini:2: [dram] %s... = 1: want a key of [dram]", shown);
    assert_faults(text, strlen(text), NULL, want);
}
END_TEST

START_TEST(more_than_fifty_faults_are_counted)
{
    g_autoptr(GString) text = g_string_new("[dram]\n");
    for (int i = 0; i < 60; i++)
        g_string_append(text, "?\n");
    Machine machine;
    g_autofree char *faults = load_bytes(text->str, text->len, NULL, &machine);
    ck_assert(g_str_has_suffix(faults, "x.ini:51: ?: want [section], key = value or # comment\nx.ini: 10 more faults"));
}
END_TEST

/* Loads a file that cannot be read for what it is. */
static void assert_unreadable(const char *path, const char *reason)
{
    Machine machine;
    g_autoptr(GError) error = NULL;
    g_autofree char *want = g_strdup_printf("%s: %s", path, reason);
    ck_assert(!gs_config_load(path, NULL, PARTS, N_PARTS, &machine, &error));
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_CONFIG));
    ck_assert_str_eq(error->message, want);
}

START_TEST(missing_file_is_a_fault)
{
    assert_unreadable("no/such/file.ini", g_strerror(ENOENT));
}
END_TEST

START_TEST(directory_is_a_fault)
{
    assert_unreadable(".", g_strerror(EISDIR));
}
END_TEST

/* A new file with these bytes; the caller unlinks and frees its name. */
static char *write_file(const char *bytes, size_t length)
{
    char *path = NULL;
    const int fd = g_file_open_tmp("g80sim-XXXXXX.ini", &path, NULL);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert(g_file_set_contents(path, bytes, (gssize)length, NULL));
    return path;
}

static const struct {
    size_t size;
    const char *reason;
} SIZES[] = {{1 << 20, NULL}, {(1 << 20) + 1, "too large: want at most 1 MiB of text"}};

START_TEST(file_larger_than_the_limit_is_a_fault)
{
    g_autofree char *text = g_strnfill(SIZES[_i].size, '\n');
    memcpy(text, "[dram]", 6);
    g_autofree char *path = write_file(text, SIZES[_i].size);
    Machine machine;
    if (SIZES[_i].reason)
        assert_unreadable(path, SIZES[_i].reason);
    else
        ck_assert(gs_config_load(path, NULL, PARTS, N_PARTS, &machine, NULL));
    g_unlink(path);
}
END_TEST

START_TEST(file_is_read)
{
    static const char TEXT[] = "[dram]\nbanks = 4\n";
    g_autofree char *path = write_file(TEXT, strlen(TEXT));
    Machine machine = {0};
    ck_assert(gs_config_load(path, NULL, PARTS, N_PARTS, &machine, NULL));
    ck_assert_uint_eq(machine.dram.banks, 4);
    g_unlink(path);
}
END_TEST

START_TEST(fault_of_a_file_names_its_path)
{
    static const char TEXT[] = "[dram]\nbanks = 0\n";
    g_autofree char *path = write_file(TEXT, strlen(TEXT));
    g_autofree char *want = g_strdup_printf("%s:2: [dram] banks = 0: want 1..32 count", path);
    g_autoptr(GError) error = NULL;
    Machine machine;
    ck_assert(!gs_config_load(path, NULL, PARTS, N_PARTS, &machine, &error));
    ck_assert_str_eq(error->message, want);
    g_unlink(path);
}
END_TEST

/* Fragments that meet in ways nobody writes by hand. */
static const char *const FRAGMENTS[] = {
    "[dram]",
    "[shared]",
    "[",
    "]",
    "=",
    "\n",
    "\r\n",
    "\r",
    "#",
    ";",
    " ",
    "\t",
    "banks",
    "t_rcd = ",
    "page = closed",
    "row_bytes = 4K",
    "18446744073709551616",
    "0x",
    "0",
    "-",
    ".",
    "K",
    "\xef\xbb\xbf",
    "\xff",
    "\xc3",
    "\xe2\x80\xa8",
    "[de]",
    "Encoding = x",
    "\\",
    "\f",
};

static void mutate(GRand *rand, GString *text)
{
    const gsize at = (gsize)g_rand_int_range(rand, 0, (gint32)text->len + 1);
    const int kind = g_rand_int_range(rand, 0, 5), length = g_rand_int_range(rand, 0, 12);
    if (kind == 0)
        g_string_insert_len(text, (gssize)at, (const char[]){(char)g_rand_int_range(rand, 0, 256)}, 1);
    else if (kind == 1 && at < text->len)
        text->str[at] = (char)(text->str[at] ^ 1 << g_rand_int_range(rand, 0, 8));
    else if (kind == 2)
        g_string_erase(text, (gssize)at, MIN((gssize)(text->len - at), length));
    else if (kind == 3)
        g_string_insert(text, (gssize)at, FRAGMENTS[g_rand_int_range(rand, 0, G_N_ELEMENTS(FRAGMENTS))]);
    else
        g_string_truncate(text, MAX(at, text->len / 2));
}

/* Success, or an error of which each line names the file. */
static bool survives(const GString *text)
{
    Machine machine;
    g_autofree char *faults = load_bytes(text->str, text->len, NULL, &machine);
    ck_assert_ptr_null(strstr(faults, "not an INI file")); /* GKeyFile refused what the scan let through */
    g_auto(GStrv) lines = g_strsplit(faults, "\n", -1);
    for (char **line = lines; *line; line++)
        ck_assert_msg(g_str_has_prefix(*line, "x.ini:") && g_utf8_validate(*line, -1, NULL), "%s", *line);
    return *faults == '\0';
}

START_TEST(mutated_texts_load_or_are_refused)
{
    const Machine machine = unusual_machine();
    g_autofree char *seed = gs_config_text(PARTS, N_PARTS, &machine, false);
    GRand *rand = g_rand_new_with_seed(80);
    int loaded = 0;
    for (int i = 0; i < 20000; i++) {
        g_autoptr(GString) text = g_string_new(seed);
        for (int n = g_rand_int_range(rand, 0, 8); n > 0; n--)
            mutate(rand, text);
        loaded += survives(text);
    }
    g_rand_free(rand);
    ck_assert_int_gt(loaded, 1000);
    ck_assert_int_lt(loaded, 19000);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, crlf_and_bom_are_accepted);
    tcase_add_loop_test(tcase, wrong_value_is_named_with_what_was_wanted, 0, G_N_ELEMENTS(VALUES));
    tcase_add_loop_test(tcase, wrong_text_is_refused_with_every_fault, 0, G_N_ELEMENTS(TEXTS));
    tcase_add_test(tcase, nul_bytes_are_refused_once);
    tcase_add_test(tcase, utf16_is_refused_once);
    tcase_add_test(tcase, long_value_is_cut);
    tcase_add_test(tcase, long_key_is_cut);
    tcase_add_test(tcase, more_than_fifty_faults_are_counted);
    tcase_add_test(tcase, missing_file_is_a_fault);
    tcase_add_test(tcase, directory_is_a_fault);
    tcase_add_loop_test(tcase, file_larger_than_the_limit_is_a_fault, 0, G_N_ELEMENTS(SIZES));
    tcase_add_test(tcase, file_is_read);
    tcase_add_test(tcase, fault_of_a_file_names_its_path);
    tcase_add_test(tcase, mutated_texts_load_or_are_refused);
}

int main(void)
{
    return unit_main("config-ini", add);
}
