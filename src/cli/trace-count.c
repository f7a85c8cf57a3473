#include "cli/trace-count.h"

#include "trace/cursor.h"

/* A page of the bitmap of touched sectors: 64 KiB of addresses. Pages exist only where something was touched. */
enum { PAGE_SECTORS = 2048, PAGE_WORDS = PAGE_SECTORS / 64, INSTRUCTIONS_BETWEEN_LOOKS = 1 << 16 };

typedef struct {
    uint64_t words[PAGE_WORDS];
} Page;

typedef struct {
    const Workload *workload;
    TraceCount *count;
    Progress *progress;
    uint64_t instructions, looked;
    const AstArray *array; /* whose pages were used last, and which */
    GHashTable *pages;
    int64_t page_number;
    Page *page;
} Walk;

/* ---- touched sectors ---- */

static GHashTable *pages_of(const Walk *walk, const AstArray *array)
{
    const GPtrArray *arrays = walk->workload->trace->arrays;
    for (unsigned i = 0; i < arrays->len; i++)
        if (arrays->pdata[i] == array) return walk->count->touched->pdata[i];
    return NULL; /* shared and local arrays: one for each block or thread */
}

static void turn_to_page(Walk *walk, int64_t number)
{
    if (walk->page && walk->page_number == number) return;
    walk->page_number = number;
    walk->page = g_hash_table_lookup(walk->pages, &number);
    if (walk->page) return;
    int64_t *key = g_new(int64_t, 1);
    *key = number;
    walk->page = g_new0(Page, 1);
    g_hash_table_insert(walk->pages, key, walk->page);
}

static void touch(Walk *walk, const AccessLanes *lanes, unsigned width)
{
    int64_t last = -1;
    for (LaneMask left = lanes->mask; left; left &= left - 1) {
        const int64_t address = lanes->base + lanes->offset[bits_lowest(left)];
        for (int64_t sector = address / SECTOR_BYTES; sector <= (address + width - 1) / SECTOR_BYTES; sector++) {
            if (sector == last) continue;
            last = sector;
            turn_to_page(walk, sector / PAGE_SECTORS);
            const unsigned bit = (unsigned)(sector % PAGE_SECTORS);
            walk->page->words[bit / 64] |= UINT64_C(1) << bit % 64;
        }
    }
}

static bool count_access(Walk *walk, Cursor *cursor, const Insn *insn, LaneMask mask)
{
    AccessLanes lanes;
    if (!mask) return true;
    if (!cursor_access(cursor, mask, &lanes)) return false;
    AccessCount *n = &walk->count->access[insn->space][insn->mem];
    n->requests++;
    n->bytes += (uint64_t)bits_count(mask) * insn->width;
    const AstArray *array = cursor->program->accesses[insn->access].place->array;
    if (array != walk->array) {
        walk->array = array;
        walk->pages = pages_of(walk, array);
        walk->page = NULL;
    }
    if (walk->pages) touch(walk, &lanes, insn->width);
    return true;
}

/* ---- instructions ---- */

static void count_issue(IssueCount *count, LaneMask mask)
{
    count->warp++;
    count->thread += bits_count(mask);
}

static bool count_insn(Walk *walk, Cursor *cursor)
{
    const Insn *insn = cursor->insn;
    LaneMask mask;
    if (!cursor_mask(cursor, &mask)) return false;
    walk->instructions++;
    count_issue(&walk->count->by_kind[insn->kind], mask);
    if (insn->kind == INSN_ALU) count_issue(&walk->count->by_class[insn->cls], mask);
    if (insn->kind == INSN_BRANCH) count_issue(&walk->count->by_class[OP_CLASS_branch], mask);
    if (insn->kind == INSN_MEM) count_issue(&walk->count->by_mem[insn->mem], mask);
    if (insn->access >= 0 && !count_access(walk, cursor, insn, mask)) return false;
    if (insn->kind == INSN_EXIT) cursor_exit(cursor, mask);
    return true;
}

static bool walk_warp(Walk *walk, Cursor *cursor, uint64_t block, uint32_t warp, GError **error)
{
    for (cursor_start(cursor, block, warp); cursor->insn; cursor_next(cursor)) {
        if (!count_insn(walk, cursor)) break;
        if (walk->instructions - walk->looked < INSTRUCTIONS_BETWEEN_LOOKS) continue;
        walk->looked = walk->instructions;
        progress_show(walk->progress, walk->count->blocks, walk->instructions);
    }
    if (!cursor->fault) return true;
    g_propagate_error(error, g_steal_pointer(&cursor->fault));
    return false;
}

static bool walk_program(Walk *walk, const Program *program, GError **error)
{
    g_autofree void *storage = g_malloc0(cursor_storage(program));
    Cursor cursor;
    cursor_init(&cursor, program, storage);
    TraceCount *n = walk->count;
    n->shared_bytes = MAX(n->shared_bytes, program->shared_bytes);
    n->local_bytes = MAX(n->local_bytes, program->local_bytes);
    for (uint64_t block = 0; block < program->n_blocks; block++) {
        for (uint32_t warp = 0; warp < program->n_warps; warp++)
            if (!walk_warp(walk, &cursor, block, warp, error)) return false;
        n->blocks++;
        n->warps += program->n_warps;
        n->threads += program->n_threads;
    }
    n->launches++;
    return true;
}

static GHashTable *new_pages(void)
{
    return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
}

bool trace_count(const Workload *workload, Progress *progress, TraceCount *ret, GError **error)
{
    static const ProgramOptions OPTIONS = {UINT64_C(1) << 40, true};
    Walk walk = {.workload = workload, .count = ret, .progress = progress};
    *ret = (TraceCount){.touched = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref)};
    for (unsigned i = 0; i < workload->trace->arrays->len; i++)
        g_ptr_array_add(ret->touched, new_pages());
    for (unsigned i = 0; i < workload->plan->launches->len; i++) {
        g_autoptr(Program) program = program_new(workload->plan, workload_launch(workload, i), &OPTIONS, error);
        if (!program || !walk_program(&walk, program, error)) return false;
        walk.array = NULL;
    }
    return true;
}

void trace_count_clear(TraceCount *count)
{
    g_clear_pointer(&count->touched, g_ptr_array_unref);
}

IssueCount trace_count_all(const TraceCount *count)
{
    IssueCount all = {0, 0};
    for (int k = 0; k < INSN_ISSUES_N; k++) {
        all.warp += count->by_kind[k].warp;
        all.thread += count->by_kind[k].thread;
    }
    return all;
}

uint64_t trace_count_sectors(const TraceCount *count, unsigned index)
{
    GHashTableIter iter;
    gpointer value;
    uint64_t sectors = 0;
    g_hash_table_iter_init(&iter, count->touched->pdata[index]);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Page *page = value;
        for (int w = 0; w < PAGE_WORDS; w++)
            sectors += bits_count(page->words[w]);
    }
    return sectors;
}

SpaceFootprint trace_count_space(const TraceCount *count, const Workload *workload, Space space)
{
    const GPtrArray *arrays = workload->trace->arrays;
    if (space == SPACE_SHARED) return (SpaceFootprint){.bytes = count->shared_bytes};
    if (space == SPACE_LOCAL) return (SpaceFootprint){.bytes = count->local_bytes};
    SpaceFootprint sum = {.whole = true};
    for (unsigned i = 0; i < arrays->len; i++) {
        if (((const AstArray *)arrays->pdata[i])->space != space) continue;
        sum.bytes += workload->plan->arrays[i].bytes;
        sum.touched += trace_count_sectors(count, i) * SECTOR_BYTES;
    }
    return sum;
}
