#include "mem/atomic.h"

#include <glib.h>

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(AtomicConfig, words_per_clock, "count", 4, 1, 1024, "24 raster-output units on 6 partitions (sources A1)", "Operations on different words that a partition starts in an interconnect clock."),
    GS_KEY(AtomicConfig, same_word_cycles, "cycle", 4, 1, 10000, "model choice: the raster-output unit's read, add and write (sources G8)", "Shader cycles between two operations on one word that is at hand."),
    GS_KEY(AtomicConfig, packet_khz, "kHz", 0, 0, 10000000, "model choice: sectors of an L2 do not wait for each other", "Packets of operations on different words of a sector that a slice of the L2 takes one after the other, each in a clock of this; 0: as the two keys before say."),
    GS_KEY(AtomicConfig, part_khz, "kHz", 0, 0, 10000000, "model choice: as packet_khz", "The same for packets that leave words of the sector alone; 0 for packet_khz."),
};
/* clang-format on */

static const char *idle(const void *config, const char *key)
{
    const AtomicConfig *c = config;
    const bool packets = g_str_has_prefix(key, "pa");
    if (!c->packet_khz) return g_str_equal(key, "part_khz") ? "packet_khz is 0" : NULL;
    return packets ? NULL : "packet_khz is not 0";
}

const GsConfigTable atomic_config = {
    .section = "atomic",
    .doc = "Atomic operations at the memory partitions.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(AtomicConfig),
    .idle = idle,
};
