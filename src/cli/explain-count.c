#include "cli/explain-count.h"

#include "cli/launches.h"

/* Together a few seconds of work. */
enum { ACCESSES_MAX = 1 << 20, INSTRUCTIONS_MAX = 1 << 24 };

typedef struct {
    const MachineConfig *config;
    ExplainCount *count;
    int *index_of; /* of each instruction of the program: in count->insns, or -1 */
    uint64_t accesses, instructions;
} Walk;

static ExplainInsn *insn_at(const ExplainCount *count, int index)
{
    return &g_array_index(count->insns, ExplainInsn, index);
}

/* ---- one access ---- */

static bool is_like(const AccessPattern *a, const AccessPattern *b)
{
    return a->shape == b->shape && a->group == b->group && a->single == b->single && a->aligned == b->aligned &&
           a->stride == b->stride;
}

static void count_kind(ExplainInsn *insn, const AccessPattern *pattern, const LaneAccess *access, AccessCost cost)
{
    for (unsigned i = 0; i < insn->n_kinds; i++) {
        if (!is_like(&insn->kinds[i].pattern, pattern)) continue;
        insn->kinds[i].seen++;
        return;
    }
    if (insn->n_kinds == EXPLAIN_KINDS) return;
    insn->kinds[insn->n_kinds++] = (AccessKind){*pattern, 1, *access, cost};
}

static void add_cost(CostRange *range, uint32_t cost, bool first)
{
    range->sum += cost;
    range->least = first ? cost : MIN(range->least, cost);
    range->most = MAX(range->most, cost);
}

static uint32_t depth_of(const MachineConfig *config, const LaneAccess *access)
{
    Coalesced c;
    uint32_t most = 0;
    coalesce(&config->coalescer, access, &c);
    for (uint32_t i = 0; i < c.n; i++)
        most = MAX(most, c.transactions[i].depth);
    return most;
}

static void widen_range(ExplainInsn *insn, const LaneAccess *access)
{
    if (!insn->seen) insn->lowest = UINT64_MAX;
    for (LaneMask left = access->mask; left; left &= left - 1) {
        const uint64_t addr = access->addr[bits_lowest(left)];
        insn->lowest = MIN(insn->lowest, addr);
        insn->highest = MAX(insn->highest, addr);
    }
}

static bool count_access(Walk *walk, Cursor *cursor, LaneMask mask)
{
    ExplainInsn *insn = insn_at(walk->count, walk->index_of[cursor->index]);
    LaneAccess access;
    if (!access_read(cursor, mask, &access)) return false;
    const ArrayPlace *place = cursor->program->accesses[cursor->insn->access].place;
    const AccessCost cost = access_cost(walk->config, cursor->insn, place, &access);
    const AccessPattern pattern = access_pattern(walk->config, (Space)insn->insn.space, &access);
    add_cost(&insn->now, cost.now, !insn->seen);
    add_cost(&insn->fewest, cost.fewest, !insn->seen);
    widen_range(insn, &access);
    insn->moved += cost.moved;
    insn->needed += cost.needed;
    insn->seen++;
    insn->lanes += bits_count(mask);
    if (access.atomic && insn->insn.space == SPACE_GLOBAL) insn->depth = MAX(insn->depth, depth_of(walk->config, &access));
    count_kind(insn, &pattern, &access, cost);
    walk->accesses++;
    return true;
}

/* ---- warps, blocks, launches ---- */

static bool walk_warp(Walk *walk, Cursor *cursor, uint64_t block, uint32_t warp, GError **error)
{
    for (cursor_start(cursor, block, warp); cursor->insn; cursor_next(cursor)) {
        LaneMask mask;
        if (walk->accesses >= ACCESSES_MAX || walk->instructions >= INSTRUCTIONS_MAX) {
            walk->count->cut = true;
            return true;
        }
        if (!cursor_mask(cursor, &mask)) break;
        walk->instructions++;
        if (mask && cursor->insn->access >= 0 && !count_access(walk, cursor, mask)) break;
        if (cursor->insn->kind == INSN_EXIT) cursor_exit(cursor, mask);
    }
    if (!cursor->fault) return true;
    g_propagate_error(error, g_steal_pointer(&cursor->fault));
    return false;
}

static int find_insn(ExplainCount *count, const Program *program, const Insn *insn)
{
    for (unsigned i = 0; i < count->insns->len; i++) {
        const ExplainInsn *known = explain_insn(count, i);
        if (known->line == insn->line && known->insn.space == insn->space && known->insn.mem == insn->mem) return (int)i;
    }
    const ExplainInsn new = {.line = insn->line, .insn = *insn, .place = *program->accesses[insn->access].place};
    g_array_append_val(count->insns, new);
    return (int)count->insns->len - 1;
}

static uint64_t sampled_block(uint64_t i, uint64_t sampled, uint64_t blocks)
{
    return sampled == 1 ? 0 : i * (blocks - 1) / (sampled - 1);
}

static bool walk_launch(Walk *walk, const Program *program, GError **error)
{
    g_autofree void *storage = g_malloc0(cursor_storage(program));
    g_autofree int *index_of = g_new(int, program->n_code);
    const uint64_t sampled = MIN(program->n_blocks, EXPLAIN_BLOCKS), before = walk->instructions;
    Cursor cursor;
    cursor_init(&cursor, program, storage);
    for (uint32_t i = 0; i < program->n_code; i++) {
        const Insn *insn = &program->code[i];
        index_of[i] = insn->kind < INSN_ISSUES_N && insn->access >= 0 ? find_insn(walk->count, program, insn) : -1;
    }
    walk->index_of = index_of;
    for (uint64_t i = 0; i < sampled && !walk->count->cut; i++) {
        for (uint32_t warp = 0; warp < program->n_warps; warp++)
            if (!walk_warp(walk, &cursor, sampled_block(i, sampled, program->n_blocks), warp, error)) return false;
        walk->count->blocks_seen++;
    }
    walk->count->launches_seen++;
    walk->count->instructions += (double)(walk->instructions - before) * (double)program->n_blocks / (double)sampled;
    return true;
}

static int by_seen(const void *a, const void *b)
{
    const AccessKind *x = a, *y = b;
    return x->seen < y->seen ? 1 : x->seen > y->seen ? -1 : 0;
}

static int by_line(gconstpointer a, gconstpointer b)
{
    const ExplainInsn *x = a, *y = b;
    return x->line - y->line;
}

bool explain_count(const MachineConfig *config, const Workload *workload, ExplainCount *ret, GError **error)
{
    const uint64_t launches = workload->plan->launches->len, sampled = MIN(launches, EXPLAIN_LAUNCHES);
    *ret = (ExplainCount){.trace = workload->trace,
                          .insns = g_array_new(FALSE, FALSE, sizeof(ExplainInsn)),
                          .launches = launches,
                          .blocks = workload->blocks};
    Walk walk = {.config = config, .count = ret};
    for (uint64_t i = 0; i < sampled && !ret->cut; i++) {
        const unsigned index = (unsigned)sampled_block(i, sampled, launches);
        g_autoptr(Program) program = launches_compile(config, workload, index, error);
        if (!program || !walk_launch(&walk, program, error)) return false;
    }
    if (ret->launches_seen) ret->instructions *= (double)launches / (double)ret->launches_seen;
    for (unsigned i = 0; i < ret->insns->len; i++) {
        ExplainInsn *insn = insn_at(ret, (int)i);
        qsort(insn->kinds, insn->n_kinds, sizeof *insn->kinds, by_seen);
    }
    g_array_sort(ret->insns, by_line);
    return true;
}

void explain_count_clear(ExplainCount *count)
{
    g_clear_pointer(&count->insns, g_array_unref);
}

bool explain_one_word(const ExplainInsn *insn)
{
    return insn->lanes > 1 && insn->lowest == insn->highest;
}

double explain_excess(const ExplainInsn *insn)
{
    const double cost = insn->now.sum ? (double)(insn->now.sum - insn->fewest.sum) / (double)insn->now.sum : 0;
    const double bytes = insn->moved ? (double)(insn->moved - insn->needed) / (double)insn->moved : 0;
    return MAX(cost, bytes);
}
