#include "base/config.h"

#include <string.h>

#include "base/check.h"
#include "base/config-private.h"
#include "base/nearest.h"

static void verify_key(const GsConfigTable *table, const GsKey *key)
{
    const bool number = key->type == GS_TYPE_U32 || key->type == GS_TYPE_U64 || key->type == GS_TYPE_MILLI;
    const uint64_t names = key->type == GS_TYPE_NAME ? g_strv_length((char **)key->names) : 0;
    const uint64_t least = number ? key->min : 0, most = number ? key->max : key->type == GS_TYPE_NAME ? names - 1 : 1;
    GS_CHECK(key->source && *key->source && !strchr(key->source, '\n'), "[%s] %s", table->section, key->name);
    GS_CHECK(key->doc && *key->doc && !strchr(key->doc, '\n'), "[%s] %s", table->section, key->name);
    GS_CHECK(key->type != GS_TYPE_NAME || names > 0, "[%s] %s", table->section, key->name);
    GS_CHECK(key->def >= least && key->def <= most, "[%s] %s", table->section, key->name);
    GS_CHECK(key->type != GS_TYPE_U32 || key->max <= UINT32_MAX, "[%s] %s", table->section, key->name);
    GS_CHECK(gs_config_find_key(table, key->name) == key, "[%s] %s: declared twice", table->section, key->name);
}

static void verify(const GsConfigPart *parts, size_t n)
{
    const GsConfigLoad all = {.parts = parts, .n = n};
    for (size_t i = 0; i < n; i++) {
        const GsConfigTable *table = parts[i].table;
        GS_CHECK(table->doc && *table->doc && !strchr(table->doc, '\n'), "[%s]", table->section);
        GS_CHECK(gs_config_find_part(&all, table->section) == &parts[i], "[%s]: declared twice", table->section);
        for (size_t k = 0; k < table->n_keys; k++)
            verify_key(table, &table->keys[k]);
    }
}

const GsConfigPart *gs_config_find_part(const GsConfigLoad *load, const char *section)
{
    for (size_t i = 0; i < load->n; i++)
        if (g_str_equal(load->parts[i].table->section, section)) return &load->parts[i];
    return NULL;
}

const GsKey *gs_config_find_key(const GsConfigTable *table, const char *key)
{
    for (size_t i = 0; i < table->n_keys; i++)
        if (g_str_equal(table->keys[i].name, key)) return &table->keys[i];
    return NULL;
}

char *gs_config_wanted_section(const GsConfigLoad *load, const char *section)
{
    g_autofree const char **names = g_new(const char *, load->n + 1);
    for (size_t i = 0; i < load->n; i++)
        names[i] = load->parts[i].table->section;
    names[load->n] = NULL;
    const char *nearest = nearest_name(section, names, load->n);
    if (nearest) return g_strdup_printf("want a section of the machine, the nearest is [%s]", nearest);
    g_autofree char *list = g_strjoinv("], [", (char **)names);
    return g_strdup_printf("want one of [%s]", list);
}

char *gs_config_wanted_key(const GsConfigTable *table, const char *key)
{
    g_autofree const char **names = g_new(const char *, table->n_keys);
    for (size_t i = 0; i < table->n_keys; i++)
        names[i] = table->keys[i].name;
    const char *nearest = nearest_name(key, names, table->n_keys);
    return nearest ? g_strdup_printf("want a key of [%s], the nearest is %s", table->section, nearest)
                   : g_strdup_printf("want a key of [%s]", table->section);
}

void gs_config_defaults(const GsConfigPart *parts, size_t n, void *aggregate)
{
    verify(parts, n);
    for (size_t i = 0; i < n; i++) {
        const GsConfigTable *table = parts[i].table;
        void *config = (char *)aggregate + parts[i].offset;
        memset(config, 0, table->size);
        for (size_t k = 0; k < table->n_keys; k++)
            gs_config_value_set_default(&table->keys[k], config);
    }
}

/* Values of one section, as far as the file gives them. */
static void apply_section(GsConfigLoad *load, size_t i, GKeyFile *values, void *config)
{
    const GsConfigTable *table = load->parts[i].table;
    for (size_t k = 0; k < table->n_keys; k++) {
        const GsKey *key = &table->keys[k];
        g_autofree char *text = g_key_file_get_value(values, table->section, key->name, NULL);
        if (!text || gs_config_value_set(key, text, config)) continue;
        g_autofree char *name = g_strdup_printf("[%s] %s", table->section, key->name);
        g_autofree char *shown = faults_excerpt(text), *wanted = gs_config_value_wanted(key, text);
        const int line = GPOINTER_TO_INT(g_hash_table_lookup(load->lines, name));
        faults_add(load->faults, line, 0, "%s = %s: %s", name, shown, wanted);
        load->faulty[i] = true;
    }
}

/* The wish of one override; returns NULL when it is granted, else what was wanted. */
static char *apply_override(GsConfigLoad *load, const char *override, char *stage)
{
    const char *equals = strchr(override, '=');
    const char *dot = equals ? g_strrstr_len(override, equals - override, ".") : NULL;
    if (!dot) return g_strdup("want section.key=value");
    g_autofree char *section = g_strndup(override, (size_t)(dot - override));
    g_autofree char *word = g_strndup(dot + 1, (size_t)(equals - dot - 1));
    const GsConfigPart *part = gs_config_find_part(load, section);
    if (!part) return gs_config_wanted_section(load, section);

    bool *faulty = &load->faulty[part - load->parts];
    const bool was_faulty = *faulty;
    *faulty = true;
    const GsKey *key = gs_config_find_key(part->table, word);
    if (!key) return gs_config_wanted_key(part->table, word);
    g_autofree char *name = g_strdup_printf("[%s] %s", section, word);
    const char *earlier = g_hash_table_lookup(load->overrides, name);
    if (earlier) return g_strdup_printf("want each key once, -s %s has it", earlier);
    g_hash_table_insert(load->overrides, g_steal_pointer(&name), (void *) override);
    if (!gs_config_value_set(key, equals + 1, stage + part->offset)) return gs_config_value_wanted(key, equals + 1);
    *faulty = was_faulty;
    return NULL;
}

static void apply_overrides(GsConfigLoad *load, const char *const *overrides, char *stage)
{
    for (; overrides && *overrides; overrides++) {
        g_autofree char *wanted = apply_override(load, *overrides, stage);
        if (!wanted) continue;
        g_autofree char *shown = faults_excerpt(*overrides), *where = g_strconcat("-s ", shown, NULL);
        faults_add_where(load->faults, where, "%s", wanted);
    }
}

static void apply_all(GsConfigLoad *load, GKeyFile *values, const char *const *overrides, char *stage)
{
    for (size_t i = 0; i < load->n; i++)
        apply_section(load, i, values, stage + load->parts[i].offset);
    apply_overrides(load, overrides, stage);
    faults_set_context(load->faults, load);
    for (size_t i = 0; i < load->n; i++) {
        const GsConfigTable *table = load->parts[i].table;
        if (table->check && !load->faulty[i]) table->check(stage + load->parts[i].offset, table, load->faults);
    }
    faults_set_context(load->faults, NULL);
}

bool gs_config_load_text(const char *name, const char *text, size_t length, const char *const *overrides,
                         const GsConfigPart *parts, size_t n, void *aggregate, GError **error)
{
    g_autoptr(Faults) faults = faults_new(name);
    g_autoptr(GHashTable) lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree bool *faulty = g_new0(bool, n);
    GsConfigLoad load = {parts, n, faults, lines, given, faulty};

    size_t size = 0;
    for (size_t i = 0; i < n; i++)
        size = MAX(size, parts[i].offset + parts[i].table->size);
    g_autofree char *stage = g_malloc0(size);
    gs_config_defaults(parts, n, stage);
    g_autoptr(GKeyFile) values = gs_config_ini_parse(&load, text, length);
    apply_all(&load, values, overrides, stage);
    if (!faults_none(faults, G80SIM_ERROR_CONFIG, error)) return false;
    for (size_t i = 0; i < n; i++)
        memcpy((char *)aggregate + parts[i].offset, stage + parts[i].offset, parts[i].table->size);
    return true;
}

bool gs_config_load(const char *path, const char *const *overrides, const GsConfigPart *parts, size_t n, void *aggregate,
                    GError **error)
{
    size_t length = 0;
    g_autofree char *text = gs_config_ini_read(path, &length, error);
    return text && gs_config_load_text(path, text, length, overrides, parts, n, aggregate, error);
}

void gs_config_fault(Faults *faults, const GsConfigTable *table, const void *config, const char *key, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *wanted = g_strdup_vprintf(format, args);
    va_end(args);
    const GsKey *row = gs_config_find_key(table, key);
    GS_CHECK(row, "[%s] %s", table->section, key);
    const GsConfigLoad *load = faults_context(faults);
    g_autofree char *name = g_strdup_printf("[%s] %s", table->section, key);
    const char *override = load ? g_hash_table_lookup(load->overrides, name) : NULL;
    if (override) {
        g_autofree char *where = g_strconcat("-s ", override, NULL);
        faults_add_where(faults, where, "%s", wanted);
        return;
    }
    g_autofree char *value = gs_config_value(row, config);
    const int line = load ? GPOINTER_TO_INT(g_hash_table_lookup(load->lines, name)) : 0;
    faults_add(faults, line, 0, "%s = %s: %s", name, value, wanted);
}

static void append_doc(GString *out, const GsKey *key)
{
    g_autofree char *range = gs_config_value_range(key), *def = gs_config_value_default(key);
    g_string_append_printf(out, "\n# %s\n# %s; default %s; source: %s\n", key->doc, range, def, key->source);
}

char *gs_config_text(const GsConfigPart *parts, size_t n, const void *aggregate, bool documented)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        const GsConfigTable *table = parts[i].table;
        if (i) g_string_append_c(out, '\n');
        if (documented) g_string_append_printf(out, "# %s\n", table->doc);
        g_string_append_printf(out, "[%s]\n", table->section);
        for (size_t k = 0; k < table->n_keys; k++) {
            g_autofree char *value = gs_config_value(&table->keys[k], (const char *)aggregate + parts[i].offset);
            if (documented) append_doc(out, &table->keys[k]);
            g_string_append_printf(out, "%s = %s\n", table->keys[k].name, value);
        }
    }
    return g_string_free(out, FALSE);
}

char *gs_config_idle_text(const GsConfigPart *parts, size_t n, const void *aggregate)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        const GsConfigTable *table = parts[i].table;
        for (size_t k = 0; table->idle && k < table->n_keys; k++) {
            const char *why = table->idle((const char *)aggregate + parts[i].offset, table->keys[k].name);
            if (why) g_string_append_printf(out, "[%s] %s: %s\n", table->section, table->keys[k].name, why);
        }
    }
    return g_string_free(out, FALSE);
}
