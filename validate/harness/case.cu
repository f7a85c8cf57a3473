#include "harness/case.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

Params::Params(const char *text)
{
    for (const char *at = text; *at;) {
        const char *equals = strchr(at, '=');
        if (!equals) break;
        char *end;
        const long value = strtol(equals + 1, &end, 10);
        values.emplace_back(std::string(at, equals), value);
        at = *end ? end + 1 : end;
    }
}

long Params::at(const char *name) const
{
    for (const auto &value : values)
        if (value.first == name) return value.second;
    fprintf(stderr, "measure: a row has no parameter %s\n", name);
    abort();
}

std::vector<Case> all_cases()
{
    std::vector<Case> all;
    for (const auto &family : {chase_cases(), alu_cases(), copy_cases(), transpose_cases(), reduction_cases(), matmul_cases(), bank_cases(),
                               constant_cases(), atomic_cases(), stencil_cases(), branch_cases()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}
