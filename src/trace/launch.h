#pragma once
/*
 * From a trace and parameter values to the list of launches: parameters evaluated, requirements checked, tables loaded, arrays of the
 * file placed, `launch` statements (and the loops around them) carried out.
 */
#include <stdint.h>

#include "trace/layout.h"
#include "trace/table.h"

typedef struct {
    const AstKernel *kernel;
    int line;        /* of the launch statement, or of the kernel */
    int64_t *params; /* values for this launch, one for each of the trace's params; owned by the plan */
    uint32_t grid[3], block[3];
} Launch;

typedef struct {
    const AstTrace *trace;
    int64_t *params;    /* one for each of trace->params */
    ArrayPlace *arrays; /* one for each of trace->arrays */
    Table *tables;      /* one for each of trace->tables: the same for all launches, whatever their parameters */
    GArray *launches;   /* of Launch, in order */
    GPtrArray *values;  /* owns the params of the launches */
} LaunchPlan;

enum { LAUNCHES_MAX = 100000 };
#define GRID_BLOCKS_MAX (UINT64_C(1) << 40)

/* settings: NULL-terminated list of `NAME=EXPR` from the command line, or NULL; a fault in one of them is a usage error. */
LaunchPlan *launch_plan_new(const AstTrace *trace, const char *const *settings, GError **error);
/* One past the last byte of all arrays of the file. */
uint64_t launch_plan_extent(const LaunchPlan *plan);
/* Moves them all; programs compiled before keep the old addresses. */
void launch_plan_move(LaunchPlan *plan, uint64_t bytes);

void launch_plan_free(LaunchPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LaunchPlan, launch_plan_free)
