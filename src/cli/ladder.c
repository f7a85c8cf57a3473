#include "cli/ladder.h"

#include <math.h>
#include <string.h>

#include "cli/launches.h"

enum {
    STEPS = 4096,
    FAR = 16, /* a footprint of so many times a cache leaves nothing of it, whatever it replaces */
    TEXTURE_MAX = 1 << 24,
    CONSTANT_MAX = 65536, /* bytes that a trace's constants may take */
};

/* ---- the traces: P is the place of the value, step i's; one thread, so that nothing but the chain is there ---- */

/* Each add wants the sum before. */
static char *register_trace(void)
{
    return g_strdup("g80trace 1\nparam n = 1\nglobal out[1] : u32\nkernel registers\n  grid 1\n  block 1\n  regs 2\n  steps n\n"
                    "  mov r0\n  mov r1\n  repeat n\n    add r0, r0, r1\n  end\n  st out[0], r0 via r1\nend\n");
}

/* Each load gives the address of the next: words `stride` bytes apart, over and over through `bytes`. */
static char *chase_trace(const char *space, const char *load, uint64_t bytes, uint64_t stride)
{
    const bool inside = g_str_equal(space, "shared") || g_str_equal(space, "local");
    g_autofree char *array = g_strdup_printf("%s next[%" G_GUINT64_FORMAT "] : u32\n", space, bytes / 4);
    return g_strdup_printf("g80trace 1\nparam n = 1\nglobal out[1] : u32\n%skernel chase\n  grid 1\n  block 1\n  regs 2\n"
                           "  steps n\n%s%s  mov r0\n  for i = 0 to n-1\n"
                           "    %s r0, next[(i*%" G_GUINT64_FORMAT " %% %" G_GUINT64_FORMAT ")/4]%s\n  end\n  mov r1\n"
                           "  st out[0], r0 via r1\nend\n",
                           inside ? "" : array, inside ? "  " : "", inside ? array : "", load, stride, bytes, " via r0");
}

/* ---- which levels there are ---- */

static LadderLevel *add(Ladder *l, const char *name, const char *scope, const char *manager)
{
    const LadderLevel level = {.name = name, .scope = scope, .manager = manager, .latency = NAN};
    g_array_append_val(l->levels, level);
    return &g_array_index(l->levels, LadderLevel, l->levels->len - 1);
}

static void set_size(LadderLevel *level, uint64_t bytes, const char *of)
{
    level->bytes = bytes;
    level->of = of;
}

/* The chain goes through `bytes` by `stride`, at least twice. */
static void set_chase(LadderLevel *level, const char *space, uint64_t bytes, uint64_t stride)
{
    bytes = MAX(bytes / stride, 1) * stride;
    level->trace = chase_trace(space, g_str_equal(space, "tex") ? "tex" : "ld", bytes, stride);
    level->steps = MAX(2 * bytes / stride, STEPS);
}

static void add_registers(Ladder *l, const MachineConfig *m)
{
    LadderLevel *level = add(l, "registers", "thread", "compiler");
    set_size(level, 4 * (uint64_t)m->occupancy.registers, "SM");
    level->registers = m->occupancy.registers;
    level->trace = register_trace();
    level->steps = STEPS;
}

static void add_shared(Ladder *l, const MachineConfig *m)
{
    enum { WORDS_BYTES = 1024 };
    LadderLevel *level = add(l, "shared memory", "block", "programmer");
    if (m->occupancy.max_block_shared < WORDS_BYTES) {
        level->absent = g_strdup_printf("a block may take %u bytes of it", m->occupancy.max_block_shared);
        return;
    }
    set_size(level, m->occupancy.shared_bytes, "SM");
    set_chase(level, "shared", WORDS_BYTES, 4);
}

/* Half of it, so that it stays. A thread's own words lie 128 bytes apart in local memory, one for each lane of the warp between them. */
static void add_l1(Ladder *l, const MachineConfig *m)
{
    LadderLevel *level = add(l, "L1 cache", "device", "hardware");
    const CacheGeometry g = l1_geometry(&m->l1, 0);
    if (!g.bytes) {
        level->absent = g_strdup("loads of global memory pass no cache on an SM (l1.bytes = 0)");
        return;
    }
    set_size(level, g.bytes, "SM");
    if (m->l1.serves == L1_ALL) {
        set_chase(level, "global", g.bytes / 2, g.line_bytes);
        return;
    }
    level->scope = "thread";
    level->name = "L1 cache (local memory)";
    set_chase(level, "local", g.bytes / 2 / LANES, 4);
}

static uint64_t l2_bytes(const MachineConfig *m)
{
    return m->l2.serves == L2_NONE ? 0 : (uint64_t)m->l2.cache.bytes * m->partition.count;
}

/* Beyond what is before it, and half of it, so that it stays. */
static uint64_t between(uint64_t before, uint64_t bytes)
{
    return before ? MIN(FAR * before, bytes / 2) : bytes / 2;
}

static void add_l2(Ladder *l, const MachineConfig *m)
{
    LadderLevel *level = add(l, "L2 cache", "device", "hardware");
    const CacheGeometry l1 = l1_geometry(&m->l1, 0);
    const uint64_t before = m->l1.serves == L1_ALL ? l1.bytes : 0, bytes = l2_bytes(m);
    const uint64_t footprint = before ? between(before, bytes) : MIN(bytes / 2, 256 * 1024);
    if (m->l2.serves != L2_ALL)
        level->absent = g_strdup(bytes ? "it serves textures alone, not global memory (l2.serves = texture)"
                                       : "memory partitions have no cache (l2.serves = none)");
    else if (footprint <= before)
        level->absent = g_strdup("no chain fits it that does not fit the L1 of an SM");
    else
        set_chase(level, "global", footprint, MAX(m->l2.cache.line_bytes, before ? l1.line_bytes : 0));
    if (!level->absent) set_size(level, bytes, "chip");
}

static void add_constant(Ladder *l, const char *name, const CacheGeometry *before, const CacheGeometry *g, const char *of)
{
    LadderLevel *level = add(l, name, "device", "hardware");
    const uint64_t footprint = before ? MIN(g->bytes, CONSTANT_MAX) : g->bytes / 2;
    if (!g->bytes)
        level->absent = g_strdup("there is no such cache (its bytes are 0)");
    else if (before && footprint <= before->bytes)
        level->absent = g_strdup("no chain of constants fits it that does not fit the level before");
    else
        set_chase(level, "const", footprint, before ? before->line_bytes : g->line_bytes);
    if (!level->absent) set_size(level, g->bytes, of);
}

static void add_constants(Ladder *l, const MachineConfig *m)
{
    const ConstantConfig *c = &m->constant;
    add_constant(l, "constant cache", NULL, &c->l1, "SM");
    add_constant(l, "constant cache, 2nd level", &c->l1, &c->l2, "cluster");
    add_constant(l, "constant cache, 3rd level", &c->l2, &c->l3, "chip");
}

static void add_textures(Ladder *l, const MachineConfig *m)
{
    const CacheGeometry *g = &m->texture.cache;
    LadderLevel *level = add(l, "texture cache", "device", "hardware");
    if (g->bytes) {
        set_size(level, g->bytes, "cluster");
        set_chase(level, "tex", g->bytes / 2, g->line_bytes);
    } else {
        level->absent = g_strdup("there is none (texture.bytes = 0)");
    }
    level = add(l, "texture, from L2", "device", "hardware");
    const uint64_t bytes = l2_bytes(m), footprint = MIN(between(g->bytes, bytes), TEXTURE_MAX);
    if (!bytes)
        level->absent = g_strdup("memory partitions have no cache (l2.serves = none)");
    else if (footprint <= g->bytes)
        level->absent = g_strdup("no chain fits it that does not fit the texture cache");
    else
        set_chase(level, "tex", footprint, g->line_bytes);
    if (!level->absent) set_size(level, bytes, "chip");
}

/* No step comes back to a line, so no cache has it: twice the steps of the longer run lie in the array. */
static void add_global(Ladder *l, const MachineConfig *m)
{
    const uint64_t stride = m->partition.interleave_bytes;
    LadderLevel *level = add(l, "global memory", "device", "programmer");
    level->trace = chase_trace("global", "ld", 2 * STEPS * stride, stride);
    level->steps = STEPS;
}

/* ---- the measurement ---- */

static void level_clear(void *data)
{
    LadderLevel *level = data;
    g_free(level->absent);
    g_free(level->trace);
}

void ladder_clear(Ladder *l)
{
    g_clear_pointer(&l->levels, g_array_unref);
}

static bool cycles_of(const MachineConfig *config, const AstTrace *trace, uint64_t n, uint64_t *ret, GError **error)
{
    g_autofree char *setting = g_strdup_printf("n=%" G_GUINT64_FORMAT, n);
    const char *const settings[] = {setting, NULL};
    g_autoptr(LaunchPlan) plan = launch_plan_new(trace, settings, error);
    if (!plan) return false;
    const Workload workload = {.trace = (AstTrace *)trace, .plan = plan};
    Simulation simulation = {.config = config, .workload = &workload}, *all = &simulation;
    unsigned failed;
    const bool good = launches_check(config, &workload, error) && simulations_run(&all, 1, 1, false, &failed, error);
    *ret = simulation.total.kernel.cycles;
    simulation_clear(&simulation);
    return good;
}

/* What a machine refuses to run it lacks. A run that does not come to its end, by a limit, is an error. */
static bool measure(const MachineConfig *config, LadderLevel *level, GError **error)
{
    uint64_t once, twice;
    g_autoptr(GError) fault = NULL;
    g_autoptr(AstTrace) trace = ast_trace_parse("ladder", level->trace, strlen(level->trace), &fault);
    if (trace && cycles_of(config, trace, level->steps, &once, &fault) &&
        cycles_of(config, trace, 2 * level->steps, &twice, &fault)) {
        level->latency = (double)(twice - once) / (double)level->steps;
    } else if (g_error_matches(fault, G80SIM_ERROR, G80SIM_ERROR_SIM)) {
        g_propagate_prefixed_error(error, g_steal_pointer(&fault), "%s: ", level->name);
        return false;
    } else {
        level->absent = g_strdup(fault->message);
    }
    return true;
}

static int by_latency(const void *a, const void *b)
{
    const LadderLevel *one = a, *other = b;
    if (isnan(one->latency) || isnan(other->latency)) return isnan(one->latency) - isnan(other->latency);
    return (one->latency > other->latency) - (one->latency < other->latency);
}

bool ladder_measure(const Machine *machine, Ladder *ret, GError **error)
{
    const MachineConfig *m = &machine->config;
    *ret = (Ladder){.machine = machine, .levels = g_array_new(FALSE, FALSE, sizeof(LadderLevel))};
    g_array_set_clear_func(ret->levels, level_clear);
    add_registers(ret, m);
    add_shared(ret, m);
    add_l1(ret, m);
    add_l2(ret, m);
    add_constants(ret, m);
    add_textures(ret, m);
    add_global(ret, m);
    for (unsigned i = 0; i < ret->levels->len; i++) {
        LadderLevel *level = &g_array_index(ret->levels, LadderLevel, i);
        if (!level->absent && !measure(m, level, error)) return false;
    }
    g_array_sort(ret->levels, by_latency); /* which is stable */
    return true;
}
