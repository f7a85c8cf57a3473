#pragma once
/*
 * What the three files of the configuration share: config.c (tables, overrides, output), config-ini.c (the text of a file)
 * and config-value.c (one value). Included by them and by nobody else.
 */
#include "base/config.h"

/* One load in progress. Names in the hash tables are `[section]` and `[section] key`. */
typedef struct {
    const GsConfigPart *parts;
    size_t n;
    Faults *faults;
    GHashTable *lines;     /* name -> int: the line of the file that it stands on */
    GHashTable *overrides; /* `[section] key` -> the override as given, section.key=value; owned by the caller of load */
    bool *faulty;          /* by part: its section has a fault, so rules across its keys are not asked */
} GsConfigLoad;

/* NULL when there is none of that name. */
const GsConfigPart *gs_config_find_part(const GsConfigLoad *load, const char *section);
const GsKey *gs_config_find_key(const GsConfigTable *table, const char *key);

/* What was wanted in place of an unknown section or key, with the nearest name. Free with g_free. */
char *gs_config_wanted_section(const GsConfigLoad *load, const char *section);
char *gs_config_wanted_key(const GsConfigTable *table, const char *key);

/* The bytes of a file of at most 1 MiB, NUL-terminated; NULL and G80SIM_ERROR_CONFIG when it cannot be had. */
char *gs_config_ini_read(const char *path, size_t *ret_length, GError **error);

/* Reads the text, adding every fault but those of values, and gives the values of the lines that are sound: keys that the
 * tables know, each once. Their lines are in load->lines. Free with g_key_file_unref. */
GKeyFile *gs_config_ini_parse(GsConfigLoad *load, const char *text, size_t length);

/* Sets the key's field from its text; false, and nothing set, when the text is not exactly a legal value. */
bool gs_config_value_set(const GsKey *key, const char *text, void *config);
void gs_config_value_set_default(const GsKey *key, void *config);
char *gs_config_value_default(const GsKey *key);

/* The legal values, `1..255 dram cycle`. Free with g_free. */
char *gs_config_value_range(const GsKey *key);
/* `want ` and the legal values, with a hint at what is wrong with `text` where the range does not tell. Free with g_free. */
char *gs_config_value_wanted(const GsKey *key, const char *text);
