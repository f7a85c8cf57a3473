#pragma once
/* Interval arithmetic over nodes: from the ranges of its operands, the range of a node and whether it can fail. */
#include "trace/node.h"

/* Fills lo, hi and safe of an operator node whose operands are complete. */
void range_infer(Node *node);
