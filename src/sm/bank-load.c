#include "sm/bank-load.h"

enum { WORD_BYTES = 4 };

void bank_load_clear(BankLoad *load)
{
    for (int i = 0; i < BANKS_MAX; i++)
        load->banks[i].n = 0;
    load->most = load->shared = 0;
}

/* The entry of what the bank fetches for this word; a new one costs the bank one pass more. */
static BankFetch *fetch_of(BankLoad *load, BankWord at)
{
    BankFetch *fetches = load->banks[at.bank].fetches;
    const unsigned n = load->banks[at.bank].n;
    for (unsigned i = 0; i < n; i++)
        if (fetches[i].key == at.key) return &fetches[i];
    fetches[n] = (BankFetch){.key = at.key};
    load->banks[at.bank].n = n + 1;
    if (n + 1 > load->most) load->most = n + 1;
    return &fetches[n];
}

void bank_load_add(BankLoad *load, BankWord at, unsigned lane)
{
    LaneMask *askers = &fetch_of(load, at)->askers[at.part];
    const LaneMask before = *askers;
    *askers |= (LaneMask)1 << lane;
    /* counted when the second lane comes */
    if (bits_count(before) == 1 && *askers != before) load->shared++;
}

BankWord bank_of_word(const SharedConfig *config, uint64_t word)
{
    return (BankWord){.bank = (unsigned)(word % config->banks), .key = word};
}

static void add_lane(const SharedConfig *config, BankLoad *load, const LaneAccess *access, unsigned lane, BankOf bank_of)
{
    const Addr addr = access->addr[lane];
    const uint64_t first = addr / WORD_BYTES, last = (addr + access->width - 1) / WORD_BYTES;
    for (uint64_t word = first; word <= last; word++)
        bank_load_add(load, bank_of(config, word), lane);
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
            add_lane(config, &load, access, bits_lowest(group), bank_of);
        /* a store gives nothing to anybody */
        const unsigned given = access->store ? 0 : load.shared;
        ret->groups[ret->n_groups++] = (SharedGroup){.first_lane = (uint8_t)first,
                                                     .last_lane = (uint8_t)(first + lanes - 1),
                                                     .factor = (uint8_t)(load.most + extra),
                                                     .broadcast = given > 0};
        ret->broadcasts += given;
    }
}
