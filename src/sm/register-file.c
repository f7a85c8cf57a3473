#include "sm/register-file.h"

#include "base/bits.h"

#define GUIDE \
    "CUDA programming guide 2.0, 5.1.2.6: none in blocks of a multiple of 64 threads (sources A3); the layout is a model choice"

enum { BANKS_MAX = 16 };

/* ---- the rules: reads that distinct registers take ---- */

static unsigned none(const RegisterConfig *c, const uint16_t *regs, unsigned n, uint32_t n_warps)
{
    return 1;
}

/*
 * A row of the file is as wide as two warps. Register r of a block's warps lies behind register r-1 of them, so with an even number of
 * warps all registers of a warp are in the same half of their rows; with an odd one they change sides from register to register. One
 * read gives a half of several rows. A block of one warp has its rows for itself: registers are granted for pairs of warps.
 */
static unsigned rows(const RegisterConfig *c, const uint16_t *regs, unsigned n, uint32_t n_warps)
{
    if (n_warps == 1 || n_warps % 2 == 0) return 1;
    uint32_t halves = 0;
    for (unsigned i = 0; i < n; i++)
        halves |= UINT32_C(1) << regs[i] % 2;
    return bits_count(halves);
}

static unsigned banks(const RegisterConfig *c, const uint16_t *regs, unsigned n, uint32_t n_warps)
{
    unsigned wanted[BANKS_MAX] = {0}, reads = 1;
    for (unsigned i = 0; i < n; i++) {
        const unsigned of_bank = ++wanted[regs[i] % c->banks];
        reads = MAX(reads, (of_bank + c->bank_reads - 1) / c->bank_reads);
    }
    return reads;
}

/* X(name) */
#define RULES(X) X(none) X(rows) X(banks)

#define RULE_NAME(name) #name,
#define RULE_FUNCTION(name) name,
static const char *const RULE_NAMES[] = {RULES(RULE_NAME) NULL};
static unsigned (*const RULE_TABLE[])(const RegisterConfig *, const uint16_t *, unsigned, uint32_t) = {RULES(RULE_FUNCTION)};

unsigned register_collect(const RegisterConfig *config, const uint16_t *regs, unsigned n, uint32_t n_warps)
{
    return n < 2 ? 0 : (RULE_TABLE[config->conflicts](config, regs, n, n_warps) - 1) * config->read_cycles;
}

/* ---- configuration ---- */

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY_NAME(RegisterConfig, conflicts, RULE_NAMES, 1, GUIDE, "Which operands of one instruction are read one after the other: none; those in different halves of rows of 64 threads (rows); those of one bank (banks)."),
    GS_KEY(RegisterConfig, banks, "count", 4, 1, BANKS_MAX, "not of this generation", "Banks: register r is in bank r modulo their number."),
    GS_KEY(RegisterConfig, bank_reads, "count", 1, 1, 4, "not of this generation", "Registers that one bank gives to an instruction at once."),
    GS_KEY(RegisterConfig, read_cycles, "cycle", 1, 1, 100, "model choice: a row is read in one clock, and handed out over the next ones", "Cycles of the issue port, and of the result, for each read beyond the first."),
};
/* clang-format on */

static const char *idle(const void *config, const char *key)
{
    const RegisterConfig *c = config;
    if (g_str_equal(key, "conflicts")) return NULL;
    if (RULE_TABLE[c->conflicts] == none) return "conflicts = none";
    if (RULE_TABLE[c->conflicts] == rows && !g_str_equal(key, "read_cycles")) return "it belongs to conflicts = banks";
    return NULL;
}

const GsConfigTable register_config = {
    .section = "registers",
    .doc = "Register file: operands of one instruction that cannot be read at once.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(RegisterConfig),
    .idle = idle,
};
