/* The part of the text report that --detail adds. */
#include "cli/report-detail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bar.h"
#include "cli/format.h"

enum { WIDTH = 80, LABEL_WIDTH = 24, COLUMN_MIN = 9 };

#define ENERGY_BAR 0.75    /* of a bar's width: its label is wide */
#define SHARE_SHOWN 0.0005 /* smaller ones would show as 0.0 % */

static double per(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : NAN;
}

/* ---- tables of shares: one column for each place where cycles went ---- */

/* A place is a StallReason, or WARP_NOT_SELECTED. */
static const char *place_name(unsigned place)
{
    return place == WARP_NOT_SELECTED ? "not_selected" : stall_name((StallReason)place);
}

static int width_of(unsigned place)
{
    return MAX(COLUMN_MIN, (int)strlen(place_name(place)) + 2);
}

typedef struct {
    unsigned place[WARP_PLACES_N], n;
} Columns;

/* The cycles of an issued instruction come first, then the largest sums, as many as there is room for. */
static Columns choose_columns(const uint64_t *sums, unsigned n_places)
{
    Columns c = {.place = {STALL_issued}, .n = 1};
    int room = WIDTH - LABEL_WIDTH - width_of(STALL_issued);
    uint64_t all = 0, shown = UINT64_C(1) << STALL_issued;
    for (unsigned i = 0; i < n_places; i++)
        all += sums[i];
    for (;;) {
        unsigned best = n_places;
        for (unsigned i = 0; i < n_places; i++)
            if (!(shown >> i & 1) && per(sums[i], all) >= SHARE_SHOWN && (best == n_places || sums[i] > sums[best])) best = i;
        if (best == n_places || width_of(best) > room) return c;
        shown |= UINT64_C(1) << best;
        room -= width_of(best);
        c.place[c.n++] = best;
    }
}

static void put_heading(FILE *out, const char *title, const char *last, const Columns *c)
{
    fprintf(out, "\n%s%*s", title, LABEL_WIDTH - (int)strlen(title), last);
    for (unsigned i = 0; i < c->n; i++)
        fprintf(out, "%*s", width_of(c->place[i]), place_name(c->place[i]));
    fputc('\n', out);
}

static void put_shares(FILE *out, const uint64_t *cycles, uint64_t all, const Columns *c)
{
    for (unsigned i = 0; i < c->n; i++)
        fprintf(out, "%*s", width_of(c->place[i]), format_percent(per(cycles[c->place[i]], all)).text);
    fputc('\n', out);
}

/* ---- schedulers ---- */

static void add(StallStats *to, const StallStats *from)
{
    for (int r = 0; r < STALL_N; r++)
        to->cycles[r] += from->cycles[r];
}

static uint64_t all_of(const StallStats *s)
{
    uint64_t sum = 0;
    for (int r = 0; r < STALL_N; r++)
        sum += s->cycles[r];
    return sum;
}

static StallStats of_scheduler(const DetailResult *d, uint32_t scheduler)
{
    StallStats sum = {{0}};
    for (uint32_t sm = 0; sm < d->sms; sm++)
        add(&sum, &d->stalls[sm * d->schedulers + scheduler]);
    return sum;
}

static StallStats of_sm(const DetailResult *d, uint32_t sm)
{
    StallStats sum = {{0}};
    for (uint32_t i = 0; i < d->schedulers; i++)
        add(&sum, &d->stalls[sm * d->schedulers + i]);
    return sum;
}

static void put_scheduler_row(FILE *out, const char *label, const StallStats *s, const Columns *c)
{
    fprintf(out, "  %-*s", LABEL_WIDTH - 2, label);
    put_shares(out, s->cycles, all_of(s), c);
}

static void put_extreme_sms(FILE *out, const DetailResult *d, const Columns *c)
{
    uint32_t least = 0, most = 0;
    for (uint32_t sm = 1; sm < d->sms; sm++) {
        const uint64_t issued = of_sm(d, sm).cycles[STALL_issued];
        if (issued < of_sm(d, least).cycles[STALL_issued]) least = sm;
        if (issued > of_sm(d, most).cycles[STALL_issued]) most = sm;
    }
    const struct {
        uint32_t sm;
        const char *why;
    } rows[] = {{most, most == least ? "all issue alike" : "most issued"}, {least, "least issued"}};
    for (unsigned i = 0; i < (most == least ? 1 : G_N_ELEMENTS(rows)); i++) {
        g_autofree char *label = g_strdup_printf("SM %u, %s", rows[i].sm, rows[i].why);
        const StallStats s = of_sm(d, rows[i].sm);
        put_scheduler_row(out, label, &s, c);
    }
}

/* What a single scheduler did stands in the report already. */
static void put_schedulers(FILE *out, const DetailResult *d)
{
    if (d->sms * d->schedulers == 1) return;
    StallStats sum = {{0}};
    for (uint32_t i = 0; i < d->sms * d->schedulers; i++)
        add(&sum, &d->stalls[i]);
    const Columns c = choose_columns(sum.cycles, STALL_N);
    put_heading(out, "Stalls by scheduler", "", &c);
    for (uint32_t i = 0; d->schedulers > 1 && i < d->schedulers; i++) {
        g_autofree char *label = d->sms > 1 ? g_strdup_printf("scheduler %u of all SMs", i) : g_strdup_printf("scheduler %u", i);
        const StallStats s = of_scheduler(d, i);
        put_scheduler_row(out, label, &s, &c);
    }
    if (d->sms > 1) put_extreme_sms(out, d, &c);
}

/* ---- warps ---- */

static void put_warps(FILE *out, const DetailResult *d)
{
    WarpDetail sum = {0};
    for (uint32_t i = 0; i < d->n_warps; i++)
        for (unsigned p = 0; p < WARP_PLACES_N; p++)
            sum.cycles[p] += d->warps[i].cycles[p];
    const Columns c = choose_columns(sum.cycles, WARP_PLACES_N);
    put_heading(out, "Warps of a block", "cycles", &c);
    for (uint32_t i = 0; i < d->n_warps; i++) {
        const WarpDetail *w = &d->warps[i];
        const uint64_t mean = w->warps ? (w->resident + w->warps / 2) / w->warps : 0;
        fprintf(out, "  warp %-2u%*s", i, LABEL_WIDTH - 9, format_count(mean).text);
        put_shares(out, w->cycles, w->resident, &c);
    }
}

static void put_ready(FILE *out, const DetailResult *d)
{
    static const unsigned FIRST[] = {0, 1, 2, 3, 4, 5, 9, 17, 33, SM_WARPS_MAX + 1};
    uint64_t all = 0, rows[G_N_ELEMENTS(FIRST)] = {0};
    unsigned n = 0;
    for (unsigned i = 0; i + 1 < G_N_ELEMENTS(FIRST); i++) {
        for (unsigned k = FIRST[i]; k < FIRST[i + 1]; k++)
            rows[i] += d->ready[k];
        all += rows[i];
    }
    for (unsigned i = 0; i + 1 < G_N_ELEMENTS(FIRST); i++)
        if (per(rows[i], all) >= SHARE_SHOWN) n = i + 1;
    fputs("\nHow many warps of a scheduler could issue\n", out);
    for (unsigned i = 0; i < n; i++) {
        const unsigned last = FIRST[i + 1] - 1;
        g_autofree char *label = last > FIRST[i] ? g_strdup_printf("%u to %u", FIRST[i], last) : g_strdup_printf("%u", FIRST[i]);
        const double share = per(rows[i], all);
        fprintf(out, "  %-13s %8s", label, format_percent(share).text);
        bar_put(out, share);
        fputc('\n', out);
    }
}

static void put_timeline(FILE *out, const DetailResult *d, uint64_t max_warps)
{
    if (!d->has_timeline || d->cycles == 0) return;
    const Timeline *t = &d->resident;
    double shares[TIMELINE_BUCKETS];
    unsigned n = 0;
    for (Cycle from = 0; from < d->cycles; from += t->width, n++) {
        const Cycle cycles = MIN(t->width, d->cycles - from); /* the last one may end early */
        shares[n] = per(t->warp_cycles[n], cycles * d->sms * max_warps);
    }
    fputs("\nResident warps of an SM over time\n", out);
    bar_chart(out, shares, n, format_plain(max_warps).text);
    fprintf(out, "%8s%s cycles, %s in a column\n", "", format_count(d->cycles).text, format_count(t->width).text);
}

/* ---- energy ---- */

static void put_energy(FILE *out, const EnergyStats *e)
{
    const uint64_t all = result_energy_pj(e);
    if (!all) return;
    fprintf(out, "\nEnergy by level    %15s   share\n", "uJ");
    for (int i = 0; i < ENERGY_N; i++) {
        const double share = per(e->energy.pj[i], all);
        if (!(share >= SHARE_SHOWN)) continue;
        fprintf(out, "  %-13s    %15s %7s", energy_part_name((EnergyPart)i), format_fixed((double)e->energy.pj[i] / 1e6, 1).text,
                format_percent(share).text);
        bar_put(out, share * ENERGY_BAR);
        fputc('\n', out);
    }
}

/* ---- locality ---- */

static void put_locality(FILE *out, const LocalityStats *l)
{
    const struct {
        const char *name;
        uint64_t bytes;
    } levels[] = {{"registers", l->register_bytes},
                  {"shared memory", l->shared_bytes},
                  {"L1", l->l1_bytes},
                  {"L2", l->l2_bytes},
                  {"DRAM", l->dram_bytes}};
    if (!l->accesses) return;
    fprintf(out, "\n%-*s%s operands of arithmetic\n", LABEL_WIDTH, "Operands for each word", format_count(l->accesses).text);
    for (unsigned i = 0; i < G_N_ELEMENTS(levels); i++) {
        if (!levels[i].bytes) continue;
        fprintf(out, "  %-13s %8s\n", levels[i].name, format_fixed(4 * per(l->accesses, levels[i].bytes), 2).text);
    }
}

void report_detail(FILE *out, const KernelResult *result)
{
    put_schedulers(out, result->detail);
    put_warps(out, result->detail);
    put_ready(out, result->detail);
    put_timeline(out, result->detail, result->occupancy.max_warps_per_sm);
    put_energy(out, &result->energy);
    put_locality(out, &result->locality);
}
