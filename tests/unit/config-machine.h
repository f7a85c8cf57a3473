#pragma once
/* A small machine of two sections, for the tests of the configuration, and what they ask of a text. */
#include <string.h>

#include "unit.h"

#include "base/config.h"

static const char *const PAGES[] = {"open", "closed", "adaptive", NULL};

typedef struct {
    uint32_t banks, t_rcd, t_ras, page;
    uint64_t row_bytes, khz, overhead_us;
    bool refresh;
} DramConfig;

typedef struct {
    uint32_t banks, bytes;
} SharedConfig;

typedef struct {
    int before; /* not of any table: must stay as it is */
    DramConfig dram;
    SharedConfig shared;
} Machine;

/* clang-format off */
static const GsKey DRAM_KEYS[] = {
    GS_KEY(DramConfig, banks, "count", 8, 1, 32, "data sheet", "Banks; a power of two."),
    GS_KEY(DramConfig, t_rcd, "dram cycle", 12, 1, 255, "data sheet", "ACT to READ or WRITE."),
    GS_KEY(DramConfig, t_ras, "dram cycle", 24, 1, 255, "data sheet", "ACT to PRE."),
    GS_KEY_NAME(DramConfig, page, PAGES, 0, "model choice", "What happens to an idle row."),
    GS_KEY(DramConfig, row_bytes, "byte", 2048, 32, 65536, "data sheet", "Bytes of a row."),
    GS_KEY(DramConfig, khz, "kHz", 900000, 1, UINT64_MAX, "board", "Command clock."),
    GS_KEY_MILLI(DramConfig, overhead_us, "us", 2500, 0, 1000000, "measured", "A time."),
    GS_KEY_BOOL(DramConfig, refresh, true, "data sheet", "Whether rows are refreshed."),
};
static const GsKey SHARED_KEYS[] = {
    GS_KEY(SharedConfig, banks, "count", 16, 16, 16, "guide", "Banks."),
    GS_KEY(SharedConfig, bytes, "byte", 16384, 0, UINT32_MAX, "guide", "Size."),
};
/* clang-format on */

static inline void check_dram(const void *config, const GsConfigTable *table, Faults *faults)
{
    const DramConfig *dram = config;
    if (dram->banks & (dram->banks - 1)) gs_config_fault(faults, table, config, "banks", "want a power of %d", 2);
    if (dram->t_ras < dram->t_rcd) gs_config_fault(faults, table, config, "t_ras", "want at least t_rcd = %u", dram->t_rcd);
}

static inline const char *idle_dram(const void *config, const char *key)
{
    const DramConfig *dram = config;
    return !dram->refresh && g_str_equal(key, "overhead_us") ? "refresh is off" : NULL;
}

static const GsConfigTable DRAM = {"dram",     "The memory.", DRAM_KEYS, G_N_ELEMENTS(DRAM_KEYS), sizeof(DramConfig),
                                   check_dram, idle_dram};
static const GsConfigTable SHARED = {
    "shared", "The shared memory.", SHARED_KEYS, G_N_ELEMENTS(SHARED_KEYS), sizeof(SharedConfig), NULL, NULL};
static const GsConfigPart PARTS[] = {{&DRAM, offsetof(Machine, dram)}, {&SHARED, offsetof(Machine, shared)}};
enum { N_PARTS = G_N_ELEMENTS(PARTS) };

/* What is wrong with the text, empty when nothing is. */
static inline char *load_bytes(const char *text, size_t length, const char *const *overrides, Machine *ret_machine)
{
    g_autoptr(GError) error = NULL;
    if (gs_config_load_text("x.ini", text, length, overrides, PARTS, N_PARTS, ret_machine, &error)) {
        ck_assert_ptr_null(error);
        return g_strdup("");
    }
    ck_assert(g_error_matches(error, G80SIM_ERROR, G80SIM_ERROR_CONFIG));
    return g_strdup(error->message);
}

static inline void assert_loads(const char *text, const char *const *overrides, Machine *ret_machine)
{
    g_autofree char *faults = load_bytes(text, strlen(text), overrides, ret_machine);
    ck_assert_str_eq(faults, "");
}

static inline void assert_faults(const char *text, size_t length, const char *const *overrides, const char *want)
{
    Machine machine, untouched;
    memset(&machine, 0x5a, sizeof machine);
    untouched = machine;
    g_autofree char *faults = load_bytes(text, length, overrides, &machine);
    ck_assert_str_eq(faults, want);
    ck_assert_mem_eq(&machine, &untouched, sizeof machine);
}

/* No key has its default, where it may have another value. */
static inline Machine unusual_machine(void)
{
    Machine machine = {0};
    assert_loads("[dram]\nbanks = 1\npage = adaptive\nrow_bytes = 2080\nkhz = 18446744073709551615\noverhead_us = 0.07\n"
                 "refresh = no\n[shared]\nbytes = 0\n",
                 NULL, &machine);
    return machine;
}
