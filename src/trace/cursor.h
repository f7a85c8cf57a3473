#pragma once
/*
 * A Cursor is one warp's way through a Program: where it stands, which lanes are on, its mask stack, the running sums of its addresses.
 * It knows nothing of time. cursor_next leads from one instruction that issues to the next; what steers it in between (loops,
 * branches, reconvergence) costs nothing by itself, the instructions that go with it are in the program.
 *
 * Mask stack (sources A2: course notes on the G80): control whose condition may differ between lanes pushes the mask on entry and pops it
 * at its end; control that all lanes of a warp decide alike holds no entry.
 */
#include "base/bits.h"
#include "trace/eval.h"
#include "trace/program.h"

typedef struct {
    LaneMask restore; /* on at the end of the statement */
    LaneMask other;   /* wait for the else part */
    bool diverged;
} MaskEntry;

/* What every instruction touches comes first. */
typedef struct {
    const Insn *code; /* program->code */
    const Insn *insn; /* the instruction to issue next; NULL at the end of the warp or after a fault */
    uint32_t index;   /* of it in program->code */
    LaneMask active;  /* lanes that are on */
    const Program *program;
    LaneMask live;  /* lanes that have not executed `exit` */
    uint32_t depth; /* entries on the mask stack */
    uint32_t warp;  /* in its block */
    bool diverged;  /* the last conditional branch split the warp */
    uint64_t block; /* in the grid, row-major */
    GError *fault;  /* what stopped the warp */
    EvalContext context;
    Insn patched; /* the present instruction, when its registers are given by expressions */
    int64_t *slots, *iters, *trips;
    int64_t (*lane_trips)[LANES];
    MaskEntry *stack;
} Cursor;

/* The addresses of one access: lane i of `mask` is at base + offset[i]. */
typedef struct {
    LaneMask mask;
    uint32_t pattern; /* id of the offsets, PATTERN_NONE when they are of this access alone */
    int64_t base;
    const int64_t *offset;
    int64_t scratch[LANES];
} AccessLanes;

/* Bytes of storage that a cursor over this program needs, and its attachment to that storage (8-byte aligned, zeroed). */
size_t cursor_storage(const Program *program);
void cursor_init(Cursor *cursor, const Program *program, void *storage);

/* Puts the cursor at the first instruction of a warp. */
void cursor_start(Cursor *cursor, uint64_t block, uint32_t warp);

/* Goes on from cursor->index, through what steers, to the next instruction that issues. */
void cursor_find(Cursor *cursor);

/* The present instruction has been executed. Leads to the next in the program, if that is known to be the next that issues; else to where
 * cursor_find has to go on. */
static inline bool cursor_goes_straight(Cursor *cursor)
{
    const Insn *next = &cursor->code[++cursor->index];
    if (!next->plain) return false;
    cursor->insn = next;
    return true;
}

/* Leads to the next instruction that issues; the present one has been executed. */
static inline void cursor_next(Cursor *cursor)
{
    if (!cursor_goes_straight(cursor)) cursor_find(cursor);
}

/* The lanes on which the present instruction acts: the active ones whose predicate holds. False: cursor->fault. */
bool cursor_mask(Cursor *cursor, LaneMask *ret);

/* The addresses of the present instruction's memory operand in the lanes of a mask that is not 0, checked against the bounds of its
 * array. False: cursor->fault. */
bool cursor_access(Cursor *cursor, LaneMask mask, AccessLanes *ret);

/* Pattern of the present instruction's memory operand when neither bounds nor lane-varying terms need looking at: cursor_access would
 * succeed and give this pattern. PATTERN_NONE otherwise. */
static inline uint32_t cursor_pattern(const Cursor *cursor)
{
    const Access *access = &cursor->program->accesses[cursor->insn->access];
    return access->simple ? access->address.lanes[cursor->warp].id : PATTERN_NONE;
}

/* The base of the addresses of such an access. */
static inline uint64_t cursor_base(const Cursor *cursor)
{
    const Affine *address = &cursor->program->accesses[cursor->insn->access].address;
    return (uint64_t)cursor->slots[address->slot] + (uint64_t)address->lanes[cursor->warp].base;
}

/* Takes these lanes out of the warp: `exit`. */
void cursor_exit(Cursor *cursor, LaneMask lanes);

/* Sets cursor->fault to `file:line: message (block x,y,z thread x,y,z)`; lane -1 leaves the thread out. The first fault stays. */
void cursor_fail(Cursor *cursor, G80simError code, int line, int lane, const char *format, ...) G_GNUC_PRINTF(5, 6);
