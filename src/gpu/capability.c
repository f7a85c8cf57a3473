#include "gpu/capability.h"

typedef struct {
    const char *what;
    uint64_t since;      /* compute capability in thousandths */
    const char *shipped; /* configurations that have it */
} Need;

static const Need GLOBAL_ATOMICS = {"atomic operations on global memory", 1100, "g92, gt200 and later"};
static const Need WIDE_GLOBAL_ATOMICS = {"atomic operations on 8 bytes of global memory", 1200, "gt200 and later"};
static const Need SHARED_ATOMICS = {"atomic operations on shared memory", 1200, "gt200 and later"};
static const Need WIDE_SHARED_ATOMICS = {"atomic operations on 8 bytes of shared memory", 2000, "gf100 and later"};
static const Need DOUBLE_PRECISION = {"double precision", 1300, "gt200 and later"};

static const Need *need_of_atomic(Space space, unsigned width)
{
    const bool wide = width > 4;
    if (space == SPACE_SHARED) return wide ? &WIDE_SHARED_ATOMICS : &SHARED_ATOMICS;
    return wide ? &WIDE_GLOBAL_ATOMICS : &GLOBAL_ATOMICS;
}

static const Need *need_of(const Insn *insn)
{
    if (insn->kind == INSN_ALU && insn->cls == OP_CLASS_dp) return &DOUBLE_PRECISION;
    if (insn->kind == INSN_MEM && insn->mem == MEM_ATOMIC) return need_of_atomic((Space)insn->space, insn->width);
    return NULL;
}

/* NULL where the machine has what is needed. */
static char *refusal(const MachineConfig *config, const Need *need)
{
    const uint64_t has = config->sm.compute_capability;
    if (!need || need->since <= has) return NULL;
    return g_strdup_printf("%s: want compute capability %.1f (configurations %s); sm.compute_capability = %.1f", need->what,
                           (double)need->since / 1000, need->shipped, (double)has / 1000);
}

char *capability_atomic_refusal(const MachineConfig *config, Space space, unsigned width)
{
    return refusal(config, need_of_atomic(space, width));
}

static bool check_local(const MachineConfig *config, const Program *p, GError **error)
{
    const uint64_t most = config->sm.compute_capability < 2000 ? 16 << 10 : 512 << 10;
    if (p->local_bytes <= most) return true;
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE,
                "%s:%d: kernel %s: local memory of a thread = %" G_GUINT64_FORMAT " bytes: want at most %" G_GUINT64_FORMAT,
                p->trace->file, p->kernel->line, p->kernel->name, p->local_bytes, most);
    return false;
}

bool capability_check(const MachineConfig *config, const Program *p, GError **error)
{
    for (uint32_t i = 0; i < p->n_code; i++) {
        const Insn *insn = &p->code[i];
        if (insn->kind == CTL_LOOP && p->loops[insn->ctl].trips == 0) { /* what is never run need not be there */
            i = p->loops[insn->ctl].exit - 1;
            continue;
        }
        g_autofree char *text = refusal(config, need_of(insn));
        if (!text) continue;
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_TRACE, "%s:%d: %s", p->trace->file, insn->line, text);
        return false;
    }
    return check_local(config, p, error);
}
