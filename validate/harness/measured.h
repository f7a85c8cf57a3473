#pragma once
/* What was measured of a row: in one process, and in all of them. */
#include <string>
#include <vector>

#include "harness/case.h"
#include "harness/options.h"
#include "harness/timing.h"

struct Measured {
    Timing timing;
    std::string refused; /* why, or nothing: a wrong result, or faster than the device can be */
};

enum { GOOD = 0, REFUSED = 1, MISTAKE = 2, SKIP = 77 }; /* exit statuses */

/* All rows, in this process, as text for take_rows in another one. An exit status, GOOD whatever is refused. */
int measure_rows(int process, const Options &options, const std::vector<Case> &rows, std::string *text);

/* Adds what measure_rows wrote to `measured`, which has as many rows; `clocks` as the first process found them. */
void take_rows(const std::string &text, std::string *clocks, std::vector<Measured> *measured);
