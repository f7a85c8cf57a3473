#include <glib.h>

#include "base/check.h"
#include "mem/dram-private.h"
#include "mem/message.h"

/* The scheduling policies: a name for the configuration and what it stands for. */
#define SCHEDULERS(ROW)               \
    ROW("fr-fcfs", dram_sched_frfcfs) \
    ROW("fcfs", dram_sched_fcfs)

#define ROW_NAME(name, policy) name,
#define ROW_POLICY(name, policy) &policy,
static const char *const SCHEDULER_NAMES[] = {SCHEDULERS(ROW_NAME) NULL};
static const DramScheduler *const SCHEDULER_TABLE[] = {SCHEDULERS(ROW_POLICY)};

static const char *const PAGE_NAMES[] = {[DRAM_PAGE_OPEN] = "open", [DRAM_PAGE_CLOSED] = "closed", NULL};

static const char *const REFRESH_NAMES[] = {[DRAM_REFRESH_ALL] = "all-bank", [DRAM_REFRESH_PER_BANK] = "per-bank", NULL};

static const char *const BANK_CYCLE_NAMES[] = {[DRAM_BANK_PLAIN] = "plain", [DRAM_BANK_XOR] = "xor", NULL};

#define SAMSUNG "K4J52324QH-HC12 in GPGPU-Sim's FX 5600 configuration (sources A5)"
#define SCALED(ns) SAMSUNG ": " ns " ns at 900 MHz"
#define QIMONDA(what) "Qimonda HYB18H512321 data sheet, 512 Mbit GDDR3: " what

/* clang-format off */
static const GsKey DRAM_KEYS[] = {
    GS_KEY(DramConfig, khz,          "kHz",      900000, 1000, 10000000, "8800 GTX memory clock (sources A1)", "Command clock."),
    GS_KEY(DramConfig, data_rate,    "count",         2,    1,       16,
           "GDDR3: double data rate",
           "Data transfers per command clock; a power of two."),
    GS_KEY(DramConfig, bus_bytes,    "byte",          8,    1,     1024,
           "8800 GTX: 384 bits over 6 partitions (sources A1)",
           "Width of a partition's data bus; a power of two."),
    GS_KEY(DramConfig, burst_length, "count",         4,    1,       64,
           SAMSUNG,
           "Data transfers per column command; a power of two."),
    GS_KEY(DramConfig, banks,        "count",         8,    1, DRAM_BANKS_MAX, SAMSUNG, "Banks; a power of two."),
    GS_KEY(DramConfig, row_bytes,    "byte",       4096,  128,    65536,
           "Samsung K4J52324QC data sheet: 512 columns of 4 bytes, in each of two chips (sources A5)",
           "Bytes of one row across the partition's chips; a power of two."),
    GS_KEY(DramConfig, bank_groups,  "count",         1,    1, DRAM_BANKS_MAX,
           "GDDR3 has none: Qimonda HYB18H512321 data sheet, one tCCD",
           "Groups of banks, by the low bits of the bank; a power of two, 1 for none."),
    GS_KEY(DramConfig, group_bytes,  "byte",        256, TRANSACTION_BYTES_MAX, 65536,
           "GPGPU-Sim's GTX 480 configuration: the lowest bit of the bank lies above those of 256 bytes (sources F)",
           "Consecutive bytes of a partition in one bank group; a power of two."),
    GS_KEY_NAME(DramConfig, bank_cycle, BANK_CYCLE_NAMES, DRAM_BANK_PLAIN,
           "model choice: GPGPU-Sim's FX 5600 configuration takes the bits of the address as they are; G80 transforms banks "
           "in a way that is not documented (envytools g80-vram, sources A5); xor: Zhang et al., MICRO 2000",
           "Bank of an address: the bits above the column, plain or XOR the bits of the row, which keeps streams at a "
           "distance of a power of two out of each other's banks."),
    GS_KEY(DramConfig, t_ccd,  "dram cycle",   2, 1,   64, SAMSUNG, "Column command to column command; with bank groups, of another group."),
    GS_KEY(DramConfig, t_ccdl, "dram cycle",   2, 1,   64, "as t_ccd: there are no bank groups", "Column command to column command of the same bank group."),
    GS_KEY(DramConfig, t_rrd,  "dram cycle",   9, 1,  255, SCALED("10"), "ACT to ACT of another bank."),
    GS_KEY(DramConfig, t_faw,  "dram cycle",   0, 0, 1023,
           "model choice: no figure for these chips; of a later GDDR3 35 clocks, and 4 * t_rrd are 36 (sources A5)",
           "Window in which at most four ACTs fall, of any banks; 0 for none."),
    GS_KEY(DramConfig, t_rcd,  "dram cycle",  14, 1,  255, SCALED("15"), "ACT to column command of its bank."),
    GS_KEY(DramConfig, t_ras,  "dram cycle",  29, 1, 1023, SCALED("31.25"), "ACT to PRE of its bank."),
    GS_KEY(DramConfig, t_rp,   "dram cycle",  12, 1,  255, SCALED("12.5"), "PRE to ACT of its bank."),
    GS_KEY(DramConfig, t_rc,   "dram cycle",  41, 1, 1023, SAMSUNG ": t_ras + t_rp", "ACT to ACT of one bank."),
    GS_KEY(DramConfig, t_cl,   "dram cycle",  12, 1,  255, SCALED("12.5"), "READ to its first data."),
    GS_KEY(DramConfig, t_wl,   "dram cycle",   8, 1,  255, SCALED("8.75"), "WRITE to its first data."),
    GS_KEY(DramConfig, t_wtr,  "dram cycle",   7, 1,  255, SCALED("7.5"), "End of written data to READ."),
    GS_KEY(DramConfig, t_wr,   "dram cycle",  13, 1,  255, SCALED("13.75"), "End of written data to PRE of the bank."),
    GS_KEY(DramConfig, t_rtp,  "dram cycle",   2, 1,  255,
           "Samsung K4J55323QG data sheet, READ to PRECHARGE: half the burst length",
           "READ to PRE of its bank."),
    GS_KEY_NAME(DramConfig, refresh, REFRESH_NAMES, DRAM_REFRESH_ALL,
           QIMONDA("REFRESH is for all banks"),
           "Whether a refresh is of all banks at once, or of one, which leaves the others to work."),
    GS_KEY(DramConfig, t_refi, "dram cycle", 3510, 0, 10000000,
           QIMONDA("8192 in 32 ms, 3.9 us at 900 MHz"),
           "Interval of refreshes of all banks, or of those of one bank; 0 for none."),
    GS_KEY(DramConfig, t_rfc,  "dram cycle",  47, 1, 100000, QIMONDA("52 ns at 900 MHz"), "Duration of a refresh."),
    GS_KEY_NAME(DramConfig, scheduler, SCHEDULER_NAMES, 0,
           "GPGPU-Sim's FX 5600 configuration (sources A5)",
           "Which waiting request is served next."),
    GS_KEY_NAME(DramConfig, page, PAGE_NAMES, DRAM_PAGE_OPEN,
           "model choice: streams are what GPUs fetch",
           "Whether a row stays open when no request in sight wants it."),
    GS_KEY(DramConfig, read_queue,  "count", 16, 1, DRAM_SPAN,
           "GPGPU-Sim's FX 5600 configuration: a queue of 16 (sources A5)",
           "Reads that the scheduler sees."),
    GS_KEY(DramConfig, write_queue, "count", 16, 2, DRAM_SPAN,
           "model choice: as the read queue",
           "Writes that the scheduler sees."),
    GS_KEY(DramConfig, write_high,  "count", 16, 1, DRAM_SPAN,
           "model choice: writes wait until their queue is full, which turns the bus least often",
           "Waiting writes at which they get the bus."),
    GS_KEY(DramConfig, write_low,   "count",  0, 0, DRAM_SPAN,
           "model choice: and go until it is empty",
           "Waiting writes at which they give it back to waiting reads."),
};
/* clang-format on */

static void check_powers_of_two(const DramConfig *dram, const GsConfigTable *table, Faults *faults)
{
    const struct {
        const char *key;
        uint32_t value;
    } powers[] = {
        {"data_rate", dram->data_rate},       {"bus_bytes", dram->bus_bytes},
        {"burst_length", dram->burst_length}, {"banks", dram->banks},
        {"row_bytes", dram->row_bytes},       {"bank_groups", dram->bank_groups},
        {"group_bytes", dram->group_bytes},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(powers); i++) {
        if (bits_count(powers[i].value) != 1) gs_config_fault(faults, table, dram, powers[i].key, "want a power of two");
    }
}

static void check_bursts(const DramConfig *dram, const GsConfigTable *table, Faults *faults)
{
    if (dram->burst_length < dram->data_rate) {
        gs_config_fault(faults, table, dram, "burst_length", "want at least data_rate = %u: a burst takes whole clocks",
                        dram->data_rate);
    }
    if (dram_burst_bytes(dram) > dram->row_bytes) {
        gs_config_fault(faults, table, dram, "row_bytes", "want at least burst_length * bus_bytes = %u", dram_burst_bytes(dram));
    }
}

static void check_groups(const DramConfig *dram, const GsConfigTable *table, Faults *faults)
{
    if (dram->bank_groups > dram->banks) {
        gs_config_fault(faults, table, dram, "bank_groups", "want at most banks = %u", dram->banks);
    }
    if (dram->bank_groups == 1) return;
    if (dram->group_bytes < dram_burst_bytes(dram) || dram->group_bytes > dram->row_bytes) {
        gs_config_fault(faults, table, dram, "group_bytes", "want burst_length * bus_bytes = %u to row_bytes = %u",
                        dram_burst_bytes(dram), dram->row_bytes);
    }
    if (dram->t_ccdl < dram->t_ccd) {
        gs_config_fault(faults, table, dram, "t_ccdl", "want at least t_ccd = %u", dram->t_ccd);
    }
}

static void check_timing(const DramConfig *dram, const GsConfigTable *table, Faults *faults)
{
    if (dram->t_ras < dram->t_rcd) {
        gs_config_fault(faults, table, dram, "t_ras", "want at least t_rcd = %u", dram->t_rcd);
    }
    if (dram->t_rc < dram->t_ras + dram->t_rp) {
        gs_config_fault(faults, table, dram, "t_rc", "want at least t_ras + t_rp = %u", dram->t_ras + dram->t_rp);
    }
    if (dram->refresh == DRAM_REFRESH_PER_BANK && dram->t_refi && dram->t_refi < 2 * dram->banks) {
        gs_config_fault(faults, table, dram, "t_refi", "want 0 or at least 2 * banks = %u: each bank has its turn",
                        2 * dram->banks);
    }
    const bool faw = dram->t_faw > dram->t_rc;
    const uint32_t busy = dram->t_rfc + (faw ? dram->t_faw : dram->t_rc) + dram->t_rcd;
    if (dram->t_refi && dram->t_refi < 2 * busy) {
        gs_config_fault(faults, table, dram, "t_refi", "want 0 or at least 2 * (t_rfc + %s + t_rcd) = %u", faw ? "t_faw" : "t_rc",
                        2 * busy);
    }
}

static void check_queues(const DramConfig *dram, const GsConfigTable *table, Faults *faults)
{
    if (dram->write_high > dram->write_queue) {
        gs_config_fault(faults, table, dram, "write_high", "want at most write_queue = %u", dram->write_queue);
    }
    if (dram->write_low >= dram->write_high) {
        gs_config_fault(faults, table, dram, "write_low", "want less than write_high = %u", dram->write_high);
    }
}

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    check_powers_of_two(config, table, faults);
    check_bursts(config, table, faults);
    check_groups(config, table, faults);
    check_timing(config, table, faults);
    check_queues(config, table, faults);
}

static const char *idle(const void *config, const char *key)
{
    const DramConfig *dram = config;
    if ((g_str_equal(key, "t_rfc") || g_str_equal(key, "refresh")) && dram->t_refi == 0)
        return "t_refi is 0: there is no refresh";
    if (dram->bank_groups == 1 && (g_str_equal(key, "t_ccdl") || g_str_equal(key, "group_bytes")))
        return "there is one bank group";
    if (dram->banks == 1 && (g_str_equal(key, "t_rrd") || g_str_equal(key, "bank_cycle"))) return "there is one bank";
    return NULL;
}

const GsConfigTable dram_config = {
    .section = "dram",
    .doc = "Memory chips and controller of each partition. Times are clocks of the command clock `khz`.",
    .keys = DRAM_KEYS,
    .n_keys = G_N_ELEMENTS(DRAM_KEYS),
    .size = sizeof(DramConfig),
    .check = check,
    .idle = idle,
};

const DramScheduler *dram_scheduler(const DramConfig *config)
{
    GS_CHECK(config->scheduler < G_N_ELEMENTS(SCHEDULER_TABLE), "scheduler %u", config->scheduler);
    return SCHEDULER_TABLE[config->scheduler];
}

uint64_t dram_peak_bytes_per_second(const DramConfig *config)
{
    return (uint64_t)config->khz * 1000 * config->data_rate * config->bus_bytes;
}

unsigned dram_burst_bytes(const DramConfig *config)
{
    return config->burst_length * config->bus_bytes;
}
