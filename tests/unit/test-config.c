#include "config-machine.h"

START_TEST(absent_keys_take_their_defaults)
{
    Machine machine = {.before = 7};
    assert_loads("[dram]\n", NULL, &machine);
    ck_assert_uint_eq(machine.dram.banks, 8);
    ck_assert_uint_eq(machine.dram.row_bytes, 2048);
    ck_assert_uint_eq(machine.dram.overhead_us, 2500);
    ck_assert(machine.dram.refresh);
    ck_assert_uint_eq(machine.shared.bytes, 16384);
    ck_assert_int_eq(machine.before, 7);
}
END_TEST

START_TEST(defaults_fill_every_part)
{
    Machine machine = {.before = 7}, loaded = {.before = 7};
    gs_config_defaults(PARTS, N_PARTS, &machine);
    assert_loads("[dram]\n", NULL, &loaded);
    ck_assert_mem_eq(&machine, &loaded, sizeof machine);
}
END_TEST

START_TEST(every_type_is_read)
{
    Machine machine = {0};
    assert_loads("# a machine\n\n[shared]\nbytes=0\n  [dram]\t\n banks =\t4 \npage = closed\nrow_bytes = 4K\n# khz = 1\n"
                 "khz = 18446744073709551615\noverhead_us = 0.25\nrefresh = no",
                 NULL, &machine);
    ck_assert_uint_eq(machine.shared.bytes, 0);
    ck_assert_uint_eq(machine.dram.banks, 4);
    ck_assert_uint_eq(machine.dram.page, 1);
    ck_assert_uint_eq(machine.dram.row_bytes, 4096);
    ck_assert_uint_eq(machine.dram.khz, UINT64_MAX);
    ck_assert_uint_eq(machine.dram.overhead_us, 250);
    ck_assert(!machine.dram.refresh);
}
END_TEST

/* Values of keys that differ only in how they are spelt. */
static const struct {
    const char *line;
    uint64_t bytes, milli;
} SPELLINGS[] = {
    {"bytes = 1", 1, 2500},
    {"bytes = 3K", 3072, 2500},
    {"bytes = 3M", 3u << 20, 2500},
    {"bytes = 3G", UINT64_C(3) << 30, 2500},
    {"bytes = 4294967295", UINT32_MAX, 2500},
    {"[dram]\noverhead_us = 0", 16384, 0},
    {"[dram]\noverhead_us = 1000", 16384, 1000000},
    {"[dram]\noverhead_us = 2.5", 16384, 2500},
    {"[dram]\noverhead_us = 2.50", 16384, 2500},
    {"[dram]\noverhead_us = 0.001", 16384, 1},
};

START_TEST(numbers_are_read_exactly)
{
    Machine machine = {0};
    g_autofree char *text = g_strconcat("[shared]\n", SPELLINGS[_i].line, NULL);
    assert_loads(text, NULL, &machine);
    ck_assert_uint_eq(machine.shared.bytes, SPELLINGS[_i].bytes);
    ck_assert_uint_eq(machine.dram.overhead_us, SPELLINGS[_i].milli);
}
END_TEST

START_TEST(overrides_win_over_the_file)
{
    Machine machine = {0};
    assert_loads("[dram]\nbanks = 4\n[shared]\n", (const char *const[]){"dram.banks=16", "shared.bytes=1K", NULL}, &machine);
    ck_assert_uint_eq(machine.dram.banks, 16);
    ck_assert_uint_eq(machine.shared.bytes, 1024);
}
END_TEST

static const struct {
    const char *overrides[3], *want;
} OVERRIDES[] = {
    {{"dram.banks=0"}, "-s dram.banks=0: want 1..32 count"},
    {{"dram.banks="}, "-s dram.banks=: want 1..32 count"},
    {{"dram.banks= 8"}, "-s dram.banks= 8: want 1..32 count"},
    {{"dram.banks =8"}, "-s dram.banks =8: want a key of [dram], the nearest is banks"},
    {{"dram.t_rdc=8"}, "-s dram.t_rdc=8: want a key of [dram], the nearest is t_rcd"},
    {{"drma.banks=8"}, "-s drma.banks=8: want a section of the machine, the nearest is [dram]"},
    {{"x.banks=8"}, "-s x.banks=8: want one of [dram], [shared]"},
    {{"dram.banks"}, "-s dram.banks: want section.key=value"},
    {{"banks=8"}, "-s banks=8: want section.key=value"},
    {{"banks=8.5"}, "-s banks=8.5: want section.key=value"},
    {{""}, "-s : want section.key=value"},
    {{"="}, "-s =: want section.key=value"},
    {{".=8"}, "-s .=8: want one of [dram], [shared]"},
    {{"dram.banks=1\n2"}, "-s dram.banks=1\\n2: want 1..32 count"},
    {{"dram.banks=\xff"}, "-s dram.banks=\\xff: want 1..32 count"},
    {{"dram.banks=8 # x"}, "-s dram.banks=8 # x: want 1..32 count; a comment goes on a line of its own"},
    {{"dram.banks=2", "dram.banks=4"}, "-s dram.banks=4: want each key once, -s dram.banks=2 has it"},
    {{"dram.banks=2", "dram.banks=2"}, "-s dram.banks=2: want each key once, -s dram.banks=2 has it"},
    {{"dram.banks=2", "shared.bytes=x"}, "-s shared.bytes=x: want 0..4294967295 byte"},
    {{"dram.banks=6"}, "-s dram.banks=6: want a power of 2"},
    {{"dram.t_ras=9"}, "-s dram.t_ras=9: want at least t_rcd = 12"},
    {{"dram.t_rcd=99"}, "x.ini:2: [dram] t_ras = 20: want at least t_rcd = 99"},
};

START_TEST(wrong_override_is_refused)
{
    static const char TEXT[] = "[dram]\nt_ras = 20\n";
    assert_faults(TEXT, strlen(TEXT), OVERRIDES[_i].overrides, OVERRIDES[_i].want);
}
END_TEST

START_TEST(faults_of_file_and_overrides_come_together)
{
    static const char TEXT[] = "[dram]\nt_ras = 0\n";
    assert_faults(TEXT, strlen(TEXT), (const char *const[]){"dram.banks=0", "shared.bytes=-1", NULL},
                  "x.ini:2: [dram] t_ras = 0: want 1..255 dram cycle\n-s dram.banks=0: want 1..32 count\n"
                  "-s shared.bytes=-1: want 0..4294967295 byte");
}
END_TEST

START_TEST(override_does_not_hide_a_fault_of_the_file)
{
    static const char TEXT[] = "[dram]\nbanks = 0\n";
    assert_faults(TEXT, strlen(TEXT), (const char *const[]){"dram.banks=8", NULL}, "x.ini:2: [dram] banks = 0: want 1..32 count");
}
END_TEST

START_TEST(check_without_a_file_shows_no_line)
{
    DramConfig dram = {.banks = 3, .t_rcd = 1, .t_ras = 2};
    g_autoptr(GError) error = NULL;
    g_autoptr(Faults) faults = faults_new(NULL);
    check_dram(&dram, &DRAM, faults);
    ck_assert(!faults_none(faults, G80SIM_ERROR_CONFIG, &error));
    ck_assert_str_eq(error->message, "[dram] banks = 3: want a power of 2");
}
END_TEST

START_TEST(text_is_the_whole_configuration)
{
    const Machine machine = unusual_machine();
    g_autofree char *text = gs_config_text(PARTS, N_PARTS, &machine, false);
    ck_assert_str_eq(text, "[dram]\nbanks = 1\nt_rcd = 12\nt_ras = 24\npage = adaptive\nrow_bytes = 2080\n"
                           "khz = 18446744073709551615\noverhead_us = 0.07\nrefresh = no\n\n[shared]\nbanks = 16\nbytes = 0\n");
}
END_TEST

START_TEST(text_loads_back_to_the_same)
{
    const Machine machine = unusual_machine();
    Machine again = {0};
    g_autofree char *text = gs_config_text(PARTS, N_PARTS, &machine, _i);
    assert_loads(text, NULL, &again);
    ck_assert_mem_eq(&machine, &again, sizeof machine);
}
END_TEST

START_TEST(documented_text_explains_each_key)
{
    Machine machine = {0};
    gs_config_defaults(PARTS, N_PARTS, &machine);
    g_autofree char *text = gs_config_text(PARTS + 1, 1, &machine, true);
    ck_assert_str_eq(text, "# The shared memory.\n[shared]\n\n# Banks.\n# 16 count; default 16; source: guide\nbanks = 16\n\n"
                           "# Size.\n# 0..4294967295 byte; default 16K; source: guide\nbytes = 16K\n");
}
END_TEST

static const struct {
    uint64_t value;
    const char *bytes, *milli;
} SPELT[] = {
    {0, "0", "0"},
    {1, "1", "0.001"},
    {1000, "1000", "1"},
    {1024, "1K", "1.024"},
    {1536, "1536", "1.536"},
    {1500, "1500", "1.5"},
    {3 << 20, "3M", "3145.728"},
    {UINT64_C(5) << 40, "5120G", "5497558138.88"},
    {UINT64_MAX, "18446744073709551615", "18446744073709551.615"},
};

START_TEST(value_is_spelt_as_the_ini_would)
{
    const DramConfig dram = {.row_bytes = SPELT[_i].value, .overhead_us = SPELT[_i].value};
    g_autofree char *bytes = gs_config_value(&DRAM_KEYS[4], &dram), *milli = gs_config_value(&DRAM_KEYS[6], &dram);
    ck_assert_str_eq(bytes, SPELT[_i].bytes);
    ck_assert_str_eq(milli, SPELT[_i].milli);
}
END_TEST

START_TEST(idle_keys_are_named_with_the_reason)
{
    Machine machine = {0};
    gs_config_defaults(PARTS, N_PARTS, &machine);
    g_autofree char *none = gs_config_idle_text(PARTS, N_PARTS, &machine);
    ck_assert_str_eq(none, "");
    machine.dram.refresh = false;
    g_autofree char *one = gs_config_idle_text(PARTS, N_PARTS, &machine);
    ck_assert_str_eq(one, "[dram] overhead_us: refresh is off\n");
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, absent_keys_take_their_defaults);
    tcase_add_test(tcase, defaults_fill_every_part);
    tcase_add_test(tcase, every_type_is_read);
    tcase_add_loop_test(tcase, numbers_are_read_exactly, 0, G_N_ELEMENTS(SPELLINGS));
    tcase_add_test(tcase, overrides_win_over_the_file);
    tcase_add_loop_test(tcase, wrong_override_is_refused, 0, G_N_ELEMENTS(OVERRIDES));
    tcase_add_test(tcase, faults_of_file_and_overrides_come_together);
    tcase_add_test(tcase, override_does_not_hide_a_fault_of_the_file);
    tcase_add_test(tcase, check_without_a_file_shows_no_line);
    tcase_add_test(tcase, text_is_the_whole_configuration);
    tcase_add_loop_test(tcase, text_loads_back_to_the_same, 0, 2);
    tcase_add_test(tcase, documented_text_explains_each_key);
    tcase_add_loop_test(tcase, value_is_spelt_as_the_ini_would, 0, G_N_ELEMENTS(SPELT));
    tcase_add_test(tcase, idle_keys_are_named_with_the_reason);
}

int main(void)
{
    return unit_main("config", add);
}
