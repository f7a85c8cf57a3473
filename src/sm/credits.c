#include "sm/credits.h"

#include <glib.h>

#include "base/check.h"

void credits_init(Credits *credits, uint32_t limit, unsigned partitions)
{
    *credits = (Credits){.limit = limit, .under_way = g_new0(uint32_t, partitions)};
    fifo_init(&credits->returns);
}

void credits_clear(Credits *credits)
{
    g_free(credits->under_way);
    fifo_clear(&credits->returns);
}

void credits_return(Credits *credits, unsigned partition, unsigned bytes, Cycle at)
{
    if (!credits->limit) return;
    CreditReturn *back = fifo_place(&credits->returns, sizeof *back);
    back->at = at;
    back->bytes = bytes;
    back->partition = partition;
}

uint64_t credits_unanswered(const Credits *credits, unsigned partitions)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < partitions; i++)
        bytes += credits->under_way[i];
    for (size_t i = 0; i < fifo_length(&credits->returns); i++)
        bytes -= fifo_peek(&credits->returns, CreditReturn)[i].bytes;
    return bytes;
}

/* Takes off what has come in by cycle `now`. */
static void settle(Credits *credits, Cycle now)
{
    while (fifo_length(&credits->returns) && fifo_peek(&credits->returns, CreditReturn)->at <= now) {
        const CreditReturn *back = fifo_peek(&credits->returns, CreditReturn);
        GS_CHECK(credits->under_way[back->partition] >= back->bytes, "%u bytes of %u back from partition %u", back->bytes,
                 credits->under_way[back->partition], back->partition);
        credits->under_way[back->partition] -= back->bytes;
        fifo_pop(&credits->returns);
    }
}

bool credits_wait(Credits *credits, unsigned partition, unsigned bytes, Cycle *at)
{
    uint32_t *const under_way = &credits->under_way[partition];
    for (;;) {
        settle(credits, *at);
        if (!*under_way || *under_way + bytes <= credits->limit) {
            *under_way += bytes;
            return true;
        }
        if (!fifo_length(&credits->returns)) return false;
        *at = fifo_peek(&credits->returns, CreditReturn)->at;
    }
}
