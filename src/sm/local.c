/*
 * Local memory: word w of a thread lies beside word w of the other threads of its warp, so that lanes that use the same index touch
 * consecutive words (sources B3: CUDA programming guide 4.0, 5.3.2.2). A warp's memory belongs to its place in the SM: later blocks use
 * the same addresses again.
 */
#include "sm/sm.h"

enum { WORD_BYTES = 4 };

Addr sm_local_offset(Addr at, unsigned lane)
{
    return at / WORD_BYTES * (LANES * WORD_BYTES) + lane * WORD_BYTES + at % WORD_BYTES;
}

/* The `part`-th word of each lane's element, as an access of its own; elements narrower than a word are one. */
void sm_local_access(const Sm *sm, unsigned warp, const AccessLanes *lanes, unsigned width, unsigned part, LaneAccess *ret)
{
    const uint64_t words = sm->program->local_bytes / WORD_BYTES;
    const uint64_t place = (uint64_t)(sm->cluster->setup.first_sm + sm->index) * SM_WARPS_MAX + warp;
    const Addr base = LOCAL_BASE + place * words * LANES * WORD_BYTES;
    ret->mask = lanes->mask;
    ret->width = MIN(width, WORD_BYTES);
    for (unsigned i = 0; i < LANES; i++) {
        const Addr at = (Addr)(lanes->base + lanes->offset[i]) + part * WORD_BYTES;
        ret->addr[i] = base + sm_local_offset(at, i);
    }
}

unsigned sm_local_parts(unsigned width)
{
    return width > WORD_BYTES ? width / WORD_BYTES : 1;
}
