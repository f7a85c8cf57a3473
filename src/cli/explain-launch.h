#pragma once
/* The launches of a trace on a machine: what limits how many blocks are resident, and whether those camp on few memory partitions. */
#include "cli/inputs.h"
#include "trace/program.h"

/* `limited by threads; with 512 threads ...`: one line. Free with g_free. */
char *explain_residency(const MachineConfig *config, const Program *program);

/* Of the traffic to global memory of the blocks that are resident first, execution by execution of each instruction: what of it goes to the
 * busiest partitions. Unlike a whole run's, this share tells what is asked for at about the same time. */
typedef struct {
    bool known;     /* there are partitions, no hash spreads the addresses, and enough is asked for at once to fill them */
    uint32_t of;    /* partitions of the machine */
    uint32_t on;    /* partitions that traffic spread evenly over them would be as concentrated as this */
    double busiest; /* share of the traffic that the busiest partition of the moment takes */
    int line;       /* of the instruction that camps most, weighted by its traffic; 0: none */
} Camping;

bool explain_camping(const MachineConfig *config, const Program *program, Camping *ret, GError **error);

/* The busiest partition of the moment has three times its share, or nearly all where there are two. */
bool camping_matters(const Camping *camping);
