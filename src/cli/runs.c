#include "cli/runs.h"

#include "base/bits.h"
#include "base/nearest.h"
#include "cli/fail.h"
#include "cli/options.h"

static const char *const COLD_NAMES[] = {[RUNS_WARM] = NULL, [RUNS_FLUSH] = "flush", [RUNS_REALLOC] = "realloc"};

enum { COLD_N = G_N_ELEMENTS(COLD_NAMES) };

static int parse_cold(const Command *command, const char *text, RunsCold *ret)
{
    for (unsigned i = RUNS_WARM + 1; i < COLD_N; i++) {
        if (!g_str_equal(text, COLD_NAMES[i])) continue;
        *ret = (RunsCold)i;
        return OPTIONS_GO_ON;
    }
    const char *near = nearest_name(text, COLD_NAMES + 1, COLD_N - 1);
    if (near) return fail_usage(command, "--cold %s: want flush or realloc: did you mean %s?", text, near);
    return fail_usage(command, "--cold %s: want flush or realloc", text);
}

int runs_parse(const Command *command, const char *repeat, const char *cold, Runs *ret)
{
    guint64 n = 1;
    RunsCold how = RUNS_WARM;
    if (repeat && !g_ascii_string_to_unsigned(repeat, 10, 1, RUNS_MAX, &n, NULL))
        return fail_usage(command, "--repeat %s: want 1..%d runs", repeat, RUNS_MAX);
    const int status = cold ? parse_cold(command, cold, &how) : OPTIONS_GO_ON;
    if (status != OPTIONS_GO_ON) return status;
    if (cold && !repeat) return fail_usage(command, "--cold %s: want --repeat N with it; a single run is cold", cold);
    *ret = (Runs){.repeated = repeat != NULL, .n = n, .cold = how, .rows = g_array_new(FALSE, FALSE, sizeof(RunsRow))};
    return OPTIONS_GO_ON;
}

void runs_clear(Runs *runs)
{
    g_clear_pointer(&runs->rows, g_array_unref);
}

/* By a multiple of a power of two in each partition, so that an address keeps its place in partition, DRAM row and page; only what holds
 * it there is new. */
static uint64_t step_of(const MachineConfig *config, uint64_t extent)
{
    const uint64_t least = MAX(MAX(extent, config->tlb.page_bytes), config->partition.interleave_bytes);
    uint64_t in_partition = UINT64_C(1) << 20;
    while (in_partition < least)
        in_partition *= 2;
    return in_partition * config->partition.count;
}

bool runs_place(Runs *runs, const MachineConfig *config, const LaunchPlan *plan, GError **error)
{
    if (runs->cold != RUNS_REALLOC) return true;
    const uint64_t extent = launch_plan_extent(plan);
    runs->step = step_of(config, extent);
    const uint64_t most = extent < LOCAL_BASE ? (LOCAL_BASE - extent) / runs->step + 1 : 1;
    if (runs->n <= most) return true;
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE,
                "--repeat %" G_GUINT64_FORMAT " --cold realloc: no room for the arrays: want at most %" G_GUINT64_FORMAT " runs",
                runs->n, most);
    return false;
}

void runs_prepare(const Runs *runs, Gpu *gpu, LaunchPlan *plan)
{
    if (runs->rows->len == 0) return;
    if (runs->cold == RUNS_FLUSH) gpu_flush(gpu);
    if (runs->cold == RUNS_REALLOC) launch_plan_move(plan, runs->step);
}

void runs_add(Runs *runs, const Gpu *gpu, uint64_t cycles)
{
    const RunsRow row = {cycles, gpu_dirty_bytes(gpu)};
    g_array_append_val(runs->rows, row);
}

const char *runs_cold_name(const Runs *runs)
{
    return COLD_NAMES[runs->cold];
}

bool runs_is_cold(const Runs *runs, unsigned index)
{
    return index == 0 || runs->cold != RUNS_WARM;
}

const RunsRow *runs_row(const Runs *runs, unsigned index)
{
    return &g_array_index(runs->rows, RunsRow, index);
}

uint64_t runs_minimum(const Runs *runs)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < runs->rows->len; i++)
        least = MIN(least, runs_row(runs, i)->cycles);
    return least;
}

uint64_t runs_mean(const Runs *runs)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < runs->rows->len; i++)
        sum += runs_row(runs, i)->cycles;
    return (sum + runs->rows->len / 2) / runs->rows->len;
}
