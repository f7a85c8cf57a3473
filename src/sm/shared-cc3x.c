/*
 * Compute capability 3.x (docs/sources.md B2): 32 banks deliver 64 bits a clock. In 8-byte mode successive 64-bit words lie in successive
 * banks; in 4-byte mode successive 32-bit words do, and words i and i + 32 of an aligned row of 64 come out of a bank together. Either
 * way a bank serves one row of 64 words at a time. Words of 128 bits are served by half-warps.
 */
#include "sm/bank-load.h"

enum { ROW_BANK_WORDS = 2 }; /* 32-bit words of a row in one bank */

static BankWord narrow(const SharedConfig *config, uint64_t word)
{
    return (BankWord){.bank = (unsigned)(word % config->banks),
                      .key = word / (config->banks * ROW_BANK_WORDS),
                      .part = (unsigned)(word / config->banks % ROW_BANK_WORDS)};
}

static BankWord wide(const SharedConfig *config, uint64_t word)
{
    return (BankWord){.bank = (unsigned)(word / ROW_BANK_WORDS % config->banks), .key = word / (config->banks * ROW_BANK_WORDS)};
}

static void passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret)
{
    const unsigned lanes = shared_group_lanes(&shared_cc3x, access->width);
    bank_load_groups(config, access, lanes, 0, config->bank_bytes == 8 ? wide : narrow, ret);
}

const SharedPolicy shared_cc3x = {
    .period = 32 * ROW_BANK_WORDS * 4, .group_lanes = {LANES, LANES, LANES / 2}, .bank_bytes = true, .passes = passes};
