#pragma once
/*
 * Every command of a DRAM against the rules of its chips, which are written here once more, from the data sheets' definitions
 * and with no regard to how the DRAM keeps them: t_rcd, t_ras, t_rp, t_rc, t_rrd, t_faw, t_ccd, t_ccdl, t_rtp, t_wr, t_wtr, the
 * way from reading to writing, the data bus, refresh, and that a column command finds its row open.
 */
#include "dram-driver.h"
#include "holds.h"

enum { CHECKER_READ_TO_WRITE_IDLE = 2 };

typedef struct {
    bool open, acted, was_read, was_written, precharged, refreshed;
    uint64_t row;
    Cycle act, pre, read, written; /* clocks of the last ACT, PRE, READ, and of the end of the last written data */
    Cycle refresh;                 /* ... of the bank alone */
} CheckedBank;

typedef struct {
    const DramConfig *config;
    CheckedBank banks[DRAM_BANKS_MAX];
    bool refreshed;
    Cycle refresh;
    Cycle acts[4]; /* the last four */
    size_t n_acts;
    bool column_seen[DRAM_BANKS_MAX];
    Cycle column[DRAM_BANKS_MAX]; /* the last column command of each group */
    DramCommand last;             /* the last of all column commands */
    bool any_column;
} Checker;

static inline bool is_write(DramCommandKind kind)
{
    return kind == DRAM_WRITE;
}

static inline Cycle checker_burst(const DramConfig *config)
{
    return config->burst_length / config->data_rate;
}

static inline void check_act(Checker *c, const DramCommand *command)
{
    const DramConfig *config = c->config;
    CheckedBank *bank = &c->banks[command->bank];
    const Cycle clock = command->clock;
    HOLDS(!bank->open);
    HOLDS(c->n_acts < 1 || clock >= c->acts[(c->n_acts - 1) % 4] + config->t_rrd);
    HOLDS(c->n_acts < 4 || clock >= c->acts[c->n_acts % 4] + config->t_faw);
    HOLDS(!bank->acted || clock >= bank->act + config->t_rc);
    HOLDS(!bank->precharged || clock >= bank->pre + config->t_rp);
    HOLDS(!c->refreshed || clock >= c->refresh + config->t_rfc);
    HOLDS(!bank->refreshed || clock >= bank->refresh + config->t_rfc);
    c->acts[c->n_acts++ % 4] = clock;
    bank->open = bank->acted = true;
    bank->act = clock;
    bank->row = command->row;
}

static inline void check_pre(Checker *c, const DramCommand *command)
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

/* Of a column command and the one before it. */
static inline void check_bus(const Checker *c, const DramCommand *command)
{
    const DramConfig *config = c->config;
    const bool write = is_write(command->kind), after_write = is_write(c->last.kind);
    const Cycle burst = checker_burst(config), before = c->last.clock, now = command->clock;
    const Cycle data = now + (write ? config->t_wl : config->t_cl);
    const Cycle data_end = before + (after_write ? config->t_wl : config->t_cl) + burst;
    HOLDS(now >= before + config->t_ccd);
    HOLDS(data >= data_end);
    if (write && !after_write) HOLDS(data >= data_end + CHECKER_READ_TO_WRITE_IDLE);
    if (!write && after_write) HOLDS(now >= data_end + config->t_wtr);
}

static inline void check_column(Checker *c, const DramCommand *command)
{
    const DramConfig *config = c->config;
    CheckedBank *bank = &c->banks[command->bank];
    const unsigned group = command->bank % config->bank_groups;
    const Cycle clock = command->clock;
    HOLDS(bank->open && bank->row == command->row);
    HOLDS(clock >= bank->act + config->t_rcd);
    if (c->any_column) check_bus(c, command);
    if (config->bank_groups > 1) HOLDS(!c->column_seen[group] || clock >= c->column[group] + config->t_ccdl);
    c->any_column = c->column_seen[group] = true;
    c->column[group] = clock;
    c->last = *command;
    if (is_write(command->kind)) {
        bank->was_written = true;
        bank->written = clock + config->t_wl + checker_burst(config);
    } else {
        bank->was_read = true;
        bank->read = clock;
    }
}

static inline void check_refresh(Checker *c, const DramCommand *command)
{
    const DramConfig *config = c->config;
    for (unsigned i = 0; i < config->banks; i++) {
        const CheckedBank *bank = &c->banks[i];
        HOLDS(!bank->open);
        HOLDS(!bank->precharged || command->clock >= bank->pre + config->t_rp);
        HOLDS(!bank->acted || command->clock >= bank->act + config->t_rc);
    }
    HOLDS(!c->refreshed || command->clock >= c->refresh + config->t_rfc);
    HOLDS(command->clock >= config->t_refi);
    c->refreshed = true;
    c->refresh = command->clock;
}

static inline void check_refresh_bank(Checker *c, const DramCommand *command)
{
    const DramConfig *config = c->config;
    CheckedBank *bank = &c->banks[command->bank];
    HOLDS(config->refresh == DRAM_REFRESH_PER_BANK && !bank->open);
    HOLDS(!bank->precharged || command->clock >= bank->pre + config->t_rp);
    HOLDS(!bank->acted || command->clock >= bank->act + config->t_rc);
    HOLDS(!bank->refreshed || command->clock >= bank->refresh + config->t_rfc);
    bank->refreshed = true;
    bank->refresh = command->clock;
}

static inline gint by_clock(gconstpointer a, gconstpointer b)
{
    const DramCommand *x = a, *y = b;
    return x->clock < y->clock ? -1 : x->clock > y->clock;
}

/* Sorts the log. */
static inline void check_log(const DramConfig *config, GArray *log)
{
    static void (*const CHECKS[])(Checker *, const DramCommand *) = {
        [DRAM_ACT] = check_act,      [DRAM_PRE] = check_pre,         [DRAM_READ] = check_column,
        [DRAM_WRITE] = check_column, [DRAM_REFRESH] = check_refresh, [DRAM_REFRESH_BANK] = check_refresh_bank,
    };
    Checker checker = {.config = config};
    g_array_sort(log, by_clock);
    for (guint i = 0; i < log->len; i++) {
        const DramCommand *command = &g_array_index(log, DramCommand, i);
        CHECKS[command->kind](&checker, command);
    }
}

/* The commands of a log are those of the requests, all of which are done, and the statistics say so. */
static inline void check_counts(const DramStats *stats, const DramConfig *config, const GArray *log, const Request *requests,
                                size_t n)
{
    uint64_t commands[DRAM_REFRESH_BANK + 1] = {0}, wanted[DRAM_REFRESH_BANK + 1] = {0}, masked = 0;
    for (guint i = 0; i < log->len; i++)
        commands[g_array_index(log, DramCommand, i).kind]++;
    for (size_t i = 0; i < n; i++) {
        const DramAccess access = access_of(&requests[i]);
        wanted[access == DRAM_ACCESS_READ ? DRAM_READ : DRAM_WRITE] += requests[i].bytes / dram_burst_bytes(config);
        masked += access == DRAM_ACCESS_MASKED_WRITE;
    }
    for (DramCommandKind kind = DRAM_READ; kind <= DRAM_WRITE; kind++)
        ck_assert_uint_eq(commands[kind], wanted[kind]);
    const uint64_t bursts = wanted[DRAM_READ] + wanted[DRAM_WRITE];
    ck_assert_uint_eq(stats->masked_writes, masked);
    ck_assert_uint_eq(stats->busy_clocks, bursts * checker_burst(config));
    ck_assert_uint_eq(stats->read_bytes, wanted[DRAM_READ] * dram_burst_bytes(config));
    ck_assert_uint_eq(stats->read_bytes + stats->written_bytes, bursts * dram_burst_bytes(config));
    ck_assert_uint_eq(stats->reads + stats->writes, n);
    ck_assert_uint_eq(stats->row_hits + stats->row_misses, n);
    ck_assert_uint_eq(stats->activates, commands[DRAM_ACT]);
    ck_assert_uint_eq(stats->precharges, commands[DRAM_PRE]);
}
