#include "sm/bank-load.h"

enum { WORD_BYTES = 4 };

void bank_load_clear(BankLoad *load)
{
    for (int i = 0; i < BANKS_MAX; i++)
        load->banks[i].n = 0;
    load->most = load->repeats = 0;
}

void bank_load_add(BankLoad *load, unsigned bank, uint64_t key)
{
    const unsigned n = load->banks[bank].n;
    for (unsigned i = 0; i < n; i++) {
        if (load->banks[bank].keys[i] != key) continue;
        if (!load->banks[bank].repeated[i]) load->repeats++;
        load->banks[bank].repeated[i] = true;
        return;
    }
    load->banks[bank].keys[n] = key;
    load->banks[bank].repeated[n] = false;
    load->banks[bank].n = n + 1;
    if (n + 1 > load->most) load->most = n + 1;
}

BankWord bank_of_word(const SharedConfig *config, uint64_t word)
{
    return (BankWord){(unsigned)(word % config->banks), word};
}

static void add_lane(const SharedConfig *config, BankLoad *load, Addr addr, unsigned width, BankOf bank_of)
{
    const uint64_t first = addr / WORD_BYTES, last = (addr + width - 1) / WORD_BYTES;
    for (uint64_t word = first; word <= last; word++) {
        const BankWord at = bank_of(config, word);
        bank_load_add(load, at.bank, at.key);
    }
}

void bank_load_groups(const SharedConfig *config, const LaneAccess *access, unsigned lanes, unsigned extra, BankOf bank_of,
                      SharedPasses *ret)
{
    BankLoad load;
    for (unsigned first = 0; first < LANES; first += lanes) {
        LaneMask group = access->mask & ((LaneMask)bits_below(lanes) << first);
        if (!group) continue;
        bank_load_clear(&load);
        for (; group; group &= group - 1)
            add_lane(config, &load, access->addr[bits_lowest(group)], access->width, bank_of);
        ret->groups[ret->n_groups++] = (SharedGroup){.first_lane = (uint8_t)first,
                                                     .last_lane = (uint8_t)(first + lanes - 1),
                                                     .factor = (uint8_t)(load.most + extra),
                                                     .broadcast = load.repeats > 0};
        ret->broadcasts += load.repeats;
    }
}
