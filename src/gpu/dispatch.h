#pragma once
/*
 * Block dispatcher: blocks leave the grid in row-major order (sources A4), as many per SM as its resources allow, one to each SM in turn;
 * whenever a block finishes the next one takes its place, launch.free_cycles and launch.dispatch_cycles later. A block's warps all start at once, and so
 * do any number of blocks (docs/accuracy.md, S19), unless launch.block_khz says how many the chip can start.
 */
#include <stdbool.h>

#include <glib.h>

#include "mem/link.h"
#include "sm/cluster.h"

typedef struct {
    uint64_t next, total, done; /* blocks handed out, of the grid, finished */
    GArray *finished;           /* of BlockDone, not handled yet, latest first */
    Link rate;                  /* one flit is a block */
    bool limited;               /* by `rate` */
    Cycle free_cycles;          /* from the end of a block until its place is free */
} Dispatcher;

/* Hands a block to an SM of the chip, at cycle `at`. */
typedef void (*DispatchTo)(void *gpu, uint32_t sm, uint64_t block, Cycle at);

/* Starts blocks at `block_khz`, 0 for any number at once; a place is free `free_cycles` after its block has ended. */
void dispatcher_init(Dispatcher *dispatcher, uint32_t block_khz, uint64_t sm_khz, Cycle free_cycles);
void dispatcher_clear(Dispatcher *dispatcher);

/* Starts a grid at cycle `start`: fills `sms` SMs with up to `per_sm` blocks each. */
void dispatcher_begin(Dispatcher *dispatcher, uint64_t blocks, uint32_t sms, uint32_t per_sm, Cycle start, DispatchTo to,
                      void *gpu);

/* Takes in blocks that finished. */
void dispatcher_add(Dispatcher *dispatcher, const BlockDone *done, unsigned n);

/* Replaces those that finished before `until`, in the order (time, SM). */
void dispatcher_run(Dispatcher *dispatcher, Cycle until, DispatchTo to, void *gpu);

/* When the next finished block is to be handled; CYCLE_NEVER when none waits. */
Cycle dispatcher_next(const Dispatcher *dispatcher);
