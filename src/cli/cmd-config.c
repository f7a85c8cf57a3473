#include <string.h>

#include "base/nearest.h"
#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/inputs.h"
#include "cli/options.h"

typedef struct {
    char **overrides, *json;
} ConfigOptions;

static void options_clear(ConfigOptions *o)
{
    g_strfreev(o->overrides);
    g_free(o->json);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConfigOptions, options_clear)

/* ---- values as JSON ---- */

static double number_of(const GsKey *key, uint64_t raw)
{
    return key->type == GS_TYPE_MILLI ? (double)raw / 1000 : (double)raw;
}

static void add_value(JsonBuilder *b, const char *name, const GsKey *key, const void *config)
{
    g_autofree char *text = gs_config_value(key, config);
    const void *field = (const char *)config + key->offset;
    switch (key->type) {
    case GS_TYPE_U32: json_add_count(b, name, *(const uint32_t *)field); break;
    case GS_TYPE_U64: json_add_count(b, name, *(const uint64_t *)field); break;
    case GS_TYPE_MILLI: json_add_number(b, name, number_of(key, *(const uint64_t *)field)); break;
    case GS_TYPE_BOOL: json_add_bool(b, name, *(const bool *)field); break;
    case GS_TYPE_NAME: json_add_text(b, name, text); break;
    }
}

static const void *part_of(const GsConfigPart *part, const MachineConfig *config)
{
    return (const char *)config + part->offset;
}

/* ---- config check ---- */

static void print_check(FILE *out, const void *data)
{
    const Machine *machine = data;
    g_autofree char *notes = gs_config_idle_text(machine_parts, machine_n_parts, &machine->config);
    fprintf(out, "%s: good\n", machine->file);
    g_auto(GStrv) lines = g_strsplit(notes, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line) fprintf(out, "note: %s\n", *line);
}

static void build_notes(JsonBuilder *b, const MachineConfig *config)
{
    json_builder_set_member_name(b, "notes");
    json_builder_begin_array(b);
    for (size_t i = 0; i < machine_n_parts; i++) {
        const GsConfigTable *table = machine_parts[i].table;
        for (size_t k = 0; table->idle && k < table->n_keys; k++) {
            const char *why = table->idle(part_of(&machine_parts[i], config), table->keys[k].name);
            if (!why) continue;
            json_builder_begin_object(b);
            json_add_text(b, "section", table->section);
            json_add_text(b, "key", table->keys[k].name);
            json_add_text(b, "note", why);
            json_builder_end_object(b);
        }
    }
    json_builder_end_array(b);
}

static void build_check(JsonBuilder *b, const void *data)
{
    const Machine *machine = data;
    json_builder_begin_object(b);
    json_add_text(b, "file", machine->file);
    json_add_text(b, "sha256", machine->sha256);
    json_add_texts(b, "overrides", (const char *const *)machine->overrides);
    json_add_bool(b, "good", true);
    build_notes(b, &machine->config);
    json_builder_end_object(b);
}

/* ---- config show ---- */

static void print_show(FILE *out, const void *data)
{
    const Machine *machine = data;
    g_autofree char *text = gs_config_text(machine_parts, machine_n_parts, &machine->config, false);
    fputs(text, out);
}

static void build_show(JsonBuilder *b, const void *data)
{
    const Machine *machine = data;
    json_builder_begin_object(b);
    for (size_t i = 0; i < machine_n_parts; i++) {
        const GsConfigTable *table = machine_parts[i].table;
        json_builder_set_member_name(b, table->section);
        json_builder_begin_object(b);
        for (size_t k = 0; k < table->n_keys; k++)
            add_value(b, table->keys[k].name, &table->keys[k], part_of(&machine_parts[i], &machine->config));
        json_builder_end_object(b);
    }
    json_builder_end_object(b);
}

static int check_or_show(const Command *self, const Answer *answer, int argc, char **argv)
{
    g_auto(ConfigOptions) o = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {OPTION_SET(&o.overrides), OPTION_JSON(&o.json), {NULL}};
    const int status = options_parse(self, entries, 1, 1, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    g_auto(Machine) machine = {0};
    GError *error = NULL;
    if (!machine_load(operands[0], (const char *const *)o.overrides, &machine, &error)) return fail(error);
    return answer_give(answer, o.json, &machine);
}

int cmd_config_check(const Command *self, int argc, char **argv)
{
    return check_or_show(self, &(const Answer){print_check, build_check}, argc, argv);
}

int cmd_config_show(const Command *self, int argc, char **argv)
{
    return check_or_show(self, &(const Answer){print_show, build_show}, argc, argv);
}

/* ---- config keys ---- */

typedef struct {
    const char *section; /* NULL: all */
    MachineConfig defaults;
    const Machine *machine; /* whose values are shown too, or NULL */
} Keys;

static bool is_shown(const Keys *keys, const GsConfigTable *table)
{
    return !keys->section || g_str_equal(keys->section, table->section);
}

static void append_range(GString *out, const GsKey *key)
{
    if (key->type == GS_TYPE_BOOL) {
        g_string_append(out, "yes or no");
    } else if (key->type == GS_TYPE_NAME) {
        for (unsigned i = 0; key->names[i]; i++)
            g_string_append_printf(out, "%s%s", i ? ", " : "one of ", key->names[i]);
    } else {
        const int places = key->type == GS_TYPE_MILLI && (key->min % 1000 || key->max % 1000) ? 3 : 0;
        g_string_append_printf(out, "%.*f..%.*f %s", places, number_of(key, key->min), places, number_of(key, key->max),
                               key->unit);
    }
}

static void print_key(FILE *out, const Keys *keys, const GsConfigPart *part, const GsKey *key)
{
    g_autofree char *def = gs_config_value(key, part_of(part, &keys->defaults));
    g_autoptr(GString) facts = g_string_new(NULL);
    append_range(facts, key);
    g_string_append_printf(facts, "; source: %s", key->source);
    fprintf(out, "\n%s = %s\n    ", key->name, def);
    format_paragraph(out, 4, key->doc);
    fputs("    ", out);
    format_paragraph(out, 4, facts->str);
    if (!keys->machine) return;
    g_autofree char *value = gs_config_value(key, part_of(part, &keys->machine->config));
    if (!g_str_equal(value, def)) fprintf(out, "    %s has %s\n", keys->machine->file, value);
}

static void print_keys(FILE *out, const void *data)
{
    const Keys *keys = data;
    bool first = true;
    for (size_t i = 0; i < machine_n_parts; i++) {
        const GsConfigTable *table = machine_parts[i].table;
        if (!is_shown(keys, table)) continue;
        const int indent = fprintf(out, "%s[%s]  ", first ? "" : "\n", table->section) - !first;
        format_paragraph(out, (unsigned)indent, table->doc);
        first = false;
        for (size_t k = 0; k < table->n_keys; k++)
            print_key(out, keys, &machine_parts[i], &table->keys[k]);
    }
}

static void build_range(JsonBuilder *b, const GsKey *key)
{
    switch (key->type) {
    case GS_TYPE_U32:
    case GS_TYPE_U64:
        json_add_count(b, "min", key->min);
        json_add_count(b, "max", key->max);
        break;
    case GS_TYPE_MILLI:
        json_add_number(b, "min", number_of(key, key->min));
        json_add_number(b, "max", number_of(key, key->max));
        break;
    case GS_TYPE_NAME: json_add_texts(b, "names", key->names); break;
    case GS_TYPE_BOOL: break;
    }
}

static void build_key(JsonBuilder *b, const Keys *keys, const GsConfigPart *part, const GsKey *key)
{
    static const char *const TYPES[] = {[GS_TYPE_U32] = "integer",
                                        [GS_TYPE_U64] = "integer",
                                        [GS_TYPE_MILLI] = "decimal",
                                        [GS_TYPE_BOOL] = "yes or no",
                                        [GS_TYPE_NAME] = "name"};
    json_builder_begin_object(b);
    json_add_text(b, "section", part->table->section);
    json_add_text(b, "key", key->name);
    json_add_text(b, "type", TYPES[key->type]);
    json_add_text(b, "unit", key->unit);
    add_value(b, "default", key, part_of(part, &keys->defaults));
    if (keys->machine) add_value(b, "value", key, part_of(part, &keys->machine->config));
    build_range(b, key);
    json_add_text(b, "source", key->source);
    json_add_text(b, "doc", key->doc);
    json_builder_end_object(b);
}

static void build_keys(JsonBuilder *b, const void *data)
{
    const Keys *keys = data;
    json_builder_begin_array(b);
    for (size_t i = 0; i < machine_n_parts; i++) {
        const GsConfigTable *table = machine_parts[i].table;
        for (size_t k = 0; is_shown(keys, table) && k < table->n_keys; k++)
            build_key(b, keys, &machine_parts[i], &table->keys[k]);
    }
    json_builder_end_array(b);
}

static const char *find_section(const char *name)
{
    for (size_t i = 0; i < machine_n_parts; i++)
        if (g_str_equal(machine_parts[i].table->section, name)) return machine_parts[i].table->section;
    return NULL;
}

static bool looks_like_file(const char *operand)
{
    return strpbrk(operand, "./") || g_file_test(operand, G_FILE_TEST_EXISTS);
}

static int refuse_section(const Command *self, const char *name)
{
    g_autoptr(GPtrArray) sections = g_ptr_array_new();
    for (size_t i = 0; i < machine_n_parts; i++)
        g_ptr_array_add(sections, (gpointer)machine_parts[i].table->section);
    const char *near = nearest_name(name, (const char *const *)sections->pdata, sections->len);
    g_ptr_array_add(sections, NULL);
    g_autofree char *all = g_strjoinv(", ", (char **)sections->pdata);
    return near ? fail_usage(self, "%s: no such section: did you mean %s?", name, near)
                : fail_usage(self, "%s: no such section: want one of %s", name, all);
}

int cmd_config_keys(const Command *self, int argc, char **argv)
{
    g_auto(ConfigOptions) o = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {OPTION_SET(&o.overrides), OPTION_JSON(&o.json), {NULL}};
    const int status = options_parse(self, entries, 0, 2, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    const char *file = NULL;
    Keys keys = {0};
    for (char **operand = operands; *operand; operand++) {
        const char *section = find_section(*operand);
        if (section && !keys.section)
            keys.section = section;
        else if (!section && !file && looks_like_file(*operand))
            file = *operand;
        else
            return refuse_section(self, *operand);
    }
    if (o.overrides && !file) return fail_usage(self, "-s: want a CONFIG that it changes");
    g_auto(Machine) machine = {0};
    GError *error = NULL;
    if (file && !machine_load(file, (const char *const *)o.overrides, &machine, &error)) return fail(error);
    gs_config_defaults(machine_parts, machine_n_parts, &keys.defaults);
    if (file) keys.machine = &machine;
    return answer_give(&(const Answer){print_keys, build_keys}, o.json, &keys);
}
