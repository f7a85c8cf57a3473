#pragma once
/* A coalesced access as text, equal neighbours folded: "1x64@128 1x64@192" or "7x32@128 1x32@160". Free with g_free. */
#include <glib.h>

#include "mem/coalescer.h"

static inline char *transactions_text(const Coalesced *c)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0, n; i < c->n; i += n) {
        const Transaction *t = &c->transactions[i];
        for (n = 1; i + n < c->n && c->transactions[i + n].addr == t->addr && c->transactions[i + n].bytes == t->bytes;)
            n++;
        g_string_append_printf(out, "%s%ux%u@%" G_GUINT64_FORMAT, out->len ? " " : "", n, t->bytes, t->addr);
    }
    return g_string_free(out, FALSE);
}
