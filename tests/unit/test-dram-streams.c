/* One DRAM under load: every command against the timing rules, independence of windows, fairness, efficiency of streams. */
#include <string.h>

#include "dram-checker.h"
#include "dram-driver.h"
#include "holds.h"

enum { N = 20000 };

/* Configurations that stress different rules: the memories under each policy, then single keys at their extremes. */
enum { MEMORIES = 3, POLICIES = 4, VARIANTS = MEMORIES * POLICIES + 12 };

static DramConfig memory(int which)
{
    DramConfig config = which == 0 ? dram_defaults() : which == 1 ? dram_gddr5() : dram_hbm();
    config.bank_cycle = DRAM_BANK_XOR;
    config.t_refi = 3510;
    return config;
}

static void set_extreme(DramConfig *config, int which)
{
    switch (which) {
    case 0: config->banks = 1; break;
    case 1: config->read_queue = config->write_queue = config->write_high = 64; break;
    case 2: config->banks = 32, config->t_rrd = 1, config->t_ccd = 7, config->t_wl = 30, config->t_rc = 70; break;
    case 3:
        config->t_refi = 300, config->read_queue = 1, config->write_queue = 2, config->write_high = 1, config->write_low = 0;
        break;
    case 4: config->t_faw = 100, config->t_rrd = 1; break;
    case 5: config->bank_groups = config->banks, config->t_ccdl = 9, config->t_faw = 37; break;
    case 6: config->bank_groups = 2, config->group_bytes = 2048, config->t_ccdl = 5, config->t_refi = 300; break;
    case 7: config->bank_groups = 4, config->t_ccdl = 64, config->scheduler = 1; break;
    case 8: *config = dram_hbm_per_bank(); break;
    case 9: config->refresh = DRAM_REFRESH_PER_BANK, config->t_refi = 400, config->t_rfc = 140; break;
    case 10:
        config->refresh = DRAM_REFRESH_PER_BANK, config->t_refi = 500, config->t_rfc = 100, config->page = DRAM_PAGE_CLOSED,
        config->scheduler = 1;
        break;
    case 11: config->refresh = DRAM_REFRESH_PER_BANK, config->banks = 1, config->t_refi = 300; break;
    }
}

static DramConfig variant(int which)
{
    const int memories = MEMORIES * POLICIES;
    DramConfig config = memory(which < memories ? which / POLICIES : 0);
    if (which < memories) {
        config.scheduler = which % 2;
        config.page = which / 2 % 2;
    } else {
        set_extreme(&config, which - memories);
    }
    return config;
}

START_TEST(every_command_keeps_the_timing_rules)
{
    static Request requests[N];
    random_traffic((uint64_t)_i, requests, N);
    const DramConfig config = variant(_i);
    GArray *done = g_array_new(FALSE, FALSE, sizeof(DramDone)), *log = g_array_new(FALSE, FALSE, sizeof(DramCommand));
    Dram *dram = dram_new(&config, 0);
    dram_set_probe(dram, record_command, log);
    drive(dram, requests, N, one_window, done);
    check_log(&config, log);
    check_counts(dram_get_stats(dram), &config, log, requests, N);
    dram_free(dram);
    g_array_unref(log);
    g_array_unref(done);
}
END_TEST

START_TEST(every_request_is_done_once_after_it_arrived_and_in_order_of_time)
{
    static Request requests[N];
    static bool seen[N];
    memset(seen, 0, sizeof seen); /* of the point before, where the points share a process */
    random_traffic((uint64_t)_i + 100, requests, N);
    const DramConfig config = variant(_i);
    GArray *done = run_all(&config, requests, N, NULL);
    ck_assert_uint_eq(done->len, N);
    Cycle last = 0;
    for (guint i = 0; i < N; i++) {
        const DramDone d = done_at(done, i);
        HOLDS(!seen[d.cookie]);
        seen[d.cookie] = true;
        HOLDS(d.end > requests[d.cookie].arrival);
        HOLDS(d.end > last);
        last = d.end;
    }
    g_array_unref(done);
}
END_TEST

static Cycle window_1(uint64_t *state)
{
    (void)state;
    return 1;
}

static Cycle window_2(uint64_t *state)
{
    (void)state;
    return 2;
}

static Cycle window_7(uint64_t *state)
{
    (void)state;
    return 7;
}

static Cycle window_40(uint64_t *state)
{
    (void)state;
    return 40;
}

static Cycle window_random(uint64_t *state)
{
    return 1 + random_below(state, 100);
}

static Cycle (*const WINDOWS[])(uint64_t *) = {window_1, window_2, window_7, window_40, window_random};

START_TEST(windows_change_nothing)
{
    static Request requests[N];
    random_traffic(200, requests, N);
    for (size_t w = 0; w < G_N_ELEMENTS(WINDOWS); w++) {
        const DramConfig config = variant(_i);
        DramStats want, got;
        GArray *whole = run_all(&config, requests, N, &want), *cut = g_array_new(FALSE, FALSE, sizeof(DramDone));
        Dram *dram = dram_new(&config, 0);
        drive(dram, requests, N, WINDOWS[w], cut);
        got = *dram_get_stats(dram);
        dram_free(dram);
        ck_assert_uint_eq(cut->len, whole->len);
        for (guint i = 0; i < whole->len; i++) {
            HOLDS(done_at(cut, i).cookie == done_at(whole, i).cookie);
            HOLDS(done_at(cut, i).end == done_at(whole, i).end);
        }
        ck_assert_mem_eq(&got, &want, sizeof got);
        g_array_unref(whole);
        g_array_unref(cut);
    }
}
END_TEST

/* Every run goes just past the clock that dram_next names: it must never be too late. */
START_TEST(running_from_next_to_next_changes_nothing)
{
    static Request requests[N];
    random_traffic(300, requests, N);
    const DramConfig config = variant(_i);
    GArray *whole = run_all(&config, requests, N, NULL), *cut = g_array_new(FALSE, FALSE, sizeof(DramDone));
    Dram *dram = dram_new(&config, 0);
    for (size_t i = 0; i < N || dram_pending(dram);) {
        const Cycle next = dram_next(dram);
        if (i < N && requests[i].arrival <= next) {
            push(dram, &requests[i], i);
            i++;
        } else {
            dram_run(dram, next, record_done, cut);
            const guint before = cut->len;
            dram_run(dram, next + 1, record_done, cut);
            HOLDS(dram_next(dram) > next);
            HOLDS(cut->len <= before + 1);
        }
    }
    ck_assert_uint_eq(cut->len, whole->len);
    for (guint i = 0; i < whole->len; i++)
        HOLDS(done_at(cut, i).end == done_at(whole, i).end);
    dram_free(dram);
    g_array_unref(whole);
    g_array_unref(cut);
}
END_TEST

/* One read of another row among reads that all hit: those that pass it are fewer than DRAM_SPAN. */
START_TEST(an_old_miss_is_passed_by_a_bounded_number_of_hits)
{
    static Request requests[N];
    for (unsigned i = 0; i < N; i++)
        requests[i] = (Request){i, i % 64 * 32, 32, false};
    requests[500].local = 8 * 4096;
    DramConfig config = dram_plain();
    config.read_queue = DRAM_SPAN;
    GArray *done = run_all(&config, requests, N, NULL);
    guint at = 0;
    while (done_at(done, at).cookie != 500)
        at++;
    ck_assert_uint_gt(at, 500);
    ck_assert_uint_lt(at, 500 + DRAM_SPAN);
    g_array_unref(done);
}
END_TEST

/* One request of one direction among an endless stream of the other that never lets the bus idle. */
START_TEST(the_other_direction_gets_the_bus_within_its_patience)
{
    static Request requests[N];
    const bool lone_is_write = _i == 0;
    for (unsigned i = 0; i < N; i++)
        requests[i] = (Request){i * 2, i * 32 % 4096, 32, !lone_is_write};
    requests[500].write = lone_is_write;
    const DramConfig config = dram_plain();
    GArray *done = run_all(&config, requests, N, NULL);
    guint at = 0;
    while (done_at(done, at).cookie != 500)
        at++;
    ck_assert_uint_le(at, 500 + DRAM_PATIENCE);
    g_array_unref(done);
}
END_TEST

/* Streams, in requests per clock above what the DRAM can take. Efficiency: data clocks per clock, in thousandths. */
typedef Request (*Stream)(unsigned i, uint64_t *state);

static Request reads(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i * 64, .bytes = 64};
}

static Request writes(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i * 64, .bytes = 64, .write = true};
}

/* Half of the banks away from each other, what is read and what is written. */
static Request copy(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i / 2 * 64 + i % 2 * ((1 << 24) + 4 * 4096), .bytes = 64, .write = i % 2};
}

/* In other rows of the same banks. */
static Request copy_in_place(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i / 2 * 64 + i % 2 * (1 << 24), .bytes = 64, .write = i % 2};
}

/* Each 32-byte sector is read eight times in a row, then written eight times; four sectors make the access of a warp. */
static Request scattered_copy(unsigned i, uint64_t *state)
{
    (void)state;
    const bool write = i / 32 % 2;
    return (Request){.local = (i / 64 * 4 + i % 32 / 8) * 32 + write * ((1 << 24) + 4 * 4096), .bytes = 32, .write = write};
}

static Request random_reads(unsigned i, uint64_t *state)
{
    (void)i;
    return (Request){.local = random_below(state, 1 << 21) * 32, .bytes = 32};
}

/* As the scattered copy, with writes of one word of each sector. */
static Request masked_copy(unsigned i, uint64_t *state)
{
    Request request = scattered_copy(i, state);
    request.masked = request.write;
    return request;
}

/* Sectors of 32 bytes, in order. */
static Request sectors(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i * 32, .bytes = 32};
}

/* Lines of 128 bytes, in order. */
static Request lines(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i * 128, .bytes = 128};
}

/* The rows of one bank group, a sector of each stretch of 256 bytes: every fourth such stretch. */
static Request one_group(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i / 8 * 1024 + i % 8 * 32, .bytes = 32};
}

static DramConfig crossed(void)
{
    DramConfig config = dram_defaults();
    config.bank_cycle = DRAM_BANK_XOR;
    return config;
}

/* One group of GDDR5 gives a burst of 2 clocks every 3, one of HBM a burst of 1 clock every 2. Masks
 * cost nothing. */
static const struct {
    Stream stream;
    DramConfig (*config)(void);
    unsigned low, high;
} STREAMS[] = {
    {reads, dram_defaults, 970, 1000},
    {writes, dram_defaults, 960, 1000},
    {copy, dram_defaults, 800, 900},
    {copy_in_place, dram_defaults, 600, 700},
    {copy_in_place, crossed, 800, 900},
    {scattered_copy, dram_defaults, 670, 850},
    {random_reads, dram_defaults, 190, 230},
    {masked_copy, dram_defaults, 670, 850},
    {sectors, dram_gddr5, 970, 1000},
    {lines, dram_gddr5, 970, 1000},
    {one_group, dram_gddr5, 600, 667},
    {sectors, dram_hbm, 900, 1000},
    {lines, dram_hbm, 900, 1000},
    {one_group, dram_hbm, 400, 500},
    {sectors, dram_hbm_per_bank, 850, 1000},
    {lines, dram_hbm_per_bank, 850, 1000},
};

START_TEST(streams_are_as_efficient_as_measured)
{
    static Request requests[N];
    uint64_t state = 1;
    for (unsigned i = 0; i < N; i++) {
        requests[i] = STREAMS[_i].stream(i, &state);
        requests[i].arrival = i;
    }
    const DramConfig config = STREAMS[_i].config();
    DramStats stats;
    GArray *done = run_all(&config, requests, N, &stats);
    const uint64_t efficiency = stats.busy_clocks * 1000 / done_at(done, N - 1).end;
    ck_assert_uint_ge(efficiency, STREAMS[_i].low);
    ck_assert_uint_le(efficiency, STREAMS[_i].high);
    g_array_unref(done);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, every_command_keeps_the_timing_rules, 0, VARIANTS);
    tcase_add_loop_test(tcase, every_request_is_done_once_after_it_arrived_and_in_order_of_time, 0, VARIANTS);
    tcase_add_loop_test(tcase, windows_change_nothing, 0, VARIANTS);
    tcase_add_loop_test(tcase, running_from_next_to_next_changes_nothing, 0, VARIANTS);
    tcase_add_test(tcase, an_old_miss_is_passed_by_a_bounded_number_of_hits);
    tcase_add_loop_test(tcase, the_other_direction_gets_the_bus_within_its_patience, 0, 2);
    tcase_add_loop_test(tcase, streams_are_as_efficient_as_measured, 0, G_N_ELEMENTS(STREAMS));
}

int main(void)
{
    return unit_main("dram-streams", add);
}
