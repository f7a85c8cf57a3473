#pragma once
/*
 * Statistics by tables. A component counts in a plain struct of uint64_t, incremented with `++`; beside it stands a table
 * that gives each counter its name, unit, meaning and the matching name in NVIDIA's profilers. Adding, JSON, CSV
 * and `g80sim stats` walk the tables; nothing is written by hand a second time.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    GS_STAT_COUNT,   /* a counter: totals add */
    GS_STAT_MAX,     /* a maximum: totals take the larger */
    GS_STAT_DERIVED, /* computed from the struct when printed */
} GsStatKind;

typedef struct {
    const char *name;
    GsStatKind kind;
    size_t offset;                       /* of the uint64_t in the struct */
    double (*derive)(const void *stats); /* GS_STAT_DERIVED: NAN when it has no value (a zero denominator) */
    const char *unit;
    const char *doc;
    const char *profiler; /* the matching counter of NVIDIA's profilers, or NULL */
} GsStat;

/*
 * `profiler` has what it was called up to compute capability 7.2, `;`, and what it is from 7.0 on: metrics of Nsight Compute with `+` between,
 * and `x N` or `/ N` behind where the unit is another. validate/counters --compare reads the part behind the `;`, or all of it; remarks in brackets are not read.
 */

/* clang-format off */
#define GS_STAT_FIELD(S, f) _Generic(((S *)0)->f, uint64_t : offsetof(S, f))
#define GS_COUNT(S, f, unit_, doc_, profiler_) {#f, GS_STAT_COUNT, GS_STAT_FIELD(S, f), NULL, unit_, doc_, profiler_}
#define GS_MAX(S, f, unit_, doc_, profiler_) {#f, GS_STAT_MAX, GS_STAT_FIELD(S, f), NULL, unit_, doc_, profiler_}
#define GS_DERIVED(name_, fn_, unit_, doc_, profiler_) {name_, GS_STAT_DERIVED, 0, fn_, unit_, doc_, profiler_}
/* clang-format on */

typedef struct {
    const char *path; /* "dram", "global.load": where the group stands in the JSON of a kernel */
    const char *doc;
    const GsStat *stats;
    size_t n_stats;
    size_t size;
    const char *const *profilers; /* where tables share rows: the names of each, in place of those of the rows; or NULL */
} GsStatTable;

/* The name of row `i` in NVIDIA's profilers, or NULL. */
static inline const char *gs_stats_profiler(const GsStatTable *table, size_t i)
{
    return table->profilers ? table->profilers[i] : table->stats[i].profiler;
}

/* to += from, counter by counter (maxima take the larger). */
void gs_stats_add(const GsStatTable *table, void *to, const void *from);

/* What was counted since `before`, an earlier copy of the same struct: counter by counter; maxima stay. */
void gs_stats_subtract(const GsStatTable *table, void *from, const void *before);

/* The value of one row: a counter as a double, or the derived value (NAN when it has none). */
double gs_stats_value(const GsStat *stat, const void *stats);

/* The counter of a row that is not derived. */
uint64_t gs_stats_count(const GsStat *stat, const void *stats);
