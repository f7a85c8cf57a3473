#pragma once
/* Whole numbers that options take: decimal, or hexadecimal after 0x; bytes may end in K, for 1024. */
#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"

typedef struct {
    const char *option; /* "--regs" */
    const char *unit;   /* what it counts, for messages; "bytes" allows a K */
    uint64_t min, max;
    const char *why; /* where the limits come from, or NULL */
} NumberRule;

/* False, after a message of `command`, when the text is no such number. */
bool number_parse(const Command *command, const NumberRule *rule, const char *text, uint64_t *ret);
