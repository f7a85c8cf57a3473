#pragma once
/* One access of a warp to any space: where its lanes are to each other, what it costs on a machine, and the least that it could cost. */
#include "cli/lane-look.h"
#include "gpu/machine-config.h"
#include "trace/cursor.h"

/* What the lanes touch, as far as it tells one pattern from another. */
typedef struct {
    LaneShape shape;
    uint8_t group;  /* lanes that look alike by themselves: all 32, or 16, 8, 4, 2 */
    bool single;    /* one lane alone */
    bool aligned;   /* each group's first word is at a multiple of access_align(), if in order */
    int64_t stride; /* bytes, of SHAPE_STRIDED; else 0 */
} AccessPattern;

/* Transactions (global, local), passes (shared), different addresses (constant) or lines (texture). */
typedef struct {
    uint32_t now, fewest;
    uint32_t moved, needed; /* bytes of global and local memory: by these transactions; were the lanes in order. Elsewhere 0 */
} AccessCost;

/* The access that the cursor stands at, by the lanes of `mask`, which is not 0; of local memory its first word. False: cursor->fault. */
bool access_read(Cursor *cursor, LaneMask mask, LaneAccess *ret);

AccessPattern access_pattern(const MachineConfig *config, Space space, const LaneAccess *access);
AccessCost access_cost(const MachineConfig *config, const Insn *insn, const ArrayPlace *place, const LaneAccess *access);

/* Bytes at a multiple of which words of `group` lanes in order should start: the piece that the machine's rule coalesces, or all of
 * them. */
unsigned access_align(const MachineConfig *config, unsigned width, unsigned group);

/* Whether the machine's rule of global memory looks at half-warps, not at warps. */
bool access_by_halves(const MachineConfig *config);
