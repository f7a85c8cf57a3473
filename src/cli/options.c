#include "cli/options.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/fail.h"

enum { ENTRIES_MAX = 16, HELP_COLUMN = 30 };

static void print_option(const GOptionEntry *entry)
{
    g_autoptr(GString) left = g_string_new(NULL);
    if (entry->short_name)
        g_string_append_printf(left, "  -%c, --%s", entry->short_name, entry->long_name);
    else
        g_string_append_printf(left, "      --%s", entry->long_name);
    if (entry->arg_description) g_string_append_printf(left, " %s", entry->arg_description);
    if (left->len > HELP_COLUMN - 2)
        printf("%s\n%*s%s\n", left->str, HELP_COLUMN, "", entry->description);
    else
        printf("%-*s%s\n", HELP_COLUMN, left->str, entry->description);
}

static void print_help(const Command *command, const GOptionEntry *entries)
{
    printf("Usage: g80sim %s %s\n\n%s\n\nOptions:\n", command->name, command->usage, command->doc);
    for (; entries->long_name; entries++)
        if (*entries->long_name) print_option(entries);
    if (command->details) printf("\n%s\n", command->details);
}

static bool parse(const GOptionEntry *entries, int *argc, char ***argv, GError **error)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, entries, NULL);
    return g_option_context_parse(context, argc, argv, error);
}

static int check_count(const Command *command, char **operands, unsigned min, unsigned max)
{
    const unsigned n = g_strv_length(operands);
    if (n < min) return fail_usage(command, "%s: too few arguments: want %s", command->name, command->usage);
    if (n > max) return fail_usage(command, "%s: %s: too many arguments: want %s", command->name, operands[max], command->usage);
    return OPTIONS_GO_ON;
}

/* A standard stream that is closed stays useless, lest a file that is opened later takes its number. */
static void keep_standard_numbers(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* An option that takes one value is parsed as one that takes many, to see whether it is given twice. */
static void collect_values(GOptionEntry *entry, char ***values)
{
    if (entry->arg == G_OPTION_ARG_FILENAME)
        entry->arg = G_OPTION_ARG_FILENAME_ARRAY;
    else if (entry->arg == G_OPTION_ARG_STRING)
        entry->arg = G_OPTION_ARG_STRING_ARRAY;
    else
        return;
    entry->arg_data = values;
}

/* Brings the values to where `entries` wants them. */
static int take_values(const Command *command, const GOptionEntry *entries, char ***values)
{
    for (unsigned i = 0; entries[i].long_name; i++) {
        if (!values[i]) continue;
        if (values[i][1]) return fail_usage(command, "%s: --%s: given twice", command->name, entries[i].long_name);
        *(char **)entries[i].arg_data = g_strdup(values[i][0]);
    }
    return OPTIONS_GO_ON;
}

/* A switch is on or not there: GLib would let `--quiet=no` switch it on. */
static const char *find_switch_with_value(const GOptionEntry *entries, char **argv)
{
    for (char **arg = argv; *arg && !g_str_equal(*arg, "--"); arg++) {
        const char *equals = strchr(*arg, '=');
        if (!equals || !g_str_has_prefix(*arg, "--")) continue;
        for (const GOptionEntry *e = entries; e->long_name; e++)
            if (e->arg == G_OPTION_ARG_NONE && strlen(e->long_name) == (size_t)(equals - *arg - 2) &&
                g_str_has_prefix(*arg + 2, e->long_name))
                return *arg;
    }
    return NULL;
}

/* What GLib says of an argument it has no option for, and the option that is near it. */
static int refuse(const Command *command, const GOptionEntry *entries, char **argv, const GError *error)
{
    const char *names[ENTRIES_MAX], *near = NULL;
    size_t n = 0;
    for (; entries[n].long_name; n++)
        names[n] = entries[n].long_name;
    for (char **arg = argv; g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION) && *arg && !near; arg++) {
        if (!g_str_has_prefix(*arg, "--") || !g_str_has_suffix(error->message, *arg)) continue;
        g_auto(GStrv) halves = g_strsplit(*arg + 2, "=", 2);
        near = halves[0] ? nearest_name(halves[0], names, n) : NULL;
    }
    if (near && *near) return fail_usage(command, "%s: %s: did you mean --%s?", command->name, error->message, near);
    return fail_usage(command, "%s: %s", command->name, error->message);
}

int options_parse(const Command *command, const GOptionEntry *entries, unsigned min, unsigned max, int argc, char **argv,
                  char ***ret_operands)
{
    gboolean help = FALSE;
    g_auto(GStrv) operands = NULL;
    GOptionEntry all[ENTRIES_MAX] = {{NULL}};
    char **values[ENTRIES_MAX] = {NULL};
    unsigned n = 0;
    keep_standard_numbers();
    while (entries[n].long_name) {
        all[n] = entries[n];
        collect_values(&all[n], &values[n]);
        n++;
    }
    g_assert(n + 3 <= ENTRIES_MAX);
    all[n++] = (GOptionEntry){"help", 'h', 0, G_OPTION_ARG_NONE, &help, "Print this help", NULL};
    all[n++] = (GOptionEntry){G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &operands, NULL, NULL};

    const char *valued = find_switch_with_value(all, argv + 1);
    if (valued) return fail_usage(command, "%s: %s: a switch takes no value", command->name, valued);
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) given = g_strdupv(argv);
    if (!parse(all, &argc, &argv, &error)) return refuse(command, all, given + 1, error);
    if (help) {
        print_help(command, all);
        for (unsigned i = 0; i < ENTRIES_MAX; i++)
            g_strfreev(values[i]);
        return STATUS_GOOD;
    }
    if (!operands) operands = g_new0(char *, 1);
    int status = take_values(command, entries, values);
    for (unsigned i = 0; i < ENTRIES_MAX; i++)
        g_strfreev(values[i]);
    if (status == OPTIONS_GO_ON) status = check_count(command, operands, min, max);
    if (status == OPTIONS_GO_ON) *ret_operands = g_steal_pointer(&operands);
    return status;
}
