#include "mem/atomic.h"

#include <glib.h>

/* clang-format off */
static const GsKey KEYS[] = {
    GS_KEY(AtomicConfig, words_per_clock, "count", 4, 1, 1024, "24 raster-output units on 6 partitions (sources A1)", "Operations on different words that a partition starts in an interconnect clock."),
    GS_KEY(AtomicConfig, same_word_cycles, "cycle", 4, 1, 10000, "model choice: the raster-output unit's read, add and write (sources G8)", "Shader cycles between two operations on one word that is at hand."),
};
/* clang-format on */

const GsConfigTable atomic_config = {
    .section = "atomic",
    .doc = "Atomic operations at the memory partitions.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(AtomicConfig),
};
