#include "cli/answer.h"

#include "cli/fail.h"
#include "cli/output.h"

static void write_document(FILE *out, const Answer *answer, const void *data)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    answer->build(builder, data);
    json_write_document(out, builder);
}

int answer_give(const Answer *answer, const char *json, const void *data)
{
    g_autoptr(Output) file = NULL, text = NULL;
    GError *error = NULL;
    if (json && !(file = output_new(json, &error))) return fail(error);
    if (g_strcmp0(json, "-") != 0 && !(text = output_new("-", &error))) return fail(error);
    Output *const outputs[] = {file, text};
    if (!outputs_check(outputs, G_N_ELEMENTS(outputs), &error)) return fail(error);
    if (file) write_document(output_stream(file), answer, data);
    if (text) answer->print(output_stream(text), data);
    return outputs_commit(outputs, G_N_ELEMENTS(outputs), &error) ? STATUS_GOOD : fail(error);
}
