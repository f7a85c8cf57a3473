#include "mem/dram-private.h"

#include <math.h>

#include <glib.h>

#include "base/check.h"

static double row_hit_rate(const void *stats)
{
    const DramStats *s = stats;
    const uint64_t all = s->row_hits + s->row_misses;
    return all ? (double)s->row_hits / (double)all : NAN;
}

/* clang-format off */
static const GsStat DRAM_STATS[] = {
    GS_COUNT(DramStats, reads,         "request",    "Reads served.", NULL),
    GS_COUNT(DramStats, writes,        "request",    "Writes served.", NULL),
    GS_COUNT(DramStats, read_bytes,    "byte",       "Bytes read from the chips.", "dram_read_bytes"),
    GS_COUNT(DramStats, written_bytes, "byte",       "Bytes written to the chips.", "dram_write_bytes"),
    GS_COUNT(DramStats, row_hits,      "request",    "Requests served without a row being opened for them.", NULL),
    GS_COUNT(DramStats, row_misses,    "request",    "Requests for which a row was opened.", NULL),
    GS_COUNT(DramStats, activates,     "command",    "Rows opened.", NULL),
    GS_COUNT(DramStats, precharges,    "command",    "Rows closed.", NULL),
    GS_COUNT(DramStats, refreshes,     "command",    "Refreshes of all banks.", NULL),
    GS_COUNT(DramStats, turnarounds,   "count",      "Changes of the data bus between reads and writes.", NULL),
    GS_COUNT(DramStats, busy_clocks,   "dram cycle", "Clocks in which the data bus carried data.", NULL),
    GS_DERIVED("row_hit_rate", row_hit_rate, "ratio", "row_hits / (row_hits + row_misses).", NULL),
};
/* clang-format on */

const GsStatTable dram_stats = {
    .path = "dram",
    .doc = "DRAM of all partitions.",
    .stats = DRAM_STATS,
    .n_stats = G_N_ELEMENTS(DRAM_STATS),
    .size = sizeof(DramStats),
};

/* Clocks in which the bus is left idle between read and written data: tRTW = CL + BL/2 + 2 - WL (Qimonda HYB18H512321 data
 * sheet). */
enum { READ_TO_WRITE_IDLE = 2 };

static void set_timing(Dram *dram)
{
    const DramConfig *c = &dram->config;
    const Cycle burst = c->burst_length / c->data_rate;
    dram->burst_clocks = burst;
    dram->gap = cycle_max(c->t_ccd, burst);
    dram->to_end[DRAM_READS] = c->t_cl + burst;
    dram->to_end[DRAM_WRITES] = c->t_wl + burst;
    dram->to_pre[DRAM_READS] = c->t_rtp;
    dram->to_pre[DRAM_WRITES] = c->t_wl + burst + c->t_wr;
    const Cycle idle_until = c->t_cl + burst + READ_TO_WRITE_IDLE;
    dram->to_reverse[DRAM_READS] = cycle_max(dram->gap, idle_until > c->t_wl ? idle_until - c->t_wl : 0);
    dram->to_reverse[DRAM_WRITES] = cycle_max(dram->gap, c->t_wl + burst + c->t_wtr);
}

Dram *dram_new(const DramConfig *config)
{
    Dram *dram = g_new0(Dram, 1);
    dram->config = *config;
    dram->scheduler = dram_scheduler(config);
    dram->burst_shift = bits_lowest(dram_burst_bytes(config));
    dram->row_shift = bits_lowest(config->row_bytes);
    dram->bank_bits = bits_lowest(config->banks);
    set_timing(dram);
    dram->wake = dram->admit_at = dram->open_at = CYCLE_NEVER;
    dram->own = &dram->windows[DRAM_READS];
    dram->other = &dram->windows[DRAM_WRITES];
    dram->refresh_at = config->t_refi ? config->t_refi : CYCLE_NEVER;
    dram->windows[DRAM_READS].limit = config->read_queue;
    dram->windows[DRAM_WRITES].limit = config->write_queue;
    for (unsigned i = 0; i < config->banks; i++)
        dram->banks[i].row = DRAM_NO_ROW;
    dram->capacity = DRAM_SPAN;
    dram->arrivals = g_new(DramArrival, dram->capacity);
    return dram;
}

void dram_free(Dram *dram)
{
    if (!dram) return;
    g_free(dram->arrivals);
    g_free(dram);
}

void dram_set_probe(Dram *dram, DramProbe probe, void *owner)
{
    dram->probe = probe;
    dram->probe_owner = owner;
}

static inline void find_admission(Dram *dram)
{
    dram->admit_at = CYCLE_NEVER;
    if (dram->first == dram->last) return;
    const DramArrival *arrival = &dram->arrivals[dram->first & (dram->capacity - 1)];
    if (dram_window_has_room(&dram->windows[arrival->request.direction])) dram->admit_at = arrival->at;
}

static void double_capacity(Dram *dram)
{
    DramArrival *const old = dram->arrivals;
    dram->arrivals = g_new(DramArrival, dram->capacity * 2);
    for (size_t i = dram->first; i != dram->last; i++) {
        dram->arrivals[i & (dram->capacity * 2 - 1)] = old[i & (dram->capacity - 1)];
    }
    dram->capacity *= 2;
    g_free(old);
}

static unsigned bank_of(const Dram *dram, Addr local, uint64_t row)
{
    const unsigned bits = dram->bank_bits;
    uint64_t bank = local >> dram->row_shift;
    if (dram->config.bank_cycle == DRAM_BANK_XOR) {
        row ^= row >> 4 * bits;
        row ^= row >> 2 * bits;
        bank ^= row ^ row >> bits;
    }
    return (unsigned)bank & (dram->config.banks - 1);
}

void dram_push(Dram *dram, Cycle arrival, Addr local, unsigned bytes, bool write, uint32_t cookie)
{
    const unsigned bursts = bytes >> dram->burst_shift;
    const uint64_t row = local >> (dram->row_shift + dram->bank_bits);
    const bool whole_bursts = bursts > 0 && bursts << dram->burst_shift == bytes;
    const bool one_row = (local & (dram->config.row_bytes - 1)) + bytes <= dram->config.row_bytes;
    GS_CHECK(arrival >= dram->floor && whole_bursts && one_row,
             "%u bytes at %" G_GUINT64_FORMAT ", clock %" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT, bytes, local, arrival,
             dram->floor);
    if (dram->last - dram->first == dram->capacity) double_capacity(dram);
    DramArrival *slot = &dram->arrivals[dram->last & (dram->capacity - 1)];
    slot->at = arrival;
    slot->request.row = row;
    slot->request.cookie = cookie;
    slot->request.bursts = (uint16_t)bursts;
    slot->request.bank = (uint8_t)bank_of(dram, local, row);
    slot->request.direction = write ? DRAM_WRITES : DRAM_READS;
    dram->floor = arrival;
    if (dram->first == dram->last++) {
        find_admission(dram);
        dram->wake = cycle_min(dram->wake, dram->admit_at);
    }
}

static void admit(Dram *dram)
{
    const DramRequest *request = &dram->arrivals[dram->first++ & (dram->capacity - 1)].request;
    const bool hit = dram->banks[request->bank].row == request->row, opening = dram->opening >> request->bank & 1;
    dram_window_add(&dram->windows[request->direction], request, hit, !opening);
    find_admission(dram);
}

/* Gives the bus to the other direction when the present one has nothing, when the writes' watermark is passed, or when the
 * other one has been kept waiting for DRAM_PATIENCE requests; in that last case it keeps the bus until one of its requests
 * has been served. */
static bool should_turn(const Dram *dram)
{
    if (dram->own->count == 0) return true;
    if (dram->turn >= DRAM_PATIENCE) return dram->direction == dram->served;
    return dram->direction == DRAM_READS ? dram->other->count >= dram->config.write_high
                                         : dram->own->count <= dram->config.write_low;
}

static void choose_direction(Dram *dram)
{
    if (dram->other->count == 0 || !should_turn(dram)) return;
    DramWindow *const other = dram->other;
    dram->other = dram->own;
    dram->own = other;
    dram->direction = !dram->direction;
}

static void count_served(Dram *dram, unsigned bursts, bool missed)
{
    DramStats *stats = &dram->stats;
    const uint64_t bytes = (uint64_t)bursts << dram->burst_shift;
    if (dram->direction == DRAM_READS) {
        stats->reads++;
        stats->read_bytes += bytes;
    } else {
        stats->writes++;
        stats->written_bytes += bytes;
    }
    stats->row_misses += missed;
    stats->row_hits += !missed;
    stats->busy_clocks += bursts * dram->burst_clocks;
}

static void take_turn(Dram *dram)
{
    const bool same = dram->direction == dram->served;
    dram->turn = dram->other->count == 0 ? 0 : same ? dram->turn + 1 : 1;
    dram->stats.turnarounds += !same;
    dram->served = dram->direction;
}

static void report_columns(const Dram *dram, const DramRequest *request, Cycle first)
{
    const DramCommandKind kind = request->direction == DRAM_READS ? DRAM_READ : DRAM_WRITE;
    for (unsigned i = 0; i < request->bursts; i++)
        dram_report(dram, kind, first + i * dram->gap, request->bank, request->row);
}

/* Issues the column commands of a request, one after the other from clock `now` on. */
static void serve(Dram *dram, Cycle now, unsigned slot)
{
    const unsigned direction = dram->direction;
    DramWindow *window = dram->own;
    const DramRequest request = window->requests[slot];
    const Cycle last = now + (request.bursts - 1u) * dram->gap;
    DramBank *bank = &dram->banks[request.bank];
    bank->row_ok = cycle_max(bank->row_ok, last + dram->to_pre[direction]);
    dram->column_ok[direction] = last + dram->gap;
    dram->column_ok[!direction] = last + dram->to_reverse[direction];
    if (G_UNLIKELY(dram->probe)) report_columns(dram, &request, now);
    count_served(dram, request.bursts, window->missed >> slot & 1);
    take_turn(dram);
    dram_window_remove(window, slot, request.bank);
    if (dram->admit_at == CYCLE_NEVER) find_admission(dram);
    if (dram->config.page == DRAM_PAGE_CLOSED) {
        const uint32_t hit_banks = window->hit_banks | dram->other->hit_banks;
        if (!(hit_banks >> request.bank & 1)) dram_rows_close(dram, request.bank);
    }
    dram->done(dram->done_owner, (DramDone){.cookie = request.cookie, .end = last + dram->to_end[direction]});
}

static bool serve_one(Dram *dram, Cycle now)
{
    const DramWindow *window = dram->own;
    if (!window->ready || now < dram->column_ok[dram->direction]) return false;
    const uint64_t servable = dram->scheduler->servable(window, window->ready);
    if (!servable) return false;
    serve(dram, now, dram_window_oldest(window, servable));
    return true;
}

/* The next clock at which a request may be served, as far as bus and opening rows are concerned. */
static Cycle next_column(const Dram *dram, Cycle now)
{
    const Cycle bus = dram->column_ok[dram->direction];
    /* A bus that is free now was of no use to the requests that are ready: the policy holds them back. */
    const Cycle ready = dram->own->ready && bus > now ? bus : CYCLE_NEVER;
    const Cycle opening = dram->own->hits & ~dram->own->ready ? cycle_max(bus, dram->open_at) : CYCLE_NEVER;
    return cycle_min(ready, opening);
}

static bool any_miss(const Dram *dram)
{
    return (dram->own->live & ~dram->own->hits) | (dram->other->live & ~dram->other->hits);
}

/* All decisions of clock `now`. What they are depends only on the state and the arrivals so far; a step too many changes
 * nothing. */
static void step(Dram *dram, Cycle now)
{
    if (now >= dram->refresh_at) dram_rows_refresh(dram, now);
    if (now >= dram->open_at) dram_rows_opened(dram, now);
    do {
        while (dram->admit_at <= now)
            admit(dram);
        choose_direction(dram);
    } while (serve_one(dram, now));
    const Cycle row = any_miss(dram) ? dram_rows_step(dram, now) : CYCLE_NEVER;
    dram->wake = cycle_min(cycle_min(row, next_column(dram, now)), dram->admit_at);
}

void dram_run(Dram *dram, Cycle until, DramDoneFn done, void *owner)
{
    dram->done = done;
    dram->done_owner = owner;
    while (dram->wake < until)
        step(dram, dram->wake);
    dram->floor = cycle_max(dram->floor, until);
}

Cycle dram_next(const Dram *dram)
{
    return dram->wake;
}

unsigned dram_pending(const Dram *dram)
{
    return (unsigned)(dram->last - dram->first) + dram->windows[DRAM_READS].count + dram->windows[DRAM_WRITES].count;
}

void dram_settle(Dram *dram, Cycle at)
{
    if (at > dram->refresh_at) dram_rows_refresh(dram, at - 1);
}

const DramStats *dram_get_stats(const Dram *dram)
{
    return &dram->stats;
}
