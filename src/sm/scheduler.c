#include "sm/scheduler.h"

/* The policies: a name for the configuration and the order it stands for. */
#define POLICIES(ROW) ROW("lrr", scheduler_lrr) ROW("gto", scheduler_gto)

#define ROW_NAME(name, policy) name,
#define ROW_POLICY(name, policy) &policy,
const char *const scheduler_names[] = {POLICIES(ROW_NAME) 0};
static const SchedulerPolicy *const POLICY_TABLE[] = {POLICIES(ROW_POLICY)};

const SchedulerPolicy *scheduler_policy(uint32_t index)
{
    return POLICY_TABLE[index];
}
