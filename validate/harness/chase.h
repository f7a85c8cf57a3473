#pragma once
/*
 * Chases: one thread, each load gives the place of the next, through shared memory, the levels of global memory, constant memory and textures.
 * What a step loads is the address of the next itself (an offset in constant memory and textures), so that a step is one load and nothing
 * more, as in the traces. Rows of latencies and microbenchmarks are made of these.
 *
 * Each call draws an SM by lot, since the way to the L2 is not equally long from all of them, nor that to the second level of constants.
 */
#include "harness/case.h"

struct Chain {
    size_t bytes, stride; /* places: every `stride` bytes of so many */
    unsigned warm;        /* steps ahead, in the same kernel, which are not timed */
    unsigned steps;       /* timed */
};

Run chase_global(const Chain &chain);   /* steps by 8; a place has 8 bytes, the trace's 4, in the same sectors */
Run chase_constant(const Chain &chain); /* steps by 16, no more than 64 KB; one image for all: the last one's, or what `reset` puts there */
Run chase_texture(const Chain &chain);  /* steps by 8; a linear texture of words */
Run chase_shared(unsigned words, unsigned steps); /* steps by 16; word after word */
