#include "cli/inputs.h"

#include <errno.h>
#include <stdio.h>

#include "cli/output.h"

enum { CONFIG_MAX = 1 << 20 }; /* more than a configuration may be long */

GByteArray *inputs_read(const char *path, size_t max)
{
    FILE *stream = g_str_equal(path, "-") ? stdin : fopen(path, "rb");
    if (!stream) return NULL;
    GByteArray *bytes = g_byte_array_new();
    guint8 buffer[16384];
    size_t n;
    while (bytes->len <= max && (n = fread(buffer, 1, sizeof buffer, stream)) > 0)
        g_byte_array_append(bytes, buffer, (guint)n);
    const int reason = ferror(stream) ? errno : bytes->len > max ? EFBIG : 0;
    if (stream != stdin) fclose(stream);
    if (reason) g_clear_pointer(&bytes, g_byte_array_unref);
    errno = reason;
    return bytes;
}

static bool load_config(const char *path, const char *const *overrides, Machine *machine, GError **error)
{
    g_autoptr(GByteArray) bytes = g_str_equal(path, "-") ? NULL : inputs_read(path, CONFIG_MAX);
    if (!bytes) return machine_config_load(path, overrides, &machine->config, error); /* says what is wrong with it */
    machine->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes->data, bytes->len);
    const size_t length = bytes->len;
    g_byte_array_append(bytes, (const guint8 *)"", 1);
    return machine_config_load_text(path, (const char *)bytes->data, length, overrides, &machine->config, error);
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

void machine_add(JsonBuilder *b, const Machine *machine)
{
    json_builder_set_member_name(b, "config");
    json_builder_begin_object(b);
    json_add_text(b, "file", machine->file);
    json_add_text(b, "sha256", machine->sha256);
    json_add_texts(b, "overrides", (const char *const *)machine->overrides);
    json_builder_end_object(b);
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
