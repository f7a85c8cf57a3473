/*
 * First ready, first come first served (Rixner et al., Memory Access Scheduling, ISCA 2000): requests whose row is open go
 * first, the oldest of them before the others; a row is left open while a request for it waits, then changed for the oldest
 * request of the bank.
 */
#include "mem/dram-private.h"

const DramScheduler dram_sched_frfcfs = {0}; /* what a DramScheduler without functions stands for */
