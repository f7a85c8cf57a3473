#pragma once
/* What the command line asks for. */
#include <string>
#include <vector>

struct Options {
    int runs = 45;       /* of a row, after the first ones, at the least */
    int processes = 5;   /* over which these are spread */
    bool flush = false;  /* L2 before each run */
    double within = 3;   /* percent, for --against and --diff */
    std::string commit = "not given", output, against;
    std::vector<std::string> only; /* families or rows; empty: all */
    enum { MEASURE, LIST, MICROBENCHMARKS, ONCE, DIFF, HELP } what = MEASURE;
    std::string old_file, new_file; /* of --diff */

    static bool parse(int argc, char **argv, Options *options, std::string *fault); /* a sentence where it cannot be understood */
    static const char *usage();
};
