#pragma once
/*
 * What a workload would take if one bottleneck were away: the same trace on the same machine but for one change, and with all of them. What
 * each change is stands in gpu/ideal.h. Beside them two ordinary ones: memory spread over the partitions by a hash, and blocks of half and
 * double the size where a parameter sets it and the work stays the same.
 */
#include "cli/simulations.h"

typedef enum { WHATIF_BOTTLENECK, WHATIF_BLOCK, WHATIF_TOGETHER } WhatifKind;

typedef struct {
    WhatifKind kind;
    char *name;     /* what is away: "bank conflicts" */
    char *with;     /* the same as a condition: "without bank conflicts" */
    char *option;   /* of g80sim that makes it so: "-s ideal.bank_conflicts=yes" */
    int64_t saved;  /* cycles; negative: it takes longer. 0 with a fault */
    double percent; /* of the cycles as it is */
    MachineConfig config;
    Workload workload; /* the trace is shared; the plan is its own, or the same */
    bool own_plan;
    Simulation simulation;
} WhatifCase;

typedef struct {
    const Machine *machine;
    const Workload *workload;
    Simulation base;
    GPtrArray *cases; /* of WhatifCase: in order of what they save, faulty ones next, all together last */
} Whatif;

/* `settings`: the parameters as given, or NULL. The machine and the workload must outlive it; its launches are checked. */
void whatif_init(Whatif *whatif, const Machine *machine, const Workload *workload, const char *const *settings);
void whatif_clear(Whatif *whatif);

/* Simulates everything on host threads and sorts. False when it cannot be simulated as it is; what is wrong with a case is in its fault. */
bool whatif_run(Whatif *whatif, unsigned threads, bool progress, GError **error);

/* The bottleneck that costs most; NULL when none costs anything. */
const WhatifCase *whatif_largest(const Whatif *whatif);

/* The name of what binds: of the case that costs most, or where none costs a tenth, of what the machine waits for or does (verdict.h). */
const char *whatif_bottleneck(const Whatif *whatif);

/* What it found, in sentences. Free with g_free. */
char *whatif_text(const Whatif *whatif);

/* The report (whatif-report.c). */
char *whatif_csv_header(void);
void whatif_report_text(FILE *out, const Whatif *whatif);
void whatif_report_csv(FILE *out, const Whatif *whatif);
void whatif_report_json(FILE *out, const Whatif *whatif);
