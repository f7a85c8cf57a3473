/* Loose round robin: scheduler.h. */
#include "sm/scheduler.h"

const SchedulerPolicy scheduler_lrr = {.first = scheduler_round_robin};
