#pragma once
/* Drives one DRAM in a test: configurations, a list of requests, the completions that come back, a log of the commands. */
#include "random.h"
#include "unit.h"

#include "mem/dram.h"

typedef struct {
    Cycle arrival;
    Addr local;
    unsigned bytes;
    bool write, masked;
} Request;

static inline DramConfig dram_defaults(void)
{
    DramConfig config;
    gs_config_defaults(&(GsConfigPart){&dram_config, 0}, 1, &config);
    return config;
}

/* For timing to the clock: no refresh, and banks that are easy to name. */
static inline DramConfig dram_plain(void)
{
    DramConfig config = dram_defaults();
    config.t_refi = 0;
    config.bank_cycle = DRAM_BANK_PLAIN;
    return config;
}

/* Timing and queues of GDDR5 and of HBM, in the proportions of the boards' configurations (sources F); plain banks, no refresh. */
static inline DramConfig dram_gddr5(void)
{
    DramConfig config = dram_plain();
    config.data_rate = 4, config.bus_bytes = 4, config.burst_length = 8;
    config.banks = 16, config.bank_groups = 4, config.group_bytes = 256, config.row_bytes = 2048;
    config.t_ccd = 2, config.t_ccdl = 3, config.t_rrd = 6, config.t_faw = 23;
    config.t_rcd = 12, config.t_ras = 28, config.t_rp = 12, config.t_rc = 40;
    config.t_cl = 12, config.t_wl = 4, config.t_wtr = 5, config.t_wr = 12, config.t_rtp = 2;
    config.read_queue = config.write_queue = 64, config.write_high = 48, config.write_low = 8;
    return config;
}

static inline DramConfig dram_hbm(void)
{
    DramConfig config = dram_plain();
    config.data_rate = 2, config.bus_bytes = 16, config.burst_length = 2;
    config.banks = 16, config.bank_groups = 4, config.group_bytes = 256, config.row_bytes = 1024;
    config.t_ccd = 1, config.t_ccdl = 2, config.t_rrd = 3, config.t_faw = 14;
    config.t_rcd = 12, config.t_ras = 28, config.t_rp = 12, config.t_rc = 40;
    config.t_cl = 12, config.t_wl = 2, config.t_wtr = 3, config.t_wr = 10, config.t_rtp = 3;
    config.read_queue = config.write_queue = 64, config.write_high = 48, config.write_low = 8;
    return config;
}

/* The same HBM refreshed bank by bank: an eighth of the time, as an H200's. */
static inline DramConfig dram_hbm_per_bank(void)
{
    DramConfig config = dram_hbm();
    config.refresh = DRAM_REFRESH_PER_BANK, config.t_refi = 2400, config.t_rfc = 300;
    return config;
}

static inline DramAccess access_of(const Request *request)
{
    return !request->write ? DRAM_ACCESS_READ : request->masked ? DRAM_ACCESS_MASKED_WRITE : DRAM_ACCESS_WRITE;
}

static inline void push(Dram *dram, const Request *request, size_t number)
{
    dram_push(dram, request->arrival, DRAM_RANK_DIRECT, request->local, request->bytes, access_of(request), (uint32_t)number);
}

static inline void record_done(void *owner, DramDone done)
{
    g_array_append_val((GArray *)owner, done);
}

static inline void record_command(void *owner, const DramCommand *command)
{
    g_array_append_val((GArray *)owner, *command);
}

/* Pushes the requests, numbered from 0, each before the window in which it arrives; `window` gives the length of each window. */
static inline void drive(Dram *dram, const Request *requests, size_t n, Cycle (*window)(uint64_t *state), GArray *done)
{
    uint64_t state = 3;
    Cycle until = 0;
    for (size_t i = 0; i < n || dram_pending(dram);) {
        until += window(&state);
        for (; i < n && requests[i].arrival < until; i++)
            push(dram, &requests[i], i);
        dram_run(dram, until, record_done, done);
    }
}

static inline Cycle one_window(uint64_t *state)
{
    (void)state;
    return UINT64_C(1) << 40;
}

/* All requests in one run. Returns the completions in their order, an array of DramDone; free with g_array_unref. */
static inline GArray *run_all(const DramConfig *config, const Request *requests, size_t n, DramStats *ret_stats)
{
    GArray *done = g_array_new(FALSE, FALSE, sizeof(DramDone));
    Dram *dram = dram_new(config, 0);
    drive(dram, requests, n, one_window, done);
    if (ret_stats) *ret_stats = *dram_get_stats(dram);
    dram_free(dram);
    return done;
}

static inline DramDone done_at(const GArray *done, size_t i)
{
    return g_array_index(done, DramDone, i);
}

/* When request `cookie` ended. */
static inline Cycle end_of(const GArray *done, uint32_t cookie)
{
    for (guint i = 0; i < done->len; i++) {
        if (done_at(done, i).cookie == cookie) return done_at(done, i).end;
    }
    ck_abort_msg("request %u is not done", cookie);
    return 0;
}

/* Traffic with everything in it: bursts of arrivals and silences, streams and random places, both directions, all sizes. */
static inline void random_traffic(uint64_t seed, Request *requests, size_t n)
{
    static const unsigned SIZES[] = {32, 64, 64, 128, 256};
    uint64_t state = seed, stream = 0;
    Cycle now = 0;
    for (size_t i = 0; i < n; i++) {
        if (random_below(&state, 50) == 0) now += random_below(&state, random_below(&state, 8) == 0 ? 20000 : 300);
        now += random_below(&state, 5);
        const bool wild = random_below(&state, 6) == 0;
        const unsigned bytes = SIZES[random_below(&state, G_N_ELEMENTS(SIZES))];
        stream += 256;
        const Addr place = wild ? random_below(&state, 1 << 22) : stream + random_below(&state, 3) * 100000;
        const bool write = random_below(&state, 1 + i / 512 % 4) == 1;
        const bool masked = random_below(&state, 3) == 0;
        requests[i] = (Request){.arrival = now, .local = place / 256 * 256, .bytes = bytes, .write = write, .masked = masked};
    }
}
