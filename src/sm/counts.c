#include "sm/counts.h"

static const struct {
    const char *name, *doc;
} REASONS[STALL_N] = {
#define STALL_ROW(name, doc) {#name, doc},
    STALL_REASONS(STALL_ROW)
#undef STALL_ROW
};

const char *stall_name(StallReason reason)
{
    return REASONS[reason].name;
}

const char *stall_doc(StallReason reason)
{
    return REASONS[reason].doc;
}
