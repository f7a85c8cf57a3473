#pragma once
/* How far a launch may go before fewer of its blocks fit on an SM, or has to go back before more do. */
#include "model/occupancy.h"

/* The most registers of a thread with which registers alone allow `blocks`; 0 when even one does not. */
uint32_t residency_most_regs(const OccupancyConfig *config, const OccupancyNeed *need, uint32_t blocks);

/* The most bytes of a block with which shared memory alone allows `blocks`; -1 when even none does not. */
int64_t residency_most_shared(const OccupancyConfig *config, const OccupancyNeed *need, uint32_t blocks);
