#pragma once
/*
 * From a trace and parameter values to the list of launches: parameters evaluated, requirements checked, tables loaded, global arrays
 * placed, `launch` statements (and the loops around them) carried out.
 */
#include <stdint.h>

#include "trace/table.h"

typedef struct {
    const AstArray *array;
    uint64_t dims[AST_DIMS_MAX];    /* unused ones are 1 */
    uint64_t strides[AST_DIMS_MAX]; /* bytes between neighbours along each dimension */
    uint64_t base, bytes;           /* byte address in its space; total size */
} ArrayPlace;

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
#define ARRAY_BYTES_MAX (UINT64_C(1) << 44)
#define GRID_BLOCKS_MAX (UINT64_C(1) << 40)

/* settings: NULL-terminated list of `NAME=EXPR` from the command line, or NULL; a fault in one of them is a usage error. */
LaunchPlan *launch_plan_new(const AstTrace *trace, const char *const *settings, GError **error);
void launch_plan_free(LaunchPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(LaunchPlan, launch_plan_free)

/* Lays out an array whose dimensions are `dims` at `base`: fills strides and bytes. False: too large or a dimension below 1;
 * the fault is reported. */
bool array_lay_out(const AstArray *array, const int64_t *dims, uint64_t base, ArrayPlace *ret, Faults *faults);
