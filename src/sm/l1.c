/*
 * Loads through an SM's first-level cache. Each line of an access is looked up once, as the load is issued; what misses is fetched, and the
 * load is done when the last of its lines has come. The path is held for the look-ups, for what is sent, or for the banks that the data come from,
 * whichever takes longest. A line that finds no room to wait holds the load/store path until data come.
 */
#include "mem/cache-unit.h"
#include "sm/sm.h"

typedef struct {
    Addr addr;
    WordMask words;
} Line;

typedef struct {
    Line line[COALESCE_MAX * 2];
    unsigned n;
} Lines;

static void add_words(Lines *lines, Addr line, WordMask words)
{
    for (unsigned i = lines->n; i-- > 0;) {
        if (lines->line[i].addr != line) continue;
        lines->line[i].words |= words;
        return;
    }
    lines->line[lines->n++] = (Line){line, words};
}

/* The lines that an access touches, in the order of its transactions. */
static void find_lines(const Coalesced *c, Addr base, Addr line_bytes, Lines *ret)
{
    ret->n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        const Addr end = base + c->transactions[i].addr + c->transactions[i].bytes;
        for (Addr from = base + c->transactions[i].addr; from < end;) {
            const Addr line = from & ~(line_bytes - 1), to = MIN(end, line + line_bytes);
            add_words(ret, line, cache_words((unsigned)(from - line), (unsigned)(to - from)));
            from = to;
        }
    }
}

static void fetch(void *owner, Cycle at, Addr addr, unsigned bytes, uint32_t line)
{
    Sm *sm = owner;
    /* a line that had to wait for room comes after what has been sent meanwhile */
    const Cycle after = fifo_length(&sm->sent) ? fifo_last(&sm->sent, Msg)->time : 0;
    Msg *msg = fifo_place(&sm->sent, sizeof *msg);
    sm->n_sent++; /* of use where stores wait */
    *msg = (Msg){.time = cycle_max(at, after),
                 .addr = addr,
                 .tag = sm_tag(sm, TAG_L1, line),
                 .bytes = (uint8_t)bytes,
                 .kind = MSG_READ,
                 .count = 1};
}

static CacheOutcome look_up(Sm *sm, unsigned slot, const Line *line, Cycle at)
{
    const CacheAccess access = cache_read(sm->l1, line->addr, line->words, slot);
    if (access.fetch) cache_fetch_runs(access.fetch, line->addr, at, access.line, fetch, sm);
    return access.outcome;
}

bool sm_l1_serves(const Sm *sm, const Insn *insn)
{
    return sm->l1 && (insn->space == SPACE_LOCAL || sm->cluster->setup.l1->serves == L1_ALL);
}

unsigned sm_l1_load(Sm *sm, const Coalesced *c, Addr base, unsigned slot, unsigned passes)
{
    const SmConfig *config = sm->cluster->setup.sm;
    const L1Config *l1 = sm->cluster->setup.l1;
    Lines lines;
    find_lines(c, base, l1->cache.line_bytes, &lines);
    unsigned fetched = 0;
    for (unsigned i = 0; i < lines.n; i++) {
        const unsigned turn = MAX(i / l1->tag_lines, fetched);
        const Cycle at = sm->now + config->memory_cycles + turn * config->transaction_cycles;
        const CacheOutcome outcome = look_up(sm, slot, &lines.line[i], at);
        if (outcome == CACHE_HIT) continue;
        fetched += outcome == CACHE_MISS;
        sm->slots[slot].left++;
        if (outcome != CACHE_BLOCKED) continue;
        const L1Wait wait = {slot, lines.line[i].addr, lines.line[i].words};
        fifo_push(&sm->l1_waits, &wait);
    }
    return MAX(MAX((lines.n + l1->tag_lines - 1) / l1->tag_lines, fetched), passes);
}

void sm_l1_store(Sm *sm, const Coalesced *c, Addr base)
{
    Lines lines;
    find_lines(c, base, sm->cluster->setup.l1->cache.line_bytes, &lines);
    for (unsigned i = 0; i < lines.n; i++)
        cache_write(sm->l1, lines.line[i].addr, lines.line[i].words); /* what goes on is sent as transactions */
}

/* Lines that found no room try again, in order. */
static void try_again(Sm *sm)
{
    while (fifo_length(&sm->l1_waits)) {
        const L1Wait wait = *fifo_peek(&sm->l1_waits, L1Wait);
        const Line line = {wait.line, wait.words};
        const CacheOutcome outcome = look_up(sm, wait.slot, &line, sm->now + sm->cluster->setup.sm->transaction_cycles);
        if (outcome == CACHE_BLOCKED) return;
        fifo_pop(&sm->l1_waits);
        if (outcome == CACHE_HIT) sm_part_done(sm, wait.slot);
    }
}

static void released(void *owner, uint32_t slot)
{
    sm_part_done(owner, slot);
}

void sm_l1_fill(Sm *sm, const Msg *data)
{
    const unsigned offset = (unsigned)(data->addr & (sm->cluster->setup.l1->cache.line_bytes - 1));
    cache_fill(sm->l1, data->tag & TAG_ID_MASK, cache_words(offset, data->bytes), released, sm);
    try_again(sm);
}
