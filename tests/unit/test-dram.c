/* One DRAM, rule by rule: latencies to the clock, what is served before what, refresh, pages, statistics. */
#include "dram-driver.h"

enum { ROW = 4096, BANK_STRIDE = 4096, ROW_STRIDE = 8 * 4096 }; /* the next bank, the next row of the same bank */
enum {
    RCD = 14,
    CL = 12,
    WL = 8,
    RP = 12,
    RAS = 29,
    RC = 41,
    RRD = 9,
    WTR = 7,
    WR = 13,
    RTP = 2,
    RFC = 47,
    REFI = 3510,
    BURST = 2
};

static Cycle ends(const Request *requests, size_t n, uint32_t cookie)
{
    const DramConfig config = dram_plain();
    GArray *done = run_all(&config, requests, n, NULL);
    const Cycle end = end_of(done, cookie);
    g_array_unref(done);
    return end;
}

/* Latency: the last request of each row alone. */
static const struct {
    Request requests[3];
    size_t n;
    Cycle end;
} LATENCIES[] = {
    {{{100, 0, 32, false}}, 1, 100 + RCD + CL + BURST},
    {{{100, 0, 64, false}}, 1, 100 + RCD + CL + BURST + 2},
    {{{100, 0, 256, false}}, 1, 100 + RCD + CL + BURST + 14},
    {{{100, 0, 32, true}}, 1, 100 + RCD + WL + BURST},
    /* row open, row of the same bank open, another bank open */
    {{{100, 0, 32, false}, {900, 64, 32, false}}, 2, 900 + CL + BURST},
    {{{100, 0, 32, false}, {900, ROW_STRIDE, 32, false}}, 2, 900 + RP + RCD + CL + BURST},
    {{{100, 0, 32, false}, {900, BANK_STRIDE, 32, false}}, 2, 900 + RCD + CL + BURST},
    {{{100, 0, 32, false}, {900, 64, 32, true}}, 2, 900 + WL + BURST},
    /* the second column command follows the first by the length of a burst */
    {{{100, 0, 32, false}, {100, 32, 32, false}}, 2, 100 + RCD + CL + BURST + 2},
    /* bound by t_rrd, t_ras, t_rc, t_wr, t_rtp, t_wtr, and the way from reading to writing */
    {{{100, 0, 32, false}, {100, BANK_STRIDE, 32, false}}, 2, 100 + RRD + RCD + CL + BURST},
    {{{100, 0, 32, false}, {100, ROW_STRIDE, 32, false}}, 2, 100 + RC + RCD + CL + BURST},
    {{{100, 0, 32, true}, {100, ROW_STRIDE, 32, true}}, 2, 100 + RCD + WL + BURST + WR + RP + RCD + WL + BURST},
    {{{100, 0, 32, false}, {200, 0, 32, false}, {200, ROW_STRIDE, 32, false}}, 3, 200 + RTP + RP + RCD + CL + BURST},
    {{{100, 0, 32, true}, {115, 64, 32, false}}, 2, 100 + RCD + WL + BURST + WTR + CL + BURST},
    {{{100, 0, 32, false}, {115, 64, 32, true}}, 2, 100 + RCD + CL + BURST + 2 + BURST},
};

START_TEST(latency_is_the_closed_form)
{
    const size_t n = LATENCIES[_i].n;
    ck_assert_uint_eq(ends(LATENCIES[_i].requests, n, (uint32_t)n - 1), LATENCIES[_i].end);
}
END_TEST

/* Other memories, an unloaded request of 1 and of 4 bursts: the closed form of dram.h. GDDR5: t_rcd 12, t_cl 12, t_wl 4, bursts of 2
 * clocks, 3 apart in one group; HBM: t_rcd 12, t_cl 12, t_wl 2, bursts of 1 clock, 2 apart. */
static const struct {
    DramConfig (*config)(void);
    Request request;
    Cycle end;
} OTHERS[] = {
    {dram_gddr5, {100, 0, 32, false}, 100 + 12 + 12 + 2},        {dram_gddr5, {100, 0, 128, false}, 100 + 12 + 12 + 3 * 3 + 2},
    {dram_gddr5, {100, 0, 128, true}, 100 + 12 + 4 + 3 * 3 + 2}, {dram_hbm, {100, 0, 32, false}, 100 + 12 + 12 + 1},
    {dram_hbm, {100, 0, 128, false}, 100 + 12 + 12 + 3 * 2 + 1}, {dram_hbm, {100, 0, 128, true}, 100 + 12 + 2 + 3 * 2 + 1},
};

START_TEST(latency_of_other_memories_is_the_closed_form)
{
    const DramConfig config = OTHERS[_i].config();
    GArray *done = run_all(&config, &OTHERS[_i].request, 1, NULL);
    ck_assert_uint_eq(end_of(done, 0), OTHERS[_i].end);
    g_array_unref(done);
}
END_TEST

/* Streams of reads that all arrive at clock 0, one for each step of `stride`: when the last has ended. */
static Cycle stream_end(const DramConfig *config, unsigned n, Addr stride, unsigned bytes)
{
    Request requests[64] = {0};
    for (unsigned i = 0; i < n; i++)
        requests[i] = (Request){0, i * stride, bytes, false};
    GArray *done = run_all(config, requests, n, NULL);
    const Cycle end = done_at(done, n - 1).end;
    g_array_unref(done);
    return end;
}

/* Rows of one bank: an ACT each t_rc, which is more than t_rcd + t_rtp + t_rp of any of them. */
START_TEST(rows_of_one_bank_are_t_rc_apart)
{
    const DramConfig gddr3 = dram_plain(), gddr5 = dram_gddr5(), hbm = dram_hbm();
    ck_assert_uint_eq(stream_end(&gddr3, 10, ROW_STRIDE, 32), 9 * RC + RCD + CL + BURST);
    ck_assert_uint_eq(stream_end(&gddr5, 10, 16 * 2048, 32), 9 * 40 + 12 + 12 + 2);
    ck_assert_uint_eq(stream_end(&hbm, 10, 16 * 1024, 32), 9 * 40 + 12 + 12 + 1);
}
END_TEST

/* Rows of all banks in turn: ACT i at i * t_rrd, or, when four of those are less than t_faw, at i / 4 * t_faw + i % 4 * t_rrd. */
static const struct {
    unsigned faw;
    unsigned n;
    Cycle last_act;
} WINDOWS_OF_FOUR[] = {
    {0, 5, 4 * RRD},       {4 * RRD, 5, 4 * RRD},      {4 * RRD + 1, 4, 3 * RRD}, {4 * RRD + 1, 5, 4 * RRD + 1},
    {60, 8, 60 + 3 * RRD}, {60, 32, 7 * 60 + 3 * RRD},
};

START_TEST(at_most_four_acts_fall_in_a_window)
{
    DramConfig config = dram_plain();
    config.t_faw = WINDOWS_OF_FOUR[_i].faw;
    ck_assert_uint_eq(stream_end(&config, WINDOWS_OF_FOUR[_i].n, BANK_STRIDE, 32),
                      WINDOWS_OF_FOUR[_i].last_act + RCD + CL + BURST);
}
END_TEST

/* GDDR5, where a burst has 2 clocks: the last of n bursts of one group begins 3 * (n - 1) clocks after the first, of two groups by
 * turns 2 * (n - 1). */
START_TEST(bursts_of_one_group_are_t_ccdl_apart_and_others_go_between)
{
    DramConfig config = dram_gddr5();
    config.t_rrd = 1, config.t_faw = 0;
    ck_assert_uint_eq(stream_end(&config, 4, 64, 64), 12 + 12 + 7 * 3 + 2);
    /* two stretches, hence two groups; the second row is open 1 clock after the first, in time for the second burst */
    ck_assert_uint_eq(stream_end(&config, 2, 256, 128), 12 + 12 + 7 * 2 + 2);
    config.bank_groups = 1;
    ck_assert_uint_eq(stream_end(&config, 4, 64, 64), 12 + 12 + 7 * 2 + 2);
}
END_TEST

/* The group is that of the stretch of group_bytes. */
START_TEST(stretches_go_round_the_groups)
{
    const DramConfig config = dram_gddr5();
    DramStats stats;
    /* four stretches open rows of four banks, the fifth lies in the first row again */
    const Request near[] = {
        {0, 0, 32, false}, {0, 256, 32, false}, {0, 512, 32, false}, {0, 768, 32, false}, {0, 1024, 32, false},
    };
    g_array_unref(run_all(&config, near, 5, &stats));
    ck_assert_uint_eq(stats.activates, 4);
    ck_assert_uint_eq(stats.precharges, 0);
    /* the four rows end at 4 * 2048 bytes, where four other banks begin; 16 * 2048 is the next row of the first bank */
    const Request far[] = {
        {0, 0, 32, false}, {500, 8192 - 1024, 32, false}, {1000, 8192, 32, false}, {1500, 16 * 2048, 32, false}};
    g_array_unref(run_all(&config, far, 4, &stats));
    ck_assert_uint_eq(stats.activates, 3);
    ck_assert_uint_eq(stats.precharges, 1);
}
END_TEST

/* n writes of one burst to an open row, and a read behind them: masks go with the data and cost nothing. */
START_TEST(masked_writes_are_counted_and_cost_nothing)
{
    enum { N = 20 };
    DramConfig config = dram_plain();
    for (unsigned masked = 0; masked < 2; masked++) {
        Request requests[N + 1] = {0};
        for (unsigned i = 0; i < N; i++)
            requests[i] = (Request){0, i * 32, 32, true, masked};
        requests[N] = (Request){30, 0, 32, false};
        DramStats stats;
        GArray *done = run_all(&config, requests, N + 1, &stats);
        const Cycle last_write = RCD + (N - 1) * BURST;
        ck_assert_uint_eq(end_of(done, N - 1), last_write + WL + BURST);
        ck_assert_uint_eq(end_of(done, N), last_write + WL + BURST + WTR + CL + BURST);
        ck_assert_uint_eq(stats.masked_writes, masked * N);
        ck_assert_uint_eq(stats.busy_clocks, (N + 1) * BURST);
        g_array_unref(done);
    }
}
END_TEST

START_TEST(a_request_is_decided_when_its_column_command_is_legal_and_not_before)
{
    const DramConfig config = dram_plain();
    GArray *done = g_array_new(FALSE, FALSE, sizeof(DramDone));
    Dram *dram = dram_new(&config, 0);
    dram_push(dram, 100, DRAM_RANK_DIRECT, 0, 32, false, 7);
    dram_run(dram, 100 + RCD, record_done, done);
    ck_assert_uint_eq(done->len, 0);
    dram_run(dram, 100 + RCD + 1, record_done, done);
    ck_assert_uint_eq(done->len, 1);
    ck_assert_uint_eq(done_at(done, 0).cookie, 7);
    dram_free(dram);
    g_array_unref(done);
}
END_TEST

/* A row that waits for t_ras: one clock earlier or later of the second request makes no difference until t_ras has passed. */
static const struct {
    Cycle arrival, end;
} AFTER_RAS[] = {{RAS - 1, RC + RCD + CL + BURST}, {RAS, RC + RCD + CL + BURST}, {RAS + 1, RC + 1 + RCD + CL + BURST}};

START_TEST(a_row_is_closed_once_t_ras_has_passed)
{
    const Request requests[] = {{0, 0, 32, false}, {AFTER_RAS[_i].arrival, ROW_STRIDE, 32, false}};
    ck_assert_uint_eq(ends(requests, 2, 1), AFTER_RAS[_i].end);
}
END_TEST

START_TEST(row_hits_go_before_older_misses)
{
    const DramConfig config = dram_plain();
    const Request requests[] = {{0, 0, 32, false}, {1, ROW_STRIDE, 32, false}, {2, 64, 32, false}};
    GArray *done = run_all(&config, requests, 3, NULL);
    ck_assert_uint_eq(done_at(done, 1).cookie, 2);
    g_array_unref(done);
}
END_TEST

START_TEST(fcfs_serves_in_order_of_arrival)
{
    DramConfig config = dram_plain();
    config.scheduler = 1;
    const Request requests[] = {{0, 0, 32, false}, {1, ROW_STRIDE, 32, false}, {2, 64, 32, false}};
    GArray *done = run_all(&config, requests, 3, NULL);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(done_at(done, i).cookie, i);
    g_array_unref(done);
}
END_TEST

START_TEST(a_closed_page_spares_the_next_row_its_precharge)
{
    DramConfig config = dram_plain();
    config.page = DRAM_PAGE_CLOSED;
    const Request requests[] = {{0, 0, 32, false}, {500, ROW_STRIDE, 32, false}, {1000, ROW_STRIDE, 32, false}};
    GArray *done = run_all(&config, requests, 3, NULL);
    ck_assert_uint_eq(end_of(done, 1), 500 + RCD + CL + BURST);
    ck_assert_uint_eq(end_of(done, 2), 1000 + RCD + CL + BURST);
    g_array_unref(done);
}
END_TEST

START_TEST(a_closed_page_stays_open_for_a_request_in_sight)
{
    DramConfig config = dram_plain();
    config.page = DRAM_PAGE_CLOSED;
    const Request requests[] = {{0, 0, 32, false}, {0, 32, 32, false}};
    DramStats stats;
    g_array_unref(run_all(&config, requests, 2, &stats));
    ck_assert_uint_eq(stats.activates, 1);
    ck_assert_uint_eq(stats.row_hits, 1);
}
END_TEST

/* A read that arrives just before, with, within and after the first refresh. Its row was open until then. */
static const struct {
    Cycle arrival, end;
} REFRESHED[] = {
    {REFI - 1, REFI - 1 + CL + BURST},
    {REFI, REFI + RP + RFC + RCD + CL + BURST},
    {REFI + 20, REFI + RP + RFC + RCD + CL + BURST},
    {REFI + RP + RFC - 1, REFI + RP + RFC + RCD + CL + BURST},
    {REFI + RP + RFC + 1, REFI + RP + RFC + 1 + RCD + CL + BURST},
};

START_TEST(a_read_waits_for_a_refresh_and_its_row_is_closed_after)
{
    const DramConfig config = dram_defaults();
    const Request requests[] = {{100, 0, 32, false}, {REFRESHED[_i].arrival, 32, 32, false}};
    GArray *done = run_all(&config, requests, 2, NULL);
    ck_assert_uint_eq(end_of(done, 1), REFRESHED[_i].end);
    g_array_unref(done);
}
END_TEST

/* In idle time refreshes run on schedule: the 1000th begins at 1000 intervals, with all banks precharged. */
START_TEST(a_read_after_long_idling_meets_the_refresh_of_its_time)
{
    const DramConfig config = dram_defaults();
    const Request requests[] = {{100, 0, 32, false}, {1000 * REFI + 1, 0, 32, false}};
    GArray *done = run_all(&config, requests, 2, NULL);
    ck_assert_uint_eq(end_of(done, 1), 1000 * REFI + RFC + RCD + CL + BURST);
    g_array_unref(done);
}
END_TEST

static const struct {
    Cycle at;
    uint64_t refreshes;
} SETTLED[] = {{REFI, 0}, {REFI + 1, 1}, {10 * REFI, 9}, {10 * REFI + 1, 10}};

START_TEST(settling_counts_the_refreshes_that_fell_due)
{
    const DramConfig config = dram_defaults();
    Dram *dram = dram_new(&config, 0);
    dram_settle(dram, SETTLED[_i].at / 2);
    dram_settle(dram, SETTLED[_i].at);
    ck_assert_uint_eq(dram_get_stats(dram)->refreshes, SETTLED[_i].refreshes);
    dram_free(dram);
}
END_TEST

/* Bank by bank: a turn each SLOT clocks, bank 0 first; bank 7 is in the midst of its refresh at clock 0. */
enum { SLOT = REFI / 8 };

static DramConfig per_bank(void)
{
    DramConfig config = dram_defaults();
    config.refresh = DRAM_REFRESH_PER_BANK;
    return config;
}

/* The last request of each row. Bank 0 has an open row from the first request on, unless it is another bank's. */
static const struct {
    Request first, second;
    Cycle end;
} PER_BANK[] = {
    {{100, 0, 32, false}, {SLOT - 1, 32, 32, false}, SLOT - 1 + CL + BURST},
    {{100, 0, 32, false}, {SLOT, 32, 32, false}, SLOT + RP + RFC + RCD + CL + BURST},
    {{100, 0, 32, false}, {SLOT + RP + RFC - 1, 32, 32, false}, SLOT + RP + RFC + RCD + CL + BURST},
    {{100, 0, 32, false}, {SLOT + RP + RFC + 1, 32, 32, false}, SLOT + RP + RFC + 1 + RCD + CL + BURST},
    {{100, BANK_STRIDE, 32, false}, {SLOT, BANK_STRIDE + 32, 32, false}, SLOT + CL + BURST}, /* bank 1 has its turn later */
    {{100, BANK_STRIDE, 32, false}, {SLOT, 0, 32, false}, SLOT + RFC + RCD + CL + BURST},    /* bank 0 is closed: no RP */
    {{0, 7 * BANK_STRIDE, 32, false}, {0, 7 * BANK_STRIDE + 32, 32, false}, RFC + RCD + CL + 2 * BURST},
    {{0, 6 * BANK_STRIDE, 32, false}, {0, 6 * BANK_STRIDE + 32, 32, false}, RCD + CL + 2 * BURST},
};

START_TEST(a_refresh_of_one_bank_leaves_the_others_to_work)
{
    const DramConfig config = per_bank();
    const Request requests[] = {PER_BANK[_i].first, PER_BANK[_i].second};
    GArray *done = run_all(&config, requests, 2, NULL);
    ck_assert_uint_eq(end_of(done, 1), PER_BANK[_i].end);
    g_array_unref(done);
}
END_TEST

static Cycle first_refresh_of_bank_0(const GArray *log)
{
    for (guint i = 0; i < log->len; i++) {
        const DramCommand *command = &g_array_index(log, DramCommand, i);
        if (command->kind == DRAM_REFRESH_BANK && command->bank == 0) return command->clock;
    }
    ck_abort_msg("no refresh");
    return 0;
}

/* The ends of requests, and the commands to the chips. */
typedef struct {
    GArray *done, *log;
} Watched;

/* `requests` in channel `number`; clear with unwatch. */
static Watched watch(const DramConfig *config, unsigned number, const Request *requests, size_t n)
{
    Watched w = {g_array_new(FALSE, FALSE, sizeof(DramDone)), g_array_new(FALSE, FALSE, sizeof(DramCommand))};
    Dram *dram = dram_new(config, number);
    dram_set_probe(dram, record_command, w.log);
    drive(dram, requests, n, one_window, w.done);
    dram_free(dram);
    return w;
}

static void unwatch(Watched w)
{
    g_array_unref(w.done);
    g_array_unref(w.log);
}

/* Ten rows of bank 0, t_rc each, arrive before its turn, one more behind it. The tenth row opens at 430 + 9 RC and may be closed RAS later; the
 * refresh begins RP behind that, and the eleventh row opens when it is over. */
START_TEST(requests_in_sight_come_before_the_refresh_and_later_ones_after)
{
    Request requests[11];
    for (unsigned i = 0; i < 11; i++)
        requests[i] = (Request){i < 10 ? 430 : 450, i * ROW_STRIDE, 32, false};
    const DramConfig config = per_bank();
    const Watched w = watch(&config, 0, requests, 11);
    const Cycle refresh = 430 + 9 * RC + RAS + RP;
    ck_assert_uint_eq(first_refresh_of_bank_0(w.log), refresh);
    ck_assert_uint_eq(end_of(w.done, 9), 430 + 9 * RC + RCD + CL + BURST);
    ck_assert_uint_eq(end_of(w.done, 10), refresh + RFC + RCD + CL + BURST);
    unwatch(w);
}
END_TEST

/* A write to bank 0 that waits as long as reads of new rows of the other banks keep coming, one in 40 clocks: the refresh does not wait for it
 * longer than until its next turn, half a slot to one and a half for each of eight banks later. */
START_TEST(a_refresh_is_postponed_by_one_turn_at_most)
{
    enum { N = 300 };
    static Request requests[N];
    DramConfig config = per_bank();
    config.t_rrd = 40;
    for (unsigned i = 0; i < N; i++)
        requests[i] = (Request){100, (1 + i % 7) * BANK_STRIDE + i * ROW_STRIDE, 32, false};
    requests[0] = (Request){100, 0, 32, true};
    const Watched w = watch(&config, 0, requests, N);
    const Cycle refresh = first_refresh_of_bank_0(w.log);
    ck_assert_uint_ge(refresh, SLOT + 8 * SLOT / 2);
    ck_assert_uint_le(refresh, SLOT + 8 * SLOT * 3 / 2);
    ck_assert_uint_gt(end_of(w.done, 0), refresh + RFC);
    unwatch(w);
}
END_TEST

/* Channel 1 is in the midst of the refresh of bank (5 + 7) % 8, not of bank 7. */
START_TEST(channels_begin_with_different_banks)
{
    const DramConfig config = per_bank();
    for (unsigned bank = 0; bank < 8; bank++) {
        const Request read = {0, bank * BANK_STRIDE, 32, false};
        const Watched w = watch(&config, 1, &read, 1);
        ck_assert_uint_eq(end_of(w.done, 0), (bank == 4 ? RFC : 0) + RCD + CL + BURST);
        unwatch(w);
    }
}
END_TEST

/* In idle time, too, every bank has its turns: a row that was open is closed. */
START_TEST(a_row_is_closed_after_a_long_idle_time)
{
    const DramConfig config = per_bank();
    for (unsigned bank = 0; bank < 8; bank++) {
        const Request requests[] = {{100, bank * BANK_STRIDE, 32, false}, {1000 * REFI, bank * BANK_STRIDE, 32, false}};
        DramStats stats;
        g_array_unref(run_all(&config, requests, 2, &stats));
        ck_assert_uint_eq(stats.activates, 2);
    }
}
END_TEST

/* 8 in each interval, on average: of 10000 turns, whose sum varies by 29, no more than one in a hundred too many or too few. */
START_TEST(every_bank_has_its_turn_once_in_an_interval)
{
    const DramConfig config = per_bank();
    Dram *dram = dram_new(&config, _i);
    for (Cycle at = 0; at < 1250 * (Cycle)REFI; at += REFI)
        dram_settle(dram, at);
    ck_assert_uint_ge(dram_get_stats(dram)->refreshes, 9900);
    ck_assert_uint_le(dram_get_stats(dram)->refreshes, 10100);
    dram_free(dram);
}
END_TEST

START_TEST(an_idle_dram_has_nothing_next)
{
    const DramConfig config = dram_defaults();
    Dram *dram = dram_new(&config, 0);
    ck_assert(dram_next(dram) == CYCLE_NEVER);
    dram_push(dram, 123, DRAM_RANK_DIRECT, 0, 32, false, 0);
    ck_assert_uint_eq(dram_next(dram), 123);
    ck_assert_uint_eq(dram_pending(dram), 1);
    dram_free(dram);
}
END_TEST

START_TEST(statistics_add_up)
{
    enum { N = 5000 };
    static Request requests[N];
    random_traffic(11, requests, N);
    uint64_t read_bytes = 0, written_bytes = 0, writes = 0;
    for (unsigned i = 0; i < N; i++) {
        *(requests[i].write ? &written_bytes : &read_bytes) += requests[i].bytes;
        writes += requests[i].write;
    }
    DramStats stats;
    const DramConfig config = dram_defaults();
    g_array_unref(run_all(&config, requests, N, &stats));
    ck_assert_uint_eq(stats.writes, writes);
    ck_assert_uint_eq(stats.reads, N - writes);
    ck_assert_uint_eq(stats.read_bytes, read_bytes);
    ck_assert_uint_eq(stats.written_bytes, written_bytes);
    ck_assert_uint_eq(stats.row_hits + stats.row_misses, N);
    ck_assert_uint_ge(stats.activates, stats.row_misses);
    ck_assert_uint_eq(stats.busy_clocks, (read_bytes + written_bytes) / 32 * BURST);
}
END_TEST

START_TEST(peak_and_burst_of_the_8800_gtx)
{
    const DramConfig config = dram_defaults();
    ck_assert_uint_eq(6 * dram_peak_bytes_per_second(&config), UINT64_C(86400000000));
    ck_assert_uint_eq(dram_burst_bytes(&config), 32);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, latency_is_the_closed_form, 0, G_N_ELEMENTS(LATENCIES));
    tcase_add_loop_test(tcase, latency_of_other_memories_is_the_closed_form, 0, G_N_ELEMENTS(OTHERS));
    tcase_add_test(tcase, rows_of_one_bank_are_t_rc_apart);
    tcase_add_loop_test(tcase, at_most_four_acts_fall_in_a_window, 0, G_N_ELEMENTS(WINDOWS_OF_FOUR));
    tcase_add_test(tcase, bursts_of_one_group_are_t_ccdl_apart_and_others_go_between);
    tcase_add_test(tcase, stretches_go_round_the_groups);
    tcase_add_test(tcase, masked_writes_are_counted_and_cost_nothing);
    tcase_add_test(tcase, a_request_is_decided_when_its_column_command_is_legal_and_not_before);
    tcase_add_loop_test(tcase, a_row_is_closed_once_t_ras_has_passed, 0, G_N_ELEMENTS(AFTER_RAS));
    tcase_add_test(tcase, row_hits_go_before_older_misses);
    tcase_add_test(tcase, fcfs_serves_in_order_of_arrival);
    tcase_add_test(tcase, a_closed_page_spares_the_next_row_its_precharge);
    tcase_add_test(tcase, a_closed_page_stays_open_for_a_request_in_sight);
    tcase_add_loop_test(tcase, a_read_waits_for_a_refresh_and_its_row_is_closed_after, 0, G_N_ELEMENTS(REFRESHED));
    tcase_add_test(tcase, a_read_after_long_idling_meets_the_refresh_of_its_time);
    tcase_add_loop_test(tcase, settling_counts_the_refreshes_that_fell_due, 0, G_N_ELEMENTS(SETTLED));
    tcase_add_loop_test(tcase, a_refresh_of_one_bank_leaves_the_others_to_work, 0, G_N_ELEMENTS(PER_BANK));
    tcase_add_test(tcase, requests_in_sight_come_before_the_refresh_and_later_ones_after);
    tcase_add_test(tcase, a_refresh_is_postponed_by_one_turn_at_most);
    tcase_add_test(tcase, channels_begin_with_different_banks);
    tcase_add_test(tcase, a_row_is_closed_after_a_long_idle_time);
    tcase_add_loop_test(tcase, every_bank_has_its_turn_once_in_an_interval, 0, 4);
    tcase_add_test(tcase, an_idle_dram_has_nothing_next);
    tcase_add_test(tcase, statistics_add_up);
    tcase_add_test(tcase, peak_and_burst_of_the_8800_gtx);
}

int main(void)
{
    return unit_main("dram", add);
}
