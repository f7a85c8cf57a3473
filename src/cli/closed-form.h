#pragma once
/*
 * The closed form beside a run: the cycles that Hong and Kim's equations give for the same launch (model/mwp-cwp.h). It takes its counts from
 * CLOSED_FORM_BLOCKS blocks at the most, one of each of so many equal parts of the grid, so that a run stays a run. Launches of the same
 * kernel with the same parameters are counted once.
 */
#include <stdio.h>

#include "cli/json.h"
#include "cli/launches.h"
#include "gpu/result.h"

enum { CLOSED_FORM_BLOCKS = 32 };

typedef struct {
    bool described;    /* else the launch, or one of them, has no access to memory, and only blocks_walked counts */
    double cycles;     /* of the launch; of the total the sum */
    const char *which; /* the case's name; NULL of a total */
    uint64_t blocks_walked;
} ClosedForm;

typedef struct ClosedForms ClosedForms;

/* Both are borrowed. */
ClosedForms *closed_forms_new(const MachineConfig *config, const Workload *workload);
void closed_forms_free(ClosedForms *forms);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ClosedForms, closed_forms_free)

/* Of a launch, whose program is given. False with the fault that stopped a warp. */
bool closed_forms_get(ClosedForms *forms, unsigned index, const Program *program, ClosedForm *ret, GError **error);

/* `launches` counts those that are in the total already. */
void closed_form_add(ClosedForm *total, const ClosedForm *form, unsigned launches);

/* The line of the report. */
void closed_form_put(FILE *out, const ClosedForm *form, const KernelResult *result);

/* The member `closed_form` of the object being built. */
void closed_form_build(JsonBuilder *builder, const ClosedForm *form, const KernelResult *result);
