#include "cli/explain-words.h"

#include "cli/format.h"

enum { WORD_BYTES = 4, HALF = LANES / 2, ROW_MIN = 32 }; /* a shorter row is an element: a structure */

const char *explain_unit(Space space)
{
    static const char *const UNITS[SPACE_N] = {[SPACE_GLOBAL] = "transactions",
                                               [SPACE_SHARED] = "passes",
                                               [SPACE_CONST] = "addresses",
                                               [SPACE_TEX] = "lines",
                                               [SPACE_LOCAL] = "transactions"};
    return UNITS[space];
}

static const char *one_unit(Space space)
{
    static const char *const UNITS[SPACE_N] = {[SPACE_GLOBAL] = "transaction",
                                               [SPACE_SHARED] = "pass",
                                               [SPACE_CONST] = "address",
                                               [SPACE_TEX] = "line",
                                               [SPACE_LOCAL] = "transaction"};
    return UNITS[space];
}

const char *explain_verb(const ExplainInsn *insn)
{
    if (insn->insn.space == SPACE_TEX) return "fetch";
    return insn->insn.mem == MEM_STORE ? "store" : insn->insn.mem == MEM_ATOMIC ? "atomic" : "load";
}

/* ---- what the lanes touch ---- */

/* Bytes from a row of the array to the next one; 0 without rows. */
static uint64_t row_bytes(const ExplainInsn *insn)
{
    const unsigned n = insn->place.array->n_dims;
    return n >= 2 ? insn->place.strides[n - 2] : 0;
}

static bool goes_down_rows(const ExplainInsn *insn, const AccessPattern *p)
{
    return p->shape == SHAPE_STRIDED && row_bytes(insn) >= ROW_MIN && (uint64_t)ABS(p->stride) == row_bytes(insn);
}

static char *stride_text(const ExplainInsn *insn, const AccessPattern *p)
{
    const uint64_t bytes = (uint64_t)ABS(p->stride);
    if (goes_down_rows(insn, p)) return g_strdup_printf("one row of %s for each lane", insn->place.array->name);
    if (p->stride == -(int64_t)insn->insn.width) return g_strdup("consecutive words, backwards");
    if (bytes % WORD_BYTES) return g_strdup_printf("%s apart", format_counted(bytes, "byte").text);
    return g_strdup_printf("words %s apart", format_count(bytes / WORD_BYTES).text);
}

static char *order_text(const MachineConfig *config, const ExplainInsn *insn, const AccessPattern *p)
{
    g_autofree char *wide = insn->insn.width == WORD_BYTES || insn->insn.space == SPACE_LOCAL
                                ? g_strdup("consecutive words")
                                : g_strdup_printf("consecutive elements of %s", format_counted(insn->insn.width, "byte").text);
    if (insn->insn.space != SPACE_GLOBAL) return g_steal_pointer(&wide);
    return g_strdup_printf("%s %s a %u-byte boundary", wide, p->aligned ? "from" : "off",
                           access_align(config, insn->insn.width, p->group));
}

char *explain_touch(const MachineConfig *config, const ExplainInsn *insn)
{
    if (!insn->n_kinds) return g_strdup("never executed by a lane");
    const AccessPattern *p = &insn->kinds[0].pattern;
    g_autofree char *text = NULL;
    if (p->single && insn->insn.mem == MEM_ATOMIC && explain_one_word(insn)) return g_strdup("one lane alone, always one word");
    if (p->single) return g_strdup("one lane alone");
    switch (p->shape) {
    case SHAPE_SAME:
        return p->group == LANES ? g_strdup("one word for all lanes") : g_strdup_printf("one word for each %u lanes", p->group);
    case SHAPE_SCATTERED: return g_strdup("scattered words");
    case SHAPE_IN_ORDER: text = order_text(config, insn, p); break;
    case SHAPE_DENSE: text = g_strdup("neighbouring words, not in order"); break;
    case SHAPE_STRIDED: text = stride_text(insn, p); break;
    }
    if (p->group < LANES && p->shape == SHAPE_IN_ORDER && insn->insn.space == SPACE_GLOBAL)
        return g_strdup_printf("each %u lanes: consecutive, %s a %u-byte boundary", p->group, p->aligned ? "from" : "off",
                               access_align(config, insn->insn.width, p->group));
    return p->group == LANES ? g_steal_pointer(&text) : g_strdup_printf("each %u lanes: %s", p->group, text);
}

/* ---- what it takes ---- */

static Text mean_text(uint64_t sum, uint64_t n)
{
    return sum % n ? format_fixed((double)sum / (double)n, 1) : format_count(sum / n);
}

static Text range_text(const CostRange *range, uint64_t seen)
{
    return range->least == range->most ? format_count(range->least) : format_fixed((double)range->sum / (double)seen, 1);
}

char *explain_cost(const ExplainInsn *insn, bool ranges)
{
    const Space space = (Space)insn->insn.space;
    if (!insn->seen) return g_strdup("nothing");
    const Text now = range_text(&insn->now, insn->seen), fewest = range_text(&insn->fewest, insn->seen);
    GString *text = g_string_new(now.text);
    if (ranges && insn->now.least != insn->now.most) g_string_append_printf(text, " (%u..%u)", insn->now.least, insn->now.most);
    g_string_append_printf(text, " %s", insn->now.most == 1 ? one_unit(space) : explain_unit(space));
    if (insn->now.sum > insn->fewest.sum)
        g_string_append_printf(text, ", %s at best", fewest.text);
    else if (insn->moved > insn->needed)
        g_string_append_printf(text, ", %s bytes, %s at best", mean_text(insn->moved, insn->seen).text,
                               mean_text(insn->needed, insn->seen).text);
    if (insn->depth > 1) g_string_append_printf(text, ", up to %u lanes on one word", insn->depth);
    return g_string_free(text, FALSE);
}

/* ---- the cure: global memory ---- */

static char *global_rule(const MachineConfig *config, const ExplainInsn *insn)
{
    const CoalescerPolicy *policy = coalescer_policy(&config->coalescer);
    const unsigned width = insn->insn.width, align = access_align(config, width, LANES);
    if (policy == &coalescer_cc10 && width < WORD_BYTES) return g_strdup("words of 1 and 2 bytes are not coalesced");
    if (policy == &coalescer_cc10) return g_strdup_printf("16 in order from a %u-byte boundary are 1", align);
    if (policy == &coalescer_cc12)
        return g_strdup_printf("each %u-byte segment of a half-warp is 1", width == 1 ? 32 : width == 2 ? 64 : 128);
    return g_strdup_printf("each aligned %s of %u bytes is 1", policy == &coalescer_cc20 ? "line" : "sector", align);
}

static char *order_cure(const MachineConfig *config, const ExplainInsn *insn, const AccessPattern *p)
{
    const unsigned want = access_by_halves(config) ? HALF : LANES, align = access_align(config, insn->insn.width, p->group);
    if (p->group < want) return g_strdup_printf("make rows of the block at least %u threads long", want);
    if (insn->insn.mem == MEM_LOAD) return g_strdup_printf("align to %u bytes: pad the rows; or load by a texture", align);
    return g_strdup_printf("align to %u bytes: pad the rows or shift the index", align);
}

static char *global_cure(const MachineConfig *config, const ExplainInsn *insn, const AccessPattern *p)
{
    const bool load = insn->insn.mem == MEM_LOAD;
    if (coalescer_policy(&config->coalescer) == &coalescer_cc10 && insn->insn.width < WORD_BYTES)
        return g_strdup("let each lane take 4 bytes at once (a char4)");
    switch (p->shape) {
    case SHAPE_SAME: return g_strdup("let one lane take it and share it, or keep it in constant memory");
    case SHAPE_IN_ORDER: return order_cure(config, insn, p);
    case SHAPE_DENSE:
        return g_strdup(load ? "let lane k take word k, reorder in shared memory, or use a texture"
                             : "let lane k take word k, and reorder in shared memory");
    case SHAPE_STRIDED:
        if (goes_down_rows(insn, p)) return g_strdup("make tid.x the last index, or turn a tile in shared memory");
        return g_strdup("let lane k take word k: through shared memory, or one array a field");
    case SHAPE_SCATTERED: break;
    }
    return g_strdup(load ? "sort the indices, load by a texture, or bring the part to shared memory"
                         : "sort the indices, or gather in place of scattering");
}

/* ---- the cure: shared memory ---- */

/* Whether rows that are one word longer take no conflicts: [T][T+1]. */
static bool pad_helps(const MachineConfig *config, const ExplainInsn *insn)
{
    const uint64_t row = row_bytes(insn);
    LaneAccess padded = insn->kinds[0].example;
    if (!row) return false;
    for (LaneMask left = padded.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        padded.addr[i] += (padded.addr[i] - insn->place.base) / row * MAX(WORD_BYTES, padded.width);
    }
    return access_cost(config, &insn->insn, &insn->place, &padded).now < insn->kinds[0].cost.now;
}

static char *shared_cure(const MachineConfig *config, const ExplainInsn *insn, const AccessPattern *p)
{
    const unsigned n = insn->place.array->n_dims;
    if (insn->insn.mem == MEM_ATOMIC) return g_strdup("let lanes that share a bank combine their values first");
    if (pad_helps(config, insn)) {
        const uint64_t rows = insn->place.dims[n - 2], row = insn->place.dims[n - 1];
        return g_strdup_printf("pad the row by one word: %s[%" G_GUINT64_FORMAT "][%" G_GUINT64_FORMAT "+1]",
                               insn->place.array->name, rows, row);
    }
    if (insn->insn.width < WORD_BYTES) return g_strdup("let each lane take a whole word");
    if (insn->insn.width > WORD_BYTES && p->shape == SHAPE_IN_ORDER)
        return g_strdup("keep the words of an element in separate arrays");
    if (p->shape == SHAPE_STRIDED) return g_strdup("let neighbouring lanes take neighbouring words: index by tid.x alone");
    return g_strdup("let the lanes of a group take different banks, or one word together");
}

static char *shared_rule(const MachineConfig *config)
{
    return g_strdup_printf("%u banks: words of one bank take turns", config->shared.banks);
}

/* ---- the cure ---- */

static char *advise(const MachineConfig *config, const ExplainInsn *insn, const AccessPattern *p)
{
    switch ((Space)insn->insn.space) {
    case SPACE_SHARED: return shared_cure(config, insn, p);
    case SPACE_CONST: return g_strdup("let lanes agree on one address, or keep the table in shared memory");
    case SPACE_TEX: return g_strdup("let a warp cover a compact patch of texels");
    case SPACE_LOCAL: return g_strdup("index local arrays by what all lanes agree on");
    default: return global_cure(config, insn, p);
    }
}

static char *rule(const MachineConfig *config, const ExplainInsn *insn)
{
    switch ((Space)insn->insn.space) {
    case SPACE_SHARED: return shared_rule(config);
    case SPACE_CONST: return g_strdup_printf("each address of %u lanes is 1", config->constant.group_lanes);
    case SPACE_TEX: return g_strdup_printf("each cache line of %u bytes is 1", config->texture.cache.line_bytes);
    case SPACE_LOCAL: return g_strdup("lanes at one index touch consecutive words");
    default: return global_rule(config, insn);
    }
}

/* The costliest pattern by excess: what there is to cure may not be the most frequent. */
static const AccessKind *kind_to_cure(const ExplainInsn *insn)
{
    const AccessKind *worst = &insn->kinds[0];
    uint64_t most = 0;
    for (unsigned i = 0; i < insn->n_kinds; i++) {
        const AccessKind *kind = &insn->kinds[i];
        const uint64_t excess = kind->seen * (kind->cost.now - kind->cost.fewest + kind->cost.moved - kind->cost.needed);
        if (excess <= most) continue;
        most = excess;
        worst = kind;
    }
    return worst;
}

char *explain_cure(const MachineConfig *config, const ExplainInsn *insn)
{
    if (insn->insn.mem == MEM_ATOMIC && insn->insn.space == SPACE_GLOBAL && (insn->depth > 1 || explain_one_word(insn)))
        return g_strdup("combine values in shared memory first, or keep several copies (operations on one word take turns)");
    if (insn->insn.space == SPACE_LOCAL && insn->now.sum <= insn->fewest.sum)
        return insn->seen ? g_strdup("local memory is global memory: use more registers or shared memory") : NULL;
    if (explain_excess(insn) < 0.05) return NULL;
    g_autofree char *advice = advise(config, insn, &kind_to_cure(insn)->pattern), *why = rule(config, insn);
    return g_strdup_printf("%s (%s)", advice, why);
}
