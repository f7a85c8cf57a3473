#pragma once
/* One memory partition of the default machine, behind its ports: for the tests of its parts. */
#include "random.h"
#include "unit.h"

#include "mem/partition.h"

enum { SELF = 40 };

typedef struct {
    PartitionConfig partition;
    IcntConfig icnt;
    L2Config l2;
    AtomicConfig atomic;
    DramConfig dram;
} Machine;

/* A G80: the L2 serves textures and constants. */
static inline Machine defaults(void)
{
    static const GsConfigPart PARTS[] = {
        {&partition_config, offsetof(Machine, partition)},
        {&icnt_config, offsetof(Machine, icnt)},
        {&l2_config, offsetof(Machine, l2)},
        {&atomic_config, offsetof(Machine, atomic)},
        {&dram_config, offsetof(Machine, dram)},
    };
    Machine machine;
    gs_config_defaults(PARTS, G_N_ELEMENTS(PARTS), &machine);
    return machine;
}

static inline Partition *make(const Machine *machine)
{
    const PartitionSetup setup = {&machine->partition, &machine->icnt, &machine->l2, &machine->atomic,
                                  &machine->dram,      1350000,        SELF};
    return partition_new(&setup);
}

static inline Msg request(Cycle time, Addr addr, unsigned bytes, bool write, uint32_t tag)
{
    return (Msg){
        .time = time,
        .addr = addr,
        .tag = tag,
        .src = 3,
        .dst = SELF,
        .bytes = (uint8_t)bytes,
        .kind = write ? MSG_WRITE : MSG_READ,
        .count = 1,
    };
}
