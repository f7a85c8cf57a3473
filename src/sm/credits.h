#pragma once
/*
 * What a cluster may have under way at each memory partition: the crossbar and the partitions have finite buffers. A request takes room
 * for the bytes it carries or asks for when it passes the cluster's port, and gives it back when its reply has come in there. The
 * port is in order: a request without room holds up those behind it, to other partitions too, which is what makes partition camping
 * worse than the share of one partition (docs/model.md, Interconnect).
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/cycle.h"
#include "base/fifo.h"

typedef struct {
    Cycle at;
    uint32_t bytes;
    uint32_t partition;
} CreditReturn;

typedef struct {
    uint32_t limit;      /* bytes for each partition; 0: no limit */
    uint32_t *under_way; /* bytes, by partition: at the most, since returns are taken off when room is short */
    Fifo returns;        /* of CreditReturn, by time: known, but not yet taken off */
} Credits;

void credits_init(Credits *credits, uint32_t limit, unsigned partitions);
void credits_clear(Credits *credits);

/* A reply of `bytes` has come in at cycle `at`, which does not decrease from call to call. */
void credits_return(Credits *credits, unsigned partition, unsigned bytes, Cycle at);

/* Bytes of requests whose reply has not come in, to all partitions; 0 without a limit. */
uint64_t credits_unanswered(const Credits *credits, unsigned partitions);

/* The rest of credits_take, where what has come back decides. */
bool credits_wait(Credits *credits, unsigned partition, unsigned bytes, Cycle *at);

/* Takes room for `bytes` as early as there is some, from *at on, and sets *at to that cycle; a request beyond the limit goes alone.
 * Returns false when none of the returns known so far makes room; ask again when there are more, with the *at of this call. *at does not
 * decrease from call to call. */
static inline bool credits_take(Credits *credits, unsigned partition, unsigned bytes, Cycle *at)
{
    if (!credits->limit) return true;
    uint32_t *const under_way = &credits->under_way[partition];
    if (*under_way + bytes > credits->limit) return credits_wait(credits, partition, bytes, at);
    *under_way += bytes;
    return true;
}
