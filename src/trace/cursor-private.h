#pragma once
/* Evaluation of a program's forms at a cursor: shared by cursor.c and cursor-access.c. */
#include "trace/cursor.h"

/* Sum of an affine form's uniform part: running sum, warp base, terms evaluated now. */
bool affine_uniform(Cursor *cursor, const Affine *affine, int64_t *ret);

/* Its lane-varying terms added to sum[]. */
bool affine_varying(Cursor *cursor, const Affine *affine, LaneMask mask, int64_t sum[LANES]);

/* Lanes of the mask in which a condition holds. */
bool cond_lanes(Cursor *cursor, const Cond *cond, LaneMask mask, LaneMask *ret);

/* Reports an arithmetic fault; returns false. */
bool cursor_arith_fault(Cursor *cursor, const EvalFault *fault);
