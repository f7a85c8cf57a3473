#include "harness/options.h"

#include <cstdlib>
#include <cstring>

const char *Options::usage()
{
    return "Usage: measure [OPTION...]\n"
           "Measures the kernels of workloads/ on the first CUDA device and writes a file for `g80sim compare`.\n"
           "\n"
           "  --output FILE      where to write it; without: standard output\n"
           "  --runs N           runs of each row after the first, 10 or more [45]\n"
           "  --processes N      over which they are spread, 1 to 20 [5]\n"
           "  --flush            empty L2 before each run, as a simulation begins\n"
           "  --only NAME,...    these families or rows alone\n"
           "  --commit TEXT      what is measured, for the head of the file\n"
           "  --against FILE     compare with an older file of measure; 1 when a row differs by more than\n"
           "  --within PERCENT   this [3]\n"
           "  --diff OLD NEW     compare two files, without a device\n"
           "  --list             the rows, without a device\n"
           "  --microbenchmarks  measure values of a configuration instead\n"
           "  --once             launch each row once, between cudaProfilerStart and -Stop, and write\n"
           "                     id,workload,params,launches: for validate/counters\n"
           "  --help             this\n"
           "\n"
           "Exit status: 0; 1 when a row was refused or differs; 2 for a mistake in the command; 77 without a device.\n";
}

static std::vector<std::string> split(const char *text)
{
    std::vector<std::string> words(1);
    for (; *text; text++)
        if (*text == ',')
            words.emplace_back();
        else
            words.back() += *text;
    return words;
}

static bool number(const char *text, double low, double high, double *ret)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !(value >= low && value <= high)) return false;
    *ret = value;
    return true;
}

/* An option that takes a value. */
static bool take(Options *o, const std::string &name, const char *value, std::string *fault)
{
    double x = 0;
    if (name == "--output")
        o->output = value;
    else if (name == "--only")
        o->only = split(value);
    else if (name == "--commit")
        o->commit = value;
    else if (name == "--against")
        o->against = value;
    else if (name == "--runs") {
        if (!number(value, 10, 1000, &x) || x != (int)x) return *fault = "--runs " + std::string(value) + ": want a number from 10 to 1000", false;
        o->runs = (int)x;
    } else if (name == "--processes") {
        if (!number(value, 1, 20, &x) || x != (int)x) return *fault = "--processes " + std::string(value) + ": want a number from 1 to 20", false;
        o->processes = (int)x;
    } else if (name == "--within") {
        if (!number(value, 0, 100, &x)) return *fault = "--within " + std::string(value) + ": want a percentage from 0 to 100", false;
        o->within = x;
    } else
        return *fault = name + ": no such option: see --help", false;
    return true;
}

bool Options::parse(int argc, char **argv, Options *o, std::string *fault)
{
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        const bool takes = name == "--output" || name == "--only" || name == "--commit" || name == "--against" || name == "--runs" ||
                           name == "--processes" || name == "--within";
        if (name == "--flush")
            o->flush = true;
        else if (name == "--list")
            o->what = LIST;
        else if (name == "--microbenchmarks")
            o->what = MICROBENCHMARKS;
        else if (name == "--once")
            o->what = ONCE;
        else if (name == "--help")
            o->what = HELP;
        else if (name == "--diff") {
            if (i + 2 >= argc) return *fault = "--diff: want two files, OLD and NEW", false;
            o->what = DIFF, o->old_file = argv[++i], o->new_file = argv[++i];
        } else if (takes && i + 1 >= argc)
            return *fault = name + ": want a value behind it", false;
        else if (!take(o, name, takes ? argv[++i] : "", fault))
            return false;
    }
    return true;
}
