/* Every configuration that passes the checks of the keys runs: each key alone at the ends of its range and around its default. */
#include <string.h>

#include "simulate.h"

static const GsKey *key_number(int n, const char **ret_section)
{
    for (size_t i = 0; i < machine_n_parts; i++) {
        const GsConfigTable *table = machine_parts[i].table;
        *ret_section = table->section;
        if (n < (int)table->n_keys) return &table->keys[n];
        n -= (int)table->n_keys;
    }
    ck_abort_msg("no such key");
}

static int count_keys(void)
{
    int n = 0;
    for (size_t i = 0; i < machine_n_parts; i++)
        n += (int)machine_parts[i].table->n_keys;
    return n;
}

/* Sorts of access: scattered and coalesced words, shared memory, barriers, a remainder. Small, as the slowest machine takes its time. */
static const char TEXT[] = "g80trace 1\nglobal G[4096] : u32\nkernel k\n  grid 50\n  block 64\n  regs 8\n  shared S[64] : f32\n"
                           "  ld r0, G[tid.x*17]\n  ld r1, G[ctaid.x*64 + tid.x]\n  st S[tid.x], r0\n  bar\n  if tid.x % 3 == 0\n"
                           "    mad r2, r1, S[63 - tid.x], r1\n    rem r3, r2\n  end\n  st G[ctaid.x*64 + tid.x], r3\n"
                           "  st G[tid.x*60], r3\nend\n";

/* Refused with a message, or the same outcome with the longest windows and with the shortest. */
static void try_value(const char *section, const char *key, const char *value)
{
    g_autofree char *override = g_strdup_printf("%s.%s=%s", section, key, value);
    g_autoptr(GError) error = NULL;
    KernelResult longest, shortest;
    if (!simulate_or_fail(TEXT, "", override, 0, &longest, &error)) {
        ck_assert_msg(error && error->domain == G80SIM_ERROR, "%s", override);
        return;
    }
    shortest = simulate(TEXT, "", override, 1);
    ck_assert_msg(memcmp(&longest, &shortest, offsetof(KernelResult, partitions)) == 0, "%s", override);
    ck_assert_uint_eq(longest.global_load.requests, 50 * 2 * 2);
    ck_assert(result_stalls_add_up(&longest));
    result_clear(&longest);
    result_clear(&shortest);
}

static void try_number(const char *section, const GsKey *key, uint64_t value)
{
    if (value < key->min || value > key->max) return;
    const uint64_t unit = key->type == GS_TYPE_MILLI ? 1000 : 1;
    g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT, value / unit);
    try_value(section, key->name, text);
}

START_TEST(a_key_is_refused_or_runs)
{
    static const char *const BOOL_NAMES[] = {"no", "yes", NULL};
    const char *section;
    const GsKey *key = key_number(_i, &section);
    const bool is_bool = key->type == GS_TYPE_BOOL;
    if (is_bool || key->type == GS_TYPE_NAME) {
        for (const char *const *name = is_bool ? BOOL_NAMES : key->names; *name; name++)
            try_value(section, key->name, *name);
        return;
    }
    const uint64_t values[] = {key->min, key->def / 2, key->def + 1, key->def * 2, key->max};
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++)
        try_number(section, key, values[i]);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, a_key_is_refused_or_runs, 0, count_keys());
}

int main(void)
{
    return unit_main("timing-limits", add);
}
