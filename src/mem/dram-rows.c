/* Rows of the DRAM: which to open and close when. */
#include "mem/dram-private.h"

void dram_rows_change(Dram *dram, unsigned bank, uint64_t row)
{
    dram->banks[bank].row = row;
    for (unsigned i = 0; i < DRAM_DIRECTIONS; i++) {
        if (dram->windows[i].in_bank[bank]) dram_window_row_changed(&dram->windows[i], bank, row);
    }
}

/* Decides PRE, where a row is open, and ACT for a request. The caller has seen that the first of them is legal now and that
 * t_rrd and t_faw hold for the second. ACTs are decided in the order of their clocks. */
static void open_row(Dram *dram, Cycle now, DramWindow *window, unsigned slot)
{
    const DramConfig *config = &dram->config;
    const DramRequest *request = &window->requests[slot];
    DramBank *bank = &dram->banks[request->bank];
    Cycle act = now;
    if (bank->row != DRAM_NO_ROW) {
        act = cycle_max(now + config->t_rp, bank->act_ok);
        dram->stats.precharges++;
        dram_report(dram, DRAM_PRE, now, request->bank, bank->row);
    }
    bank->act_ok = act + config->t_rc;
    bank->column_ok = act + config->t_rcd;
    bank->row_ok = cycle_max(act + config->t_ras, bank->act_ok - config->t_rp);
    dram->window_ok[dram->acts] = act + config->t_faw;
    dram->acts = (dram->acts + 1) % DRAM_FAW;
    dram->act_slot = cycle_max(act + config->t_rrd, dram->window_ok[dram->acts]);
    dram->opening |= UINT32_C(1) << request->bank;
    dram->open_at = cycle_min(dram->open_at, bank->column_ok);
    dram->stats.activates++;
    window->missed |= UINT64_C(1) << slot;
    dram_report(dram, DRAM_ACT, act, request->bank, request->row);
    dram_rows_change(dram, request->bank, request->row);
}

/* The requests that wait in those of `banks` whose row may be changed now; *next becomes the earliest later clock of the
 * others. */
static uint64_t changeable(const Dram *dram, const DramWindow *window, uint32_t banks, Cycle now, Cycle *next)
{
    uint64_t set = 0;
    for (uint32_t rest = banks; rest; rest &= rest - 1) {
        const unsigned index = bits_lowest(rest);
        const DramBank *bank = &dram->banks[index];
        const Cycle until_act = bank->row == DRAM_NO_ROW ? 0 : dram->config.t_rp;
        const Cycle clock = cycle_max(bank->row_ok + until_act, dram->act_slot) - until_act;
        if (clock <= now) {
            set |= window->in_bank[index];
        } else {
            *next = cycle_min(*next, clock);
        }
    }
    return set;
}

Cycle dram_rows_step(Dram *dram, Cycle now)
{
    DramWindow *own = dram->own, *other = dram->other;
    for (;;) {
        const uint32_t own_banks = dram_wanting(dram, own);
        const uint32_t other_banks = dram_wanting(dram, other) & ~own->waiting;
        if (!(own_banks | other_banks)) return CYCLE_NEVER;
        /* Nothing is legal before the PRE that would lead to the next ACT that t_rrd and t_faw allow. */
        if (now + dram->config.t_rp < dram->act_slot) return dram->act_slot - dram->config.t_rp;

        Cycle next = CYCLE_NEVER;
        uint64_t set = changeable(dram, own, own_banks, now, &next);
        DramWindow *window = own;
        if (!set) {
            set = changeable(dram, other, other_banks, now, &next);
            window = other;
        }
        if (!set) return next;
        open_row(dram, now, window, dram_window_oldest(window, set));
    }
}

void dram_rows_opened(Dram *dram, Cycle now)
{
    dram->open_at = CYCLE_NEVER;
    for (uint32_t rest = dram->opening; rest; rest &= rest - 1) {
        const unsigned bank = bits_lowest(rest);
        if (dram->banks[bank].column_ok > now) {
            dram->open_at = cycle_min(dram->open_at, dram->banks[bank].column_ok);
            continue;
        }
        dram->opening &= ~(UINT32_C(1) << bank);
        for (unsigned i = 0; i < DRAM_DIRECTIONS; i++)
            dram_window_row_open(&dram->windows[i], bank);
    }
}

void dram_rows_close(Dram *dram, unsigned bank)
{
    DramBank *const b = &dram->banks[bank];
    dram->stats.precharges++;
    dram_report(dram, DRAM_PRE, b->row_ok, bank, b->row);
    b->act_ok = cycle_max(b->act_ok, b->row_ok + dram->config.t_rp);
    b->row_ok = b->act_ok;
    b->row = DRAM_NO_ROW;
}
