#include "cli/inputs.h"

#include <stdio.h>

#include "cli/output.h"

enum { READ_MAX = (1 << 20) + 1 }; /* more than a configuration may be long */

/* The bytes of the file, as far as they are needed; NULL when it cannot be read. */
static GByteArray *read_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return NULL;
    GByteArray *bytes = g_byte_array_new();
    guint8 buffer[16384];
    size_t n;
    while (bytes->len < READ_MAX && (n = fread(buffer, 1, sizeof buffer, stream)) > 0)
        g_byte_array_append(bytes, buffer, (guint)n);
    const bool good = !ferror(stream) && bytes->len < READ_MAX;
    fclose(stream);
    if (!good) g_clear_pointer(&bytes, g_byte_array_unref);
    return bytes;
}

static bool load_config(const char *path, const char *const *overrides, Machine *machine, GError **error)
{
    g_autoptr(GByteArray) bytes = read_file(path);
    if (!bytes) return machine_config_load(path, overrides, &machine->config, error); /* says what is wrong with it */
    machine->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes->data, bytes->len);
    const size_t length = bytes->len;
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    return gs_config_load_text(path, (const char *)bytes->data, length, overrides, machine_parts, machine_n_parts,
                               &machine->config, error);
}

bool machine_load(const char *path, const char *const *overrides, Machine *ret, GError **error)
{
    g_auto(Machine)
        machine = {.file = g_strdup(path), .overrides = overrides ? g_strdupv((char **)overrides) : g_new0(char *, 1)};
    outputs_spare(path);
    if (!load_config(path, overrides, &machine, error)) return false;
    *ret = machine;
    machine = (Machine){0};
    return true;
}

void machine_clear(Machine *machine)
{
    g_clear_pointer(&machine->file, g_free);
    g_clear_pointer(&machine->sha256, g_free);
    g_clear_pointer(&machine->overrides, g_strfreev);
}

static uint64_t count_blocks(const Workload *workload)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < workload->plan->launches->len; i++) {
        const Launch *launch = workload_launch(workload, i);
        sum += (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    }
    return sum;
}

bool workload_load(const char *path, const char *const *settings, Workload *ret, GError **error)
{
    outputs_spare(path);
    g_autoptr(AstTrace) trace = ast_trace_load(path, error);
    if (!trace) return false;
    LaunchPlan *plan = launch_plan_new(trace, settings, error);
    if (!plan) return false;
    *ret = (Workload){g_steal_pointer(&trace), plan, 0};
    ret->blocks = count_blocks(ret);
    return true;
}

void workload_clear(Workload *workload)
{
    g_clear_pointer(&workload->plan, launch_plan_free);
    g_clear_pointer(&workload->trace, ast_trace_free);
}

const Launch *workload_launch(const Workload *workload, unsigned index)
{
    return &g_array_index(workload->plan->launches, Launch, index);
}

char *workload_params(const Workload *workload)
{
    GString *text = g_string_new(NULL);
    const GPtrArray *params = workload->trace->params;
    for (unsigned i = 0; i < params->len; i++)
        g_string_append_printf(text, "%s%s=%" G_GINT64_FORMAT, i ? " " : "", ((const AstNamed *)params->pdata[i])->name,
                               workload->plan->params[i]);
    return g_string_free(text, FALSE);
}

void workload_add_params(JsonBuilder *b, const Workload *workload)
{
    const GPtrArray *params = workload->trace->params;
    json_builder_set_member_name(b, "params");
    json_builder_begin_object(b);
    for (unsigned i = 0; i < params->len; i++) {
        json_builder_set_member_name(b, ((const AstNamed *)params->pdata[i])->name);
        json_builder_add_int_value(b, workload->plan->params[i]);
    }
    json_builder_end_object(b);
}
