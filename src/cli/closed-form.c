#include "cli/closed-form.h"

#include <math.h>

#include "cli/format.h"
#include "cli/verdict.h"
#include "cli/wording.h"

#define APART 2.0        /* from this factor on the model or the run is not what it is taken for */
#define WAIT_SHOWN 0.1   /* of scheduler cycles */
#define UNUSED_SHOWN 1.5 /* bytes moved for each that is asked for */
#define NOT_DESCRIBED "no access to global or local memory by a load or a store, which the closed form is about"

enum { KEPT_MAX = 1000 };

struct ClosedForms {
    const MachineConfig *config;
    const Workload *workload;
    GHashTable *known; /* of a launch's identity */
};

ClosedForms *closed_forms_new(const MachineConfig *config, const Workload *workload)
{
    ClosedForms *forms = g_new(ClosedForms, 1);
    *forms = (ClosedForms){config, workload,
                           g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, g_free)};
    return forms;
}

void closed_forms_free(ClosedForms *forms)
{
    if (forms) g_hash_table_unref(forms->known);
    g_free(forms);
}

bool closed_forms_get(ClosedForms *forms, unsigned index, const Program *program, ClosedForm *ret, GError **error)
{
    g_autoptr(GBytes) identity = launches_identity(forms->workload, index);
    const ClosedForm *known = g_hash_table_lookup(forms->known, identity);
    if (known) {
        *ret = *known;
        return true;
    }
    LaunchModel launch;
    if (!launches_model_program(forms->config, program, CLOSED_FORM_BLOCKS, &launch, error)) return false;
    *ret = (ClosedForm){.described = launch.result.which != MWP_CWP_NO_MEMORY,
                        .cycles = launch.result.cycles,
                        .which = mwp_cwp_case_name(launch.result.which),
                        .blocks_walked = launch.blocks};
    if (g_hash_table_size(forms->known) < KEPT_MAX)
        g_hash_table_insert(forms->known, g_steal_pointer(&identity), g_memdup2(ret, sizeof *ret));
    return true;
}

void closed_form_add(ClosedForm *total, const ClosedForm *form, unsigned launches)
{
    total->described = form->described && (!launches || total->described);
    total->cycles += form->cycles;
    total->which = launches ? NULL : form->which;
    total->blocks_walked += form->blocks_walked;
}

static double ratio_of(const ClosedForm *form, const KernelResult *result)
{
    return (double)result->kernel.cycles / form->cycles;
}

static bool is_apart(double ratio)
{
    return ratio > APART || ratio < 1 / APART;
}

/* ---- what the closed form has no word for, where the kernel has it ---- */

static bool has_cache_hits(const KernelResult *r)
{
    return r->memory.l1.hits + r->memory.l1.merged + r->memory.l2.hits + r->memory.l2.merged;
}

/* The equations hold what is asked for against the bandwidth. */
static bool moves_unused(const KernelResult *r)
{
    const uint64_t moved = r->global_load.bytes_moved + r->global_store.bytes_moved + r->local.bytes_moved;
    const uint64_t asked = r->global_load.bytes_requested + r->global_store.bytes_requested + r->local.bytes_requested;
    return (double)moved > UNUSED_SHOWN * (double)asked;
}

static bool waits_for(const KernelResult *r, StallReason reason)
{
    uint64_t all = 0;
    for (int i = 0; i < STALL_N; i++)
        all += r->stalls.cycles[i];
    return (double)r->stalls.cycles[reason] > WAIT_SHOWN * (double)all;
}

/* `bank conflicts, atomics`; "" where there is nothing. Free with g_free. */
static char *left_out(const KernelResult *r)
{
    const struct {
        const char *name;
        bool there;
    } things[] = {
        {"bank conflicts", r->shared.conflict_passes > 0},
        {"the latency of shared memory", r->shared.requests && waits_for(r, STALL_memory)},
        {"bytes that are moved and not used", moves_unused(r)},
        {"caches", has_cache_hits(r)},
        {"constants", r->constant.requests > 0},
        {"textures", r->texture.requests > 0},
        {"atomics", r->global_atomic.requests > 0},
        {"divergence", r->divergence.divergent_branches > 0},
        {"partition camping", verdict_of(r).kind == VERDICT_CAMPING},
        {"the start of blocks", waits_for(r, STALL_dispatch)},
        {"waits for a unit", waits_for(r, STALL_unit)},
        {"waits for a result", waits_for(r, STALL_alu)},
    };
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(things); i++)
        if (things[i].there) g_string_append_printf(text, "%s%s", text->len ? ", " : "", things[i].name);
    return g_string_free(text, FALSE);
}

void closed_form_put(FILE *out, const ClosedForm *form, const KernelResult *result)
{
    if (!form->described) {
        word_paragraph(out, "Closed form", "none: " NOT_DESCRIBED);
        return;
    }
    const double ratio = ratio_of(form, result);
    const Text cycles = format_count((uint64_t)(form->cycles + 0.5));
    g_autofree char *start =
        g_strdup_printf("%s cycles (MWP/CWP); simulated / closed form %s", cycles.text, format_fixed(ratio, 2).text);
    if (!is_apart(ratio)) {
        word_paragraph(out, "Closed form", "%s", start);
        return;
    }
    g_autofree char *missing = left_out(result);
    word_paragraph(out, "Closed form", "%s: more than a factor of two apart. %s%s", start,
                   *missing ? "The closed form leaves out: " : "The model or the run is wrong about this kernel", missing);
}

void closed_form_build(JsonBuilder *b, const ClosedForm *form, const KernelResult *result)
{
    const double ratio = form->described ? ratio_of(form, result) : NAN;
    json_builder_set_member_name(b, "closed_form");
    json_builder_begin_object(b);
    json_add_text(b, "model", "mwp-cwp");
    json_add_number(b, "cycles", form->described ? form->cycles : NAN);
    json_add_text(b, "case", form->described ? form->which : NULL);
    json_add_number(b, "ratio", ratio);
    if (form->described)
        json_add_bool(b, "within_two", !is_apart(ratio));
    else
        json_add_null(b, "within_two");
    json_add_count(b, "blocks_walked", form->blocks_walked);
    json_add_text(b, "reason", form->described ? NULL : NOT_DESCRIBED);
    json_builder_end_object(b);
}
