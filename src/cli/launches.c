#include "cli/launches.h"

#include "gpu/gpu.h"

enum { CHECKED_MAX = 1000 };

Program *launches_compile(const MachineConfig *config, const Workload *workload, unsigned index, GError **error)
{
    const ProgramOptions options = gpu_program_options(config);
    return program_new(workload->plan, workload_launch(workload, index), &options, error);
}

GBytes *launches_identity(const Workload *workload, unsigned index)
{
    const Launch *launch = workload_launch(workload, index);
    GByteArray *bytes = g_byte_array_new();
    g_byte_array_append(bytes, (const guint8 *)&launch->kernel, sizeof launch->kernel);
    g_byte_array_append(bytes, (const guint8 *)launch->grid, sizeof launch->grid);
    g_byte_array_append(bytes, (const guint8 *)launch->block, sizeof launch->block);
    g_byte_array_append(bytes, (const guint8 *)launch->params, (guint)(sizeof *launch->params * workload->trace->params->len));
    return g_byte_array_free_to_bytes(bytes);
}

bool launches_check(const MachineConfig *config, const Workload *workload, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    for (unsigned i = 0; i < workload->plan->launches->len; i++) {
        if (!g_hash_table_add(seen, launches_identity(workload, i))) continue;
        if (g_hash_table_size(seen) > CHECKED_MAX) return true;
        g_autoptr(Program) program = launches_compile(config, workload, i, error);
        if (!program || !gpu_check_program(config, program, error)) return false;
    }
    return true;
}

bool launches_model_program(const MachineConfig *config, const Program *program, uint64_t most_blocks, LaunchModel *ret,
                            GError **error)
{
    MwpCwpCounts counts;
    if (!mwp_cwp_count(config, program, most_blocks, &counts, error)) return false;
    ret->blocks = counts.blocks;
    ret->input = mwp_cwp_input(config, program, &counts);
    ret->result = mwp_cwp(&ret->input);
    return true;
}

bool launches_model(const MachineConfig *config, const Workload *workload, unsigned index, LaunchModel *ret, GError **error)
{
    g_autoptr(Program) program = launches_compile(config, workload, index, error);
    if (!program || !gpu_check_program(config, program, error)) return false;
    return launches_model_program(config, program, UINT64_MAX, ret, error);
}
