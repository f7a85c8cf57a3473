#pragma once
/* [op]: issue cost and latency of each operation class, in shader cycles. Defaults are a cc 1.x SM's (sources A3, A8). */
#include "base/config.h"
#include "trace/op.h"

typedef struct {
#define OP_FIELDS(name, doc) uint32_t name##_issue, name##_latency;
    OP_CLASSES(OP_FIELDS)
#undef OP_FIELDS
} OpConfig;

extern const GsConfigTable op_config;

typedef struct {
    uint32_t issue;   /* cycles the warp holds its scheduler's issue port, or the SFU or DP unit where one of them computes it */
    uint32_t latency; /* cycles from issue until a dependent instruction may issue */
} OpTiming;

void op_timings(const OpConfig *config, OpTiming ret[OP_CLASS_N]);
