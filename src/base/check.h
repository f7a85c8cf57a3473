#pragma once
/* A broken invariant of the model is a bug in g80sim, never the user's: it is always checked and stops the program. */
#include <glib.h>

/* GS_CHECK(bank < n, "bank %u", bank): a condition, a printf format and its arguments. */
#define GS_CHECK(cond, ...)                                                                                         \
    do {                                                                                                            \
        if (G_UNLIKELY(!(cond))) g_error("%s:%d: %s: %s", __FILE__, __LINE__, #cond, g_strdup_printf(__VA_ARGS__)); \
    } while (0)
