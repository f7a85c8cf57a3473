#include "cli/explain-launch.h"

#include <math.h>
#include <string.h>

#include "cli/explain-access.h"
#include "cli/format.h"
#include "cli/residency.h"
#include "gpu/gpu.h"

/* ---- residency ---- */

static OccupancyNeed need_of(const Program *p)
{
    return (OccupancyNeed){p->n_threads, p->regs, p->shared_bytes, p->args_bytes};
}

static void append_limiters(GString *out, const Occupancy *o)
{
    bool first = true;
    for (int i = 0; i < LIMIT_N; i++) {
        if (o->limits[i] != o->blocks) continue;
        g_string_append_printf(out, "%s%s%s", first ? "" : ", ", occupancy_limit_name((OccupancyLimit)i),
                               i == LIMIT_SHARED ? " memory" : "");
        first = false;
    }
}

/* What it takes until one more block fits, where registers and shared memory can do it; else that they cannot. */
static void append_next(GString *out, const OccupancyConfig *c, const OccupancyNeed *need, const Occupancy *o)
{
    const uint32_t more = o->blocks + 1, regs = residency_most_regs(c, need, more);
    const int64_t shared = residency_most_shared(c, need, more);
    const bool fewer_regs = regs < need->regs, less_shared = shared < (int64_t)need->shared_bytes;
    for (int limit = LIMIT_WARPS; limit < LIMIT_N; limit++)
        if (o->limits[limit] < more) {
            const uint32_t keep = residency_most_regs(c, need, o->blocks);
            g_string_append_printf(out, "; up to %s keep that", format_counted(keep, "register").text);
            return;
        }
    if ((fewer_regs && !regs) || shared < 0) return;
    g_string_append_printf(out, "; %s fit with ", format_counted(more, "block").text);
    if (fewer_regs) g_string_append_printf(out, "%s (%u fewer)", format_counted(regs, "register").text, need->regs - regs);
    if (less_shared)
        g_string_append_printf(out, "%s%s shared (%" G_GUINT64_FORMAT " less)", fewer_regs ? " and " : "",
                               format_counted((uint64_t)shared, "byte").text, need->shared_bytes - (uint64_t)shared);
}

char *explain_residency(const MachineConfig *config, const Program *program)
{
    const OccupancyConfig *c = &config->occupancy;
    const OccupancyNeed need = need_of(program);
    const Occupancy o = gpu_occupancy(config, program);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s of %s on an SM, %u of %u warps: limited by ", format_counted(o.blocks, "block").text,
                           format_counted(program->n_threads, "thread").text, o.warps, c->max_warps);
    append_limiters(out, &o);
    const uint64_t there = (program->n_blocks + config->sm.count - 1) / config->sm.count;
    if (there < o.blocks) {
        g_string_append_printf(out, "; the launch has but %s", format_counted(program->n_blocks, "block").text);
        if (program->n_blocks > 1) g_string_append_printf(out, ", %s an SM at most", format_count(there).text);
    } else {
        append_next(out, c, &need, &o);
    }
    return g_string_free(out, FALSE);
}

/* ---- partitions ---- */

enum {
    TIMES = 16,
    FILLED = 2
}; /* executions of an instruction that are looked at; transactions for each partition that fill them */

typedef struct {
    const MachineConfig *config;
    AddrMap map;
    uint32_t n_code;
    uint64_t *bytes;        /* [n_code][TIMES][partitions] */
    uint32_t *transactions; /* [n_code][TIMES] */
    uint8_t *times;         /* [n_code]: executions by the present warp */
} Traffic;

static bool add_access(Traffic *t, Cursor *cursor, LaneMask mask)
{
    const uint32_t at = cursor->index, time = t->times[at];
    LaneAccess access;
    Coalesced c;
    if (time == TIMES) return true;
    if (!access_read(cursor, mask, &access)) return false;
    t->times[at]++;
    coalesce(&t->config->coalescer, &access, &c);
    t->transactions[at * TIMES + time] += c.n;
    for (uint32_t i = 0; i < c.n; i++) {
        const uint32_t partition = addrmap_partition(&t->map, c.transactions[i].addr).partition;
        t->bytes[(at * TIMES + time) * t->map.partitions + partition] += c.transactions[i].bytes;
    }
    return true;
}

static bool add_warp(Traffic *t, Cursor *cursor, uint64_t block, uint32_t warp, uint64_t *budget)
{
    memset(t->times, 0, t->n_code);
    for (cursor_start(cursor, block, warp); cursor->insn && *budget; cursor_next(cursor), --*budget) {
        LaneMask mask;
        if (!cursor_mask(cursor, &mask)) return false;
        if (mask && cursor->insn->access >= 0 && cursor->insn->space == SPACE_GLOBAL && !add_access(t, cursor, mask))
            return false;
        if (cursor->insn->kind == INSN_EXIT) cursor_exit(cursor, mask);
    }
    return !cursor->fault;
}

/* Of each moment, the number of evenly used partitions that is as concentrated: (sum)^2 / sum of squares. The means are by traffic. */
static void sum_up(const Traffic *t, const Program *program, Camping *ret)
{
    const uint32_t n = t->map.partitions;
    double all = 0, busiest = 0, inverse = 0, worst = 0;
    for (uint32_t at = 0; at < t->n_code * TIMES; at++) {
        double sum = 0, most = 0, squares = 0;
        for (uint32_t p = 0; p < n; p++) {
            const double bytes = (double)t->bytes[at * n + p];
            sum += bytes;
            most = MAX(most, bytes);
            squares += bytes * bytes;
        }
        if (sum <= 0 || t->transactions[at] < FILLED * n) continue;
        all += sum;
        busiest += most;
        inverse += squares / sum;
        if (squares / sum <= worst) continue;
        worst = squares / sum;
        ret->line = program->code[at / TIMES].line;
    }
    if (all <= 0) return;
    ret->known = true;
    ret->busiest = busiest / all;
    ret->on = (uint32_t)MAX(1, round(all / inverse));
}

bool explain_camping(const MachineConfig *config, const Program *program, Camping *ret, GError **error)
{
    const uint64_t resident = MIN(program->n_blocks, (uint64_t)gpu_occupancy(config, program).blocks * config->sm.count);
    uint64_t budget = 1 << 23;
    *ret = (Camping){.of = config->partition.count};
    if (config->partition.count < 2 || config->partition.hash != PARTITION_HASH_NONE) return true;
    g_autofree void *storage = g_malloc0(cursor_storage(program));
    g_autofree uint64_t *bytes = g_new0(uint64_t, (size_t)program->n_code * TIMES * config->partition.count);
    g_autofree uint32_t *counted = g_new0(uint32_t, (size_t)program->n_code * TIMES);
    g_autofree uint8_t *times = g_new0(uint8_t, program->n_code);
    Traffic t = {config, partition_map(&config->partition), program->n_code, bytes, counted, times};
    Cursor cursor;
    cursor_init(&cursor, program, storage);
    for (uint64_t block = 0; block < resident; block++)
        for (uint32_t warp = 0; warp < program->n_warps; warp++)
            if (!add_warp(&t, &cursor, block, warp, &budget)) {
                g_propagate_error(error, g_steal_pointer(&cursor.fault));
                return false;
            }
    sum_up(&t, program, ret);
    return true;
}

bool camping_matters(const Camping *camping)
{
    return camping->known && camping->busiest >= MIN(3.0 / camping->of, 0.9);
}
