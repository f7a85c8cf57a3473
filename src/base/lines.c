#include "base/lines.h"

#include <string.h>

#include <glib.h>

void *lines_renew(void *old, size_t kept, size_t bytes)
{
    void *storage = g_aligned_alloc(1, bytes, HOST_LINE);
    if (kept) memcpy(storage, old, kept);
    g_aligned_free(old);
    return storage;
}
