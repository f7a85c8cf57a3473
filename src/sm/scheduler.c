#include "sm/scheduler.h"

#define ROW_NAME(name) #name,
#define ROW_POLICY(name) &scheduler_##name,
const char *const scheduler_names[] = {SCHEDULER_POLICIES(ROW_NAME) 0};
static const SchedulerPolicy *const POLICY_TABLE[] = {SCHEDULER_POLICIES(ROW_POLICY)};

const SchedulerPolicy *scheduler_policy(uint32_t index)
{
    return POLICY_TABLE[index];
}
