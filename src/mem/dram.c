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
    GS_COUNT(DramStats, masked_writes, "request",    "Writes that did not fill their bursts.", NULL),
    GS_COUNT(DramStats, read_bytes,    "byte",       "Bytes read from the chips.", "dram_read_bytes"),
    GS_COUNT(DramStats, written_bytes, "byte",       "Bytes written to the chips.", "dram_write_bytes"),
    GS_COUNT(DramStats, row_hits,      "request",    "Requests served without a row being opened for them.", NULL),
    GS_COUNT(DramStats, row_misses,    "request",    "Requests for which a row was opened.", NULL),
    GS_COUNT(DramStats, activates,     "command",    "Rows opened.", NULL),
    GS_COUNT(DramStats, precharges,    "command",    "Rows closed.", NULL),
    GS_COUNT(DramStats, refreshes,     "command",    "Refreshes: of all banks, or each of one.", NULL),
    GS_COUNT(DramStats, turnarounds,   "count",      "Changes of the data bus between reads and writes.", NULL),
    GS_COUNT(DramStats, busy_clocks,   "dram cycle", "Clocks in which the data bus carried data, or was kept for the masks of writes.", NULL),
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
    dram->group_gap = c->t_ccdl;
    dram->to_end[DRAM_READS] = c->t_cl + burst;
    dram->to_end[DRAM_WRITES] = c->t_wl + burst;
    dram->to_pre[DRAM_READS] = c->t_rtp;
    dram->to_pre[DRAM_WRITES] = c->t_wl + burst + c->t_wr;
    const Cycle idle_until = c->t_cl + burst + READ_TO_WRITE_IDLE;
    dram->to_reverse[DRAM_READS] = cycle_max(dram->gap, idle_until > c->t_wl ? idle_until - c->t_wl : 0);
    dram->to_reverse[DRAM_WRITES] = cycle_max(dram->gap, c->t_wl + burst + c->t_wtr);
}

static void set_address(Dram *dram)
{
    const DramConfig *c = &dram->config;
    dram->burst_shift = bits_lowest(dram_burst_bytes(c));
    dram->row_shift = bits_lowest(c->row_bytes);
    dram->bank_bits = bits_lowest(c->banks);
    dram->row_number_shift = dram->row_shift + dram->bank_bits;
    dram->group_shift = bits_lowest(c->group_bytes);
    dram->group_bits = bits_lowest(c->bank_groups);
    dram->mixed = dram->group_bits || c->bank_cycle == DRAM_BANK_XOR;
    dram->span_bytes = dram->group_bits ? c->group_bytes : c->row_bytes;
}

Dram *dram_new(const DramConfig *config, unsigned number)
{
    Dram *dram = g_new0(Dram, 1);
    dram->config = *config;
    dram->scheduler = dram_scheduler(config);
    set_address(dram);
    dram->restricted = dram->group_bits || dram->scheduler->servable;
    set_timing(dram);
    dram->wake = dram->admit_at = dram->open_at = CYCLE_NEVER;
    dram->own = &dram->windows[DRAM_READS];
    dram->other = &dram->windows[DRAM_WRITES];
    dram->windows[DRAM_READS].limit = config->read_queue;
    dram->windows[DRAM_WRITES].limit = config->write_queue;
    for (unsigned i = 0; i < config->banks; i++)
        dram->banks[i].row = DRAM_NO_ROW; /* at the start of a run, never between kernels (docs/accuracy.md, S21) */
    for (unsigned direction = 0; direction < DRAM_DIRECTIONS; direction++)
        dram_arrivals_init(&dram->arrivals[direction], &dram->windows[direction]);
    dram_refresh_init(dram, number);
    return dram;
}

void dram_free(Dram *dram)
{
    if (!dram) return;
    for (unsigned direction = 0; direction < DRAM_DIRECTIONS; direction++)
        dram_arrivals_free(&dram->arrivals[direction]);
    g_free(dram->refresh);
    g_free(dram);
}

void dram_set_probe(Dram *dram, DramProbe probe, void *owner)
{
    dram->probe = probe;
    dram->probe_owner = owner;
}

/* Lets requests enter their windows that have arrived by `now` and find room, in the order of arrival. */
static inline void admit(Dram *dram, Cycle now)
{
    const uint64_t end = dram_order(now + 1, 0);
    if (G_UNLIKELY(dram->held_free)) dram_refresh_admit(dram);
    for (;;) {
        DramArrivals *arrivals = dram_arrivals_next(dram->arrivals);
        DramWindow *window = arrivals->window;
        const uint64_t order = arrivals->next;
        const bool room = dram_window_has_room(window);
        if (!room || order >= end) {
            dram->admit_at = room && order != DRAM_NO_ARRIVAL ? dram_order_clock(order) : CYCLE_NEVER;
            return;
        }
        const DramRequest *request = &dram_arrivals_head(arrivals)->request;
        if (G_LIKELY(!(dram->shut >> request->bank & 1))) {
            dram_enter(dram, window, request);
        } else if (!dram_refresh_hold(dram, request)) {
            dram->admit_at = CYCLE_NEVER;
            return;
        }
        dram_arrivals_pop(arrivals);
    }
}

/* The bank of an address as it is, its group being that of the stretch of group_bytes. */
static uint64_t grouped_bank(const Dram *dram, Addr local)
{
    const uint64_t group = dram->config.bank_groups - 1;
    return (local >> dram->row_shift & ~group) | (local >> dram->group_shift & group);
}

static unsigned G_GNUC_NO_INLINE mixed_bank(const Dram *dram, Addr local, uint64_t row)
{
    const unsigned bits = dram->bank_bits;
    uint64_t bank = dram->group_bits ? grouped_bank(dram, local) : local >> dram->row_shift;
    if (dram->config.bank_cycle == DRAM_BANK_XOR) {
        row ^= row >> 4 * bits;
        row ^= row >> 2 * bits;
        bank ^= row ^ row >> bits;
    }
    return (unsigned)bank & (dram->config.banks - 1);
}

static inline unsigned bank_of(const Dram *dram, Addr local, uint64_t row)
{
    if (dram->mixed) return mixed_bank(dram, local, row);
    return (unsigned)(local >> dram->row_shift) & (dram->config.banks - 1);
}

void dram_push(Dram *dram, Cycle arrival, DramRank rank, Addr local, unsigned bytes, DramAccess access, uint32_t cookie)
{
    const unsigned bursts = bytes >> dram->burst_shift;
    DramArrivals *const arrivals = &dram->arrivals[access & 1];
    const uint64_t row = local >> dram->row_number_shift, order = dram_order(arrival, rank);
    GS_CHECK(arrival >= dram->floor, "clock %" G_GUINT64_FORMAT " after %" G_GUINT64_FORMAT, arrival, dram->floor);
    GS_CHECK(bursts - 1 < DRAM_MASKED - 1 && bursts << dram->burst_shift == bytes &&
                 (local & (dram->span_bytes - 1)) + bytes <= dram->span_bytes,
             "%u bytes at %" G_GUINT64_FORMAT, bytes, local);
    if (order < dram->arrivals[DRAM_READS].next && order < dram->arrivals[DRAM_WRITES].next) {
        dram->admit_at = dram_window_has_room(arrivals->window) ? arrival : CYCLE_NEVER;
        dram->wake = cycle_min(dram->wake, dram->admit_at);
    }
    DramRequest *request = &dram_arrivals_place(arrivals, order, dram->pushes++)->request;
    request->row = row;
    request->cookie = cookie;
    request->bursts = (uint16_t)(bursts | (access & DRAM_MASKED));
    request->bank = (uint8_t)bank_of(dram, local, row);
    request->direction = access & 1;
}

static inline unsigned group_of(const Dram *dram, unsigned bank)
{
    return bank & (dram->config.bank_groups - 1);
}

/* Gives the bus to the other direction when the present one has nothing, when the writes' watermark is passed, or when the
 * other one has been kept waiting for DRAM_PATIENCE requests; in that last case it keeps the bus until one of its requests
 * has been served. */
static inline bool should_turn(const Dram *dram)
{
    if (G_UNLIKELY(dram->turn >= DRAM_PATIENCE)) return dram->own->count == 0 || dram->direction == dram->served;
    if (dram->direction == DRAM_WRITES) return dram->own->count <= dram->config.write_low;
    return dram->own->count == 0 || dram->other->count >= dram->config.write_high;
}

/* As long as nothing enters or leaves the windows, the bus stays whose it is. */
static inline void choose_direction(Dram *dram)
{
    if (dram->other->count == 0 || !should_turn(dram)) return;
    DramWindow *const other = dram->other;
    dram->other = dram->own;
    dram->own = other;
    dram->direction = !dram->direction;
}

/* `served`: the request's last burst is among them. */
static inline void count(DramCounts *counts, unsigned bursts, bool served)
{
    counts->requests += served;
    counts->bursts += bursts;
}

static void take_turn(Dram *dram)
{
    const unsigned waiting = dram->other->count > 0;
    if (G_LIKELY(dram->direction == dram->served)) {
        dram->turn = waiting ? dram->turn + 1 : 0;
    } else {
        dram->turn = waiting;
        dram->stats.turnarounds++;
        dram->served = dram->direction;
    }
}

static void report_columns(const Dram *dram, const DramRequest *request, Cycle first, unsigned bursts, Cycle gap)
{
    const DramCommandKind kind = request->direction == DRAM_READS ? DRAM_READ : DRAM_WRITE;
    for (unsigned i = 0; i < bursts; i++)
        dram_report(dram, kind, first + i * gap, request->bank, request->row);
}

/* Issues `bursts` column commands of a request, one after the other from clock `now` on; returns the clock of the last. */
static inline Cycle issue(Dram *dram, Cycle now, const DramRequest *request, unsigned bursts, bool served)
{
    const unsigned direction = dram->direction;
    const Cycle gap = dram->gap, last = now + (bursts - 1) * gap;
    DramBank *bank = &dram->banks[request->bank];
    bank->row_ok = cycle_max(bank->row_ok, last + dram->to_pre[direction]);
    dram->column_ok[direction] = last + gap;
    dram->column_ok[!direction] = last + dram->to_reverse[direction];
    if (G_UNLIKELY(dram->probe)) report_columns(dram, request, now, bursts, gap);
    count(&dram->counts[direction], bursts, served);
    take_turn(dram);
    return last;
}

static void serve(Dram *dram, Cycle now, unsigned slot)
{
    DramWindow *window = dram->own;
    const DramRequest *request = &window->requests[slot]; /* stays there until another enters */
    const Cycle last = issue(dram, now, request, request->bursts & ~DRAM_MASKED, true);
    dram->stats.masked_writes += request->bursts >= DRAM_MASKED;
    if (G_UNLIKELY(window->missed >> slot & 1)) dram->stats.row_misses++;
    dram_window_remove(window, slot, request->bank);
    if (dram->config.page == DRAM_PAGE_CLOSED) {
        const uint32_t hit_banks = window->hit_banks | dram->other->hit_banks;
        if (!(hit_banks >> request->bank & 1)) dram_rows_close(dram, request->bank);
    }
    dram->done(dram->done_owner, (DramDone){.cookie = request->cookie, .end = last + dram->to_end[dram->direction]});
}

/* With bank groups, takes the group of a request for a burst and, unless it is the request's last one, issues it. Otherwise
 * returns false, and the request can be served. */
static bool G_GNUC_NO_INLINE take_group(Dram *dram, Cycle now, unsigned slot)
{
    DramRequest *request = &dram->own->requests[slot];
    dram->group_ok[group_of(dram, request->bank)] = now + dram->group_gap;
    if ((request->bursts & ~DRAM_MASKED) == 1) return false;
    issue(dram, now, request, 1, false);
    request->bursts--;
    return true;
}

/* The requests in banks whose group may have a column command now. */
static uint64_t G_GNUC_NO_INLINE in_free_groups(const Dram *dram, const DramWindow *window, Cycle now)
{
    uint64_t set = 0;
    for (uint32_t rest = window->hit_banks; rest; rest &= rest - 1) {
        const unsigned bank = bits_lowest(rest);
        if (dram->group_ok[group_of(dram, bank)] <= now) set |= window->in_bank[bank];
    }
    return set;
}

/* When the first of the groups that are not free now will be, of those that hits wait for. */
static Cycle G_GNUC_NO_INLINE next_group(const Dram *dram, Cycle now)
{
    Cycle next = CYCLE_NEVER;
    for (uint32_t rest = dram->own->hit_banks; rest; rest &= rest - 1) {
        const Cycle clock = dram->group_ok[group_of(dram, bits_lowest(rest))];
        if (clock > now) next = cycle_min(next, clock);
    }
    return next;
}

static bool serve_one(Dram *dram, Cycle now)
{
    const DramWindow *window = dram->own;
    if (!window->ready || now < dram->column_ok[dram->direction]) return false;
    uint64_t ready = window->ready;
    if (G_UNLIKELY(dram->restricted)) {
        if (dram->group_bits) ready &= in_free_groups(dram, window, now);
        if (dram->scheduler->servable) ready = dram->scheduler->servable(window, ready);
        if (!ready) return false;
    }
    const unsigned slot = dram_window_oldest(window, ready);
    if (G_UNLIKELY(dram->group_bits) && take_group(dram, now, slot)) return true;
    serve(dram, now, slot);
    return true;
}

/* The next clock at which a request may be served, as far as bus, bank groups and opening rows are concerned. */
static Cycle next_column(const Dram *dram, Cycle now)
{
    const DramWindow *window = dram->own;
    const Cycle bus = dram->column_ok[dram->direction];
    if (G_LIKELY(window->ready && bus > now)) return bus;
    /* A bus that is free now was of no use to the requests that are ready: their groups or the policy hold them back. */
    const Cycle group = G_UNLIKELY(dram->group_bits) && window->ready ? next_group(dram, now) : CYCLE_NEVER;
    return window->hits & ~window->ready ? cycle_min(group, cycle_max(bus, dram->open_at)) : group;
}

/* All decisions of clock `now`: at most one request is served, since the bus is taken then. What they are depends only on the state and
 * the arrivals so far; a step too many changes nothing. */
static void step(Dram *dram, Cycle now)
{
    if (G_UNLIKELY(now >= dram->refresh_at)) dram_refresh_due(dram, now);
    if (G_UNLIKELY(dram->shut)) dram_refresh_release(dram, now);
    if (now >= dram->open_at) dram_rows_opened(dram, now);
    if (dram->admit_at <= now) {
        admit(dram, now);
        choose_direction(dram);
    }
    if (serve_one(dram, now)) {
        if (dram->admit_at == CYCLE_NEVER || G_UNLIKELY(dram->held_free)) admit(dram, now); /* there may be room again */
        choose_direction(dram);
        if (G_UNLIKELY(dram->shut)) dram_refresh_drained(dram, now);
    }
    const uint32_t wanting = dram_wanting(dram, dram->own) | dram_wanting(dram, dram->other);
    const Cycle row = wanting ? dram_rows_step(dram, now) : CYCLE_NEVER;
    dram->wake = cycle_min(cycle_min(row, next_column(dram, now)), dram->admit_at);
    if (G_UNLIKELY(dram->held)) dram->wake = cycle_min(dram->wake, dram_refresh_next(dram));
}

void dram_run(Dram *dram, Cycle until, DramDoneFn done, void *owner)
{
    dram->done = done;
    dram->done_owner = owner;
    if (G_UNLIKELY(dram->config.ideal)) dram_ideal_run(dram, until);
    Cycle decided = dram->floor;
    while (dram->wake < until) {
        decided = dram->wake + 1;
        step(dram, dram->wake);
    }
    dram->floor = decided;
}

Cycle dram_next(const Dram *dram)
{
    return dram->wake;
}

unsigned dram_pending(const Dram *dram)
{
    unsigned pending = dram->held;
    for (unsigned direction = 0; direction < DRAM_DIRECTIONS; direction++)
        pending += dram_arrivals_count(&dram->arrivals[direction]) + dram->windows[direction].count;
    return pending;
}

void dram_settle(Dram *dram, Cycle at)
{
    if (at > dram->refresh_at) dram_refresh_due(dram, at - 1);
}

const DramStats *dram_get_stats(Dram *dram)
{
    const DramCounts *reads = &dram->counts[DRAM_READS], *writes = &dram->counts[DRAM_WRITES];
    DramStats *stats = &dram->stats;
    stats->reads = reads->requests;
    stats->writes = writes->requests;
    stats->read_bytes = reads->bursts << dram->burst_shift;
    stats->written_bytes = writes->bursts << dram->burst_shift;
    if (!dram->config.ideal) stats->busy_clocks = (reads->bursts + writes->bursts) * dram->burst_clocks;
    stats->row_hits = stats->reads + stats->writes - stats->row_misses;
    return stats;
}
