#include "simulate.h"

#include <string.h>

static const char *const *words(const char *text, char ***ret)
{
    *ret = g_strsplit_set(text, " ", -1);
    return (const char *const *)*ret;
}

static bool run_launch(Gpu *gpu, const MachineConfig *machine, const LaunchPlan *plan, const Launch *launch, KernelResult *total,
                       GError **error)
{
    const ProgramOptions options = gpu_program_options(machine);
    g_autoptr(Program) program = program_new(plan, launch, &options, error);
    KernelResult result;
    if (!program || !gpu_run(gpu, program, &result, error)) return false;
    result_add(total, &result);
    result_clear(&result);
    return true;
}

typedef struct {
    Cycle window;
    bool detail;
} How;

static bool run_all(const MachineConfig *machine, const LaunchPlan *plan, How how, KernelResult *total, GError **error)
{
    g_autoptr(Gpu) gpu = gpu_new(machine, how.window, error);
    bool good = gpu != NULL;
    if (good && how.detail) gpu_set_detail(gpu);
    for (unsigned i = 0; good && i < plan->launches->len; i++)
        good = run_launch(gpu, machine, plan, &g_array_index(plan->launches, Launch, i), total, error);
    return good;
}

static bool load_machine(const char *config, const char *overrides, MachineConfig *ret, GError **error)
{
    static const char DEFAULTS[] = "[sm]\n";
    g_auto(GStrv) override_words = NULL;
    const char *const *list = words(overrides, &override_words);
    if (!config) return machine_config_load_text("defaults", DEFAULTS, strlen(DEFAULTS), list, ret, error);
    g_autofree char *path = g_strdup_printf("%s/%s.ini", CONFIGS, config);
    return machine_config_load(path, list, ret, error);
}

static bool run_on(const char *config, const char *text, const char *settings, const char *overrides, How how, KernelResult *ret,
                   GError **error)
{
    g_auto(GStrv) setting_words = NULL;
    MachineConfig machine;
    *ret = (KernelResult){0};
    if (!load_machine(config, overrides, &machine, error)) return false;
    g_autoptr(AstTrace) trace = ast_trace_parse("test", text, strlen(text), error);
    g_autoptr(LaunchPlan) plan = trace ? launch_plan_new(trace, words(settings, &setting_words), error) : NULL;
    return plan && run_all(&machine, plan, how, ret, error);
}

bool simulate_on_or_fail(const char *config, const char *text, const char *settings, const char *overrides, Cycle window,
                         KernelResult *ret, GError **error)
{
    return run_on(config, text, settings, overrides, (How){.window = window}, ret, error);
}

KernelResult simulate_detail(const char *config, const char *text, const char *settings, const char *overrides, Cycle window)
{
    g_autoptr(GError) error = NULL;
    KernelResult result;
    const bool good = run_on(config, text, settings, overrides, (How){.window = window, .detail = true}, &result, &error);
    ck_assert_msg(good, "%s", error ? error->message : "no reason");
    return result;
}

bool simulate_or_fail(const char *text, const char *settings, const char *overrides, Cycle window, KernelResult *ret,
                      GError **error)
{
    return simulate_on_or_fail(NULL, text, settings, overrides, window, ret, error);
}

KernelResult simulate_on(const char *config, const char *text, const char *settings, const char *overrides, Cycle window)
{
    g_autoptr(GError) error = NULL;
    KernelResult result;
    const bool good = simulate_on_or_fail(config, text, settings, overrides, window, &result, &error);
    ck_assert_msg(good, "%s", error ? error->message : "no reason");
    return result;
}

KernelResult simulate(const char *text, const char *settings, const char *overrides, Cycle window)
{
    return simulate_on(NULL, text, settings, overrides, window);
}

Cycle simulate_cycles(const char *text, const char *overrides, const char *settings, ...)
{
    va_list args;
    va_start(args, settings);
    g_autofree char *set = g_strdup_vprintf(settings, args);
    va_end(args);
    KernelResult result = simulate(text, set, overrides, 0);
    result_clear(&result);
    return result.kernel.cycles;
}

char *simulate_workload(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup_printf("%s/%s.trace", WORKLOADS, name);
    char *text = NULL;
    const bool good = g_file_get_contents(path, &text, NULL, &error);
    ck_assert_msg(good, "%s", error ? error->message : "no reason");
    return text;
}

const LineResult *simulate_line(const KernelResult *result, int line)
{
    for (unsigned i = 0; i < result->n_lines; i++)
        if (result->lines[i].line == line) return &result->lines[i];
    ck_abort_msg("no instruction on line %d", line);
}
