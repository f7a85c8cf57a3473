#pragma once
/* Inside the DRAM: shared by its files and its scheduling policies. */
#include "mem/dram-arrivals.h"
#include "mem/dram-window.h"
#include "mem/dram.h"

/* A scheduling policy says which requests may be served and what may be prepared; its name stands in the table
 * (dram-config.c). */
typedef struct {
    /* Of `ready`, hits whose column command would be legal now, those that may be served; the oldest of them will be. NULL: all. */
    uint64_t (*servable)(const DramWindow *window, uint64_t ready);
    /* Banks whose row is to be changed for the oldest request that waits there. NULL: those in which no request is a hit. */
    uint32_t (*wanting)(const DramWindow *window);
} DramScheduler;

extern const DramScheduler dram_sched_frfcfs, dram_sched_fcfs;

const DramScheduler *dram_scheduler(const DramConfig *config);

enum { DRAM_FAW = 4 }; /* ACTs in a window of t_faw */

/* A command is legal from the clock that its field names. */
typedef struct {
    uint64_t row;    /* open, or being opened; DRAM_NO_ROW when precharged */
    Cycle row_ok;    /* the first command of a change of row: PRE when a row is open, else ACT */
    Cycle act_ok;    /* ACT */
    Cycle column_ok; /* READ, WRITE */
} DramBank;

typedef struct {
    uint64_t requests, bursts; /* served */
} DramCounts;

/* Refresh bank by bank (dram-refresh.c). */
typedef struct {
    Cycle interval;                    /* from one bank's turn to the next one's */
    unsigned turn;                     /* modulo the banks: whose turn is next */
    uint32_t rest;                     /* of t_refi over the banks, that the intervals have left out so far */
    uint32_t lot;                      /* of the moments at which they come */
    uint32_t draining;                 /* banks that are due, but requests in the windows come first */
    Cycle end[DRAM_BANKS_MAX];         /* of a refresh under way */
    Cycle release_at;                  /* the earliest of these; CYCLE_NEVER for none */
    unsigned held_of[DRAM_DIRECTIONS]; /* requests held, by direction */
    unsigned held_in[DRAM_BANKS_MAX];  /* ... and by bank */
    DramRequest held[2 * DRAM_SPAN];   /* in order of arrival */
} DramRefresh;

struct Dram {
    DramConfig config;
    const DramScheduler *scheduler;
    unsigned burst_shift, row_shift, bank_bits; /* of the address; bytes of a burst as a power of two */
    unsigned group_shift, group_bits;           /* of the address and of the bank; no group_bits without groups */
    unsigned row_number_shift;                  /* of the address: above them is the row */
    bool mixed;                                 /* the bank is not simply what is below the row */
    bool restricted;                            /* not all that are ready may be served: groups, or the scheduler */
    unsigned span_bytes;                        /* that a request may not leave: a row, or a stretch of one group */
    Cycle burst_clocks, gap;                    /* of the data of one burst; from one column command to the next */
    Cycle group_gap;                            /* ... to the next of the same group */
    Cycle to_end[DRAM_DIRECTIONS];              /* from a column command to the end of its data */
    Cycle to_pre[DRAM_DIRECTIONS];              /* ... to PRE of its bank */
    Cycle to_reverse[DRAM_DIRECTIONS];          /* ... to a column command of the other direction */

    Cycle wake;  /* no decision before this clock */
    Cycle floor; /* no arrival before this clock: up to it all is decided */
    Cycle refresh_at;
    uint32_t shut;                    /* banks whose requests enter no window: their refresh is due or under way */
    unsigned held, held_free;         /* requests that are held for it; of these, those whose bank takes some again */
    DramRefresh *refresh;             /* bank by bank; NULL for all at once, or none */
    Cycle act_slot;                   /* ACT of any bank */
    Cycle window_ok[DRAM_FAW];        /* the last ACTs' clocks and t_faw: when the ACT that follows by DRAM_FAW is legal */
    unsigned acts;                    /* the next of these */
    Cycle column_ok[DRAM_DIRECTIONS]; /* a column command of any bank */
    Cycle group_ok[DRAM_BANKS_MAX];   /* a column command of a group */
    unsigned direction;               /* which requests have the bus */
    DramWindow *own, *other;          /* their window, and the other one */
    unsigned served;                  /* direction of the last request that was served */
    unsigned turn;                    /* requests of that direction served in a row while the other direction waited */
    uint32_t opening;                 /* banks whose column_ok is to come */
    Cycle open_at;                    /* the earliest of these; CYCLE_NEVER for none */
    DramBank banks[DRAM_BANKS_MAX];
    DramWindow windows[DRAM_DIRECTIONS];

    DramArrivals arrivals[DRAM_DIRECTIONS]; /* requests that are in no window yet */
    uint64_t pushes;                        /* so far */
    Cycle admit_at;                         /* when the first of them can enter its window; CYCLE_NEVER while that is full */

    Cycle ideal_end; /* without limits: when the last request is done */
    DramDoneFn done;
    void *done_owner;
    DramProbe probe;
    void *probe_owner;
    DramCounts counts[DRAM_DIRECTIONS];
    DramStats stats; /* what is counted as it happens; dram_get_stats works out the rest */
};

/* The banks whose row is to be changed for requests of a window. */
static inline uint32_t dram_wanting(const Dram *dram, const DramWindow *window)
{
    if (G_UNLIKELY(dram->scheduler->wanting != NULL)) return dram->scheduler->wanting(window);
    return window->waiting & ~window->hit_banks;
}

static inline void dram_report(const Dram *dram, DramCommandKind kind, Cycle clock, unsigned bank, uint64_t row)
{
    if (!dram->probe) return;
    dram->probe(dram->probe_owner, &(DramCommand){.clock = clock, .row = row, .bank = bank, .kind = kind});
}

/* Rows (dram-rows.c). Changes rows that requests want, as far as that can be decided at clock `now`; returns when more may
 * be. */
Cycle dram_rows_step(Dram *dram, Cycle now);
void dram_rows_close(Dram *dram, unsigned bank);
/* Makes the requests ready whose rows are open at clock `now`. */
void dram_rows_opened(Dram *dram, Cycle now);
/* `row` of `bank` begins to open (DRAM_NO_ROW: it closes). */
void dram_rows_change(Dram *dram, unsigned bank, uint64_t row);

/* A request enters a window, which has room. */
static inline void dram_enter(Dram *dram, DramWindow *window, const DramRequest *request)
{
    const bool hit = dram->banks[request->bank].row == request->row, opening = dram->opening >> request->bank & 1;
    dram_window_add(window, request, hit, !opening);
}

/* Refresh (dram-refresh.c). `number`: of the channel, so that not all begin with the same bank. */
void dram_refresh_init(Dram *dram, unsigned number);
/* Does the refreshes that fell due by clock `now`. */
void dram_refresh_due(Dram *dram, Cycle now);

/* Bank by bank, where some bank is shut. Opens those whose refresh is over at clock `now`; */
void dram_refresh_release(Dram *dram, Cycle now);
/* begins those whose last request has left the windows; */
void dram_refresh_drained(Dram *dram, Cycle now);
/* holds a request for a shut bank, or says that as many of its direction are held already as a window sees; */
bool dram_refresh_hold(Dram *dram, const DramRequest *request);
/* lets those enter whose bank is open again, as far as there is room; */
void dram_refresh_admit(Dram *dram);
/* when the first bank opens again, while anything is held; CYCLE_NEVER otherwise. */
Cycle dram_refresh_next(const Dram *dram);

/* Without limits (dram-ideal.c): all decisions before clock `until`. */
void dram_ideal_run(Dram *dram, Cycle until);
