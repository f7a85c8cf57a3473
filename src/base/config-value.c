#include <string.h>

#include "base/check.h"
#include "base/config-private.h"

static const char SUFFIXES[] = "KMG";

static bool is_bytes(const GsKey *key)
{
    return g_str_equal(key->unit, "byte");
}

static void store(const GsKey *key, void *config, uint64_t value)
{
    void *field = (char *)config + key->offset;
    switch (key->type) {
    case GS_TYPE_U32:
    case GS_TYPE_NAME: *(uint32_t *)field = (uint32_t)value; break;
    case GS_TYPE_U64:
    case GS_TYPE_MILLI: *(uint64_t *)field = value; break;
    case GS_TYPE_BOOL: *(bool *)field = value != 0; break;
    }
}

static uint64_t fetch(const GsKey *key, const void *config)
{
    const void *field = (const char *)config + key->offset;
    switch (key->type) {
    case GS_TYPE_U32:
    case GS_TYPE_NAME: return *(const uint32_t *)field;
    case GS_TYPE_U64:
    case GS_TYPE_MILLI: return *(const uint64_t *)field;
    case GS_TYPE_BOOL: return *(const bool *)field;
    }
    g_assert_not_reached();
}

/* Decimal digits and nothing else. */
static bool parse_digits(const char *text, uint64_t *ret_value)
{
    if (text[0] == '0' && text[1]) return false;
    return g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, ret_value, NULL);
}

static bool parse_integer(const GsKey *key, const char *text, uint64_t *ret_value)
{
    const size_t length = strlen(text);
    const char *suffix = is_bytes(key) && length ? strchr(SUFFIXES, text[length - 1]) : NULL;
    if (!suffix) return parse_digits(text, ret_value);
    const unsigned shift = 10 * (unsigned)(suffix - SUFFIXES + 1);
    g_autofree char *digits = g_strndup(text, length - 1);
    uint64_t value;
    if (!parse_digits(digits, &value) || value > UINT64_MAX >> shift) return false;
    *ret_value = value << shift;
    return true;
}

static bool parse_milli(const char *text, uint64_t *ret_value)
{
    const char *point = strchr(text, '.');
    g_autofree char *digits = point ? g_strndup(text, (size_t)(point - text)) : g_strdup(text);
    uint64_t whole, thousandths = 0;
    if (!parse_digits(digits, &whole) || whole > UINT64_MAX / 1000) return false;
    if (point) {
        const size_t places = strlen(point + 1);
        if (places < 1 || places > 3) return false;
        if (!g_ascii_string_to_unsigned(point + 1, 10, 0, 999, &thousandths, NULL)) return false;
        for (size_t i = places; i < 3; i++)
            thousandths *= 10;
    }
    if (thousandths > UINT64_MAX - whole * 1000) return false;
    *ret_value = whole * 1000 + thousandths;
    return true;
}

static bool parse_name(const GsKey *key, const char *text, uint64_t *ret_value)
{
    for (unsigned i = 0; key->names[i]; i++) {
        if (!g_str_equal(key->names[i], text)) continue;
        *ret_value = i;
        return true;
    }
    return false;
}

static bool parse_bool(const char *text, uint64_t *ret_value)
{
    *ret_value = g_str_equal(text, "yes");
    return *ret_value || g_str_equal(text, "no");
}

bool gs_config_value_set(const GsKey *key, const char *text, void *config)
{
    uint64_t value = 0;
    bool good = false;
    switch (key->type) {
    case GS_TYPE_U32:
    case GS_TYPE_U64: good = parse_integer(key, text, &value) && value >= key->min && value <= key->max; break;
    case GS_TYPE_MILLI: good = parse_milli(text, &value) && value >= key->min && value <= key->max; break;
    case GS_TYPE_BOOL: good = parse_bool(text, &value); break;
    case GS_TYPE_NAME: good = parse_name(key, text, &value); break;
    }
    if (good) store(key, config, value);
    return good;
}

void gs_config_value_set_default(const GsKey *key, void *config)
{
    store(key, config, key->def);
}

static char *spell_bytes(uint64_t value)
{
    unsigned n = 0;
    while (n < strlen(SUFFIXES) && value && value % 1024 == 0) {
        value /= 1024;
        n++;
    }
    return n ? g_strdup_printf("%" G_GUINT64_FORMAT "%c", value, SUFFIXES[n - 1]) : g_strdup_printf("%" G_GUINT64_FORMAT, value);
}

static char *spell_milli(uint64_t value)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "%" G_GUINT64_FORMAT, value / 1000);
    if (value % 1000) {
        g_string_append_printf(text, ".%03u", (unsigned)(value % 1000));
        while (text->str[text->len - 1] == '0')
            g_string_truncate(text, text->len - 1);
    }
    return g_strdup(text->str);
}

static unsigned count_names(const GsKey *key)
{
    return g_strv_length((char **)key->names);
}

static char *spell(const GsKey *key, uint64_t value)
{
    switch (key->type) {
    case GS_TYPE_U32:
    case GS_TYPE_U64: return is_bytes(key) ? spell_bytes(value) : g_strdup_printf("%" G_GUINT64_FORMAT, value);
    case GS_TYPE_MILLI: return spell_milli(value);
    case GS_TYPE_BOOL: return g_strdup(value ? "yes" : "no");
    case GS_TYPE_NAME:
        GS_CHECK(value < count_names(key), "%s: no name of index %" G_GUINT64_FORMAT, key->name, value);
        return g_strdup(key->names[value]);
    }
    g_assert_not_reached();
}

char *gs_config_value(const GsKey *key, const void *config)
{
    return spell(key, fetch(key, config));
}

char *gs_config_value_default(const GsKey *key)
{
    return spell(key, key->def);
}

static char *list_names(const GsKey *key)
{
    GString *list = g_string_new(key->names[0]);
    for (unsigned i = 1; key->names[i]; i++)
        g_string_append_printf(list, "%s%s", key->names[i + 1] ? ", " : " or ", key->names[i]);
    return g_string_free(list, FALSE);
}

char *gs_config_value_range(const GsKey *key)
{
    if (key->type == GS_TYPE_BOOL) return g_strdup("yes or no");
    if (key->type == GS_TYPE_NAME) return list_names(key);
    g_autofree char *min = spell(key, key->min), *max = spell(key, key->max);
    return key->min == key->max ? g_strdup_printf("%s %s", min, key->unit) : g_strdup_printf("%s..%s %s", min, max, key->unit);
}

/* True for what people write as a unit of bytes: K, kB, MiB ... */
static bool is_magnitude(const char *text)
{
    return *text && strchr("kKmMgG", *text) && strchr("iBb", text[1]) && strlen(text) <= 3;
}

static const char *hint_number(const GsKey *key, const char *text)
{
    static const char DIGITS[] = "0123456789";
    const size_t digits = strspn(text, DIGITS);
    const char *rest = text + digits;
    if (g_ascii_strncasecmp(text, "0x", 2) == 0) return ", in decimal";
    if (digits > 1 && text[0] == '0') return ", without leading zeros";
    if (key->type == GS_TYPE_MILLI && *rest == '.' && strspn(rest + 1, DIGITS) > 3) return ", with at most three decimals";
    if (digits == 0 || !is_magnitude(rest + strspn(rest, " "))) return "";
    if (!is_bytes(key)) return "; K, M and G go with bytes only";
    return strlen(rest) == 1 && strchr(SUFFIXES, *rest) ? "" : "; the suffixes are K, M and G";
}

char *gs_config_value_wanted(const GsKey *key, const char *text)
{
    g_autofree char *range = gs_config_value_range(key);
    const char *hint = "";
    if (strpbrk(text, "#;"))
        hint = "; a comment goes on a line of its own";
    else if (key->type != GS_TYPE_BOOL && key->type != GS_TYPE_NAME)
        hint = hint_number(key, text);
    return g_strdup_printf("want %s%s", range, hint);
}
