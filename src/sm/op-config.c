#include "sm/op-config.h"

/*
 * Issue costs: CUDA programming guide 2.0, 5.1.1.1, as listed in sources A3; where that gives none, what the measured throughput of GT200
 * (sources A8) amounts to. Latencies: the 24 cycles of a dependent register (best practices guide 3.2.6); for classes that are sequences
 * of several instructions the measured latency of GT200, the same SM design.
 */
#define A3 "CUDA programming guide 2.0, 5.1.1.1 (sources A3)"
#define RAW "CUDA best practices guide 4.0, 3.2.6: about 24 (sources A3)"
#define A8 "Wong et al., ISPASS 2010: measured on GT200, the same SM design (sources A8)"
#define CTL "model choice: a branch passes the same pipeline"

/* clang-format off */
#define ROW(cls, issue, issue_source, latency, latency_source)                                                                     \
    GS_KEY(OpConfig, cls##_issue, "cycle", issue, 1, 10000, issue_source, "Issue cycles of a warp: class " #cls "."),               \
    GS_KEY(OpConfig, cls##_latency, "cycle", latency, 1, 10000, latency_source, "Issue to use of the result: class " #cls ".")

static const GsKey KEYS[] = {
    ROW(alu,      4, A3,  24, RAW),
    ROW(mul,      4, A3,  24, RAW),
    ROW(shift,    4, A3,  24, RAW),
    ROW(compare,  4, A3,  24, RAW),
    ROW(convert,  4, A3,  24, RAW),
    ROW(mul24,    4, A3,  24, RAW),
    ROW(imul,    16, A3,  96, A8),
    ROW(imad,    20, A8, 120, A8),
    ROW(rcp,     16, A3,  28, A8),
    ROW(lg2,     16, A3,  28, A8),
    ROW(ex2,     32, A3,  48, A8),
    ROW(sincos,  32, A3,  48, A8),
    ROW(sqrt,    32, A3,  56, A8),
    ROW(div,     36, A3, 137, A8),
    ROW(rem,    140, A8, 728, A8),
    ROW(dp,      32, "CUDA programming guide 4.0, F.3.1, cc 1.3 (sources A3)", 48, A8),
    ROW(branch,   4, A3,  24, CTL),
};
/* clang-format on */

const GsConfigTable op_config = {
    .section = "op",
    .doc = "Issue cycles and latency of each operation class.",
    .keys = KEYS,
    .n_keys = G_N_ELEMENTS(KEYS),
    .size = sizeof(OpConfig),
};

void op_timings(const OpConfig *config, OpTiming ret[OP_CLASS_N])
{
#define OP_TIMING(name, doc) ret[OP_CLASS_##name] = (OpTiming){config->name##_issue, config->name##_latency};
    OP_CLASSES(OP_TIMING)
#undef OP_TIMING
}
