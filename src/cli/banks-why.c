#include "cli/banks-why.h"

#include "cli/wording.h"

enum { HALF = LANES / 2 };

static bool is_policy(const SharedConfig *config, const SharedPolicy *policy)
{
    return shared_policy(config) == policy;
}

static void print_atomic_rule(FILE *out, const SharedConfig *config, const LaneAccess *access)
{
    const SharedPolicy *policy = shared_policy(config);
    const uint32_t width = access->width, unit = shared_bank_bytes(config);
    g_autofree char *split = policy->split && width > unit
                                 ? g_strdup_printf(" Each lane's %u bytes are %u requests.", width, width / unit)
                                 : g_strdup("");
    word_paragraph(
        out, "Rule",
        "of atomics: %u banks of %u bytes, %s at a time. Lanes on one bank take turns, also those that want the same word.%s",
        config->banks, unit, shared_group_lanes(policy, width) == HALF ? "a half-warp" : "a warp", split);
}

void banks_print_rule(FILE *out, const SharedConfig *config, const LaneAccess *access)
{
    if (access->atomic) {
        print_atomic_rule(out, config, access);
        return;
    }
    const uint32_t banks = config->banks, width = access->width, unit = shared_bank_bytes(config);
    const bool store = access->store;
    if (is_policy(config, &shared_cc1x)) {
        g_autofree char *split =
            width > unit ? g_strdup_printf(" Each lane's %u bytes are %u requests, one after the other.", width, width / unit)
                         : g_strdup("");
        word_paragraph(out, "Rule", "as compute capability 1.x: %u banks of %u bytes serve a half-warp at a time. %s%s", banks,
                       unit,
                       store ? "A pass of a store takes one address of each bank; lanes that write the same address count once."
                             : "A pass of a load gives one word to all lanes that want it, and one lane its word from each "
                               "other bank.",
                       split);
        return;
    }
    const char *size = width <= 4 ? "a warp" : width == 8 ? "a half-warp" : "a quarter-warp";
    if (is_policy(config, &shared_cc2x))
        word_paragraph(
            out, "Rule",
            "as compute capability 2.x: %u banks of 4 bytes serve %s at a time. Different words of a bank take turns; one "
            "word goes to any number of lanes at once.%s",
            banks, size, width == 16 ? " Words of 16 bytes take one pass more." : "");
    else if (is_policy(config, &shared_cc3x))
        word_paragraph(
            out, "Rule",
            "as compute capability 3.x, %u-byte mode: %u banks, 8 bytes wide, serve %s at a time. %s; one word goes to any "
            "number of lanes at once.",
            unit, banks, width == 16 ? "a half-warp" : "a warp",
            unit == 8 ? "Different 8-byte words of a bank take turns"
                      : "Two 4-byte words of a bank come together when they are neighbours in it (words i and i + 32 "
                        "of an aligned row of 64), else they take turns");
    else
        word_paragraph(
            out, "Rule",
            "as compute capability 5.x and later: %u banks of 4 bytes serve %s at a time%s. Different words of a bank take "
            "turns; one word goes to any number of lanes at once.",
            banks, size, width > 4 ? ", since 4 bytes go back to a lane in a pass" : "");
}
