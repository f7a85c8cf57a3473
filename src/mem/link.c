#include "mem/link.h"

#include <glib.h>

#include "base/bits.h"
#include "base/clock.h"

#define WIDTH(field, doc) \
    GS_KEY(IcntConfig, field, "byte", 32, 4, 1024, "crossbar flit of GPGPU-Sim's FX 5600 configuration (sources A4)", doc)

static const char *const HEADER_NAMES[] = {[ICNT_HEADER_FLIT] = "flit", [ICNT_HEADER_MASK] = "mask", NULL};

static const GsKey ICNT_KEYS[] = {
    GS_KEY(IcntConfig, khz, "kHz", 575000, 1000, 10000000,
           "core clock of the 8800 GTX (sources A1); crossbar at the core clock (sources A3)",
           "Interconnect clock: each port moves one flit per clock and direction."),
    WIDTH(cluster_request_bytes, "Width of a cluster's port to the network of requests: data that one flit carries."),
    WIDTH(cluster_reply_bytes, "Width of a cluster's port from the network of replies."),
    WIDTH(partition_request_bytes, "Width of a partition's port from the network of requests."),
    WIDTH(partition_reply_bytes, "Width of a partition's port to the network of replies."),
    GS_KEY(IcntConfig, request_cycles, "cycle", 96, 1, 100000,
           "model choice: share of the unloaded latency of a global load (sources A3, A7)",
           "Shader cycles from a cluster's port to a partition's, besides the ports themselves."),
    GS_KEY(IcntConfig, reply_cycles, "cycle", 96, 1, 100000,
           "model choice: share of the unloaded latency of a global load (sources A3, A7)",
           "Shader cycles from a partition's port back to a cluster's, besides the ports themselves."),
    GS_KEY_NAME(IcntConfig, write_header, HEADER_NAMES, ICNT_HEADER_FLIT,
                "model choice: as GPGPU-Sim's packets, whose first flit is the header (sources A4)",
                "What a write request takes besides its data: a flit, or the time of 32 bytes for the mask of each 128 bytes "
                "that an instruction does not write in whole sectors."),
    GS_KEY(IcntConfig, partition_bytes, "byte", 8192, 0, 1048576,
           "model choice: scattered copies on the 8800 GTX are as fast as with no limit (sources D2, D11.3)",
           "Data that a cluster may have under way to and from one partition; the port waits, in order; 0 for no limit."),
};

static void check(const void *config, const GsConfigTable *table, Faults *faults)
{
    const IcntConfig *icnt = config;
    const struct {
        const char *key;
        uint32_t bytes;
    } widths[] = {
        {"cluster_request_bytes", icnt->cluster_request_bytes},
        {"cluster_reply_bytes", icnt->cluster_reply_bytes},
        {"partition_request_bytes", icnt->partition_request_bytes},
        {"partition_reply_bytes", icnt->partition_reply_bytes},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(widths); i++)
        if (bits_count(widths[i].bytes) != 1) gs_config_fault(faults, table, config, widths[i].key, "want a power of two");
}

const GsConfigTable icnt_config = {
    .section = "icnt",
    .doc = "Interconnect between clusters and memory partitions: one port per component and direction.",
    .keys = ICNT_KEYS,
    .n_keys = G_N_ELEMENTS(ICNT_KEYS),
    .size = sizeof(IcntConfig),
    .check = check,
};

Link link_make(const IcntConfig *config, uint64_t sm_khz)
{
    return link_make_at(config->khz, sm_khz);
}

Link link_make_at(uint64_t khz, uint64_t sm_khz)
{
    const ClockRatio ratio = clock_ratio(khz, sm_khz);
    return (Link){.free_at = 0, .tick = ratio.num, .scale = ratio.den, .by_scale = divider(ratio.den)};
}
