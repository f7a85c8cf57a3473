#pragma once
/*
 * JSON documents: built as trees with json-glib, written by json_write. JsonGenerator is not used because it spells a double with 17 digits
 * (0.1 as 0.10000000000000001) and cannot write a document piece by piece.
 */
#include <stdint.h>
#include <stdio.h>

#include <json-glib/json-glib.h>

/* One member of the object being built. Text that is no UTF-8 is made so; NULL is null, and so is NAN. */
void json_add_text(JsonBuilder *builder, const char *name, const char *text);
void json_add_count(JsonBuilder *builder, const char *name, uint64_t n);
void json_add_number(JsonBuilder *builder, const char *name, double x);
void json_add_bool(JsonBuilder *builder, const char *name, gboolean x);
void json_add_null(JsonBuilder *builder, const char *name);
void json_add_texts(JsonBuilder *builder, const char *name, const char *const *texts); /* NULL-terminated, or NULL */

/* Writes a value that starts in column 2 * indent, without a newline at its end. Members keep their order; what holds only plain
 * values and stands in an array is one line. */
void json_write(FILE *out, JsonNode *node, unsigned indent);

/* The whole value that was built, as a document that ends its last line. */
void json_write_document(FILE *out, JsonBuilder *builder);

/* The members of an object alone, separated, without its braces and without a newline at the end. */
void json_write_members(FILE *out, JsonNode *object, unsigned indent);
