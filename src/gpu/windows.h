#pragma once
/*
 * The engine's windows: runs the components of a machine side by side, from one moment at which something is to do to the next, each through
 * a stretch of cycles on its own, and carries the messages that they sent in it (gpu.h says why nothing depends on its length).
 */
#include "gpu/dispatch.h"
#include "gpu/memory-system.h"

typedef struct Component Component;

typedef struct {
    const MemorySystem *memory;
    Cycle window, lead;    /* cycles of a window, and that the partitions are ahead of the clusters after it */
    Cycle wanted;          /* cycles of a window; 0: as long as can be */
    Component *components; /* clusters, then partitions, then the third-level constant cache */
    Inbox **inboxes;       /* theirs */
    uint32_t n_components;
    Dispatcher dispatcher;
} Windows;

/* The memory system must be built, and outlive the windows. `wanted`: cycles, 1..L, or 0 for as long as can be. */
void windows_init(Windows *windows, const MemorySystem *memory, Cycle wanted);
void windows_clear(Windows *windows);

/* Starts a program, `per_sm` blocks to an SM at most, at cycle `start`; its components have begun. */
void windows_begin(Windows *windows, const Program *program, uint32_t per_sm, Cycle start);

/* When something is to do next; CYCLE_NEVER when nothing is. */
Cycle windows_next(const Windows *windows);

/* One window, from cycle `start` on. */
void windows_run(Windows *windows, Cycle start);
