#pragma once
/*
 * The keys of a cache's geometry, the same in every section that has a cache: `bytes`, `ways`, `line_bytes` ..., after a prefix where a
 * section has several. CACHE_KEYS makes the rows, cache_keys_check and cache_keys_idle serve the section's check and idle.
 */
#include "mem/cache.h"

/* Default values of the rows, the largest capacity, and the source of size, ways and line. A cache that is written to has CACHE_WRITE_KEY as well. */
/* clang-format off */
#define CACHE_KEYS(S, field, prefix, bytes_, most_, ways_, line_, sector_, mshrs_, source_)                                                  \
    {prefix "bytes", GS_FIELD_TYPE(S, field.bytes), offsetof(S, field.bytes), "byte", bytes_, 0, most_, NULL,             \
     source_, "Capacity; 0, where it is allowed, for none."},                                                                                               \
    {prefix "ways", GS_FIELD_TYPE(S, field.ways), offsetof(S, field.ways), "count", ways_, 1, CACHE_WAYS_MAX, NULL,                   \
     source_, "Lines of one set."},                                                                                                   \
    {prefix "line_bytes", GS_FIELD_TYPE(S, field.line_bytes), offsetof(S, field.line_bytes), "byte", line_, 4, CACHE_LINE_MAX, NULL,  \
     source_, "Bytes of one tag; a power of two."},                                                                                   \
    {prefix "sector_bytes", GS_FIELD_TYPE(S, field.sector_bytes), offsetof(S, field.sector_bytes), "byte", sector_, 4, CACHE_LINE_MAX, NULL, \
     source_, "What is fetched at once; as large as a line: no sectors."},                                                            \
    {prefix "index", GS_TYPE_NAME, offsetof(S, field.index), "name", 0, 0, 0, cache_index_names, "model choice: not published",             \
     "How the set of a line is found."},                                                                                              \
    {prefix "replacement", GS_TYPE_NAME, offsetof(S, field.replacement), "name", CACHE_LRU, 0, 0, cache_replacement_names,            \
     "model choice: not published", "Which line goes when another comes."},                                                           \
    {prefix "mshrs", GS_FIELD_TYPE(S, field.mshrs), offsetof(S, field.mshrs), "count", mshrs_, 1, 65536, NULL,                        \
     "model choice: not published", "Lines that may be under way at once."},                                                          \
    {prefix "merges", GS_FIELD_TYPE(S, field.merges), offsetof(S, field.merges), "count", 32, 1, 65536, NULL,                         \
     "model choice: not published", "Reads that may wait for one line."}
#define CACHE_WRITE_KEY(S, field, write_, source_)                                                                                    \
    {"write", GS_TYPE_NAME, offsetof(S, field.write), "name", write_, 0, 0, cache_write_names, source_, "What a write does."}
/* clang-format on */

/* Values of `replacement` and `write` that defaults name; the order of cache_replacement_names and cache_write_names. */
enum { CACHE_LRU, CACHE_FIFO, CACHE_PLRU, CACHE_RANDOM };
enum { CACHE_BACK, CACHE_BACK_FETCH, CACHE_BACK_MERGE, CACHE_THROUGH, CACHE_EVICT };

/* Reports what is wrong with a geometry. */
void cache_keys_check(const CacheGeometry *geometry, const char *prefix, const void *config, const GsConfigTable *table,
                      Faults *faults);

/* Why a key of the geometry does nothing, or NULL. */
const char *cache_keys_idle(const CacheGeometry *geometry, const char *prefix, const char *key);
