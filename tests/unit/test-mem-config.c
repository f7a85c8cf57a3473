/* The configuration tables of the memory side: the defaults are legal, each rule across keys is enforced and names its key. */
#include <string.h>

#include "unit.h"

#include "mem/coalescer.h"
#include "mem/partition.h"

typedef struct {
    CoalescerConfig coalescer;
    IcntConfig icnt;
    PartitionConfig partition;
    DramConfig dram;
} Machine;

static const GsConfigPart PARTS[] = {
    {&coalescer_config, offsetof(Machine, coalescer)},
    {&icnt_config, offsetof(Machine, icnt)},
    {&partition_config, offsetof(Machine, partition)},
    {&dram_config, offsetof(Machine, dram)},
};

static char *faults_of(const char *text)
{
    Machine machine;
    g_autoptr(GError) error = NULL;
    const bool good = gs_config_load_text("x.ini", text, strlen(text), NULL, PARTS, G_N_ELEMENTS(PARTS), &machine, &error);
    ck_assert(good == (error == NULL));
    return g_strdup(error ? error->message : "");
}

START_TEST(the_defaults_are_legal)
{
    g_autofree char *faults = faults_of("[dram]\n");
    ck_assert_str_eq(faults, "");
}
END_TEST

static const struct {
    const char *text, *fault;
} RULES[] = {
    {"[icnt]\ncluster_reply_bytes = 33\n", "[icnt] cluster_reply_bytes"},
    {"[partition]\ninterleave_bytes = 257\n", "[partition] interleave_bytes"},
    {"[dram]\nbanks = 6\n", "[dram] banks"},
    {"[dram]\nrow_bytes = 2000\n", "[dram] row_bytes"},
    {"[dram]\nbus_bytes = 12\n", "[dram] bus_bytes"},
    {"[dram]\nburst_length = 6\n", "[dram] burst_length"},
    {"[dram]\ndata_rate = 3\n", "[dram] data_rate"},
    {"[dram]\nburst_length = 2\ndata_rate = 4\n", "[dram] burst_length"},
    {"[dram]\nrow_bytes = 64\nbus_bytes = 64\n", "[dram] row_bytes"},
    {"[dram]\nt_ras = 13\n", "[dram] t_ras"},
    {"[dram]\nt_rc = 40\n", "[dram] t_rc"},
    {"[dram]\nt_refi = 203\n", "[dram] t_refi"},
    {"[dram]\nbank_groups = 3\n", "[dram] bank_groups"},
    {"[dram]\nbank_groups = 16\n", "[dram] bank_groups"},
    {"[dram]\ngroup_bytes = 300\n", "[dram] group_bytes"},
    {"[dram]\nbank_groups = 4\ngroup_bytes = 8192\n", "[dram] group_bytes"},
    {"[dram]\nbank_groups = 4\ngroup_bytes = 128\nbus_bytes = 64\n", "[dram] group_bytes"},
    {"[dram]\nbank_groups = 4\nt_ccdl = 1\n", "[dram] t_ccdl"},
    {"[dram]\nt_faw = 60\nt_refi = 241\n", "[dram] t_refi"},
    {"[dram]\nrefresh = per-bank\nbanks = 32\nt_rcd = 1\nt_ras = 1\nt_rp = 1\nt_rc = 2\nt_rfc = 1\nt_refi = 63\n",
     "[dram] t_refi"},
    {"[dram]\nwrite_high = 17\n", "[dram] write_high"},
    {"[dram]\nwrite_low = 16\n", "[dram] write_low"},
    {"[coalescer]\npolicy = cc99\n", "[coalescer] policy"},
    {"[coalescer]\nmerge = some\n", "[coalescer] merge"},
};

START_TEST(each_rule_names_its_key)
{
    g_autofree char *faults = faults_of(RULES[_i].text);
    ck_assert_msg(strstr(faults, RULES[_i].fault), "got: %s", faults);
}
END_TEST

/* The least that each rule allows. */
static const char *const LEGAL[] = {
    "[dram]\nt_ras = 14\nt_rc = 26\n",
    "[dram]\nt_rc = 41\n",
    "[dram]\nbank_groups = 8\n",
    "[dram]\nbank_groups = 4\ngroup_bytes = 4096\n",
    "[dram]\nbank_groups = 4\nt_ccdl = 2\n",
    "[dram]\ngroup_bytes = 8192\nt_ccdl = 1\n",
    "[dram]\nt_faw = 60\nt_refi = 242\n",
    "[dram]\nt_refi = 204\n",
    "[dram]\nrefresh = per-bank\nbanks = 32\nt_rcd = 1\nt_ras = 1\nt_rp = 1\nt_rc = 2\nt_rfc = 1\nt_refi = 64\n",
    "[dram]\nbanks = 32\nt_rcd = 1\nt_ras = 1\nt_rp = 1\nt_rc = 2\nt_rfc = 1\nt_refi = 63\n",
    "[dram]\nt_refi = 0\n",
    "[dram]\nwrite_high = 16\n",
    "[dram]\nwrite_low = 15\n",
    "[dram]\nscheduler = fcfs\n",
    "[dram]\npage = closed\n",
    "[dram]\nbank_cycle = plain\n",
    "[coalescer]\npolicy = cc10\nmerge = sector\n",
};

START_TEST(what_the_rules_just_allow_is_legal)
{
    g_autofree char *faults = faults_of(LEGAL[_i]);
    ck_assert_str_eq(faults, "");
}
END_TEST

START_TEST(keys_that_do_nothing_are_said_so)
{
    Machine machine;
    gs_config_defaults(PARTS, G_N_ELEMENTS(PARTS), &machine);
    machine.dram.t_refi = 0;
    machine.dram.banks = 1;
    g_autofree char *idle = gs_config_idle_text(PARTS, G_N_ELEMENTS(PARTS), &machine);
    ck_assert_ptr_nonnull(strstr(idle, "[dram] t_rfc"));
    ck_assert_ptr_nonnull(strstr(idle, "[dram] t_rrd"));
    ck_assert_ptr_nonnull(strstr(idle, "[dram] bank_cycle"));
    ck_assert_ptr_nonnull(strstr(idle, "[dram] t_ccdl"));
    ck_assert_ptr_nonnull(strstr(idle, "[dram] group_bytes"));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_defaults_are_legal);
    tcase_add_loop_test(tcase, each_rule_names_its_key, 0, G_N_ELEMENTS(RULES));
    tcase_add_loop_test(tcase, what_the_rules_just_allow_is_legal, 0, G_N_ELEMENTS(LEGAL));
    tcase_add_test(tcase, keys_that_do_nothing_are_said_so);
}

int main(void)
{
    return unit_main("mem-config", add);
}
