#pragma once
/* A memory instruction in words that a student understands: what its lanes touch, what it takes, and what would spare some of it. */
#include "cli/explain-count.h"

/* `one row of odata for each lane`: the most frequent pattern. Free with g_free. */
char *explain_touch(const MachineConfig *config, const ExplainInsn *insn);

/* `32 transactions, 2 at best`; `ranges`: where it changes, from what to what, besides the mean. Free with g_free. */
char *explain_cost(const ExplainInsn *insn, bool ranges);

/* `transactions`, `passes`, `addresses` or `lines`: what the cost is counted in. */
const char *explain_unit(Space space);

/* `load`, `store`, `atomic`, `fetch`. */
const char *explain_verb(const ExplainInsn *insn);

/* The rule that is broken and what to do about it, in a hundred columns; NULL when nothing can be spared. Free with g_free. */
char *explain_cure(const MachineConfig *config, const ExplainInsn *insn);
