#pragma once
/* The command line of one command: its options by GOption, its operands, and --help. */
#include <glib.h>

#include "cli/command.h"

/* How the options that several commands take are described. */
#define OPTION_SET(field)                                                                                                        \
    {                                                                                                                            \
        "set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, field, "Set a key of the configuration; again for more", "SECTION.KEY=VALUE" \
    }
#define OPTION_PARAM(field)                                                                                               \
    {                                                                                                                     \
        "param", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, field, "Set a parameter of the trace; again for more", "NAME=VALUE" \
    }
#define OPTION_JSON(field)                                                                           \
    {                                                                                                \
        "json", 0, 0, G_OPTION_ARG_FILENAME, field, "The same as JSON; - is standard output", "FILE" \
    }

enum { OPTIONS_GO_ON = -1 };

/* Parses argv. `entries` ends with an entry of NULL; --help is added. Returns OPTIONS_GO_ON and the operands, min..max of them (free with
 * g_strfreev), or the exit status when help was printed or something is wrong. */
int options_parse(const Command *command, const GOptionEntry *entries, unsigned min, unsigned max, int argc, char **argv,
                  char ***ret_operands);
