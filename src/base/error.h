#pragma once
/*
 * Errors that a user can cause. Each carries a message of the form `where: what = value: what was wanted`; several faults
 * of one file are one GError whose message has a line for each. The code decides the exit status (cli/main.c).
 */
#include <glib.h>

#define G80SIM_ERROR (g80sim_error_quark())

typedef enum {
    G80SIM_ERROR_USAGE,  /* the command line, or a file that cannot be read or written */
    G80SIM_ERROR_CONFIG, /* the machine description */
    G80SIM_ERROR_TRACE,  /* the trace: its text, or what it does when it runs */
    G80SIM_ERROR_SIM,    /* the simulation cannot go on: no progress, a limit reached */
} G80simError;

GQuark g80sim_error_quark(void);
