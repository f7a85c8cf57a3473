#include "harness/rows.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

std::string csv_field(const std::string &text)
{
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

static std::vector<std::string> fields_of(const std::string &line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (size_t i = 0; i < line.size(); i++) {
        if (line[i] == '"') {
            if (quoted && i + 1 < line.size() && line[i + 1] == '"')
                fields.back() += line[i++];
            else
                quoted = !quoted;
        } else if (line[i] == ',' && !quoted)
            fields.emplace_back();
        else
            fields.back() += line[i];
    }
    return fields;
}

static int column_of(const std::vector<std::string> &header, const char *name)
{
    const auto at = std::find(header.begin(), header.end(), name);
    return at == header.end() ? -1 : (int)(at - header.begin());
}

bool rows_read(const std::string &path, std::map<std::string, double> *values, std::string *fault)
{
    std::ifstream file(path);
    if (!file) return *fault = path + ": cannot be read", false;
    std::string line;
    int id = -1, value = -1;
    for (int number = 1; std::getline(file, line); number++) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || line[0] == '#') continue;
        const std::vector<std::string> fields = fields_of(line);
        if (id < 0) {
            id = column_of(fields, "id"), value = column_of(fields, "value");
            if (id < 0 || value < 0) return *fault = path + ": want the columns id and value", false;
            continue;
        }
        if (std::count(line.begin(), line.end(), '"') % 2) return *fault = path + ":" + std::to_string(number) + ": the quote has no end", false;
        char *end = nullptr;
        const double number_read = (int)fields.size() > std::max(id, value) ? strtod(fields[value].c_str(), &end) : 0;
        if (number_read <= 0 || *end) return *fault = path + ":" + std::to_string(number) + ": want an id and a value above 0", false;
        if (values->count(fields[id])) return *fault = path + ":" + std::to_string(number) + ": a second row " + fields[id], false;
        (*values)[fields[id]] = number_read;
    }
    if (values->empty()) return *fault = path + ": has no rows", false;
    return true;
}

bool rows_agree(const std::map<std::string, double> &old, const std::map<std::string, double> &now, double within)
{
    std::vector<double> apart;
    int beyond = 0;
    for (const auto &row : now) {
        const auto before = old.find(row.first);
        if (before == old.end()) continue;
        const double percent = 100 * (row.second - before->second) / before->second;
        apart.push_back(std::fabs(percent));
        if (std::fabs(percent) <= within) continue;
        beyond++;
        printf("%-24s %12.6g before, %12.6g now: %+.1f %%\n", row.first.c_str(), before->second, row.second, percent);
    }
    std::sort(apart.begin(), apart.end());
    const double median = apart.empty() ? 0 : apart[apart.size() / 2], most = apart.empty() ? 0 : apart.back();
    printf("%zu rows in both: %d differ by more than %g %%; the median difference is %.2f %%, the largest %.2f %%\n", apart.size(), beyond,
           within, median, most);
    return beyond == 0 && !apart.empty();
}
