#pragma once
/*
 * The GPU: clusters and partitions wired together, a block dispatcher, and the engine that runs them window by window.
 *
 * A component runs through a window of at most L cycles on its own: whatever is sent in a window arrives after it. Windows of different
 * components touch nothing in common and may run on several host threads. The outcome does not depend on the window's length: messages are
 * handled in the order (time, source, sequence) and blocks that finish in the order (time, SM).
 */
#include "gpu/machine-config.h"
#include "gpu/result.h"

typedef struct Gpu Gpu;

/* `window`: cycles, 1..L, or 0 for L. NULL with a fault when it is longer than L. The configuration must outlive the GPU. */
Gpu *gpu_new(const MachineConfig *config, Cycle window, GError **error);
void gpu_free(Gpu *gpu);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Gpu, gpu_free)

/* Called now and then while a kernel runs. */
typedef void (*GpuProgress)(void *user, uint64_t blocks_done, uint64_t blocks, uint64_t warp_instructions);
void gpu_set_progress(Gpu *gpu, GpuProgress progress, void *user);

/* The kernels that follow give detail, at a price in the time of the simulation. */
void gpu_set_detail(Gpu *gpu);

/* Runs one kernel to its end; none overlaps with it (docs/accuracy.md, S20). Caches (S28) and rows of the DRAM keep their state for the next. Fills *ret (free with result_clear). */
bool gpu_run(Gpu *gpu, const Program *program, KernelResult *ret, GError **error);

/* Between kernels: bytes that the caches hold and the DRAM lacks; all caches and TLBs empty, these bytes written in no time and counted
 * nowhere. The DRAM keeps its open rows and its time of refresh. */
uint64_t gpu_dirty_bytes(const Gpu *gpu);
void gpu_flush(Gpu *gpu);

/* Faults that can be told before anything runs: the kernel does not fit the SM, its control is nested too deep, it uses what the machine does
 * not have. */
bool gpu_check_program(const MachineConfig *config, const Program *program, GError **error);

/* What an SM holds of a program that gpu_check_program is content with. */
Occupancy gpu_occupancy(const MachineConfig *config, const Program *program);

/* How a program is compiled for this machine. */
ProgramOptions gpu_program_options(const MachineConfig *config);
