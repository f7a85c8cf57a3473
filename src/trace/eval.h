#pragma once
/* Evaluation of nodes, for one warp at one moment: once for what all its lanes agree on, lane by lane for the rest. */
#include "base/bits.h"
#include "trace/node.h"

/* Where the values come from. */
typedef struct {
    int64_t ids[BI_N];           /* of all lanes alike: ctaid, warpid; entries of lane identities are not read */
    const int32_t (*tid)[LANES]; /* tid[3]: x, y, z of each lane */
    const int64_t *iters;        /* iteration count of each loop */
} EvalContext;

/* What went wrong, and in which lane (-1: all alike). */
typedef struct {
    Arith kind;
    const Node *node;
    int lane;
    unsigned which; /* ARITH_INDEX: dimension, from 0, and the index there */
    int64_t index;
} EvalFault;

/* Value of a node without DEP_LANE. False: *fault says why. */
bool eval_uniform(const Node *node, const EvalContext *context, int64_t *ret, EvalFault *fault);

/* Value in each lane of the mask; other lanes of ret are unspecified. */
bool eval_lanes(const Node *node, const EvalContext *context, LaneMask mask, int64_t ret[LANES], EvalFault *fault);
