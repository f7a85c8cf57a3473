#pragma once
/*
 * The machine: every component's configuration in one struct, and the list of their tables. A component's keys are declared beside the
 * component; adding a component to the machine is one member here and one row in machine-config.c.
 */
#include "gpu/ideal.h"
#include "mem/coalescer.h"
#include "mem/constant-config.h"
#include "mem/dram.h"
#include "mem/link.h"
#include "mem/partition.h"
#include "mem/texture-config.h"
#include "mem/tlb.h"
#include "model/energy.h"
#include "model/mwp-cwp.h"
#include "model/occupancy.h"
#include "sm/l1.h"
#include "sm/op-config.h"
#include "sm/register-file.h"
#include "sm/shared.h"
#include "sm/sm-config.h"

typedef struct {
    uint32_t free_cycles;     /* from the end of a block until its place is free */
    uint32_t block_khz;       /* clock of the dispatcher, a block in each; 0: any number at once */
    uint32_t dispatch_cycles; /* from a free place on an SM until the next block starts there */
    uint64_t overhead_us;     /* host and driver time of one launch, in thousandths of a microsecond */
} LaunchConfig;

typedef struct {
    uint64_t max_instructions;   /* warp instructions of one kernel */
    uint64_t no_progress_cycles; /* without any instruction issued */
} LimitConfig;

typedef struct MachineConfig {
    SmConfig sm;
    OccupancyConfig occupancy;
    OpConfig op;
    RegisterConfig registers;
    SharedConfig shared;
    CoalescerConfig coalescer;
    L1Config l1;
    ConstantConfig constant;
    TextureConfig texture;
    TlbConfig tlb;
    IcntConfig icnt;
    PartitionConfig partition;
    L2Config l2;
    AtomicConfig atomic;
    DramConfig dram;
    EnergyConfig energy;
    LaunchConfig launch;
    LimitConfig limit;
    MwpCwpConfig mwp_cwp;
    IdealConfig ideal;
} MachineConfig;

extern const GsConfigPart machine_parts[];
extern const size_t machine_n_parts;

/* Reads an INI file and overrides; on any fault false, with all of them in *error. What [ideal] asks for is carried out: the keys that it
 * stands for have their ideal values in *ret. */
bool machine_config_load(const char *path, const char *const *overrides, MachineConfig *ret, GError **error);

/* The same for a text that is in memory already; `name` is the file name that the faults show. */
bool machine_config_load_text(const char *name, const char *text, size_t length, const char *const *overrides, MachineConfig *ret,
                              GError **error);

/* The look-ahead L: the least number of cycles that any message or block is under way. */
Cycle machine_lookahead(const MachineConfig *config);

/* Bytes per second that all partitions' data buses carry together. */
uint64_t machine_peak_bytes_per_second(const MachineConfig *config);

/* Floating-point operations per second of all SMs together when nothing but multiply-adds issue, two operations each. A multiplication that
 * the SFU takes over from the SPs (sm.sfu_mul_cycles) comes on top and is not in it. */
uint64_t machine_peak_flops_per_second(const MachineConfig *config);
