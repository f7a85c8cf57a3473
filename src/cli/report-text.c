#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bar.h"
#include "cli/format.h"
#include "cli/report-detail.h"
#include "cli/report.h"
#include "cli/verdict.h"

enum { LINES_SHOWN = 5 };

#define SHARE_SHOWN 0.0005 /* smaller ones would show as 0.0 % */
#define TLB_SHOWN 0.01     /* misses of pages seen for the first time are fewer */

static void label(FILE *out, const char *text)
{
    fprintf(out, "%-14s", text);
}

static double per(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : NAN;
}

/* ---- what was run ---- */

/* 4,096 blocks; 16 x 16 blocks */
static void put_dims(FILE *out, const uint32_t dims[3], const char *noun)
{
    const unsigned n = dims[2] > 1 ? 3 : dims[1] > 1 ? 2 : 1;
    for (unsigned i = 0; i + 1 < n; i++)
        fprintf(out, "%s x ", format_count(dims[i]).text);
    if (n > 1)
        fprintf(out, "%s %ss", format_count(dims[n - 1]).text, noun);
    else
        fputs(format_counted(dims[0], noun).text, out);
}

static void put_title(FILE *out, const Report *report)
{
    const char *file = report->workload->trace->file, *machine = report->machine->file;
    if (report->n_launches == 1)
        fprintf(out, "%s: %s on %s\n", report->first->name, file, machine);
    else
        fprintf(out, "%s on %s, %s launches\n", file, machine, format_count(report->n_launches).text);
    g_autofree char *params = workload_params(report->workload);
    if (*params) fprintf(out, "  %s\n", params);
    g_autofree char *overrides = g_strjoinv(" -s ", report->machine->overrides);
    if (*overrides) fprintf(out, "  -s %s\n", overrides);
}

static void put_launch(FILE *out, const KernelResult *r)
{
    label(out, "Launch");
    put_dims(out, r->grid, "block");
    fputs(" of ", out);
    put_dims(out, r->block, "thread");
    fprintf(out, "; %s, %s B shared\n", format_counted(r->regs, "register").text, format_count(r->shared_bytes).text);
}

/* ---- what came out ---- */

static void put_time(FILE *out, const KernelResult *r)
{
    label(out, "Time");
    fprintf(out, "%s cycles, %s at %.3f GHz", format_count(r->kernel.cycles).text, format_us(report_value(r, "time_us")).text,
            (double)r->kernel.khz / 1e6);
    if (r->kernel.overhead_ns) fprintf(out, ", and %s to launch", format_us(report_value(r, "launch_us")).text);
    fputc('\n', out);
    const double step = report_value(r, "cycles_per_step");
    if (isnan(step)) return;
    label(out, "Latency");
    fprintf(out, "%s cycles for each of %s that wait for each other\n", format_fixed(step, 1).text,
            format_counted(r->kernel.steps, "step").text);
}

static void put_runs(FILE *out, const Runs *runs)
{
    if (!runs->repeated) return;
    label(out, "Runs");
    fputs(format_count(runs->n).text, out);
    if (runs->cold != RUNS_WARM) fprintf(out, ", all cold (%s)", runs_cold_name(runs));
    fprintf(out, ": first %s%s; minimum %s; mean %s cycles\n", runs->cold == RUNS_WARM ? "(cold) " : "",
            format_count(runs_row(runs, 0)->cycles).text, format_count(runs_minimum(runs)).text,
            format_count(runs_mean(runs)).text);
}

static void put_work(FILE *out, const KernelResult *r)
{
    const double ipc = report_value(r, "ipc");
    label(out, "Instructions");
    fprintf(out, "%s of warps; IPC %s, on an SM %s", format_count(r->kernel.warp_instructions).text, format_fixed(ipc, 2).text,
            format_fixed(ipc / r->sms, 3).text);
    if (r->kernel.flops) fprintf(out, "; %s GFLOP/s", format_fixed(report_value(r, "gflops"), 1).text);
    fputc('\n', out);
}

static void put_occupancy(FILE *out, const KernelResult *r, bool one_limiter)
{
    label(out, "Occupancy");
    fprintf(out, "%s of %s warps, %s", format_plain(r->occupancy.warps_per_sm).text,
            format_plain(r->occupancy.max_warps_per_sm).text, format_counted(r->occupancy.blocks_per_sm, "block").text);
    if (one_limiter)
        fprintf(out, " (limit: %s%s)", occupancy_limit_name(r->limiter), r->limiter == LIMIT_SHARED ? " memory" : "");
    fprintf(out, "; achieved %s\n", format_percent(report_value(r, "occupancy.achieved")).text);
}

static void put_dram(FILE *out, const KernelResult *r)
{
    label(out, "DRAM");
    fprintf(out, "%s of %s GB/s (%s)", format_fixed(report_value(r, "dram.bandwidth_gbs"), 1).text,
            format_fixed(report_value(r, "dram.peak_gbs"), 1).text, format_percent(report_value(r, "dram.utilization")).text);
    if (r->dram.dram.row_hits + r->dram.dram.row_misses)
        fprintf(out, ", row hits %s", format_percent(report_value(r, "dram.row_hit_rate")).text);
    fputc('\n', out);
    const double effective = report_value(r, "effective_gbs");
    if (isnan(effective)) return;
    label(out, "Effective");
    fprintf(out, "%s GB/s of the bytes that the trace calls useful\n", format_fixed(effective, 1).text);
}

static void put_roofline(FILE *out, const KernelResult *r)
{
    if (!r->roofline.flops) return;
    const double intensity = report_value(r, "roofline.intensity");
    label(out, "Roofline");
    if (isnan(intensity))
        fputs("no bytes of the memory", out);
    else
        fprintf(out, "%s FLOP/byte, ridge %s", format_fixed(intensity, 2).text,
                format_fixed(report_value(r, "roofline.ridge"), 2).text);
    fprintf(out, ": %s bound at %s GFLOP/s\n", roofline_bound_name(result_bound(&r->roofline)),
            format_fixed(report_value(r, "roofline.attainable_gflops"), 1).text);
}

static void put_energy(FILE *out, const KernelResult *r)
{
    const double total = report_value(r, "energy.total_uj");
    if (isnan(total)) return;
    label(out, "Energy");
    fprintf(out, "%s uJ, %s W on average\n", format_fixed(total, 1).text,
            format_fixed(report_value(r, "energy.average_power_w"), 1).text);
}

static void put_transfers(FILE *out, const char *name, const TransferStats *t)
{
    if (!t->requests) return;
    label(out, name);
    fprintf(out, "%15s %15s %6.1f %10s %8s\n", format_count(t->requests).text, format_count(t->transactions).text,
            per(t->transactions, t->requests), format_bytes((double)t->bytes_moved).text,
            format_percent(per(t->bytes_used, t->bytes_moved)).text);
}

/* Local memory, where it is used, has a row of its own in the same table. */
static void put_global(FILE *out, const KernelResult *r)
{
    const bool global = r->global_load.requests || r->global_store.requests || r->global_atomic.requests;
    if (!global && !r->local.requests) return;
    label(out, global ? "Global memory" : "");
    fprintf(out, "%15s %15s %6s %10s %8s\n", "requests", "transactions", "each", "moved", "used");
    put_transfers(out, "  loads", &r->global_load);
    put_transfers(out, "  stores", &r->global_store);
    put_transfers(out, "  atomics", &r->global_atomic);
    put_transfers(out, "Local memory", &r->local);
}

static void put_shared(FILE *out, const KernelResult *r)
{
    if (!r->shared.requests) return;
    label(out, "Shared memory");
    fprintf(out, "%s, %s passes, ", format_counted(r->shared.requests, "request").text, format_count(r->shared.passes).text);
    if (r->shared.conflict_passes)
        fprintf(out, "%s for bank conflicts\n", format_percent(per(r->shared.conflict_passes, r->shared.passes)).text);
    else
        fputs("no bank conflicts\n", out);
}

static void put_constants(FILE *out, const KernelResult *r)
{
    if (!r->constant.requests) return;
    label(out, "Constants");
    fprintf(out, "%s, %s passes, %.1f each\n", format_counted(r->constant.requests, "request").text,
            format_count(r->constant.passes).text, per(r->constant.passes, r->constant.requests));
}

static void put_textures(FILE *out, const KernelResult *r)
{
    if (!r->texture.requests) return;
    label(out, "Textures");
    fprintf(out, "%s, %s lines, %.1f each\n", format_counted(r->texture.requests, "request").text,
            format_count(r->texture.lines).text, per(r->texture.lines, r->texture.requests));
}

/* The caches that the kernel used, from the SMs to the memory. */
static void put_caches(FILE *out, const KernelResult *r)
{
    const struct {
        const char *name;
        const CacheStats *stats;
    } levels[] = {
        {"  constant L1", &r->memory.constant_l1},
        {"  constant L2", &r->memory.constant_l2},
        {"  constant L3", &r->memory.constant_l3},
        {"  texture", &r->memory.texture},
        {"  L1", &r->memory.l1},
        {"  L2", &r->memory.l2},
    };
    bool headed = false;
    for (size_t i = 0; i < G_N_ELEMENTS(levels); i++) {
        const CacheStats *c = levels[i].stats;
        if (!c->accesses) continue;
        if (!headed)
            fprintf(out, "%-14s%15s %10s %10s %10s %10s\n", "Caches", "accesses", "hits", "merged", "fetched", "written");
        headed = true;
        label(out, levels[i].name);
        fprintf(out, "%15s %10s %10s %10s %10s\n", format_count(c->accesses).text, format_percent(per(c->hits, c->accesses)).text,
                format_percent(per(c->merged, c->accesses)).text, format_bytes((double)c->fetched_bytes).text,
                format_bytes((double)c->written_bytes).text);
    }
}

static void put_tlb(FILE *out, const KernelResult *r)
{
    const double missed = per(r->memory.tlb.misses, r->memory.tlb.accesses);
    if (!(missed >= TLB_SHOWN)) return;
    label(out, "TLB");
    fprintf(out, "%s, %s to a page that was not held\n", format_counted(r->memory.tlb.accesses, "request").text,
            format_percent(missed).text);
}

static void put_divergence(FILE *out, const KernelResult *r)
{
    const double simd = report_value(r, "divergence.simd_efficiency");
    if (!r->divergence.divergent_branches && !(simd < 1)) return;
    label(out, "Divergence");
    fprintf(out, "%s of %s branches diverge; %s of lanes on\n", format_count(r->divergence.divergent_branches).text,
            format_count(r->divergence.branches).text, format_percent(simd).text);
}

static void put_details(FILE *out, const Report *report, const KernelResult *r, const ClosedForm *form, bool one_limiter)
{
    put_time(out, r);
    put_runs(out, report->runs);
    closed_form_put(out, form, r);
    put_work(out, r);
    put_occupancy(out, r, one_limiter);
    put_dram(out, r);
    put_roofline(out, r);
    put_energy(out, r);
    put_global(out, r);
    put_shared(out, r);
    put_constants(out, r);
    put_textures(out, r);
    put_caches(out, r);
    put_tlb(out, r);
    put_divergence(out, r);
}

/* ---- where the cycles went ---- */

static int by_cycles(const void *a, const void *b, void *data)
{
    const StallStats *stalls = data;
    const uint64_t x = stalls->cycles[*(const int *)a], y = stalls->cycles[*(const int *)b];
    return x != y ? (x < y ? 1 : -1) : *(const int *)a - *(const int *)b;
}

static uint64_t all_cycles(const KernelResult *r)
{
    uint64_t sum = 0;
    for (int i = 0; i < STALL_N; i++)
        sum += r->stalls.cycles[i];
    return sum;
}

static void put_stalls(FILE *out, const KernelResult *r)
{
    int order[STALL_N];
    for (int i = 0; i < STALL_N; i++)
        order[i] = i;
    StallStats stalls = r->stalls;
    g_qsort_with_data(order, STALL_N, sizeof *order, by_cycles, &stalls);
    const uint64_t all = all_cycles(r);
    fprintf(out, "\nWhere the cycles of %u schedulers went\n", r->schedulers * r->sms);
    for (int i = 0; i < STALL_N; i++) {
        const double share = per(stalls.cycles[order[i]], all);
        if (!(share >= SHARE_SHOWN)) break;
        fprintf(out, "  %-13s %8s", stall_name((StallReason)order[i]), format_percent(share).text);
        bar_put(out, share);
        fputc('\n', out);
    }
}

/* Scheduler cycles that a line took: those in which it issued and those in which it was waited at. */
static uint64_t cost_of(const LineResult *line)
{
    return line->port_cycles + line->stall_cycles;
}

static int by_cost(const void *a, const void *b)
{
    const LineResult *x = *(LineResult *const *)a, *y = *(LineResult *const *)b;
    const uint64_t cx = cost_of(x), cy = cost_of(y);
    return cx != cy ? (cx < cy ? 1 : -1) : x->line - y->line;
}

static void put_lines(FILE *out, const KernelResult *r, const AstTrace *trace)
{
    g_autofree LineResult **lines = g_new(LineResult *, r->n_lines);
    for (unsigned i = 0; i < r->n_lines; i++)
        lines[i] = &r->lines[i];
    if (r->n_lines) qsort(lines, r->n_lines, sizeof *lines, by_cost);
    const uint64_t all = all_cycles(r);
    fprintf(out, "\nMost expensive lines%*scycles   waiting      issued\n", 24, "");
    for (unsigned i = 0; i < MIN(r->n_lines, (unsigned)LINES_SHOWN); i++) {
        const LineResult *line = lines[i];
        const char *text = ast_trace_line(trace, line->line);
        const int room = 36;
        fprintf(out, "%5d  %-*.*s%s %7s  %7s %11s\n", line->line, room, room, text, strlen(text) > (size_t)room ? "~" : " ",
                format_percent(per(cost_of(line), all)).text, format_percent(per(line->stall_cycles, all)).text,
                format_count(line->issued).text);
    }
}

/* ---- several launches ---- */

static void put_row(FILE *out, unsigned number, const KernelResult *r)
{
    const uint64_t blocks = (uint64_t)r->grid[0] * r->grid[1] * r->grid[2];
    fprintf(out, "%4u  %-14.14s %9s %12s %6s %6s  %s\n", number, r->name, format_count(blocks).text,
            format_count(r->kernel.cycles).text, format_fixed(report_value(r, "ipc"), 2).text,
            format_fixed(report_value(r, "dram.bandwidth_gbs"), 1).text, verdict_name(verdict_of(r).kind));
}

static void put_table(FILE *out, const Report *report)
{
    fprintf(out, "\n%4s  %-14s %9s %12s %6s %6s  %s\n", "", "kernel", "blocks", "cycles", "IPC", "GB/s", "bound by");
    for (unsigned i = 0; i < report->n_first; i++)
        put_row(out, i + 1, &report->first[i]);
    if (report->n_launches > report->n_first)
        fprintf(out, "      ... and %s more\n", format_count(report->n_launches - report->n_first).text);
    fputs("\nAll launches together\n", out);
}

void report_text(FILE *out, const Report *report)
{
    const bool single = report->n_launches == 1;
    const KernelResult *r = single ? report->first : report->total;
    put_title(out, report);
    if (single) {
        fputc('\n', out);
        put_launch(out, r);
    } else {
        put_table(out, report);
    }
    put_details(out, report, r, single ? report->first_forms : report->closed_form, single || report->one_limiter);
    put_stalls(out, r);
    put_lines(out, r, report->workload->trace);
    if (r->detail) report_detail(out, r);
    g_autofree char *verdict = verdict_text(r);
    fputc('\n', out);
    format_paragraph(out, 0, verdict);
}
