#pragma once
/*
 * DRAM: the memory chips of one partition and their controller. Modelled: banks with one open row each, groups of banks, the
 * timing constraints below under their JEDEC names, a data bus that reads and writes share, read and write
 * queues with a scheduling policy, batched write draining, refresh of all banks at once or one by one. Not modelled: the command bus, a
 * shorter tRCD of writes, tRRD and tWTR that differ within a group, temperature, errors (docs/accuracy.md,
 * S29). How addresses become banks and rows, and the queues, are choices (S16); a transaction of 32 bytes takes its burst also when it
 * writes 4 (S17).
 * Times in this interface are DRAM command clocks. Sources: sources A5 (Samsung K4J52324QH-HC12 through a public configuration);
 * read-to-write delay, refresh: Qimonda HYB18H512321 data sheet, a 512 Mbit GDDR3 of the same years; bank groups: sources F.
 *
 * Closed forms. An unloaded read of n bursts that arrives at clock t has left the bus, its bank being precharged, at
 *     t + t_rcd + t_cl + (n - 1) * gap + burst,   gap = max(t_ccd, burst),  burst = burst_length / data_rate clocks;
 * with its row open t_rcd falls away, with another row open t_rp is added. A write has t_wl for t_cl. Masks cost nothing: the
 * chips take them with the data. With bank groups t_ccdl stands for t_ccd.
 *
 * Bank groups. The group of a bank is the low bits of its number (a model choice), so that neighbouring rows lie in different
 * groups, and so do neighbouring stretches of group_bytes. Column commands of one group are t_ccdl apart, those of different
 * groups t_ccd. A request lies in one bank: its bursts are t_ccdl apart, and bursts of requests to other groups go between
 * them. With one group the bursts of a request are served without a break.
 *
 * Fairness. Requests of one direction enter its queue in order of arrival, and no more than DRAM_SPAN - 1 younger ones of the
 * same direction can be served before an older one, but for what a refresh of its bank holds back. Neither direction keeps the
 * bus for more than DRAM_PATIENCE requests (with bank groups, bursts) while the other has one waiting.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/cycle.h"
#include "base/stats.h"

enum {
    DRAM_SPAN = 64,      /* the oldest and the youngest request that a scheduler sees are less than this many arrivals apart */
    DRAM_PATIENCE = 256, /* requests of one direction that may be served in a row while the other direction waits */
    DRAM_BANKS_MAX = 32,
};

typedef enum { DRAM_PAGE_OPEN, DRAM_PAGE_CLOSED } DramPage;
typedef enum { DRAM_BANK_PLAIN, DRAM_BANK_XOR } DramBankCycle;
typedef enum { DRAM_REFRESH_ALL, DRAM_REFRESH_PER_BANK } DramRefreshMode;

typedef struct {
    uint32_t khz;       /* command clock */
    uint32_t data_rate; /* transfers per clock: 2 for DDR */
    uint32_t bus_bytes; /* width of the partition's data bus */
    uint32_t burst_length;
    uint32_t banks, row_bytes; /* row_bytes: of one row across the partition's chips */
    uint32_t bank_groups;      /* 1: there are none */
    uint32_t group_bytes;      /* consecutive addresses in one group */
    uint32_t bank_cycle;       /* DramBankCycle: the bank bits of the address as they are, or XOR the bits of the row */
    uint32_t t_ccd, t_ccdl, t_rrd, t_faw, t_rcd, t_ras, t_rp, t_rc, t_cl, t_wl, t_wtr, t_wr, t_rtp;
    uint32_t refresh;       /* DramRefreshMode: all banks at once (REFab), or bank by bank (REFpb) */
    uint32_t t_refi, t_rfc; /* interval of all refreshes, or of those of one bank, and their duration; t_refi 0: no refresh */
    uint32_t scheduler;     /* index into the table of policies: fr-fcfs | fcfs */
    uint32_t page;          /* DramPage: rows stay open until another is wanted, or close when no request in sight wants them */
    uint32_t read_queue, write_queue; /* entries the scheduler sees; what does not fit waits in one queue, in arrival order */
    uint32_t write_high, write_low;   /* writes are drained from `high` waiting (or when no read waits) down to `low` */
    bool ideal; /* no key of [dram], but [ideal] dram_bandwidth: every request is served at once (dram-ideal.c) */
} DramConfig;

extern const GsConfigTable dram_config; /* [dram] */

typedef struct {
    uint64_t reads, writes; /* requests */
    uint64_t masked_writes; /* of the writes, those that do not fill their bursts */
    uint64_t read_bytes, written_bytes;
    uint64_t row_hits, row_misses; /* requests whose row was open when they came up, and those that needed an ACT */
    uint64_t activates, precharges, refreshes;
    uint64_t turnarounds; /* changes of the bus between reads and writes */
    uint64_t busy_clocks; /* DRAM clocks in which the data bus carried data */
} DramStats;

extern const GsStatTable dram_stats;

typedef struct Dram Dram;

typedef struct {
    uint32_t cookie; /* the owner's; comes back in DramDone */
    Cycle end;       /* read: the clock at which its last data left the bus; write: at which its last data was taken */
} DramDone;

/* `number`: of the channel; refresh bank by bank begins with another bank in each. */
Dram *dram_new(const DramConfig *config, unsigned number);
void dram_free(Dram *dram);

/* What a request does: flags. Masked: not every byte of its bursts is written. */
enum { DRAM_MASKED = 1 << 15 }; /* more than the bursts of any request */
typedef enum {
    DRAM_ACCESS_READ = 0,
    DRAM_ACCESS_WRITE = 1,
    DRAM_ACCESS_MASKED_WRITE = DRAM_ACCESS_WRITE | DRAM_MASKED,
} DramAccess;

/* Of arrivals at one clock those of lower rank come first, of equal rank those pushed first. So the order does not depend on who is simulated
 * first when several parts of a partition ask. */
typedef enum { DRAM_RANK_CACHE, DRAM_RANK_DIRECT, DRAM_RANK_ATOMIC } DramRank;

/* A request for `bytes` (a multiple of the burst, within one row, and with bank groups within group_bytes) at `local`, arriving
 * at clock `arrival`, which lies after every decision of a dram_run so far and after the moment of a `done` it is called from. */
void dram_push(Dram *dram, Cycle arrival, DramRank rank, Addr local, unsigned bytes, DramAccess access, uint32_t cookie);

/* Simulates every decision before clock `until`, in time order; calls `done` for each request at the moment its column
 * commands are decided, with a completion time after that moment. Completion times increase from call to call. How a stretch
 * of time is cut into runs changes nothing. */
typedef void (*DramDoneFn)(void *owner, DramDone done);
void dram_run(Dram *dram, Cycle until, DramDoneFn done, void *owner);

/* The next clock at which something can happen, CYCLE_NEVER when nothing waits. It is never too late, and running past it is
 * progress. */
Cycle dram_next(const Dram *dram);

/* Requests that have arrived or will, and are not done. */
unsigned dram_pending(const Dram *dram);

/* Refreshes are counted when a later decision needs them. This counts those that fell due before clock `at`, which no
 * dram_run may have passed by a decision: call it with the end of a kernel before reading its statistics. */
void dram_settle(Dram *dram, Cycle at);

/* All counted so far; valid until the next dram_run. */
const DramStats *dram_get_stats(Dram *dram);

/* Every command that goes to the chips, for tests and tools; clocks are not in order across banks. NULL (the start) for
 * none. */
typedef enum { DRAM_ACT, DRAM_PRE, DRAM_READ, DRAM_WRITE, DRAM_REFRESH, DRAM_REFRESH_BANK } DramCommandKind;
typedef struct {
    Cycle clock;
    uint64_t row; /* ACT, READ and WRITE */
    uint32_t bank;
    DramCommandKind kind;
} DramCommand;
typedef void (*DramProbe)(void *owner, const DramCommand *command);
void dram_set_probe(Dram *dram, DramProbe probe, void *owner);

/* Bytes per second the data bus can carry. */
uint64_t dram_peak_bytes_per_second(const DramConfig *config);
/* Smallest transfer: burst_length * bus_bytes. */
unsigned dram_burst_bytes(const DramConfig *config);
