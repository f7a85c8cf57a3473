#include "cli/json.h"

#include <math.h>
#include <stdbool.h>

#include "cli/format.h"

/* ---- building ---- */

void json_add_text(JsonBuilder *b, const char *name, const char *text)
{
    g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;
    json_builder_set_member_name(b, name);
    if (valid)
        json_builder_add_string_value(b, valid);
    else
        json_builder_add_null_value(b);
}

void json_add_count(JsonBuilder *b, const char *name, uint64_t n)
{
    json_builder_set_member_name(b, name);
    json_builder_add_int_value(b, (gint64)MIN(n, (uint64_t)INT64_MAX));
}

void json_add_number(JsonBuilder *b, const char *name, double x)
{
    json_builder_set_member_name(b, name);
    if (isfinite(x))
        json_builder_add_double_value(b, x);
    else
        json_builder_add_null_value(b);
}

void json_add_bool(JsonBuilder *b, const char *name, gboolean x)
{
    json_builder_set_member_name(b, name);
    json_builder_add_boolean_value(b, x);
}

void json_add_null(JsonBuilder *b, const char *name)
{
    json_builder_set_member_name(b, name);
    json_builder_add_null_value(b);
}

void json_add_texts(JsonBuilder *b, const char *name, const char *const *texts)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
    for (; texts && *texts; texts++) {
        g_autofree char *valid = g_utf8_make_valid(*texts, -1);
        json_builder_add_string_value(b, valid);
    }
    json_builder_end_array(b);
}

/* ---- writing ---- */

static void write_plain(FILE *out, JsonNode *node)
{
    if (JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_DOUBLE) {
        fputs(format_number(json_node_get_double(node)).text, out);
        return;
    }
    g_autofree char *text = json_to_string(node, FALSE);
    fputs(text, out);
}

static void write_name(FILE *out, const char *name)
{
    g_autoptr(JsonNode) node = json_node_init_string(json_node_alloc(), name);
    write_plain(out, node);
    fputs(": ", out);
}

static bool is_plain(JsonNode *node)
{
    return !JSON_NODE_HOLDS_OBJECT(node) && !JSON_NODE_HOLDS_ARRAY(node);
}

static bool all_plain(GList *nodes)
{
    for (; nodes; nodes = nodes->next)
        if (!is_plain(nodes->data)) return false;
    return true;
}

static void write_line_of(FILE *out, JsonObject *object)
{
    g_autoptr(GList) names = json_object_get_members(object);
    fputc('{', out);
    for (GList *n = names; n; n = n->next) {
        write_name(out, n->data);
        write_plain(out, json_object_get_member(object, n->data));
        if (n->next) fputs(", ", out);
    }
    fputc('}', out);
}

static void write_item(FILE *out, JsonNode *node, unsigned indent)
{
    if (JSON_NODE_HOLDS_OBJECT(node)) {
        JsonObject *object = json_node_get_object(node);
        g_autoptr(GList) values = json_object_get_values(object);
        if (all_plain(values)) {
            write_line_of(out, object);
            return;
        }
    }
    json_write(out, node, indent);
}

static void write_array(FILE *out, JsonArray *array, unsigned indent)
{
    g_autoptr(GList) items = json_array_get_elements(array);
    const bool flat = all_plain(items);
    fputc('[', out);
    for (GList *i = items; i; i = i->next) {
        if (!flat) fprintf(out, "\n%*s", (int)(2 * indent + 2), "");
        write_item(out, i->data, indent + 1);
        if (i->next) fputs(flat ? ", " : ",", out);
    }
    if (!flat) fprintf(out, "\n%*s", (int)(2 * indent), "");
    fputc(']', out);
}

void json_write_members(FILE *out, JsonNode *node, unsigned indent)
{
    JsonObject *object = json_node_get_object(node);
    g_autoptr(GList) names = json_object_get_members(object);
    for (GList *n = names; n; n = n->next) {
        fprintf(out, "%*s", (int)(2 * indent), "");
        write_name(out, n->data);
        json_write(out, json_object_get_member(object, n->data), indent);
        if (n->next) fputs(",\n", out);
    }
}

void json_write(FILE *out, JsonNode *node, unsigned indent)
{
    if (JSON_NODE_HOLDS_ARRAY(node)) {
        write_array(out, json_node_get_array(node), indent);
    } else if (!JSON_NODE_HOLDS_OBJECT(node)) {
        write_plain(out, node);
    } else if (json_object_get_size(json_node_get_object(node)) == 0) {
        fputs("{}", out);
    } else {
        fputs("{\n", out);
        json_write_members(out, node, indent + 1);
        fprintf(out, "\n%*s}", (int)(2 * indent), "");
    }
}

void json_write_document(FILE *out, JsonBuilder *builder)
{
    g_autoptr(JsonNode) root = json_builder_get_root(builder);
    json_write(out, root, 0);
    fputc('\n', out);
}
