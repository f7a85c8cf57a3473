#include "cli/numbers.h"

#include <string.h>

#include "base/faults.h"
#include "cli/fail.h"

static bool refuse(const Command *command, const NumberRule *rule, const char *text)
{
    g_autofree char *shown = faults_excerpt(text);
    fail_usage(command, "%s = %s: want %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT "%s%s%s%s", rule->option, shown, rule->min,
               rule->max, *rule->unit ? " " : "", rule->unit, rule->why ? ": " : "", rule->why ? rule->why : "");
    return false;
}

bool number_parse(const Command *command, const NumberRule *rule, const char *text, uint64_t *ret)
{
    const bool hex = g_str_has_prefix(text, "0x") || g_str_has_prefix(text, "0X");
    const bool kilo = !hex && g_str_equal(rule->unit, "bytes") && g_str_has_suffix(text, "K");
    g_autofree char *digits = g_strndup(text + 2 * hex, strlen(text) - 2 * hex - kilo);
    guint64 value;
    if (!g_ascii_string_to_unsigned(digits, hex ? 16 : 10, 0, kilo ? rule->max >> 10 : rule->max, &value, NULL))
        return refuse(command, rule, text);
    if (kilo) value <<= 10;
    if (value < rule->min) return refuse(command, rule, text);
    *ret = value;
    return true;
}
