/*
 * The length of the engine's windows changes nothing: every workload on every shipped configuration, with windows of 1, 2, 7 and L cycles.
 * What a machine refuses, for its compute capability or the depth of its mask stack, is refused for that reason.
 */
#include <string.h>

#include "same-result.h"
#include "workload-list.h"

/* L is 48 on all of them: launch.dispatch_cycles, or the 48 cycles to and from a third level of constants (also where there is none); the
 * ways of the interconnect are 48 at the least, those to the texture unit and to the second level of constants 48 to 60. */
static const struct {
    const char *name;
    Cycle lookahead;
    unsigned shared_atomics : 1, global_atomics : 1, deep_masks : 1;
} MACHINE_LIST[] = {
    {"exercise", 48, 1, 1, 1}, {"fx5600", 48, 0, 0, 0}, {"g80", 48, 0, 0, 0},   {"g92", 48, 0, 1, 0},  {"gf100", 48, 1, 1, 1},
    {"gk110", 48, 1, 1, 1},    {"gt200", 48, 1, 1, 0},  {"gv100", 48, 1, 1, 1}, {"h200", 48, 1, 1, 1}, {"lab-cache", 48, 0, 0, 0},
};
enum { N_MACHINES = G_N_ELEMENTS(MACHINE_LIST) };

static const Cycle WINDOWS[] = {1, 2, 7};

START_TEST(the_list_has_every_configuration)
{
    g_autoptr(GDir) dir = g_dir_open(CONFIGS, 0, NULL);
    ck_assert_ptr_nonnull(dir);
    for (const char *file; (file = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(file, ".ini")) continue;
        g_autofree char *name = g_strndup(file, strlen(file) - strlen(".ini"));
        bool found = false;
        for (unsigned i = 0; i < N_MACHINES; i++)
            found = found || g_str_equal(MACHINE_LIST[i].name, name);
        ck_assert_msg(found, "%s", name);
    }
}
END_TEST

START_TEST(the_look_ahead_is_the_shortest_way)
{
    MachineConfig machine;
    g_autofree char *path = g_strdup_printf("%s/%s.ini", CONFIGS, MACHINE_LIST[_i].name);
    static const char *const NONE[] = {NULL};
    g_autoptr(GError) error = NULL;
    ck_assert_msg(machine_config_load(path, NONE, &machine, &error), "%s", error ? error->message : "");
    ck_assert_uint_eq(machine_lookahead(&machine), MACHINE_LIST[_i].lookahead);
    g_autoptr(Gpu) longest = gpu_new(&machine, MACHINE_LIST[_i].lookahead, NULL);
    ck_assert_ptr_nonnull(longest);
    ck_assert_ptr_null(gpu_new(&machine, MACHINE_LIST[_i].lookahead + 1, NULL));
}
END_TEST

/* NULL, or what the machine lacks for the workload. */
static const char *lacks(unsigned machine, unsigned workload)
{
    const char *name = WORKLOAD_LIST[workload].name, *settings = WORKLOAD_LIST[workload].settings;
    const bool histogram = g_str_equal(name, "histogram");
    const bool shared = g_str_equal(name, "shared-atomic") || (histogram && strstr(settings, "private=1"));
    if (shared && !MACHINE_LIST[machine].shared_atomics) return "atomic operations on shared memory";
    if (g_str_equal(name, "nested-5") && !MACHINE_LIST[machine].deep_masks) return "want at most sm.mask_stack_depth = 4";
    if ((histogram || g_str_equal(name, "atomic-same")) && !MACHINE_LIST[machine].global_atomics)
        return "atomic operations on global memory";
    return NULL;
}

static void want_refusal(unsigned machine, const char *text, const char *settings, const char *want)
{
    g_autoptr(GError) error = NULL;
    KernelResult result;
    ck_assert(!simulate_on_or_fail(MACHINE_LIST[machine].name, text, settings, "", 0, &result, &error));
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
    ck_assert_msg(strstr(error->message, want) != NULL, "%s: %s", MACHINE_LIST[machine].name, error->message);
}

START_TEST(the_length_of_the_window_changes_nothing)
{
    const unsigned machine = (unsigned)_i / N_WORKLOADS, workload = (unsigned)_i % N_WORKLOADS;
    const char *settings = WORKLOAD_LIST[workload].settings;
    const char *lack = lacks(machine, workload), *name = MACHINE_LIST[machine].name;
    g_autofree char *text = simulate_workload(WORKLOAD_LIST[workload].name);
    if (lack) {
        want_refusal(machine, text, settings, lack);
        return;
    }
    KernelResult longest = simulate_on(name, text, settings, "", 0);
    for (unsigned i = 0; i < G_N_ELEMENTS(WINDOWS); i++) {
        if (!HAS_TURN(i, machine + workload)) continue;
        KernelResult other = simulate_on(name, text, settings, "", WINDOWS[i]);
        assert_identical(&longest, &other);
        result_clear(&other);
    }
    result_clear(&longest);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, the_list_has_every_configuration);
    tcase_add_loop_test(tcase, the_look_ahead_is_the_shortest_way, 0, N_MACHINES);
    tcase_add_loop_test(tcase, the_length_of_the_window_changes_nothing, 0, N_MACHINES * N_WORKLOADS);
}

int main(void)
{
    return unit_main("timing-windows", add);
}
