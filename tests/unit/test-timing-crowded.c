/*
 * The length of the engine's windows changes nothing where requests are held at the port all the time either: room for two half-warps' words at
 * each partition, pages of 4 KB, of which each port holds four; on machines with every kind of cache on the way. What returns when
 * decides who goes when, and it is known earlier or later by the window.
 */
#include "same-result.h"
#include "workload-list.h"

static const char *const MACHINES[] = {"g80", "gt200", "h200"};
static const Cycle WINDOWS[] = {1, 7, 31};

#define CROWD "icnt.partition_bytes=128 tlb.entries=4 tlb.page_bytes=4096"

/* What a machine refuses has its test in timing-windows. */
START_TEST(the_length_of_the_window_changes_nothing)
{
    const unsigned m = (unsigned)_i / N_WORKLOADS, workload = (unsigned)_i % N_WORKLOADS;
    const char *machine = MACHINES[m];
    const char *settings = WORKLOAD_LIST[workload].settings;
    g_autofree char *text = simulate_workload(WORKLOAD_LIST[workload].name);
    g_autoptr(GError) error = NULL;
    KernelResult longest;
    if (!simulate_on_or_fail(machine, text, settings, CROWD, 0, &longest, &error)) {
        ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_TRACE));
        return;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(WINDOWS); i++) {
        if (!HAS_TURN(i, m + workload)) continue;
        KernelResult other = simulate_on(machine, text, settings, CROWD, WINDOWS[i]);
        assert_identical(&longest, &other);
        result_clear(&other);
    }
    result_clear(&longest);
}
END_TEST

/* The crowd is one: a copy takes half as long again at least. */
START_TEST(requests_do_wait_for_room)
{
    g_autofree char *text = simulate_workload("copy-offset");
    KernelResult crowded = simulate_on("g80", text, "N=8192", CROWD, 0);
    KernelResult roomy = simulate_on("g80", text, "N=8192", "icnt.partition_bytes=0 tlb.entries=4 tlb.page_bytes=4096", 0);
    ck_assert_uint_ge(2 * crowded.kernel.cycles, 3 * roomy.kernel.cycles);
    result_clear(&crowded);
    result_clear(&roomy);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, the_length_of_the_window_changes_nothing, 0, G_N_ELEMENTS(MACHINES) * N_WORKLOADS);
    tcase_add_test(tcase, requests_do_wait_for_room);
}

int main(void)
{
    return unit_main("timing-crowded", add);
}
