#include "cli/access.h"

#include <string.h>

#include "base/nearest.h"
#include "cli/fail.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "gpu/capability.h"
#include "trace/eval.h"
#include "trace/linear.h"

static const char *const IDENTITIES[BI_N] = {
    [BI_TID_X] = "tid.x",     [BI_TID_Y] = "tid.y",       [BI_TID_Z] = "tid.z",       [BI_NTID_X] = "ntid.x",
    [BI_NTID_Y] = "ntid.y",   [BI_NTID_Z] = "ntid.z",     [BI_CTAID_X] = "ctaid.x",   [BI_CTAID_Y] = "ctaid.y",
    [BI_CTAID_Z] = "ctaid.z", [BI_NCTAID_X] = "nctaid.x", [BI_NCTAID_Y] = "nctaid.y", [BI_NCTAID_Z] = "nctaid.z",
    [BI_LANEID] = "laneid",   [BI_WARPID] = "warpid",
};

/* ---- options ---- */

typedef struct {
    char *address, *width, *active, *ntid, *warp, *json, **overrides;
    gboolean store, atomic;
} AccessOptions;

static void options_clear(AccessOptions *o)
{
    g_free(o->address);
    g_free(o->width);
    g_free(o->active);
    g_free(o->ntid);
    g_free(o->warp);
    g_free(o->json);
    g_strfreev(o->overrides);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AccessOptions, options_clear)

static int read_options(const Command *self, int argc, char **argv, AccessOptions *o, char ***ret_operands)
{
    const GOptionEntry entries[] = {
        {"address", 0, 0, G_OPTION_ARG_FILENAME, &o->address, "Byte address of each lane (required)", "EXPR"},
        {"width", 0, 0, G_OPTION_ARG_FILENAME, &o->width, "Bytes of each lane: 1 2 4 8 16; default 4", "BYTES"},
        {"active", 0, 0, G_OPTION_ARG_FILENAME, &o->active, "Lanes that take part, lane 0 lowest; default 0xffffffff", "MASK"},
        {"store", 0, 0, G_OPTION_ARG_NONE, &o->store, "A store instead of a load", NULL},
        {"atomic", 0, 0, G_OPTION_ARG_NONE, &o->atomic, "An atomic operation instead of a load, of 4 or 8 bytes", NULL},
        {"ntid", 0, 0, G_OPTION_ARG_FILENAME, &o->ntid, "Threads of the block; default 32", "X[,Y[,Z]]"},
        {"warp", 0, 0, G_OPTION_ARG_FILENAME, &o->warp, "Warp of the block; default 0", "N"},
        OPTION_SET(&o->overrides),
        OPTION_JSON(&o->json),
        {NULL},
    };
    const int status = options_parse(self, entries, 1, 1, argc, argv, ret_operands);
    if (status != OPTIONS_GO_ON) return status;
    if (!o->address) return fail_usage(self, "%s: want --address EXPR, the byte address of each lane", self->name);
    if (o->store && o->atomic) return fail_usage(self, "--store, --atomic: want one of them at most");
    return OPTIONS_GO_ON;
}

/* ---- the warp ---- */

typedef struct {
    uint64_t ntid[3], warp;
    int32_t tid[3][LANES];
    LaneMask lanes; /* those that have a thread */
} Place;

static bool parse_ntid(const Command *self, const char *text, uint64_t max, uint64_t ret[3])
{
    g_auto(GStrv) parts = g_strsplit(text, ",", 4);
    const unsigned n = g_strv_length(parts);
    if (n == 0 || n > 3) {
        fail_usage(self, "--ntid = %s: want X, X,Y or X,Y,Z threads", text);
        return false;
    }
    const NumberRule rule = {"--ntid", "threads", 1, max, "occupancy.max_block_threads is the most of a block"};
    for (unsigned i = 0; i < n; i++)
        if (!number_parse(self, &rule, parts[i], &ret[i])) return false;
    const uint64_t threads = ret[0] * ret[1] * ret[2];
    if (threads <= max) return true;
    fail_usage(self, "--ntid = %s: %" G_GUINT64_FORMAT " threads: want at most occupancy.max_block_threads = %" G_GUINT64_FORMAT,
               text, threads, max);
    return false;
}

static bool place_warp(const Command *self, const AccessOptions *o, const MachineConfig *config, Place *ret)
{
    *ret = (Place){.ntid = {LANES, 1, 1}};
    if (o->ntid && !parse_ntid(self, o->ntid, config->occupancy.max_block_threads, ret->ntid)) return false;
    const uint64_t threads = ret->ntid[0] * ret->ntid[1] * ret->ntid[2];
    const NumberRule rule = {"--warp", "", 0, (threads - 1) / LANES, "the warps of the block"};
    if (o->warp && !number_parse(self, &rule, o->warp, &ret->warp)) return false;
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t thread = ret->warp * LANES + i;
        if (thread >= threads) break;
        ret->lanes |= (LaneMask)1 << i;
        ret->tid[0][i] = (int32_t)(thread % ret->ntid[0]);
        ret->tid[1][i] = (int32_t)(thread / ret->ntid[0] % ret->ntid[1]);
        ret->tid[2][i] = (int32_t)(thread / ret->ntid[0] / ret->ntid[1]);
    }
    return true;
}

static bool choose_lanes(const Command *self, const AccessOptions *o, LaneMask existing, LaneMask *ret)
{
    uint64_t mask = LANES_ALL;
    const NumberRule rule = {"--active", "", 1, LANES_ALL, "a mask of lanes such as 0xffff, lane 0 lowest"};
    if (o->active && !number_parse(self, &rule, o->active, &mask)) return false;
    *ret = (LaneMask)mask & existing;
    if (*ret) return true;
    fail_usage(self, "--active = %s: none of these lanes has a thread: the warp has %u", o->active, bits_count(existing));
    return false;
}

static bool choose_width(const Command *self, const AccessOptions *o, uint32_t *ret)
{
    uint64_t width = 4;
    if (o->width && (!g_ascii_string_to_unsigned(o->width, 10, 1, 16, &width, NULL) || (width & (width - 1)))) {
        g_autofree char *shown = faults_excerpt(o->width);
        fail_usage(self, "--width = %s: want 1, 2, 4, 8 or 16 bytes", shown);
        return false;
    }
    if (o->atomic && width != 4 && width != 8) {
        fail_usage(self, "--width = %s: want 4 or 8 bytes with --atomic", o->width);
        return false;
    }
    *ret = (uint32_t)width;
    return true;
}

static bool has_atomics(const Command *self, const MachineConfig *config, Space space, uint32_t width)
{
    g_autofree char *refusal = capability_atomic_refusal(config, space, width);
    if (refusal) fail_usage(self, "--atomic: %s", refusal);
    return !refusal;
}

/* ---- names that are none ---- */

static const char *cuda_name(const char *word)
{
    static const char *const NAMES[][2] = {
        {"threadIdx.", "tid"}, {"blockDim.", "ntid"}, {"blockIdx.", "ctaid"}, {"gridDim.", "nctaid"}};
    for (unsigned i = 0; i < G_N_ELEMENTS(NAMES); i++)
        if (g_str_has_prefix(word, NAMES[i][0])) return NAMES[i][1];
    return NULL;
}

/* The first word of the expression that is no identity; NULL when all are known here. Free with g_free. */
static char *unknown_word(const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = 0;
        while (g_ascii_isalnum(at[n]) || at[n] == '_' || at[n] == '.')
            n++;
        if (n == 0) {
            at++;
            continue;
        }
        g_autofree char *word = g_strndup(at, n);
        bool known = g_ascii_isdigit(*word) || *word == '.' || g_str_equal(word, "min") || g_str_equal(word, "max") ||
                     g_str_equal(word, "hash");
        for (unsigned i = 0; i < BI_N; i++)
            known = known || g_str_equal(word, IDENTITIES[i]);
        if (!known) return g_steal_pointer(&word);
        at += n;
    }
    return NULL;
}

static int refuse_word(const Command *self, const char *word)
{
    g_autofree char *shown = faults_excerpt(word);
    const char *cuda = cuda_name(word);
    if (cuda) return fail_usage(self, "--address: %s: no such name: did you mean %s%s?", shown, cuda, strrchr(word, '.'));
    const char *near = nearest_name(word, IDENTITIES, BI_N);
    if (near) return fail_usage(self, "--address: %s: no such name: did you mean %s?", shown, near);
    return fail_usage(self, "--address: %s: no such name: want laneid, tid.x, tid.y, tid.z, ntid.x ... and integers", shown);
}

/* ---- evaluation ---- */

static NodePool *new_pool(const Place *place)
{
    int64_t lo[BI_N] = {0}, hi[BI_N] = {0};
    for (unsigned d = 0; d < 3; d++) {
        lo[BI_NTID_X + d] = hi[BI_NTID_X + d] = (int64_t)place->ntid[d];
        hi[BI_TID_X + d] = (int64_t)place->ntid[d] - 1;
        lo[BI_NCTAID_X + d] = hi[BI_NCTAID_X + d] = 1;
    }
    hi[BI_LANEID] = LANES - 1;
    lo[BI_WARPID] = hi[BI_WARPID] = (int64_t)place->warp;
    return node_pool_new(lo, hi);
}

static const Node *no_names(void *scope, const char *name)
{
    (void)scope;
    (void)name;
    return NULL;
}

static void take_terms(const Node *node, const EvalContext *context, WarpAccess *access)
{
    const Linear form = linear_of(node, NULL, NULL);
    EvalFault fault;
    for (unsigned i = 0; i < form.n && access->n_terms < ACCESS_TERMS_MAX; i++) {
        const Node *atom = form.terms[i].atom;
        AccessTerm *term = &access->terms[access->n_terms];
        if (!(atom->deps & DEP_LANE) || !eval_lanes(atom, context, access->lanes.mask, term->value, &fault)) continue;
        term->stride = form.terms[i].coef;
        term->name =
            atom->op == EX_BUILTIN ? g_strdup(IDENTITIES[atom->builtin]) : g_strdup_printf("the term at column %d", atom->column);
        access->n_terms++;
    }
}

static int take_addresses(const Command *self, const int64_t *values, WarpAccess *access)
{
    const uint32_t width = access->lanes.width;
    for (LaneMask left = access->lanes.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        if (values[i] < 0)
            return fail_usage(self, "--address: lane %u has byte %" G_GINT64_FORMAT ": want 0 or more", i, values[i]);
        if (values[i] % width)
            return fail_usage(self, "--address: lane %u has byte %" G_GINT64_FORMAT ": want a multiple of the width, %u bytes", i,
                              values[i], width);
        access->lanes.addr[i] = (Addr)values[i];
    }
    return OPTIONS_GO_ON;
}

static int evaluate(const Command *self, const Node *node, const Place *place, WarpAccess *access)
{
    const EvalContext context = {.tid = place->tid};
    int64_t values[LANES] = {0};
    EvalFault fault;
    if (eval_lanes(node, &context, access->lanes.mask, values, &fault)) {
        take_terms(node, &context, access);
        return take_addresses(self, values, access);
    }
    if (fault.lane < 0) return fail_usage(self, "--address: column %d: %s", fault.node->column, arith_text(fault.kind));
    return fail_usage(self, "--address: column %d: %s in lane %d", fault.node->column, arith_text(fault.kind), fault.lane);
}

static int find_addresses(const Command *self, const Place *place, WarpAccess *access)
{
    const AstExpr *expr = NULL;
    GError *error = NULL;
    g_autoptr(AstTrace) holder = ast_expr_parse("--address", access->text, &expr, &error);
    if (!holder) {
        g_autofree char *word = unknown_word(access->text);
        if (!word || g_str_equal(word, "tid") || g_str_equal(word, "ntid")) return fail(error); /* it says x, y or z */
        g_error_free(error);
        return refuse_word(self, word);
    }
    NodePool *pool = new_pool(place);
    g_autoptr(Faults) faults = faults_new("--address");
    const Node *node = node_bind(pool, expr, no_names, NULL, faults);
    int status = OPTIONS_GO_ON;
    if (!faults_none(faults, G80SIM_ERROR_USAGE, &error))
        status = fail(error);
    else
        status = evaluate(self, node, place, access);
    node_pool_free(pool);
    return status;
}

/* ---- all together ---- */

int warp_access_parse(const Command *self, Space space, int argc, char **argv, WarpAccess *ret)
{
    g_auto(AccessOptions) o = {0};
    g_auto(GStrv) operands = NULL;
    const int status = read_options(self, argc, argv, &o, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    if (!machine_load(operands[0], (const char *const *)o.overrides, &ret->machine, &error)) return fail(error);
    Place place;
    if (!choose_width(self, &o, &ret->lanes.width) || !place_warp(self, &o, &ret->machine.config, &place) ||
        !choose_lanes(self, &o, place.lanes, &ret->lanes.mask) ||
        (o.atomic && !has_atomics(self, &ret->machine.config, space, ret->lanes.width)))
        return STATUS_USAGE;
    ret->lanes.store = o.store;
    ret->lanes.atomic = o.atomic;
    ret->text = g_steal_pointer(&o.address);
    ret->json = g_steal_pointer(&o.json);
    return find_addresses(self, &place, ret);
}

void warp_access_clear(WarpAccess *access)
{
    for (unsigned i = 0; i < access->n_terms; i++)
        g_free(access->terms[i].name);
    machine_clear(&access->machine);
    g_free(access->text);
    g_free(access->json);
}

uint64_t access_term_rows(const WarpAccess *access, const AccessTerm *term)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (LaneMask left = access->lanes.mask; left; left &= left - 1) {
        const int64_t value = term->value[bits_lowest(left)];
        low = MIN(low, value);
        high = MAX(high, value);
    }
    return (uint64_t)high - (uint64_t)low + 1;
}

void warp_access_print_title(FILE *out, const char *command, const WarpAccess *access)
{
    const unsigned n = bits_count(access->lanes.mask);
    g_autofree char *text = faults_excerpt(access->text);
    fprintf(out, "%s: %u lane%s %s%s %u byte%s%s at %s; %s\n", command, n, n == 1 ? "" : "s",
            access->lanes.atomic  ? "atomically update"
            : access->lanes.store ? "store"
                                  : "load",
            n == 1 ? "s" : "", access->lanes.width, access->lanes.width == 1 ? "" : "s", n == 1 ? "" : " each", text,
            access->machine.file);
    for (char **override = access->machine.overrides; *override; override++)
        fprintf(out, "  -s %s\n", *override);
}
