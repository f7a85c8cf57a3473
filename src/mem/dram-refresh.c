/*
 * Refresh: of all banks at once, or bank by bank.
 *
 * Bank by bank, banks take turns, so that each is refreshed once in t_refi. From the moment when it is due no request for the bank enters a
 * window: it is held here until the refresh is over, so that it keeps nobody out. The refresh begins when those in the windows are served, or, if
 * that has not happened, when it is due again: JEDEC lets a controller postpone refreshes (by up to eight intervals).
 */
#include "mem/dram-private.h"

/* Precharges a bank for a refresh that fell due at clock `due`; returns when it is ready for it. */
static Cycle close_bank(Dram *dram, unsigned index, Cycle due)
{
    DramBank *bank = &dram->banks[index];
    bank->row_ok = cycle_max(bank->row_ok, due);
    if (bank->row != DRAM_NO_ROW) {
        dram_rows_close(dram, index);
        dram_rows_change(dram, index, DRAM_NO_ROW);
    }
    return bank->row_ok;
}

/* Precharges every bank for a refresh that fell due at clock `due`; returns when the last of them is ready for it. */
static Cycle close_all(Dram *dram, Cycle due)
{
    Cycle ready = due;
    for (unsigned i = 0; i < dram->config.banks; i++)
        ready = cycle_max(ready, close_bank(dram, i, due));
    dram->opening = 0;
    dram->open_at = CYCLE_NEVER;
    return ready;
}

/* In a long idle time only the first refresh finds open rows, and the rest run on schedule: they need no steps of their own. */
static void refresh_all(Dram *dram, Cycle now)
{
    const Cycle interval = dram->config.t_refi, duration = dram->config.t_rfc;
    Cycle ready = close_all(dram, dram->refresh_at);
    do {
        const Cycle start = cycle_max(dram->refresh_at, ready);
        dram_report(dram, DRAM_REFRESH, start, 0, DRAM_NO_ROW);
        ready = start + duration;
        dram->refresh_at += interval;
        dram->stats.refreshes++;
    } while (dram->refresh_at <= now && dram->refresh_at < ready);
    if (dram->refresh_at <= now) {
        const Cycle more = (now - dram->refresh_at) / interval;
        const Cycle start = dram->refresh_at + more * interval;
        dram_report(dram, DRAM_REFRESH, start, 0, DRAM_NO_ROW);
        ready = start + duration;
        dram->refresh_at = start + interval;
        dram->stats.refreshes += more + 1;
    }
    for (unsigned i = 0; i < dram->config.banks; i++)
        dram->banks[i].row_ok = dram->banks[i].act_ok = ready;
}

static inline uint32_t bit_of(unsigned bank)
{
    return UINT32_C(1) << bank;
}

/* Takes no requests for a bank from now on. */
static void shut(Dram *dram, unsigned bank)
{
    DramRefresh *refresh = dram->refresh;
    if (!(dram->shut & bit_of(bank))) dram->held_free -= refresh->held_in[bank];
    dram->shut |= bit_of(bank);
}

static void under_way(Dram *dram, unsigned bank, Cycle end)
{
    DramRefresh *refresh = dram->refresh;
    dram->banks[bank].row_ok = dram->banks[bank].act_ok = end;
    refresh->end[bank] = end;
    refresh->release_at = cycle_min(refresh->release_at, end);
    refresh->draining &= ~bit_of(bank);
}

static void begin(Dram *dram, unsigned bank, Cycle due)
{
    const Cycle start = close_bank(dram, bank, due);
    dram->opening &= ~bit_of(bank);
    dram_report(dram, DRAM_REFRESH_BANK, start, bank, DRAM_NO_ROW);
    dram->stats.refreshes++;
    under_way(dram, bank, start + dram->config.t_rfc);
}

static uint32_t waited_for(const Dram *dram)
{
    return dram->own->waiting | dram->other->waiting;
}

/* Where nothing waits, whole rounds but the last one or two leave no trace: they need no steps of their own. */
static void skip_rounds(Dram *dram, Cycle now)
{
    const Cycle round = dram->refresh->interval * dram->config.banks;
    if (now - dram->refresh_at < 3 * round || waited_for(dram) || dram->held) return;
    const Cycle rounds = (now - dram->refresh_at) / round - 2;
    dram->refresh_at += rounds * round;
    dram->stats.refreshes += rounds * dram->config.banks;
}

/* A controller takes the moment that suits it: turns are half an interval to one and a half apart, on average t_refi over the banks. Without that
 * an access that comes back to a bank at a multiple of t_refi would meet its refresh each time, or never. */
static Cycle next_turn(Dram *dram)
{
    DramRefresh *refresh = dram->refresh;
    const Cycle half = (refresh->interval + 1) / 2, more = refresh->interval - half;
    refresh->lot = refresh->lot * 1664525 + 1013904223; /* Numerical Recipes' linear congruential generator */
    refresh->rest += dram->config.t_refi % dram->config.banks;
    const bool carry = refresh->rest >= dram->config.banks;
    if (carry) refresh->rest -= dram->config.banks;
    return half + (refresh->lot >> 8) % (2 * more + 1) + carry;
}

static void refresh_banks(Dram *dram, Cycle now)
{
    DramRefresh *refresh = dram->refresh;
    skip_rounds(dram, now);
    for (; dram->refresh_at <= now; dram->refresh_at += next_turn(dram)) {
        const unsigned bank = refresh->turn++ % dram->config.banks;
        shut(dram, bank);
        if ((waited_for(dram) & ~refresh->draining) & bit_of(bank)) {
            refresh->draining |= bit_of(bank);
        } else {
            begin(dram, bank, dram->refresh_at);
        }
    }
}

void dram_refresh_due(Dram *dram, Cycle now)
{
    if (dram->refresh) {
        refresh_banks(dram, now);
    } else {
        refresh_all(dram, now);
    }
}

void dram_refresh_release(Dram *dram, Cycle now)
{
    DramRefresh *refresh = dram->refresh;
    if (now < refresh->release_at) return;
    refresh->release_at = CYCLE_NEVER;
    for (uint32_t rest = dram->shut & ~refresh->draining; rest; rest &= rest - 1) {
        const unsigned bank = bits_lowest(rest);
        if (refresh->end[bank] > now) {
            refresh->release_at = cycle_min(refresh->release_at, refresh->end[bank]);
            continue;
        }
        dram->shut &= ~bit_of(bank);
        dram->held_free += refresh->held_in[bank];
        dram->admit_at = now; /* also for one that waits for this bank behind a full list of those held */
    }
}

void dram_refresh_drained(Dram *dram, Cycle now)
{
    for (uint32_t rest = dram->refresh->draining & ~waited_for(dram); rest; rest &= rest - 1)
        begin(dram, bits_lowest(rest), now);
}

bool dram_refresh_hold(Dram *dram, const DramRequest *request)
{
    DramRefresh *refresh = dram->refresh;
    if (refresh->held_of[request->direction] == DRAM_SPAN) return false;
    refresh->held_of[request->direction]++;
    refresh->held_in[request->bank]++;
    refresh->held[dram->held++] = *request;
    return true;
}

void dram_refresh_admit(Dram *dram)
{
    DramRefresh *refresh = dram->refresh;
    unsigned kept = 0;
    for (unsigned i = 0; i < dram->held; i++) {
        const DramRequest request = refresh->held[i];
        DramWindow *window = &dram->windows[request.direction];
        if (dram->shut & bit_of(request.bank) || !dram_window_has_room(window)) {
            refresh->held[kept++] = request;
            continue;
        }
        refresh->held_of[request.direction]--;
        refresh->held_in[request.bank]--;
        dram->held_free--;
        dram_enter(dram, window, &request);
    }
    dram->held = kept;
}

Cycle dram_refresh_next(const Dram *dram)
{
    return dram->held ? dram->refresh->release_at : CYCLE_NEVER;
}

/* As if it had gone on for ever: the last banks before the first turn are not all through. */
static void begin_in_the_midst(Dram *dram)
{
    const DramRefresh *refresh = dram->refresh;
    for (unsigned i = 0; i < dram->config.banks; i++) {
        const Cycle ago = refresh->interval * (dram->config.banks - 1 - i);
        if (dram->config.t_rfc <= ago) continue;
        const unsigned bank = (refresh->turn + i) % dram->config.banks;
        shut(dram, bank);
        under_way(dram, bank, dram->config.t_rfc - ago);
    }
}

/* Each channel begins so many banks behind the one before: a choice, without a common factor with the banks. */
enum { FIRST_BANK = 5 };

void dram_refresh_init(Dram *dram, unsigned number)
{
    const DramConfig *config = &dram->config;
    dram->refresh_at = CYCLE_NEVER;
    if (config->ideal || !config->t_refi) return;
    dram->refresh_at = config->t_refi;
    if (config->refresh == DRAM_REFRESH_ALL) return;
    dram->refresh = g_new0(DramRefresh, 1);
    dram->refresh->release_at = CYCLE_NEVER;
    dram->refresh->interval = dram->refresh_at = config->t_refi / config->banks;
    dram->refresh->lot = number;
    dram->refresh->turn = number * FIRST_BANK;
    begin_in_the_midst(dram);
}
