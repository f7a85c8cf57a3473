#include "sm/register-file.h"

#define GUIDE \
    "CUDA programming guide 2.0, 5.1.2.6: none in blocks of a multiple of 64 threads (sources A3); the layout is a model choice"

enum { BANKS_MAX = 16, ROW_THREADS = 64, WARP = 32 };

/* ---- the rules: further reads for distinct registers ---- */

static unsigned none(const RegisterConfig *c, const uint16_t *regs, unsigned n, RegisterReader reader)
{
    return 0;
}

/*
 * A block's registers lie one behind the other, each with a value for every thread, in rows of 64 values. A warp whose values of a
 * register lie in two rows reads twice; that happens only in blocks that are no multiple of a warp. A choice: docs/accuracy.md, S7.
 */
static unsigned rows(const RegisterConfig *c, const uint16_t *regs, unsigned n, RegisterReader reader)
{
    const uint32_t first_thread = reader.warp * WARP, last_thread = MIN(first_thread + WARP, reader.block_threads) - 1;
    unsigned further = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t at = regs[i] * reader.block_threads;
        further += (at + first_thread) / ROW_THREADS != (at + last_thread) / ROW_THREADS;
    }
    return further;
}

static unsigned banks(const RegisterConfig *c, const uint16_t *regs, unsigned n, RegisterReader reader)
{
    unsigned wanted[BANKS_MAX] = {0}, reads = 1;
    for (unsigned i = 0; i < n; i++) {
        const unsigned of_bank = ++wanted[regs[i] % c->banks];
        reads = MAX(reads, (of_bank + c->bank_reads - 1) / c->bank_reads);
    }
    return reads - 1;
}

/* X(name) */
#define RULES(X) X(none) X(rows) X(banks)

#define RULE_NAME(name) #name,
#define RULE_FUNCTION(name) name,
static const char *const RULE_NAMES[] = {RULES(RULE_NAME) NULL};
static const char *const LATE_NAMES[] = {
    [REGISTER_LATE_NO] = "no", [REGISTER_LATE_YES] = "yes", [REGISTER_LATE_CONTENDED] = "contended", NULL};
static unsigned (*const RULE_TABLE[])(const RegisterConfig *, const uint16_t *, unsigned,
                                      RegisterReader) = {RULES(RULE_FUNCTION)};

unsigned register_collect(const RegisterConfig *config, const uint16_t *regs, unsigned n, RegisterReader reader)
{
    return RULE_TABLE[config->conflicts](config, regs, n, reader) * config->read_cycles;
}

bool register_collect_varies(const RegisterConfig *config, uint32_t block_threads)
{
    return RULE_TABLE[config->conflicts] == rows && block_threads % WARP;
}

/* ---- configuration ---- */

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY_NAME(RegisterConfig, conflicts, RULE_NAMES, 1, GUIDE, "Operands that take a further read: none; those whose values for a warp lie in two rows of 64 threads (rows); those of one bank (banks)."),
    GS_KEY(RegisterConfig, banks, "count", 4, 1, BANKS_MAX, "not of this generation", "Banks: register r is in bank r modulo their number."),
    GS_KEY(RegisterConfig, bank_reads, "count", 1, 1, 4, "not of this generation", "Registers that one bank gives to an instruction at once."),
    GS_KEY(RegisterConfig, read_cycles, "cycle", 1, 1, 100, "model choice: a row is read in one clock, and handed out over the next ones", "Cycles of the issue port, and of the result where it is late, for each further read."),
    GS_KEY_BOOL(RegisterConfig, reuse, false, "not of this generation", "Operands are kept for one instruction: what the warp's instruction before had in the same place is not read again, unless this one waits for its result."),
    GS_KEY_NAME(RegisterConfig, late, LATE_NAMES, REGISTER_LATE_YES, "model choice: operands are collected before execution begins", "Whether further reads delay the result, too, or the next instruction alone; contended: the result where another warp of the scheduler issues right behind."),
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
