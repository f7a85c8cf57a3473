#pragma once
/* A line on the terminal while something long goes on: how much of it is done, how fast it goes, how long it will take. It is
 * rewritten a few times a second and gone at the end. Nothing appears when stderr is no terminal. */
#include <stdbool.h>
#include <stdint.h>

typedef struct Progress Progress;

/* NULL, which the other functions accept, when there is nobody to look at it. */
Progress *progress_new(bool wanted, uint64_t blocks);
void progress_free(Progress *progress);

/* Both counted from the start. */
void progress_show(Progress *progress, uint64_t blocks_done, uint64_t warp_instructions);
