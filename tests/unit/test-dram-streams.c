/* One DRAM under load: every command against the timing rules, independence of windows, fairness, efficiency of streams. */
#include "dram-driver.h"
#include "holds.h"

enum { N = 20000, MAX_BANKS = DRAM_BANKS_MAX };

typedef struct {
    bool open, acted, was_read, was_written, precharged;
    uint64_t row;
    Cycle act, pre, read, written; /* clocks of the last ACT, PRE, READ, and of the end of the last written data */
} CheckedBank;

typedef struct {
    const DramConfig *config;
    CheckedBank banks[MAX_BANKS];
    bool acted, refreshed, read, wrote;
    Cycle act, refresh, column, data_end; /* clocks of the last ACT, REFRESH, column command, and of the end of the last data */
    bool last_was_write;
} Checker;

static gint by_clock(gconstpointer a, gconstpointer b)
{
    const DramCommand *x = a, *y = b;
    return x->clock < y->clock ? -1 : x->clock > y->clock;
}

static void check_act(Checker *c, const DramCommand *command)
{
    CheckedBank *bank = &c->banks[command->bank];
    HOLDS(!bank->open);
    HOLDS(!c->acted || command->clock >= c->act + c->config->t_rrd);
    HOLDS(!bank->acted || command->clock >= bank->act + c->config->t_rc);
    HOLDS(!bank->precharged || command->clock >= bank->pre + c->config->t_rp);
    HOLDS(!c->refreshed || command->clock >= c->refresh + c->config->t_rfc);
    bank->open = bank->acted = c->acted = true;
    bank->act = c->act = command->clock;
    bank->row = command->row;
}

static void check_pre(Checker *c, const DramCommand *command)
{
    CheckedBank *bank = &c->banks[command->bank];
    HOLDS(bank->open);
    HOLDS(command->clock >= bank->act + c->config->t_ras);
    HOLDS(!bank->was_read || command->clock >= bank->read + c->config->t_rtp);
    HOLDS(!bank->was_written || command->clock >= bank->written + c->config->t_wr);
    bank->open = false;
    bank->precharged = true;
    bank->pre = command->clock;
}

static void check_column(Checker *c, const DramCommand *command)
{
    const DramConfig *config = c->config;
    CheckedBank *bank = &c->banks[command->bank];
    const bool write = command->kind == DRAM_WRITE, first = !c->read && !c->wrote;
    const Cycle data = command->clock + (write ? config->t_wl : config->t_cl), burst = config->burst_length / config->data_rate;
    HOLDS(bank->open && bank->row == command->row);
    HOLDS(command->clock >= bank->act + config->t_rcd);
    HOLDS(first || command->clock >= c->column + config->t_ccd);
    HOLDS(first || data >= c->data_end + (write && !c->last_was_write ? 2 : 0));
    HOLDS(first || write || !c->last_was_write || command->clock >= c->data_end + config->t_wtr);
    c->column = command->clock;
    c->data_end = data + burst;
    c->last_was_write = write;
    *(write ? &c->wrote : &c->read) = true;
    *(write ? &bank->was_written : &bank->was_read) = true;
    *(write ? &bank->written : &bank->read) = write ? c->data_end : command->clock;
}

static void check_refresh(Checker *c, const DramCommand *command)
{
    for (unsigned i = 0; i < c->config->banks; i++) {
        HOLDS(!c->banks[i].open);
        HOLDS(!c->banks[i].precharged || command->clock >= c->banks[i].pre + c->config->t_rp);
    }
    HOLDS(!c->refreshed || command->clock >= c->refresh + c->config->t_rfc);
    HOLDS(command->clock >= c->config->t_refi);
    c->refreshed = true;
    c->refresh = command->clock;
}

static void check_log(const DramConfig *config, GArray *log)
{
    static void (*const CHECKS[])(Checker *, const DramCommand *) = {
        [DRAM_ACT] = check_act,      [DRAM_PRE] = check_pre,         [DRAM_READ] = check_column,
        [DRAM_WRITE] = check_column, [DRAM_REFRESH] = check_refresh,
    };
    Checker checker = {.config = config};
    g_array_sort(log, by_clock);
    for (guint i = 0; i < log->len; i++) {
        const DramCommand *command = &g_array_index(log, DramCommand, i);
        CHECKS[command->kind](&checker, command);
    }
}

/* Configurations that stress different rules. */
static DramConfig variant(int which)
{
    DramConfig config = dram_defaults();
    if (which == 1) config.scheduler = 1;
    if (which == 2) config.page = DRAM_PAGE_CLOSED;
    if (which == 3) config.banks = 1;
    if (which == 4) config.read_queue = config.write_queue = config.write_high = 64;
    if (which == 5) config.banks = 32, config.t_rrd = 1, config.t_ccd = 7, config.t_wl = 30, config.t_rc = 70;
    if (which == 6)
        config.t_refi = 300, config.read_queue = 1, config.write_queue = 2, config.write_high = 1, config.write_low = 0;
    return config;
}
enum { VARIANTS = 7 };

START_TEST(every_command_keeps_the_timing_rules)
{
    static Request requests[N];
    random_traffic((uint64_t)_i, requests, N);
    const DramConfig config = variant(_i);
    GArray *done = g_array_new(FALSE, FALSE, sizeof(DramDone)), *log = g_array_new(FALSE, FALSE, sizeof(DramCommand));
    Dram *dram = dram_new(&config);
    dram_set_probe(dram, record_command, log);
    drive(dram, requests, N, one_window, done);
    check_log(&config, log);
    dram_free(dram);
    g_array_unref(log);
    g_array_unref(done);
}
END_TEST

START_TEST(every_request_is_done_once_after_it_arrived_and_in_order_of_time)
{
    static Request requests[N];
    static bool seen[N];
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
        Dram *dram = dram_new(&config);
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
    Dram *dram = dram_new(&config);
    for (size_t i = 0; i < N || dram_pending(dram);) {
        const Cycle next = dram_next(dram);
        if (i < N && requests[i].arrival <= next) {
            dram_push(dram, requests[i].arrival, requests[i].local, requests[i].bytes, requests[i].write, (uint32_t)i);
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
    requests[500].local = 8 * 2048;
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
        requests[i] = (Request){i * 2, i * 32 % 2048, 32, !lone_is_write};
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

static Request copy(unsigned i, uint64_t *state)
{
    (void)state;
    return (Request){.local = i / 2 * 64 + i % 2 * (1 << 24), .bytes = 64, .write = i % 2};
}

/* Each 32-byte sector is read eight times in a row, then written eight times; four sectors make the access of a warp. */
static Request scattered_copy(unsigned i, uint64_t *state)
{
    (void)state;
    const bool write = i / 32 % 2;
    return (Request){.local = (i / 64 * 4 + i % 32 / 8) * 32 + write * (1 << 24), .bytes = 32, .write = write};
}

static Request random_reads(unsigned i, uint64_t *state)
{
    (void)i;
    return (Request){.local = random_below(state, 1 << 21) * 32, .bytes = 32};
}

static const struct {
    Stream stream;
    unsigned low, high;
} STREAMS[] = {{reads, 970, 1000}, {writes, 960, 1000}, {copy, 800, 900}, {scattered_copy, 670, 850}, {random_reads, 190, 230}};

START_TEST(streams_are_as_efficient_as_measured)
{
    static Request requests[N];
    uint64_t state = 1;
    for (unsigned i = 0; i < N; i++) {
        requests[i] = STREAMS[_i].stream(i, &state);
        requests[i].arrival = i;
    }
    const DramConfig config = dram_defaults();
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
