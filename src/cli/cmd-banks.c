/* Lane to bank: which lanes of an access to shared memory wait for which, drawn and in words. */
#include <string.h>

#include "cli/access.h"
#include "cli/answer.h"
#include "cli/banks-why.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/wording.h"

enum { WORD_BYTES = 4, HALF = LANES / 2, BANKS_SHOWN = 4, WORD_SHOWN_MAX = 999999 };

typedef struct {
    WarpAccess access;
    const SharedConfig *config;
    uint32_t unit; /* bytes of a bank's word */
    SharedPasses passes;
    unsigned group[LANES]; /* of each active lane: its first one */
    LaneMask meets[LANES]; /* lanes that it takes turns with, even when they are alone */
} Banks;

static bool is_policy(const Banks *b, const SharedPolicy *policy)
{
    return shared_policy(b->config) == policy;
}

static unsigned bank_of(const Banks *b, unsigned lane)
{
    return (unsigned)(b->access.lanes.addr[lane] / b->unit % b->config->banks);
}

static uint64_t word_of(const Banks *b, unsigned lane)
{
    return b->access.lanes.addr[lane] / b->unit;
}

static uint32_t factor_of(const SharedPasses *passes)
{
    uint32_t worst = 0;
    for (uint32_t i = 0; i < passes->n_groups; i++)
        worst = MAX(worst, passes->groups[i].factor);
    return worst;
}

static bool in_group(const SharedGroup *group, unsigned lane)
{
    return group->first_lane <= lane && lane <= group->last_lane;
}

static LaneMask group_lanes(const Banks *b, const SharedGroup *group)
{
    return b->access.lanes.mask & (LaneMask)bits_below(group->last_lane + 1u) & ~(LaneMask)bits_below(group->first_lane);
}

/* ---- what the rule says about parts of the access ---- */

static uint32_t passes_of(const Banks *b, LaneMask lanes)
{
    LaneAccess part = b->access.lanes;
    SharedPasses passes;
    part.mask = lanes;
    shared_passes(b->config, &part, &passes);
    return passes.passes;
}

/* Two lanes of a group meet when the pair takes longer than either alone: whatever the rule, it says so itself. */
static void find_meetings(Banks *b)
{
    uint32_t alone[LANES];
    for (LaneMask left = b->access.lanes.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        alone[i] = passes_of(b, (LaneMask)1 << i);
        for (uint32_t g = 0; g < b->passes.n_groups; g++)
            if (in_group(&b->passes.groups[g], i)) b->group[i] = g;
        for (LaneMask before = b->access.lanes.mask & (LaneMask)bits_below(i); before; before &= before - 1) {
            const unsigned j = bits_lowest(before);
            if (b->group[j] != b->group[i]) continue;
            if (passes_of(b, (LaneMask)1 << i | (LaneMask)1 << j) <= MAX(alone[i], alone[j])) continue;
            b->meets[i] |= (LaneMask)1 << j;
            b->meets[j] |= (LaneMask)1 << i;
        }
    }
}

/* Lanes of the same group that touch a word that this lane touches too. */
static LaneMask sharers(const Banks *b, unsigned lane)
{
    LaneMask same = 0;
    for (LaneMask left = b->access.lanes.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        if (i != lane && b->group[i] == b->group[lane] && word_of(b, i) == word_of(b, lane)) same |= (LaneMask)1 << i;
    }
    return same;
}

/* Some pass serves several lanes of the group with one word. Two words that a bank delivers together are none. */
static bool is_broadcast(const Banks *b, const SharedGroup *group)
{
    bool shared = false;
    for (LaneMask left = group_lanes(b, group); left; left &= left - 1)
        shared = shared || sharers(b, bits_lowest(left));
    return group->broadcast && shared;
}

/* Passes of the whole warp when one stride is `extra` bytes longer. */
static uint32_t passes_padded(const Banks *b, const AccessTerm *term, uint64_t extra)
{
    LaneAccess other = b->access.lanes;
    SharedPasses passes;
    for (LaneMask left = other.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        other.addr[i] += extra * (uint64_t)term->value[i];
    }
    shared_passes(b->config, &other, &passes);
    return passes.passes;
}

/* Passes of `parts` accesses of a word each, lane after lane. */
static uint32_t passes_by_words(const Banks *b, uint32_t parts)
{
    LaneAccess words = b->access.lanes;
    SharedPasses passes;
    words.width = WORD_BYTES;
    for (unsigned i = 0; i < LANES; i++)
        words.addr[i] = (Addr)i * WORD_BYTES;
    shared_passes(b->config, &words, &passes);
    return passes.passes * parts;
}

/* ---- the figure ---- */

static char mark_of(const Banks *b, unsigned lane)
{
    return b->meets[lane] ? 'X' : sharers(b, lane) ? '=' : 'o';
}

static void print_lane(FILE *out, const Banks *b, unsigned lane, bool last)
{
    char row[LANES + 1] = {0};
    const bool active = b->access.lanes.mask >> lane & 1;
    memset(row, active ? '.' : ' ', b->config->banks);
    const uint32_t words = MAX(b->access.lanes.width / b->unit, 1);
    for (uint32_t w = 0; active && w < words; w++)
        row[(bank_of(b, lane) + w) % b->config->banks] = mark_of(b, lane);
    fprintf(out, " %2u |%s|", lane, row);
    if (b->config->banks > 16) {
        fputs(last ? "\n" : " ", out);
        return;
    }
    g_autofree char *word = active && word_of(b, lane) <= WORD_SHOWN_MAX
                                ? g_strdup_printf(" word %" G_GUINT64_FORMAT, word_of(b, lane))
                                : g_strdup(active ? "" : " off");
    fprintf(out, last ? "%s\n" : "%-13s", word);
}

static void print_figure(FILE *out, const Banks *b)
{
    const uint32_t banks = b->config->banks;
    const int width = (int)banks + (banks > 16 ? 7 : 19);
    g_autoptr(GString) scale = g_string_new(NULL);
    for (uint32_t i = 0; i < banks; i += 8)
        g_string_append_printf(scale, i + 8 < banks ? "%-8u" : "%u", i);
    fprintf(out, "lane bank %-*slane bank\n     %-*s%s\n", width - 5, "", width, scale->str, scale->str);
    const SharedGroup *first = &b->passes.groups[0];
    const unsigned rows = first->last_lane - first->first_lane + 1u;
    for (unsigned row = 0; row < HALF; row++) {
        if (row && row % rows == 0) fputc('\n', out);
        print_lane(out, b, row, false);
        print_lane(out, b, row + HALF, true);
    }
    fputs("     o alone on its bank   = shares its word   X takes turns with other lanes\n", out);
}

/* ---- what happens ---- */

static void print_single(FILE *out, const Banks *b)
{
    const unsigned lane = bits_lowest(b->access.lanes.mask);
    const Addr addr = b->access.lanes.addr[lane];
    for (LaneMask left = b->access.lanes.mask; left; left &= left - 1)
        if (b->access.lanes.addr[bits_lowest(left)] != addr) return;
    word_paragraph(out, "Bank",
                   "byte %" G_GUINT64_FORMAT " is in bank %u: word %" G_GUINT64_FORMAT " (%" G_GUINT64_FORMAT
                   " / %u), and %" G_GUINT64_FORMAT " mod %u banks = %u",
                   addr, bank_of(b, lane), word_of(b, lane), addr, b->unit, word_of(b, lane), b->config->banks, bank_of(b, lane));
}

static void print_passes(FILE *out, const Banks *b)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const SharedPasses *p = &b->passes;
    for (uint32_t i = 0; p->n_groups > 1 && i < p->n_groups; i++) {
        const SharedGroup *group = &p->groups[i];
        if (i && group->first_lane == group[-1].first_lane)
            g_string_append_printf(text, " + %u", group->factor);
        else
            g_string_append_printf(text, "%slanes %u-%u: %u", i ? ", " : "; ", group->first_lane, group->last_lane,
                                   group->factor);
    }
    if (p->held != p->passes)
        g_string_append_printf(text, "; shared memory is held for %u, all groups as long as the slowest", p->held);
    word_paragraph(out, "Passes", "%u; factor %u%s%s", p->passes, factor_of(p), p->n_groups > 1 ? " in the worst group" : "",
                   text->str);
}

/* The lanes of one bank that take turns, on which words. */
static void print_bank(FILE *out, const Banks *b, const char *label, LaneMask lanes)
{
    uint64_t words[LANES];
    unsigned n = 0;
    for (LaneMask left = lanes; left; left &= left - 1) {
        const uint64_t word = word_of(b, bits_lowest(left));
        bool seen = false;
        for (unsigned i = 0; i < n; i++)
            seen = seen || words[i] == word;
        if (!seen) words[n++] = word;
    }
    g_autofree char *who = word_lanes(lanes), *what = word_series(words, n);
    word_paragraph(out, label, "bank %u: %s on word%s %s", bank_of(b, bits_lowest(lanes)), who, n == 1 ? "" : "s", what);
}

static unsigned worst_group(const Banks *b)
{
    unsigned worst = 0;
    for (unsigned i = 1; i < b->passes.n_groups; i++)
        if (b->passes.groups[i].factor > b->passes.groups[worst].factor) worst = i;
    return worst;
}

static bool any_meets(const Banks *b)
{
    for (unsigned i = 0; i < LANES; i++)
        if (b->meets[i]) return true;
    return false;
}

/* The banks of the worst group on which lanes take turns, the first few of them. */
static void print_collisions(FILE *out, const Banks *b)
{
    const LaneMask group = group_lanes(b, &b->passes.groups[worst_group(b)]);
    LaneMask on_bank[LANES] = {0};
    unsigned shown = 0, more = 0;
    for (LaneMask left = group; left; left &= left - 1)
        if (b->meets[bits_lowest(left)]) on_bank[bank_of(b, bits_lowest(left))] |= (LaneMask)1 << bits_lowest(left);
    for (unsigned bank = 0; bank < b->config->banks; bank++) {
        if (!on_bank[bank]) continue;
        if (shown == BANKS_SHOWN)
            more++;
        else
            print_bank(out, b, shown++ ? "" : "Conflicts", on_bank[bank]);
    }
    if (more) word_paragraph(out, "", "and %u more bank%s like these", more, more == 1 ? "" : "s");
}

static void print_conflicts(FILE *out, const Banks *b)
{
    if (any_meets(b))
        print_collisions(out, b);
    else if (factor_of(&b->passes) > 1 && is_policy(b, &shared_cc1x))
        word_paragraph(out, "Conflicts",
                       "no two words in one bank, but several words that several lanes want: a pass gives one of "
                       "them to all its lanes, the others to one lane each");
    else
        word_paragraph(out, "Conflicts", "none: no lane waits for another");
}

static void print_broadcast(FILE *out, const Banks *b)
{
    bool any = false;
    for (uint32_t i = 0; i < b->passes.n_groups; i++)
        any = any || is_broadcast(b, &b->passes.groups[i]);
    const uint32_t n = b->passes.broadcasts;
    if (b->access.lanes.atomic)
        word_paragraph(out, "Broadcast", "no: atomics on one word are done one after the other");
    else if (!any)
        word_paragraph(out, "Broadcast", "no: no pass gives a word to several lanes");
    else if (is_policy(b, &shared_cc1x))
        word_paragraph(out, "Broadcast", "yes: in %u %s a word goes to several lanes at once", n, word_passes(n));
    else
        word_paragraph(out, "Broadcast", "yes: %s several lanes at once", n == 1 ? "one word goes to" : "words go each to");
}

/* ---- what would cure it ---- */

typedef struct {
    const AccessTerm *term;
    uint32_t words; /* that its stride is longer by */
    uint32_t passes;
} Padding;

/* The shortest padding of a row that leaves the fewest passes. */
static Padding find_padding(const Banks *b)
{
    const uint32_t step = MAX(b->unit, b->access.lanes.width);
    Padding best = {NULL, 0, b->passes.passes};
    for (uint32_t k = 1; k <= b->config->banks; k++) {
        for (unsigned t = 0; t < b->access.n_terms; t++) {
            const AccessTerm *term = &b->access.terms[t];
            const uint64_t stride = (uint64_t)(term->stride < 0 ? -term->stride : term->stride);
            if (stride < 2 * b->unit || stride % step) continue;
            const uint64_t extra = (uint64_t)k * step;
            const uint32_t passes = passes_padded(b, term, term->stride < 0 ? -extra : extra);
            if (passes < best.passes) best = (Padding){term, k * step / b->unit, passes};
        }
    }
    return best;
}

static void print_padding(FILE *out, const Banks *b, const Padding *p)
{
    const uint64_t stride = (uint64_t)(p->term->stride < 0 ? -p->term->stride : p->term->stride), words = stride / b->unit;
    const uint64_t rows = access_term_rows(&b->access, p->term);
    g_autofree char *power =
        (words & 1) == 0 ? g_strdup_printf(", which shares a factor with %u banks", b->config->banks) : g_strdup("");
    word_paragraph(out, "Cure",
                   "%s steps by %" G_GUINT64_FORMAT " bytes, %" G_GUINT64_FORMAT
                   " words%s. Pad that stride by %u word%s: rows of "
                   "%" G_GUINT64_FORMAT " words, as [...][%" G_GUINT64_FORMAT "] in place of [...][%" G_GUINT64_FORMAT "], take "
                   "%u %s. It costs %u bytes for each row, %" G_GUINT64_FORMAT " for the %" G_GUINT64_FORMAT " rows here.",
                   p->term->name, stride, words, power, p->words, p->words == 1 ? "" : "s", words + p->words, words + p->words,
                   words, p->passes, word_passes(p->passes), p->words * b->unit, rows * p->words * b->unit, rows);
}

static void print_cure(FILE *out, const Banks *b)
{
    const uint32_t width = b->access.lanes.width, now = b->passes.passes;
    if (factor_of(&b->passes) <= 1) {
        if (b->passes.n_groups > 1 && width > b->unit && !is_policy(b, &shared_cc1x))
            word_paragraph(out, "Cure", "nothing to cure: words of %u bytes take %u passes even so", width, b->passes.n_groups);
        return;
    }
    const Padding padding = find_padding(b);
    if (padding.term) {
        print_padding(out, b, &padding);
        return;
    }
    if (b->access.lanes.atomic) {
        word_paragraph(
            out, "Cure",
            "no padding helps: let the lanes of a group take different banks, or combine the values of those on one word "
            "first");
        return;
    }
    const uint32_t parts = MAX(1, width / WORD_BYTES), words = passes_by_words(b, parts);
    if (width < WORD_BYTES && words < now)
        word_paragraph(out, "Cure", "let each lane take a whole word, 4*laneid: %u %s for %u times the data", words,
                       word_passes(words), WORD_BYTES / width);
    else if (parts > 1 && words < now)
        word_paragraph(out, "Cure",
                       "keep the %u words of an element in %u arrays of 4-byte words, each at 4*laneid: %u %s "
                       "together",
                       parts, parts, words, word_passes(words));
    else
        word_paragraph(out, "Cure", "no padding helps: let the lanes of a group take different banks, or one word together");
}

static void print_note(FILE *out, const Banks *b)
{
    const uint32_t size = b->access.machine.config.occupancy.shared_bytes;
    for (LaneMask left = b->access.lanes.mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        if (b->access.lanes.addr[i] + b->access.lanes.width <= size) continue;
        word_paragraph(out, "Note", "lane %u is beyond the %s bytes of an SM's shared memory", i, format_count(size).text);
        return;
    }
}

static void print_answer(FILE *out, const void *data)
{
    const Banks *b = data;
    warp_access_print_title(out, "banks", &b->access);
    fputc('\n', out);
    print_single(out, b);
    print_passes(out, b);
    print_conflicts(out, b);
    print_broadcast(out, b);
    print_cure(out, b);
    print_note(out, b);
    fputc('\n', out);
    print_figure(out, b);
    fputc('\n', out);
    banks_print_rule(out, b->config, &b->access.lanes);
}

/* ---- the answer as JSON ---- */

static void build_answer(JsonBuilder *j, const void *data)
{
    const Banks *b = data;
    json_builder_begin_object(j);
    json_builder_set_member_name(j, "banks");
    json_builder_begin_array(j);
    for (unsigned i = 0; i < LANES; i++) {
        if (b->access.lanes.mask >> i & 1)
            json_builder_add_int_value(j, bank_of(b, i));
        else
            json_builder_add_null_value(j);
    }
    json_builder_end_array(j);
    json_builder_set_member_name(j, "groups");
    json_builder_begin_array(j);
    for (uint32_t i = 0; i < b->passes.n_groups; i++) {
        const SharedGroup *group = &b->passes.groups[i];
        json_builder_begin_object(j);
        json_add_count(j, "first_lane", group->first_lane);
        json_add_count(j, "last_lane", group->last_lane);
        json_add_count(j, "factor", group->factor);
        json_add_bool(j, "broadcast", is_broadcast(b, group));
        json_builder_end_object(j);
    }
    json_builder_end_array(j);
    json_add_count(j, "factor", factor_of(&b->passes));
    json_add_count(j, "passes", b->passes.passes);
    json_builder_end_object(j);
}

static void banks_clear(Banks *b)
{
    warp_access_clear(&b->access);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Banks, banks_clear)

int cmd_banks(const Command *self, int argc, char **argv)
{
    g_auto(Banks) b = {0};
    const int status = warp_access_parse(self, SPACE_SHARED, argc, argv, &b.access);
    if (status != OPTIONS_GO_ON) return status;
    b.config = &b.access.machine.config.shared;
    b.unit = shared_bank_bytes(b.config);
    shared_passes(b.config, &b.access.lanes, &b.passes);
    find_meetings(&b);
    return answer_give(&(const Answer){print_answer, build_answer}, b.access.json, &b);
}
