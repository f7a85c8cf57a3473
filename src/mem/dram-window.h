#pragma once
/*
 * A window holds the requests of one direction that the DRAM's scheduler sees. Each has a slot, its number of arrival modulo
 * DRAM_SPAN, so that sets of requests are 64-bit masks and the oldest of a set is found by a rotation. Sets of banks are 32-bit
 * masks. The functions are inline because they run several times for every request.
 */
#include "base/bits.h"
#include "mem/dram.h"

#define DRAM_NO_ROW UINT64_MAX

enum { DRAM_READS, DRAM_WRITES, DRAM_DIRECTIONS }; /* indices of what exists for each direction */

typedef struct {
    uint64_t row;
    uint32_t cookie;
    uint16_t bursts; /* still to be served, and DRAM_MASKED when they are not filled */
    uint8_t bank;
    uint8_t direction;
} DramRequest;

typedef struct {
    uint64_t head, tail; /* numbers of arrival: of the oldest request, and of the next one to come */
    uint64_t live;       /* requests waiting */
    uint64_t hits;       /* those whose row is open or being opened */
    uint64_t ready;      /* those whose row is open */
    uint64_t missed;     /* those for which a row has been opened */
    uint32_t waiting;    /* banks with requests */
    uint32_t hit_banks;  /* banks with hits */
    uint32_t count, limit;
    uint64_t in_bank[DRAM_BANKS_MAX];
    DramRequest requests[DRAM_SPAN];
} DramWindow;

static inline bool dram_window_has_room(const DramWindow *window)
{
    return window->count < window->limit && window->tail - window->head < DRAM_SPAN;
}

/* The slot of the oldest request of a set that is not empty. */
static inline unsigned dram_window_oldest(const DramWindow *window, uint64_t set)
{
    const unsigned by = window->head % DRAM_SPAN;
    return (bits_lowest(set >> by | set << (-by % DRAM_SPAN)) + by) % DRAM_SPAN;
}

/* `hit`: its row is open or being opened; `ready`: it is open. */
static inline void dram_window_add(DramWindow *window, const DramRequest *request, bool hit, bool ready)
{
    const unsigned slot = window->tail++ % DRAM_SPAN;
    const uint64_t bit = UINT64_C(1) << slot;
    const uint32_t bank = UINT32_C(1) << request->bank;
    window->requests[slot] = *request;
    window->count++;
    window->live |= bit;
    window->in_bank[request->bank] |= bit;
    window->waiting |= bank;
    if (hit) {
        window->hits |= bit;
        window->ready |= (uint64_t)ready << slot;
        window->hit_banks |= bank;
    }
}

static inline void dram_window_remove(DramWindow *window, unsigned slot, unsigned bank)
{
    const uint64_t keep = ~(UINT64_C(1) << slot);
    const uint64_t in_bank = window->in_bank[bank] & keep;
    window->count--;
    window->live &= keep;
    window->hits &= keep;
    window->ready &= keep;
    window->missed &= keep;
    window->in_bank[bank] = in_bank;
    if (!(in_bank & window->hits)) window->hit_banks &= ~(UINT32_C(1) << bank);
    if (!in_bank) window->waiting &= ~(UINT32_C(1) << bank);
    if (slot != window->head % DRAM_SPAN) return;
    window->head = window->live ? window->head + (dram_window_oldest(window, window->live) - slot) % DRAM_SPAN : window->tail;
}

/* `row` of `bank` begins to open (DRAM_NO_ROW: none): finds the hits. */
static inline void dram_window_row_changed(DramWindow *window, unsigned bank, uint64_t row)
{
    uint64_t hits = 0;
    for (uint64_t rest = window->in_bank[bank]; rest; rest &= rest - 1) {
        const unsigned slot = bits_lowest(rest);
        hits |= (uint64_t)(window->requests[slot].row == row) << slot;
    }
    window->ready &= ~window->in_bank[bank];
    window->hits = (window->hits & ~window->in_bank[bank]) | hits;
    window->hit_banks = (window->hit_banks & ~(UINT32_C(1) << bank)) | (uint32_t)(hits != 0) << bank;
}

/* The row of `bank` is open. */
static inline void dram_window_row_open(DramWindow *window, unsigned bank)
{
    window->ready |= window->hits & window->in_bank[bank];
}
