#pragma once
/* Where the shipped configurations and workloads lie: the folder that holds configs/ and workloads/. It is $G80SIM_DATADIR, else where they
 * were installed, else the source tree. */
const char *shipped_root(void);
