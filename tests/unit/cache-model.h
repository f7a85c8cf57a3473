#pragma once
/*
 * What a cache has to answer, by brute force: the rules of mem/cache.h as they read, with nothing kept that can be found by looking
 * at everything again. The order of replacement comes from the full history of the accesses of a set; there is no tree, no queue and
 * no counter of what is pending. Much too slow for anything but a test.
 */
#include <string.h>

#include <glib.h>

#include "mem/cache.h"

typedef struct {
    uint32_t waiter;
    WordMask words;
} ModelWaiter;

typedef struct {
    Addr addr;
    WordMask valid, dirty, pending;
    GArray *waiters; /* of ModelWaiter, in the order in which they came */
    uint64_t parted; /* when a write last left a sector in part */
} ModelLine;

typedef struct {
    unsigned way;
    bool allocates;
} ModelUse;

typedef struct {
    CacheGeometry geometry;
    const char *replacement, *write; /* their names */
    unsigned sets;
    ModelLine *lines; /* those of set 0 in order of way, those of set 1, ... */
    GArray **uses;    /* of ModelUse, for each set: every access that found or allocated a line, the oldest first */
    uint64_t random, writes;
    CacheStats stats;
} Model;

/* The state of xorshift64* before the first draw, as mem/cache.h gives it. */
#define MODEL_SEED UINT64_C(0x9e3779b97f4a7c15)

static Model *model_new(const CacheGeometry *geometry)
{
    Model *m = g_new0(Model, 1);
    m->geometry = *geometry;
    m->replacement = cache_replacement_names[geometry->replacement];
    m->write = cache_write_names[geometry->write];
    m->sets = (unsigned)(geometry->bytes / geometry->line_bytes / geometry->ways);
    m->lines = g_new0(ModelLine, (size_t)m->sets * geometry->ways);
    for (unsigned i = 0; i < m->sets * geometry->ways; i++)
        m->lines[i].waiters = g_array_new(FALSE, FALSE, sizeof(ModelWaiter));
    m->uses = g_new0(GArray *, m->sets);
    for (unsigned i = 0; i < m->sets; i++)
        m->uses[i] = g_array_new(FALSE, FALSE, sizeof(ModelUse));
    m->random = MODEL_SEED;
    return m;
}

static void model_free(Model *m)
{
    for (unsigned i = 0; i < m->sets * m->geometry.ways; i++)
        g_array_unref(m->lines[i].waiters);
    for (unsigned i = 0; i < m->sets; i++)
        g_array_unref(m->uses[i]);
    g_free(m->uses);
    g_free(m->lines);
    g_free(m);
}

/* ---- words ---- */

static unsigned model_popcount(WordMask words)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 64; i++)
        n += words >> i & 1;
    return n;
}

/* The sector that holds word `i`. */
static WordMask model_sector(const Model *m, unsigned i)
{
    WordMask sector = 0;
    for (unsigned j = 0; j < m->geometry.line_bytes / 4; j++)
        if (j * 4 / m->geometry.sector_bytes == i * 4 / m->geometry.sector_bytes) sector |= (WordMask)1 << j;
    return sector;
}

/* All sectors that hold one of the words. */
static WordMask model_sectors(const Model *m, WordMask words)
{
    WordMask sectors = 0;
    for (unsigned i = 0; i < m->geometry.line_bytes / 4; i++)
        if (words >> i & 1) sectors |= model_sector(m, i);
    return sectors;
}

/* The sectors of which some words are among these, but not all. */
static WordMask model_parts(const Model *m, WordMask words)
{
    WordMask parts = 0;
    for (unsigned i = 0; i < m->geometry.line_bytes / 4; i++)
        if (words >> i & 1 && model_sector(m, i) & ~words) parts |= model_sector(m, i);
    return parts;
}

/* ---- lines ---- */

static unsigned model_set(const Model *m, Addr addr)
{
    const Addr number = addr / m->geometry.line_bytes, sets = m->sets;
    if (g_str_equal(cache_index_names[m->geometry.index], "modulo")) return (unsigned)(number % sets);
    unsigned sum = 0; /* of the last three digits */
    Addr rest = number;
    for (int digits = 0; digits < 3; digits++) {
        sum += (unsigned)(rest % sets);
        rest /= sets;
    }
    return sum % m->sets;
}

static ModelLine *model_way(const Model *m, unsigned set, unsigned way)
{
    return &m->lines[set * m->geometry.ways + way];
}

static bool model_holds(const ModelLine *line)
{
    return line->valid || line->dirty || line->pending;
}

static ModelLine *model_find(const Model *m, Addr addr)
{
    for (unsigned way = 0; way < m->geometry.ways; way++) {
        ModelLine *line = model_way(m, model_set(m, addr), way);
        if (model_holds(line) && line->addr == addr) return line;
    }
    return NULL;
}

static unsigned model_pending(const Model *m)
{
    unsigned n = 0;
    for (unsigned i = 0; i < m->sets * m->geometry.ways; i++)
        n += m->lines[i].pending != 0;
    return n;
}

static void model_use(Model *m, const ModelLine *line, bool allocates)
{
    const unsigned i = (unsigned)(line - m->lines);
    const ModelUse use = {.way = i % m->geometry.ways, .allocates = allocates};
    g_array_append_val(m->uses[i / m->geometry.ways], use);
}

/* ---- sectors in part ---- */

static bool model_merges(const Model *m)
{
    return strcmp(m->write, "back-merge") == 0;
}

/* The sectors that hold written words whose sector is not whole, and none under way. */
static WordMask model_in_part(const Model *m, const ModelLine *line)
{
    WordMask parts = 0;
    for (unsigned i = 0; i < m->geometry.line_bytes / 4; i++)
        if ((line->dirty & ~line->valid) >> i & 1 && !(model_sector(m, i) & line->pending)) parts |= model_sector(m, i);
    return parts;
}

/* Lines with such sectors, where they are limited; *ret_oldest that of the longest ago. */
static unsigned model_parted(const Model *m, ModelLine **ret_oldest)
{
    unsigned n = 0;
    *ret_oldest = NULL;
    for (unsigned i = 0; i < m->sets * m->geometry.ways; i++) {
        ModelLine *line = &m->lines[i];
        if (!model_in_part(m, line)) continue;
        n++;
        if (!*ret_oldest || line->parted < (*ret_oldest)->parted) *ret_oldest = line;
    }
    return n;
}

static bool model_too_many(const Model *m, ModelLine **ret_oldest)
{
    return model_merges(m) && m->geometry.partial_lines && model_parted(m, ret_oldest) > m->geometry.partial_lines;
}

/* ---- replacement ---- */

/* When one of the ways from..to-1 was last accessed, or allocated: its place in the history, -1 for never. */
static int model_last(const Model *m, unsigned set, unsigned from, unsigned to, bool allocated)
{
    for (int i = (int)m->uses[set]->len - 1; i >= 0; i--) {
        const ModelUse *use = &g_array_index(m->uses[set], ModelUse, i);
        if (use->way >= from && use->way < to && (use->allocates || !allocated)) return i;
    }
    return -1;
}

/* The candidate whose last access or allocation is the longest ago. */
static unsigned model_oldest(const Model *m, unsigned set, const unsigned *ways, unsigned n, bool allocated)
{
    unsigned oldest = ways[0];
    for (unsigned i = 1; i < n; i++)
        if (model_last(m, set, ways[i], ways[i] + 1, allocated) < model_last(m, set, oldest, oldest + 1, allocated))
            oldest = ways[i];
    return oldest;
}

/* A bit points to the half that was not accessed last. */
static unsigned model_plru(const Model *m, unsigned set, unsigned from, unsigned to)
{
    if (to - from == 1) return from;
    const unsigned middle = from + (to - from) / 2;
    const bool upper = model_last(m, set, from, middle, false) > model_last(m, set, middle, to, false);
    return upper ? model_plru(m, set, middle, to) : model_plru(m, set, from, middle);
}

static uint32_t model_draw(Model *m)
{
    m->random ^= m->random >> 12;
    m->random ^= m->random << 25;
    m->random ^= m->random >> 27;
    return (uint32_t)(m->random * UINT64_C(0x2545f4914f6cdd1d) >> 32);
}

/* NULL: none may go. */
static ModelLine *model_victim(Model *m, unsigned set)
{
    unsigned ways[CACHE_WAYS_MAX], n = 0, way = 0;
    for (unsigned i = 0; i < m->geometry.ways; i++)
        if (!model_holds(model_way(m, set, i))) return model_way(m, set, i);
    for (unsigned i = 0; i < m->geometry.ways; i++)
        if (!model_way(m, set, i)->pending) ways[n++] = i;
    if (n == 0) return NULL;
    if (strcmp(m->replacement, "lru") == 0) way = model_oldest(m, set, ways, n, false);
    if (strcmp(m->replacement, "fifo") == 0) way = model_oldest(m, set, ways, n, true);
    if (strcmp(m->replacement, "random") == 0) way = ways[model_draw(m) % n];
    if (strcmp(m->replacement, "plru") == 0) {
        way = model_plru(m, set, 0, m->geometry.ways);
        while (model_way(m, set, way)->pending)
            way = (way + 1) % m->geometry.ways;
    }
    return model_way(m, set, way);
}

/* NULL: no way may be evicted. */
static ModelLine *model_allocate(Model *m, Addr addr, CacheAccess *access)
{
    ModelLine *line = model_victim(m, model_set(m, addr));
    if (!line) return NULL;
    if (model_holds(line)) {
        access->evicted = true;
        access->victim = line->addr;
        access->dirty = line->dirty;
        if (model_merges(m)) access->dirty = model_sectors(m, line->dirty);
        if (model_merges(m)) access->merge = model_in_part(m, line);
    }
    line->addr = addr;
    line->valid = line->dirty = 0;
    return line;
}

/* ---- accesses ---- */

static const CacheAccess MODEL_BLOCKED = {.outcome = CACHE_BLOCKED};

static CacheAccess model_count(Model *m, const CacheAccess *access)
{
    m->stats.accesses++;
    m->stats.hits += access->outcome == CACHE_HIT;
    m->stats.misses += access->outcome == CACHE_MISS;
    m->stats.merged += access->outcome == CACHE_MERGED;
    m->stats.evictions += access->evicted;
    m->stats.writebacks += access->dirty != 0;
    m->stats.fetched_bytes += UINT64_C(4) * model_popcount(access->fetch);
    m->stats.written_bytes += UINT64_C(4) * (model_popcount(access->dirty) + model_popcount(access->forward));
    m->stats.fetched_bytes += UINT64_C(4) * model_popcount(access->merge);
    return *access;
}

/* Would a fetch for this line, NULL for one that is not there, be one pending line too many? */
static bool model_full(const Model *m, const ModelLine *line)
{
    return (!line || !line->pending) && model_pending(m) >= m->geometry.mshrs;
}

static CacheAccess model_read(Model *m, Addr addr, WordMask words, uint32_t waiter)
{
    ModelLine *line = model_find(m, addr);
    const bool found = line != NULL;
    const WordMask missing = words & ~(found ? line->valid : 0), pending = found ? line->pending : 0;
    CacheAccess access = {.fetch = model_sectors(m, missing & ~pending) & ~pending};
    access.outcome = !missing ? CACHE_HIT : missing & ~pending ? CACHE_MISS : CACHE_MERGED;
    if (missing && found && line->waiters->len >= m->geometry.merges) return MODEL_BLOCKED;
    if (access.fetch && model_full(m, line)) return MODEL_BLOCKED;
    if (!found) line = model_allocate(m, addr, &access);
    if (!line) return MODEL_BLOCKED;
    model_use(m, line, !found);
    line->pending |= access.fetch;
    const ModelWaiter waits = {.waiter = waiter, .words = words};
    if (missing) g_array_append_val(line->waiters, waits);
    return model_count(m, &access);
}

/* Words of a line are written and stay: valid at once, or when their sector is whole. */
static void model_keep(Model *m, ModelLine *line, WordMask words)
{
    line->dirty |= words;
    for (unsigned i = 0; i < m->geometry.line_bytes / 4; i++) {
        const WordMask sector = model_sector(m, i);
        const bool whole = !(sector & ~(line->dirty | line->valid));
        if (words >> i & 1) line->valid |= model_merges(m) ? (whole ? sector : 0) : (WordMask)1 << i;
    }
    if (model_merges(m) && model_in_part(m, line) & model_sectors(m, words)) line->parted = ++m->writes;
}

static CacheAccess model_write_back(Model *m, Addr addr, WordMask words)
{
    ModelLine *line = model_find(m, addr), *oldest = NULL;
    const bool found = line != NULL;
    const WordMask valid = words | (found ? line->valid : 0), pending = found ? line->pending : 0;
    CacheAccess access = {.outcome = CACHE_HIT};
    if (strcmp(m->write, "back-fetch") == 0)
        access.fetch = model_sectors(m, model_parts(m, words) & ~valid & ~pending) & ~pending;
    if (!found || access.fetch) access.outcome = CACHE_MISS;
    if (words & ~(pending | (found ? line->valid : 0)) && model_too_many(m, &oldest)) return MODEL_BLOCKED;
    if (access.fetch && model_full(m, line)) return MODEL_BLOCKED;
    if (!found) line = model_allocate(m, addr, &access);
    if (!line) return MODEL_BLOCKED;
    model_use(m, line, !found);
    model_keep(m, line, words);
    line->pending |= access.fetch;
    return model_count(m, &access);
}

/* The sectors in part to be fetched since there are too many, and the address of their line. */
static WordMask model_fetch_parts(Model *m, Addr *ret_addr)
{
    ModelLine *oldest = NULL;
    if (!model_too_many(m, &oldest) || model_full(m, oldest)) return 0;
    const WordMask parts = model_in_part(m, oldest);
    oldest->pending |= parts;
    m->stats.fetched_bytes += UINT64_C(4) * model_popcount(parts);
    *ret_addr = oldest->addr;
    return parts;
}

static void model_clean(Model *m, Addr addr, WordMask words)
{
    model_find(m, addr)->dirty &= ~words;
    m->stats.written_bytes += UINT64_C(4) * model_popcount(words);
}

static CacheAccess model_write(Model *m, Addr addr, WordMask words)
{
    if (g_str_has_prefix(m->write, "back")) return model_write_back(m, addr, words);
    ModelLine *line = model_find(m, addr);
    const CacheAccess access = {.outcome = line ? CACHE_HIT : CACHE_MISS, .forward = words};
    if (line) model_use(m, line, false);
    if (line && strcmp(m->write, "through") == 0) line->valid |= words;
    if (line && strcmp(m->write, "evict") == 0 && !line->pending) line->valid = 0;
    return model_count(m, &access);
}

/* Appends the waiters that are released, uint32_t, to `released`. */
static void model_fill(Model *m, Addr addr, WordMask words, GArray *released)
{
    ModelLine *line = model_find(m, addr);
    line->pending &= ~words;
    line->valid |= words;
    for (guint i = 0; i < line->waiters->len;) {
        const ModelWaiter waits = g_array_index(line->waiters, ModelWaiter, i);
        if (waits.words & ~line->valid) {
            i++;
        } else {
            g_array_append_val(released, waits.waiter);
            g_array_remove_index(line->waiters, i);
        }
    }
}

static void model_invalidate(Model *m)
{
    for (unsigned i = 0; i < m->sets * m->geometry.ways; i++)
        m->lines[i].valid = m->lines[i].dirty = 0;
}
