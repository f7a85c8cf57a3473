#include "cli/coalesce-why.h"

#include "cli/format.h"
#include "cli/lane-look.h"
#include "cli/wording.h"

enum { HALF = LANES / 2, SEGMENT_BYTES = 128, SECTOR_BYTES = 32, WORD_BYTES = 4 };

static bool is_policy(const CoalescerConfig *config, const CoalescerPolicy *policy)
{
    return coalescer_policy(config) == policy;
}

/* ---- the rule ---- */

/* The segment that a half-warp fills on cc 1.0; of 16-byte words the first of two. */
static unsigned segment_bytes(const LaneAccess *access)
{
    return MIN(HALF * access->width, SEGMENT_BYTES);
}

static const char *merge_text(const CoalescerConfig *config)
{
    static const char *const TEXTS[] = {
        "else it takes one of 32 bytes for each lane",
        "else it takes one of 32 bytes for each word",
        "else it takes one for each 32 bytes that it touches",
    };
    return TEXTS[MIN(config->merge, G_N_ELEMENTS(TEXTS) - 1)];
}

static void print_atomic_rule(FILE *out, const CoalescerConfig *config)
{
    word_paragraph(out, "Rule",
                   "of atomics, whatever the generation's rule of loads: %s, lanes in any order. Each aligned sector "
                   "of 32 bytes that "
                   "is touched is one transaction; its operations on one word are done one after the other, where the memory is.",
                   coalescer_policy(config)->atomic_lanes == HALF ? "each half-warp by itself" : "the whole warp");
}

void coalesce_print_rule(FILE *out, const CoalescerConfig *config, const LaneAccess *access)
{
    const unsigned width = access->width;
    if (access->atomic)
        print_atomic_rule(out, config);
    else if (is_policy(config, &coalescer_cc10) && width < WORD_BYTES)
        word_paragraph(
            out, "Rule",
            "as compute capability 1.0 and 1.1: words of 1 or 2 bytes are never coalesced. A half-warp takes a transaction "
            "of 32 bytes for each lane.");
    else if (is_policy(config, &coalescer_cc10))
        word_paragraph(
            out, "Rule",
            "as compute capability 1.0 and 1.1: each half-warp by itself. Where lane k takes word k of an aligned segment of "
            "%u bytes%s; %s.",
            segment_bytes(access),
            width == 16 ? ", and the second eight lanes go on in the next one, it is two transactions"
                        : ", it is one transaction",
            merge_text(config));
    else if (is_policy(config, &coalescer_cc12))
        word_paragraph(
            out, "Rule",
            "as compute capability 1.2 and 1.3: each half-warp by itself, lanes in any order. A transaction is an aligned "
            "segment of %u bytes; one of which only a half is touched shrinks to that half, down to 32 bytes.",
            width == 1   ? 32
            : width == 2 ? 64
                         : 128);
    else if (is_policy(config, &coalescer_cc20))
        word_paragraph(
            out, "Rule",
            "as compute capability 2.x: %s at a time, lanes in any order. Each aligned line of %u bytes that is touched is "
            "one transaction.",
            width <= 4   ? "a warp"
            : width == 8 ? "a half-warp"
                         : "a quarter-warp",
            access->store ? config->store_bytes : config->load_bytes);
    else
        word_paragraph(
            out, "Rule",
            "as compute capability 3.x and later: the whole warp, lanes in any order. Each aligned sector of 32 bytes that is "
            "touched is one transaction.");
}

/* ---- what the lanes do ---- */

static char *shape_text(const LaneAccess *access, const LaneLook *look)
{
    const uint64_t step = (uint64_t)(look->stride < 0 ? -look->stride : look->stride);
    if (bits_count(look->lanes) == 1) return g_strdup("one alone");
    switch (look->shape) {
    case SHAPE_SAME: return g_strdup("all on one word");
    case SHAPE_IN_ORDER: return g_strdup("word after word, in order");
    case SHAPE_DENSE: return g_strdup("neighbouring words, in another order or shared");
    case SHAPE_STRIDED:
        return g_strdup_printf("%" G_GUINT64_FORMAT " bytes from lane to lane, of which %u are used", step, access->width);
    case SHAPE_SCATTERED: break;
    }
    return g_strdup_printf("scattered over %s", format_counted(look->end - look->lowest, "byte").text);
}

/* ---- why, on cc 1.0 ---- */

/* What lane `lane` does wrong at `addr`, where `wanted` was its place. */
static char *breach(const LaneAccess *access, const LaneLook *look, unsigned lane, Addr wanted)
{
    const Addr addr = access->addr[lane];
    const unsigned segment = segment_bytes(access);
    if (look->shape == SHAPE_IN_ORDER)
        return g_strdup_printf("misaligned: lane %u, in order like the others, takes byte %" G_GUINT64_FORMAT
                               "; its place in the segment of %u bytes is byte %" G_GUINT64_FORMAT,
                               lane, addr, segment, wanted);
    if (look->shape == SHAPE_DENSE)
        return g_strdup_printf("out of order: lane %u takes byte %" G_GUINT64_FORMAT ", where %" G_GUINT64_FORMAT
                               " was its place",
                               lane, addr, wanted);
    if (look->shape == SHAPE_STRIDED && addr > wanted)
        return g_strdup_printf("a gap: lane %u takes byte %" G_GUINT64_FORMAT ", where %" G_GUINT64_FORMAT " was its place", lane,
                               addr, wanted);
    return g_strdup_printf("lane %u takes byte %" G_GUINT64_FORMAT ", where %" G_GUINT64_FORMAT " was its place", lane, addr,
                           wanted);
}

/* The first lane that is not at its place in the segment, with the place; LANES when all are. */
static unsigned first_breach(const LaneAccess *access, const LaneLook *look, unsigned first_lane, Addr *ret_wanted)
{
    const unsigned segment = segment_bytes(access);
    const Addr lowest = access->addr[look->first], offset = (Addr)(look->first - first_lane) * access->width;
    const Addr base = lowest >= offset ? (lowest - offset) / segment * segment : 0;
    for (LaneMask left = look->lanes; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        *ret_wanted = base + (Addr)(i - first_lane) * access->width;
        if (access->addr[i] != *ret_wanted) return i;
    }
    return LANES;
}

static void print_half(FILE *out, const char *label, const LaneAccess *access, unsigned first_lane)
{
    const LaneMask lanes = access->mask & (LaneMask)bits_below(HALF) << first_lane;
    if (!lanes) return;
    g_autofree char *who = word_lanes((LaneMask)bits_below(HALF) << first_lane);
    if (access->width < WORD_BYTES) {
        word_paragraph(out, label, "%s are not coalesced: a word has %u byte%s, and 4, 8 or 16 are wanted", who, access->width,
                       access->width == 1 ? "" : "s");
        return;
    }
    const LaneLook look = lane_look(access, lanes);
    Addr wanted;
    const unsigned lane = first_breach(access, &look, first_lane, &wanted);
    if (lane == LANES) {
        word_paragraph(out, label, "%s are coalesced: each takes its own word of the segment at byte %" G_GUINT64_FORMAT, who,
                       access->addr[look.first] - (Addr)(look.first - first_lane) * access->width);
        return;
    }
    g_autofree char *why = breach(access, &look, lane, wanted);
    word_paragraph(out, label, "%s are not coalesced, %s", who, why);
}

/* ---- what would cure it ---- */

/* Bytes moved and transactions when each lane k takes word k from `base` on. */
static Coalesced in_order(const CoalescerConfig *config, const LaneAccess *access, Addr base, uint32_t width)
{
    LaneAccess other = *access;
    Coalesced result;
    other.width = width;
    for (unsigned i = 0; i < LANES; i++)
        other.addr[i] = base + (Addr)i * width;
    coalesce(config, &other, &result);
    return result;
}

static bool is_better(const Coalesced *a, const Coalesced *b)
{
    return a->n < b->n || (a->n == b->n && a->bytes_moved < b->bytes_moved);
}

/* ---- atomics ---- */

/* The transaction whose operations take longest, the first of equals. */
static const Transaction *deepest(const Coalesced *result)
{
    const Transaction *most = &result->transactions[0];
    for (uint32_t i = 1; i < result->n; i++)
        if (result->transactions[i].depth > most->depth) most = &result->transactions[i];
    return most;
}

static void print_depth(FILE *out, const Coalesced *result)
{
    const Transaction *t = deepest(result);
    if (t->depth == 1)
        word_paragraph(out, "Depth", "1: no two lanes of a transaction are on one word, none waits for another");
    else if (t->depth == t->lanes)
        word_paragraph(out, "Depth",
                       "%u: the lanes of the transaction at byte %" G_GUINT64_FORMAT
                       " are all on one word; their operations are done one after the other",
                       t->depth, t->addr);
    else
        word_paragraph(out, "Depth",
                       "%u: so many of the %u lanes of the transaction at byte %" G_GUINT64_FORMAT
                       " are on one word; their operations are done one after the other",
                       t->depth, t->lanes, t->addr);
}

static void print_atomic_cure(FILE *out, const CoalescerConfig *config, const LaneAccess *access, const LaneLook *look,
                              const Coalesced *result)
{
    const Coalesced better = in_order(config, access, 0, access->width);
    if (look->shape == SHAPE_SAME)
        word_paragraph(
            out, "Cure",
            "let the lanes combine their values first, in shared memory, and one lane update the word: 1 transaction of "
            "depth 1");
    else if (deepest(result)->depth > 1)
        word_paragraph(out, "Cure",
                       "let lanes that share a word combine their values first, or keep several copies of the words, spread the "
                       "lanes over them and add the copies up at the end");
    else if (is_better(&better, result))
        word_paragraph(out, "Cure", "let neighbouring lanes update neighbouring words: %s at best",
                       format_counted(better.n, "transaction").text);
    else
        word_paragraph(out, "Cure", "nothing to cure: no lane waits for another, and words side by side could not take fewer");
}

void coalesce_print_why(FILE *out, const CoalescerConfig *config, const LaneAccess *access, const Coalesced *result)
{
    const LaneLook look = lane_look(access, access->mask);
    g_autofree char *shape = shape_text(access, &look);
    word_paragraph(out, "Lanes", "%s; bytes %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, shape, look.lowest, look.end - 1);
    if (access->atomic) {
        print_depth(out, result);
        return;
    }
    if (is_policy(config, &coalescer_cc10)) {
        print_half(out, "Why", access, 0);
        print_half(out, access->mask & (LaneMask)bits_below(HALF) ? "" : "Why", access, HALF);
        return;
    }
    const Coalesced better = in_order(config, access, 0, access->width);
    const char *piece = is_policy(config, &coalescer_cc12) ? "segment" : is_policy(config, &coalescer_cc20) ? "line" : "sector";
    if (!is_better(&better, result))
        word_paragraph(out, "Why", "coalesced: words side by side could not take fewer");
    else if (look.shape == SHAPE_IN_ORDER || look.shape == SHAPE_DENSE)
        word_paragraph(out, "Why",
                       "misaligned: the words lie side by side, but byte %" G_GUINT64_FORMAT " is not where a %s starts, so "
                       "that they reach into more of them",
                       look.lowest, piece);
    else if (look.shape == SHAPE_STRIDED)
        word_paragraph(out, "Why", "gaps: the lanes spread over %s, most of whose bytes nobody uses",
                       format_counted(result->n, piece).text);
    else
        word_paragraph(out, "Why", "the lanes spread over %s", format_counted(result->n, piece).text);
}

static void print_aligned(FILE *out, const LaneAccess *access, const Coalesced *better)
{
    const unsigned first = bits_lowest(access->mask);
    const Addr before = (Addr)first * access->width, start = access->addr[first] - before;
    g_autofree char *places = access->addr[first] < before
                                  ? g_strdup("")
                                  : g_strdup_printf(", at %" G_GUINT64_FORMAT " in place of %" G_GUINT64_FORMAT,
                                                    (start + SEGMENT_BYTES / 2) / SEGMENT_BYTES * SEGMENT_BYTES, start);
    word_paragraph(
        out, "Cure",
        "let lane 0 start at a multiple of %u bytes%s (cudaMalloc gives aligned starts; pad rows to such a multiple, as "
        "cudaMallocPitch does): %s, %s moved",
        SEGMENT_BYTES, places, format_counted(better->n, "transaction").text, format_counted(better->bytes_moved, "byte").text);
}

static void print_better(FILE *out, const CoalescerConfig *config, const LaneAccess *access, LaneShape shape,
                         const Coalesced *better)
{
    const Text count = format_counted(better->n, "transaction");
    if (shape == SHAPE_IN_ORDER || (shape == SHAPE_DENSE && !is_policy(config, &coalescer_cc10)))
        print_aligned(out, access, better);
    else if (shape == SHAPE_DENSE)
        word_paragraph(
            out, "Cure",
            "let lane k take word k, from a multiple of %u bytes on, and change the order afterwards in shared memory: %s",
            SEGMENT_BYTES, count.text);
    else if (shape == SHAPE_STRIDED)
        word_paragraph(
            out, "Cure",
            "let neighbouring lanes take neighbouring words, and go the other way through the data in shared memory; or "
            "keep a structure of arrays in place of an array of structures: %s",
            count.text);
    else
        word_paragraph(out, "Cure",
                       "let neighbouring lanes take neighbouring words (sort the indices, or bring the block's part into shared "
                       "memory first): %s at best",
                       count.text);
}

void coalesce_print_cure(FILE *out, const CoalescerConfig *config, const LaneAccess *access, const Coalesced *result)
{
    const LaneLook look = lane_look(access, access->mask);
    if (access->atomic) {
        print_atomic_cure(out, config, access, &look, result);
        return;
    }
    const Coalesced better = in_order(config, access, 0, access->width);
    LaneAccess one = *access;
    Coalesced once;
    one.mask = (LaneMask)1 << look.first;
    coalesce(config, &one, &once);
    if (look.shape == SHAPE_SAME && once.n < result->n) {
        word_paragraph(out, "Cure",
                       "let one lane take it and hand it on through shared memory, or keep it in constant memory: %s",
                       format_counted(once.n, "transaction").text);
    } else if (is_policy(config, &coalescer_cc10) && access->width < WORD_BYTES) {
        const Coalesced wide = in_order(config, access, 0, WORD_BYTES);
        word_paragraph(out, "Cure", "let each lane take 4 bytes at once, in order (a char4): %s for %u times the data",
                       format_counted(wide.n, "transaction").text, WORD_BYTES / access->width);
    } else if (look.shape != SHAPE_SAME && is_better(&better, result)) {
        print_better(out, config, access, look.shape, &better);
    } else {
        const bool waste = result->bytes_used < result->bytes_moved;
        word_paragraph(out, "Cure", "%s",
                       waste ? "none among orders of the lanes: this few bytes cannot take less"
                             : "nothing to cure: every byte that is moved is used");
    }
}
