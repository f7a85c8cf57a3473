#pragma once
/* The answer of a command that takes --json: printed for people on standard output, and written as a document where that was asked for. */
#include "cli/json.h"

typedef struct {
    void (*print)(FILE *out, const void *data);
    void (*build)(JsonBuilder *builder, const void *data); /* one value */
} Answer;

/* `json` as given, or NULL. Returns the exit status. */
int answer_give(const Answer *answer, const char *json, const void *data);
