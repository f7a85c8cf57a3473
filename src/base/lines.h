#pragma once
/* Storage in lines of the host's cache: what is read and written for every message or instruction should touch as few of them as it can. */
#include <stddef.h>

enum { HOST_LINE = 64 }; /* bytes */

/* Storage of `bytes` that starts at a line, the first `kept` of them those of `old`, which is freed (NULL: none); the others are not set. To be
 * freed with g_aligned_free. */
void *lines_renew(void *old, size_t kept, size_t bytes);
