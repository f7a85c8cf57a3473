#pragma once
/* Drives one small cache in a test, by scripts whose every step says what must come of it. */
#include <string.h>

#include "unit.h"

#include "mem/cache.h"

enum { LRU, FIFO, PLRU, RANDOM };
enum { BACK, BACK_FETCH, BACK_MERGE, THROUGH, EVICT };
enum { LINE = 32, SECTOR_0 = 0x0f, SECTOR_1 = 0xf0 }; /* words of the sectors of a line */

/* Lines of two sectors of four words. One set of so many ways, room for all that may be pending. */
static inline CacheGeometry one_set(uint32_t ways)
{
    return (CacheGeometry){
        .bytes = (uint64_t)ways * LINE, .ways = ways, .line_bytes = LINE, .sector_bytes = LINE / 2, .mshrs = 64, .merges = 64};
}

/* What came of an access: "hit", "miss fetch f0", "miss fetch f evicts 20 dirty 3", "... dirty ff merge f", "hit forward 1"; numbers in hexadecimal. */
static inline void describe(CacheAccess access, GString *text)
{
    static const char *const OUTCOMES[] = {"hit", "miss", "merged", "blocked"};
    g_string_assign(text, OUTCOMES[access.outcome]);
    if (access.fetch) g_string_append_printf(text, " fetch %x", (unsigned)access.fetch);
    if (access.forward) g_string_append_printf(text, " forward %x", (unsigned)access.forward);
    if (access.evicted) g_string_append_printf(text, " evicts %x", (unsigned)access.victim);
    if (access.dirty) g_string_append_printf(text, " dirty %x", (unsigned)access.dirty);
    if (access.merge) g_string_append_printf(text, " merge %x", (unsigned)access.merge);
}

static inline void name_waiter(void *owner, uint32_t waiter)
{
    g_string_append_printf(owner, "%s%u", ((GString *)owner)->len ? " " : "", waiter);
}

enum { STEPS_MAX = 20, LINES_MAX = 16 };

typedef struct {
    char op; /* 'r'ead by the waiter whose number is that of the step, from 0; 'w'rite; 'f'ill; what is in
                * 'p'art is asked for, its address being wanted; 'c': cleaned and filled; 0 ends the script */
    Addr addr;
    WordMask words;
    const char *comes; /* as described; of a fill: the waiters released, in order; "fetch f" or "none" */
} Step;

static inline void ask_for_parts(Cache *cache, const Step *step, uint32_t *ret_line, GString *text)
{
    const WordMask parts = cache_fetch_parts(cache, ret_line);
    if (!parts) {
        g_string_assign(text, "none");
        return;
    }
    ck_assert_uint_eq(cache_line_address(cache, *ret_line), step->addr);
    g_string_printf(text, "fetch %x", (unsigned)parts);
}

typedef struct {
    const char *name;
    CacheGeometry geometry;
    Step steps[STEPS_MAX];
} Script;

static inline void play(Cache *cache, const Script *script)
{
    g_autoptr(GString) text = g_string_new(NULL);
    uint32_t line_at[LINES_MAX] = {0};
    for (uint32_t i = 0; i < STEPS_MAX && script->steps[i].op; i++) {
        const Step *step = &script->steps[i];
        uint32_t *line = &line_at[step->addr / LINE % LINES_MAX];
        g_string_truncate(text, 0);
        if (step->op == 'p') {
            ask_for_parts(cache, step, line, text);
        } else if (step->op == 'f' || step->op == 'c') {
            if (step->op == 'c') cache_clean(cache, *line, step->words);
            ck_assert_uint_eq(cache_line_address(cache, *line), step->addr);
            cache_fill(cache, *line, step->words, name_waiter, text);
        } else {
            const CacheAccess access =
                step->op == 'r' ? cache_read(cache, step->addr, step->words, i) : cache_write(cache, step->addr, step->words);
            if (access.outcome != CACHE_BLOCKED) *line = access.line;
            describe(access, text);
        }
        if (strcmp(text->str, step->comes))
            ck_abort_msg("%s, step %u: want '%s', got '%s'", script->name, i, step->comes, text->str);
    }
}

static inline void play_alone(const Script *script)
{
    Cache *cache = cache_new(&script->geometry);
    play(cache, script);
    cache_free(cache);
}
