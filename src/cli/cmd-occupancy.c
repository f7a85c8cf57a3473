/* How many blocks and warps of a launch fit on an SM, what limits them, and what the next step up would take. */
#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/inputs.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/residency.h"
#include "cli/wording.h"

enum { REGS_MAX = 255, THREADS_MAX = 1024, SHARED_MAX = 1 << 24, ARGS_MAX = 65536 };

typedef struct {
    char *regs, *threads, *shared, *args, *json, **overrides;
} OccupancyOptions;

static void options_clear(OccupancyOptions *o)
{
    g_free(o->regs);
    g_free(o->threads);
    g_free(o->shared);
    g_free(o->args);
    g_free(o->json);
    g_strfreev(o->overrides);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(OccupancyOptions, options_clear)

typedef struct {
    Machine machine;
    const OccupancyConfig *config;
    OccupancyNeed need; /* threads = 0: the register budget alone */
    Occupancy o;        /* of a launch, when there are threads */
    uint32_t warps;     /* resident */
    char *refusal;      /* why nothing fits, or NULL */
} Question;

static void question_clear(Question *q)
{
    machine_clear(&q->machine);
    g_free(q->refusal);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

static double share(uint64_t part, uint64_t whole)
{
    return part >= whole ? 1 : (double)part / (double)whole;
}

/* Warps that the register budget alone lets onto the SM. */
static uint32_t budget_warps(const OccupancyConfig *c, uint32_t regs)
{
    return regs > c->max_regs ? 0 : MIN(MIN(occupancy_granted_warps(c, regs), c->max_warps), c->max_threads / LANES);
}

/* ---- what would be otherwise ---- */

static uint32_t blocks_at(const Question *q, uint32_t threads, uint32_t regs, uint64_t shared)
{
    return occupancy(q->config, &(OccupancyNeed){threads, regs, shared, q->need.args_bytes}).blocks;
}

/* The size of block, in whole warps, that brings the most warps onto the SM; the smallest such. */
static uint32_t best_threads(const Question *q, uint32_t *ret_warps)
{
    uint32_t best = 0;
    *ret_warps = 0;
    for (uint32_t threads = LANES; threads <= q->config->max_block_threads; threads += LANES) {
        const uint32_t warps = blocks_at(q, threads, q->need.regs, q->need.shared_bytes) * (threads / LANES);
        if (warps <= *ret_warps) continue;
        *ret_warps = warps;
        best = threads;
    }
    return best;
}

/* ---- the answer in words ---- */

static void print_title(FILE *out, const Question *q)
{
    fprintf(out, "occupancy: ");
    if (q->need.threads)
        fprintf(out, "blocks of %s, %s each, %s B shared; %s\n", format_counted(q->need.threads, "thread").text,
                format_counted(q->need.regs, "register").text, format_count(q->need.shared_bytes).text, q->machine.file);
    else
        fprintf(out, "%s of each thread; %s\n", format_counted(q->need.regs, "register").text, q->machine.file);
    for (char **override = q->machine.overrides; *override; override++)
        fprintf(out, "  -s %s\n", *override);
}

/* Registers against threads, as an exercise counts them. */
static void print_textbook(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    const uint32_t threads = occupancy_register_threads(c, q->need.regs), warps = occupancy_register_warps(c, q->need.regs);
    word_paragraph(out, "Textbook", "%s registers / %u = %s threads; of at most %s that is %s", format_count(c->registers).text,
                   q->need.regs, format_count(threads).text, format_count(c->max_threads).text,
                   format_percent(share(threads, c->max_threads)).text);
    word_paragraph(out, "Whole warps", "%s = %s threads, %s", format_counted(warps, "warp").text,
                   format_count((uint64_t)warps * LANES).text,
                   format_percent(share((uint64_t)warps * LANES, c->max_threads)).text);
}

/* `, in steps of 256: 2,816` */
static char *steps_text(uint64_t asked, uint32_t step, uint64_t granted)
{
    if (step == 1 && asked == granted) return g_strdup("");
    return g_strdup_printf(", in steps of %s: %s", format_count(step).text, format_count(granted).text);
}

static void print_block_grant(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    const uint32_t regs = q->need.regs;
    if (!q->need.threads) {
        word_paragraph(out, "As granted",
                       "%s, %s, with the best size of block: a block gets registers for a multiple of %s, in steps of %u",
                       format_counted(q->warps, "warp").text, format_percent(share(q->warps, c->max_warps)).text,
                       format_counted(c->warp_granularity, "warp").text, c->register_granularity);
        return;
    }
    const uint32_t warps = (q->need.threads + 31) / 32, counted = (uint32_t)round_up(warps, c->warp_granularity);
    g_autofree char *taken =
        counted > warps ? g_strdup_printf(" (for %u, in steps of %u)", counted, c->warp_granularity) : g_strdup("");
    g_autofree char *steps = steps_text((uint64_t)counted * 32 * regs, c->register_granularity, q->o.regs_per_block);
    word_paragraph(out, "Registers", "%s%s x 32 x %u = %s to a block%s", format_counted(warps, "warp").text, taken, regs,
                   format_count((uint64_t)counted * 32 * regs).text, steps);
}

static void print_warp_grant(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    const uint32_t regs = q->need.regs, granted = MIN(occupancy_granted_warps(c, regs), c->max_warps);
    const uint32_t warp = occupancy(c, &(OccupancyNeed){LANES, regs, 0, 0}).regs_per_block;
    g_autofree char *steps = steps_text((uint64_t)regs * 32, c->register_granularity, warp);
    g_autofree char *parts =
        c->subpartitions > 1 ? g_strdup_printf(", each in one of %u parts of the register file", c->subpartitions) : g_strdup("");
    g_autoptr(GString) block = g_string_new(NULL);
    if (q->need.threads)
        g_string_append_printf(block, "; %s to a block of %s", format_count(q->o.regs_per_block).text,
                               format_counted((q->need.threads + 31) / 32, "warp").text);
    word_paragraph(out, q->need.threads ? "Registers" : "As granted", "32 x %u = %s to a warp%s%s%s; room for %s%s, %s", regs,
                   format_count((uint64_t)regs * 32).text, steps, c->register_fours ? " (four steps for three)" : "", block->str,
                   format_counted(granted, "warp").text, parts, format_percent(share(granted, c->max_warps)).text);
}

static void print_grant(FILE *out, const Question *q)
{
    if (q->config->register_scope == REGISTER_SCOPE_BLOCK)
        print_block_grant(out, q);
    else
        print_warp_grant(out, q);
}

static void print_shared(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    g_autoptr(GString) sum = g_string_new(NULL);
    uint64_t bytes = q->need.shared_bytes;
    g_string_append_printf(sum, "%s", format_counted(bytes, "byte").text);
    if (c->reserved_shared) {
        g_string_append_printf(sum, " + %u reserved", c->reserved_shared);
        bytes += c->reserved_shared;
    }
    if (c->args_in_shared) {
        g_string_append_printf(sum, " + %" G_GUINT64_FORMAT " of arguments (--args)", q->need.args_bytes);
        bytes += q->need.args_bytes;
    }
    if (bytes != q->need.shared_bytes) g_string_append_printf(sum, " = %s", format_count(bytes).text);
    g_autofree char *steps = steps_text(bytes, c->shared_granularity, q->o.shared_per_block);
    word_paragraph(out, "Shared memory", "%s to a block%s", sum->str, steps);
}

static void print_limit(FILE *out, const Question *q, OccupancyLimit limit, uint64_t block, uint64_t sm)
{
    const uint32_t blocks = q->o.limits[limit];
    g_autofree char *fits = blocks == UINT32_MAX ? g_strdup("any") : g_strdup(format_count(blocks).text);
    const char *mark = blocks == q->o.blocks ? "  <- limits" : "";
    fprintf(out, "  %-12s%10s%16s%12s%s\n", occupancy_limit_name(limit), fits, format_count(block).text, format_count(sm).text,
            mark);
}

static void print_limits(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    const uint32_t warps = (q->need.threads + 31) / 32;
    fprintf(out, "\n%-14s%10s%16s%12s\n", "What fits", "blocks", "a block takes", "of an SM's");
    print_limit(out, q, LIMIT_REGISTERS, q->o.regs_per_block, c->registers);
    print_limit(out, q, LIMIT_SHARED, q->o.shared_per_block, c->shared_bytes);
    print_limit(out, q, LIMIT_WARPS, c->round_warps ? round_up(warps, c->warp_granularity) : warps, c->max_warps);
    print_limit(out, q, LIMIT_THREADS, q->need.threads, c->max_threads);
    print_limit(out, q, LIMIT_BLOCKS, 1, c->max_blocks);
    fputc('\n', out);
}

static void append_fit(GString *text, const Question *q, uint32_t blocks)
{
    const uint32_t warps = blocks * ((q->need.threads + 31) / 32);
    g_string_append_printf(text, "%s%s, %s", format_counted(blocks, "block").text, blocks == 1 ? " fits" : " fit",
                           format_counted(warps, "warp").text);
}

/* Fewer registers or less shared memory, where one of them alone, or both, let another block in. */
static bool print_less(FILE *out, const Question *q)
{
    const uint32_t more = q->o.blocks + 1;
    for (int limit = LIMIT_WARPS; limit < LIMIT_N; limit++)
        if (q->o.limits[limit] < more) return false;
    const uint32_t regs = MIN(residency_most_regs(q->config, &q->need, more), q->need.regs);
    const int64_t shared = MIN(residency_most_shared(q->config, &q->need, more), (int64_t)q->need.shared_bytes);
    if (!regs || shared < 0) return false;
    g_autoptr(GString) text = g_string_new("with ");
    if (regs < q->need.regs) g_string_append_printf(text, "%s or fewer", format_counted(regs, "register").text);
    if (shared < (int64_t)q->need.shared_bytes)
        g_string_append_printf(text, "%s%s of shared memory or less", regs < q->need.regs ? " and " : "",
                               format_counted((uint64_t)shared, "byte").text);
    g_string_append(text, " ");
    append_fit(text, q, blocks_at(q, q->need.threads, regs, (uint64_t)shared));
    word_paragraph(out, "Next step", "%s", text->str);
    return true;
}

static void print_step(FILE *out, const Question *q)
{
    if (q->warps == q->config->max_warps) {
        word_paragraph(out, "Next step", "none: every warp of the SM is taken");
        return;
    }
    bool said = print_less(out, q);
    uint32_t warps;
    const uint32_t threads = best_threads(q, &warps);
    if (warps > q->warps && !q->need.shared_bytes) {
        word_paragraph(out, said ? "" : "Next step", "%swith blocks of %u threads %s, %s", said ? "or " : "", threads,
                       format_counted(warps / (threads / LANES), "block").text, format_counted(warps, "warp").text);
        said = true;
    }
    if (!said) word_paragraph(out, "Next step", "none: no number of registers, bytes or threads alone brings more warps");
}

/* How far the limits are that do not bind yet. */
static void print_room(FILE *out, const Question *q)
{
    if (!q->o.blocks) return;
    const uint32_t regs = residency_most_regs(q->config, &q->need, q->o.blocks);
    const int64_t shared = residency_most_shared(q->config, &q->need, q->o.blocks);
    word_paragraph(out, "Room", "up to %s and %s of shared memory keep %s", format_counted(regs, "register").text,
                   format_counted((uint64_t)MAX(shared, 0), "byte").text, format_counted(q->o.blocks, "block").text);
}

static char *limiter_names(const Question *q)
{
    g_autoptr(GString) names = g_string_new(NULL);
    for (int i = 0; i < LIMIT_N; i++)
        if (q->o.limits[i] == q->o.blocks)
            g_string_append_printf(names, "%s%s%s", names->len ? ", " : "", occupancy_limit_name(i),
                                   i == LIMIT_SHARED ? " memory" : "");
    return g_string_free(g_steal_pointer(&names), FALSE);
}

static void print_launch(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    g_autofree char *names = limiter_names(q);
    if (q->refusal)
        word_paragraph(out, "Resident", "0 blocks: it cannot be launched: %s", q->refusal);
    else
        word_paragraph(out, "Resident", "%s, %u of %u warps: %s; limited by %s", format_counted(q->o.blocks, "block").text,
                       q->warps, c->max_warps, format_percent(share(q->warps, c->max_warps)).text, names);
    print_limits(out, q);
    print_grant(out, q);
    print_shared(out, q);
    print_room(out, q);
    print_step(out, q);
    fputc('\n', out);
    print_textbook(out, q);
}

/* Fewer registers, until the next warp fits and until all do. */
static void print_budget_step(FILE *out, const Question *q)
{
    const OccupancyConfig *c = q->config;
    const uint32_t most = MIN(c->max_warps, c->max_threads / LANES);
    uint32_t next = q->need.regs, full;
    if (q->warps >= most) {
        while (next < c->max_regs && budget_warps(c, next + 1) >= most)
            next++;
        word_paragraph(out, "Room", "up to %s keep all %u warps", format_counted(next, "register").text, most);
        return;
    }
    while (next > 1 && budget_warps(c, next) <= q->warps)
        next--;
    for (full = next; full > 1 && budget_warps(c, full) < most;)
        full--;
    word_paragraph(out, "Next step", "with %s or fewer %s fit, with %u or fewer all %u", format_counted(next, "register").text,
                   format_counted(budget_warps(c, next), "warp").text, full, most);
}

static void print_budget(FILE *out, const Question *q)
{
    print_textbook(out, q);
    if (q->refusal)
        word_paragraph(out, "As granted", "0 warps: it cannot be launched: %s", q->refusal);
    else
        print_grant(out, q);
    print_budget_step(out, q);
    word_paragraph(out, "Note", "--threads and --shared say what a whole launch comes to: blocks, and which limit binds");
}

static void print_answer(FILE *out, const void *data)
{
    const Question *q = data;
    print_title(out, q);
    fputc('\n', out);
    if (q->need.threads)
        print_launch(out, q);
    else
        print_budget(out, q);
}

/* ---- the answer as JSON ---- */

static void build_limits(JsonBuilder *b, const Question *q)
{
    if (!q->need.threads) {
        json_add_null(b, "limits");
        return;
    }
    json_builder_set_member_name(b, "limits");
    json_builder_begin_object(b);
    for (int i = 0; i < LIMIT_N; i++) {
        if (q->o.limits[i] == UINT32_MAX)
            json_add_null(b, occupancy_limit_name(i));
        else
            json_add_count(b, occupancy_limit_name(i), q->o.limits[i]);
    }
    json_builder_end_object(b);
}

static void build_answer(JsonBuilder *b, const void *data)
{
    const Question *q = data;
    const OccupancyConfig *c = q->config;
    const uint32_t threads = occupancy_register_threads(c, q->need.regs);
    json_builder_begin_object(b);
    json_add_count(b, "threads_by_registers", threads);
    json_add_count(b, "threads_by_registers_warp", (uint64_t)occupancy_register_warps(c, q->need.regs) * LANES);
    json_add_number(b, "occupancy_ideal", share(threads, c->max_threads));
    json_add_number(b, "occupancy", share(q->warps, c->max_warps));
    if (q->need.threads)
        json_add_count(b, "blocks_per_sm", q->o.blocks);
    else
        json_add_null(b, "blocks_per_sm");
    json_add_count(b, "warps_per_sm", q->warps);
    json_add_count(b, "max_warps_per_sm", c->max_warps);
    json_add_text(b, "limiter", q->need.threads ? occupancy_limit_name(q->o.limiter) : NULL);
    build_limits(b, q);
    json_add_text(b, "refusal", q->refusal);
    json_builder_end_object(b);
}

/* ---- the question ---- */

static bool parse_need(const Command *self, const OccupancyOptions *o, OccupancyNeed *ret)
{
    const NumberRule regs = {"--regs", "registers of a thread", 1, REGS_MAX, NULL},
                     threads = {"--threads", "threads of a block", 1, THREADS_MAX, NULL},
                     shared = {"--shared", "bytes", 0, SHARED_MAX, NULL}, args = {"--args", "bytes", 0, ARGS_MAX, NULL};
    uint64_t n_regs = 0, n_threads = 0;
    if (!number_parse(self, &regs, o->regs, &n_regs)) return false;
    if (o->threads && !number_parse(self, &threads, o->threads, &n_threads)) return false;
    if (o->shared && !number_parse(self, &shared, o->shared, &ret->shared_bytes)) return false;
    if (o->args && !number_parse(self, &args, o->args, &ret->args_bytes)) return false;
    ret->regs = (uint32_t)n_regs;
    ret->threads = (uint32_t)n_threads;
    return true;
}

static void answer(Question *q)
{
    const OccupancyConfig *c = q->config = &q->machine.config.occupancy;
    if (q->need.threads) {
        q->o = occupancy(c, &q->need);
        q->warps = q->o.warps;
        q->refusal = occupancy_refusal(c, &q->need);
        return;
    }
    q->warps = budget_warps(c, q->need.regs);
    if (!q->warps) q->refusal = occupancy_refusal(c, &(OccupancyNeed){LANES, q->need.regs, 0, 0});
}

int cmd_occupancy(const Command *self, int argc, char **argv)
{
    g_auto(OccupancyOptions) o = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {
        {"regs", 0, 0, G_OPTION_ARG_FILENAME, &o.regs, "32-bit registers of each thread (required)", "R"},
        {"threads", 0, 0, G_OPTION_ARG_FILENAME, &o.threads, "Threads of a block; without it, registers alone", "T"},
        {"shared", 0, 0, G_OPTION_ARG_FILENAME, &o.shared, "Shared memory of a block; default 0", "BYTES"},
        {"args", 0, 0, G_OPTION_ARG_FILENAME, &o.args, "Kernel arguments: in shared memory on cc 1.x; default 0", "BYTES"},
        OPTION_SET(&o.overrides),
        OPTION_JSON(&o.json),
        {NULL},
    };
    const int status = options_parse(self, entries, 1, 1, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    if (!o.regs) return fail_usage(self, "occupancy: want --regs R, the registers of each thread");
    g_auto(Question) q = {0};
    if (!parse_need(self, &o, &q.need)) return STATUS_USAGE;
    if (!q.need.threads && (o.shared || o.args))
        return fail_usage(self, "occupancy: %s: want --threads T with it", o.shared ? "--shared" : "--args");
    GError *error = NULL;
    if (!machine_load(operands[0], (const char *const *)o.overrides, &q.machine, &error)) return fail(error);
    answer(&q);
    return answer_give(&(const Answer){print_answer, build_answer}, o.json, &q);
}
