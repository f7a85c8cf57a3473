#include "cli/fail.h"

#include <stdarg.h>
#include <stdio.h>

static int status_of(const GError *error)
{
    if (error->domain != G80SIM_ERROR) return STATUS_USAGE;
    switch ((G80simError)error->code) {
    case G80SIM_ERROR_USAGE:
    case G80SIM_ERROR_CONFIG: return STATUS_USAGE;
    case G80SIM_ERROR_TRACE: return STATUS_TRACE;
    case G80SIM_ERROR_SIM: return STATUS_SIM;
    }
    return STATUS_USAGE;
}

int fail(GError *error)
{
    const int status = status_of(error);
    fprintf(stderr, "%s\n", error->message);
    g_error_free(error);
    return status;
}

int fail_usage(const Command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    const char *mark = g_str_has_suffix(message, "?") ? "" : ";";
    fprintf(stderr, "g80sim: %s%s try \"g80sim %s%s--help\"\n", message, mark, command ? command->name : "", command ? " " : "");
    return STATUS_USAGE;
}
