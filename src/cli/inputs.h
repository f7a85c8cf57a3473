#pragma once
/* What a simulation reads: a machine and a trace. */
#include "cli/json.h"
#include "gpu/machine-config.h"
#include "trace/launch.h"

/* The bytes of a file ("-": standard input), `max` of them at most; NULL, with errno, when it cannot be read or is longer. */
GByteArray *inputs_read(const char *path, size_t max);

typedef struct {
    char *file, *sha256; /* of the file's bytes, in hex */
    char **overrides;    /* as given; never NULL */
    MachineConfig config;
} Machine;

/* Reads the file once, so that a pipe will do. */
bool machine_load(const char *path, const char *const *overrides, Machine *ret, GError **error);
void machine_clear(Machine *machine);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Machine, machine_clear)

/* The machine as the member `config` of the object being built. */
void machine_add(JsonBuilder *builder, const Machine *machine);

typedef struct {
    AstTrace *trace;
    LaunchPlan *plan;
    uint64_t blocks; /* of all launches */
} Workload;

bool workload_load(const char *path, const char *const *settings, Workload *ret, GError **error);
void workload_clear(Workload *workload);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Workload, workload_clear)

const Launch *workload_launch(const Workload *workload, unsigned index);

/* `N=256 T=16`: the parameters as they are. Free with g_free. */
char *workload_params(const Workload *workload);

/* The same as the member `params` of the object being built. */
void workload_add_params(JsonBuilder *builder, const Workload *workload);
