#include "sm/scheduler.h"

static const SchedulerPolicy *const POLICIES[] = {&scheduler_lrr, &scheduler_gto};

const char *const scheduler_names[] = {"lrr", "gto", 0};

const SchedulerPolicy *scheduler_policy(uint32_t index)
{
    return POLICIES[index];
}
