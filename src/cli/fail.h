#pragma once
/* Telling the user what went wrong: one line on stderr for each fault, and the exit status that goes with it. */
#include "base/error.h"
#include "cli/command.h"

/* Prints the error's lines as they are and frees it. Returns the exit status of its code. */
int fail(GError *error);

/* A mistake on the command line of `command` (NULL: of g80sim itself): prints one line that ends in a hint at the help. */
int fail_usage(const Command *command, const char *format, ...) G_GNUC_PRINTF(2, 3);
