#include "cli/simulations.h"

#include "cli/launches.h"
#include "cli/progress.h"
#include "gpu/gpu.h"

typedef struct {
    Simulation *const *all;
    GMutex lock; /* of what follows */
    Progress *progress;
    uint64_t blocks, instructions;
    unsigned first_failed; /* index of the simulation */
} Batch;

typedef struct {
    Batch *batch;
    Simulation *simulation;
    uint64_t blocks_before, instructions_before; /* of the launches that are done */
    uint64_t blocks_shown, instructions_shown;
} Running;

void simulation_clear(Simulation *s)
{
    result_clear(&s->total);
    g_clear_error(&s->error);
}

static void show_progress(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions)
{
    Running *running = user;
    Batch *batch = running->batch;
    (void)blocks;
    const uint64_t done = running->blocks_before + blocks_done, issued = running->instructions_before + warp_instructions;
    g_mutex_lock(&batch->lock);
    batch->blocks += done - running->blocks_shown;
    batch->instructions += issued - running->instructions_shown;
    progress_show(batch->progress, batch->blocks, batch->instructions);
    g_mutex_unlock(&batch->lock);
    running->blocks_shown = done;
    running->instructions_shown = issued;
}

static void add_result(Running *running, KernelResult *result, bool first)
{
    Simulation *s = running->simulation;
    result_add(&s->total, result);
    if (first) s->total.limiter = result->limiter;
    if (result->kernel.useful_cycles) s->useful_overhead_ns += result->kernel.overhead_ns;
    running->blocks_before += (uint64_t)result->grid[0] * result->grid[1] * result->grid[2];
    running->instructions_before += result->kernel.warp_instructions;
    result_clear(result);
}

static bool run_launches(Running *running, GError **error)
{
    const Simulation *s = running->simulation;
    g_autoptr(Gpu) gpu = gpu_new(s->config, 0, error);
    if (!gpu) return false;
    if (running->batch->progress) gpu_set_progress(gpu, show_progress, running);
    for (unsigned i = 0; i < s->workload->plan->launches->len; i++) {
        g_autoptr(Program) program = launches_compile(s->config, s->workload, i, error);
        KernelResult result = {0};
        if (!program || !gpu_run(gpu, program, &result, error)) return false;
        add_result(running, &result, i == 0);
    }
    return true;
}

/* They begin in their order: when one has failed, those before it have begun and those behind it may be left out, and the first failure
 * is the same for any number of threads. */
static void simulate(void *data, void *user)
{
    Batch *batch = user;
    const unsigned index = GPOINTER_TO_UINT(data) - 1; /* 0 is no task for a pool */
    Running running = {.batch = batch, .simulation = batch->all[index]};
    g_mutex_lock(&batch->lock);
    const bool wanted = index < batch->first_failed;
    g_mutex_unlock(&batch->lock);
    if (!wanted || run_launches(&running, &running.simulation->error) || running.simulation->optional) return;
    g_mutex_lock(&batch->lock);
    batch->first_failed = MIN(batch->first_failed, index);
    g_mutex_unlock(&batch->lock);
}

static uint64_t count_blocks(Simulation *const *all, unsigned n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += all[i]->workload->blocks;
    return sum;
}

bool simulations_run(Simulation *const *all, unsigned n, unsigned threads, bool progress, unsigned *ret_failed, GError **error)
{
    Batch batch = {.all = all, .first_failed = G_MAXUINT};
    g_mutex_init(&batch.lock);
    batch.progress = progress_new(progress, count_blocks(all, n));
    GThreadPool *pool = g_thread_pool_new(simulate, &batch, (int)CLAMP(threads, 1, MAX(n, 1)), TRUE, error);
    for (unsigned i = 0; pool && i < n; i++)
        g_thread_pool_push(pool, GUINT_TO_POINTER(i + 1), NULL);
    if (pool) g_thread_pool_free(pool, FALSE, TRUE);
    progress_free(batch.progress);
    g_mutex_clear(&batch.lock);
    if (!pool || batch.first_failed == G_MAXUINT) return pool;
    *ret_failed = batch.first_failed;
    g_propagate_error(error, g_steal_pointer(&all[batch.first_failed]->error));
    return false;
}
