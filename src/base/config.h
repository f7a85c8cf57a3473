#pragma once
/*
 * Configuration by tables. A component declares its keys once, as rows of a GsConfigTable: name, type, unit, default,
 * range, source, one line of doc. That table is the parser of its INI section, `config keys`, the reference page and the
 * dump of the effective configuration. The machine is a list of such tables (GsConfigPart), each with the place of its
 * struct in one aggregate; nothing here knows what the keys mean.
 *
 * INI dialect: `[section]`, `key = value`, `#` comments on lines of their own, LF or CRLF, UTF-8 with or without BOM.
 * Integers are decimal without leading zeros, with optional suffix K, M or G (powers of 1024) where the unit is "byte".
 * Duplicate sections or keys, trailing comments, unknown names and values out of range are faults; all faults of a file come
 * in one GError (G80SIM_ERROR_CONFIG), as `file:line: [section] key = value: what was wanted`; a file that cannot be read is
 * `file: reason`. A key that is absent takes its default. A table that breaks its own rules (a default out of range, an
 * empty source or doc) is a bug and stops the program.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "base/faults.h"

typedef enum { GS_TYPE_U32, GS_TYPE_U64, GS_TYPE_MILLI, GS_TYPE_BOOL, GS_TYPE_NAME } GsType;

typedef struct {
    const char *name;
    GsType type;
    size_t offset;            /* of the field in the component's struct */
    const char *unit;         /* "cycle", "dram cycle", "byte", "kHz", "count" ... */
    uint64_t def, min, max;   /* GS_TYPE_MILLI: in thousandths */
    const char *const *names; /* GS_TYPE_NAME: the allowed words, NULL-terminated; the field holds the index */
    const char *source;       /* where the default comes from: never empty */
    const char *doc;          /* one line */
} GsKey;

/* clang-format off */
/* The type tag comes from the field, so that a row whose field has another type does not compile. */
#define GS_FIELD_TYPE(S, f) _Generic(((S *)0)->f, uint32_t : GS_TYPE_U32, uint64_t : GS_TYPE_U64)
#define GS_KEY(S, f, unit_, def_, min_, max_, source_, doc_) \
    {#f, GS_FIELD_TYPE(S, f), offsetof(S, f), unit_, def_, min_, max_, NULL, source_, doc_}
/* A decimal with up to three places, held in thousandths in a uint64_t field: `overhead_us = 2.5`. */
#define GS_KEY_MILLI(S, f, unit_, def_, min_, max_, source_, doc_)                                           \
    {#f, _Generic(((S *)0)->f, uint64_t : GS_TYPE_MILLI), offsetof(S, f), unit_, def_, min_, max_, NULL, source_, doc_}
/* yes or no, in a bool field. */
#define GS_KEY_BOOL(S, f, def_, source_, doc_) \
    {#f, _Generic(((S *)0)->f, bool : GS_TYPE_BOOL), offsetof(S, f), "yes|no", def_, 0, 1, NULL, source_, doc_}
/* One word of a NULL-terminated list; the uint32_t field holds its index. */
#define GS_KEY_NAME(S, f, names_, def_, source_, doc_) \
    {#f, _Generic(((S *)0)->f, uint32_t : GS_TYPE_NAME), offsetof(S, f), "name", def_, 0, 0, names_, source_, doc_}
/* clang-format on */

typedef struct GsConfigTable {
    const char *section;
    const char *doc; /* one line: what hardware block this is */
    const GsKey *keys;
    size_t n_keys;
    size_t size; /* of the component's struct */
    /* Rules across keys of this section, or NULL. Reports with gs_config_fault. */
    void (*check)(const void *config, const struct GsConfigTable *table, Faults *faults);
    /* Why `key` does nothing under the present settings, or NULL when it does something. May be NULL. */
    const char *(*idle)(const void *config, const char *key);
} GsConfigTable;

/* One table and the place of its struct in the aggregate. */
typedef struct {
    const GsConfigTable *table;
    size_t offset;
} GsConfigPart;

/* Fills the aggregate with every default. */
void gs_config_defaults(const GsConfigPart *parts, size_t n, void *aggregate);

/* Reads `path`, then applies overrides (`section.key=value`, NULL-terminated or NULL), then runs every table's check.
 * Starts from the defaults. On any fault returns false and leaves the aggregate untouched. A fault of an override is
 * reported as `-s section.key=value: what was wanted`. */
bool gs_config_load(const char *path, const char *const *overrides, const GsConfigPart *parts, size_t n, void *aggregate,
                    GError **error);

/* The same for a text that is in memory already; `name` is the file name that the faults show. */
bool gs_config_load_text(const char *name, const char *text, size_t length, const char *const *overrides,
                         const GsConfigPart *parts, size_t n, void *aggregate, GError **error);

/* For check functions: adds a fault about `key` (`[section] key = value: wanted`), with the line the key was given on when
 * the table is being checked for a file, or as `-s section.key=value: wanted` when an override gave it. A check is not
 * called while its section has other faults. */
void gs_config_fault(Faults *faults, const GsConfigTable *table, const void *config, const char *key, const char *format, ...)
    G_GNUC_PRINTF(5, 6);

/* The complete effective configuration as INI text that loads back to the same values; with each key's doc, unit, range and
 * source as comments when `documented`. Free with g_free. */
char *gs_config_text(const GsConfigPart *parts, size_t n, const void *aggregate, bool documented);

/* One value as the INI would spell it. Free with g_free. */
char *gs_config_value(const GsKey *key, const void *config);

/* Lines `[section] key: why it does nothing`, one for each idle key; empty string when there are none. Free with g_free. */
char *gs_config_idle_text(const GsConfigPart *parts, size_t n, const void *aggregate);
