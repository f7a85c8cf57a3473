#pragma once
/* The file that measure writes. */
#include <cstdio>
#include <string>
#include <vector>

#include "harness/bench.h"
#include "harness/board.h"
#include "harness/options.h"

/* Lines that begin with `#`: device, clocks, driver, date, commit, and how it was measured. */
void report_head(FILE *file, const Board &board, const Options &options, const std::string &clocks_before);

/* The clocks behind it; `khz`: the SM clock of each row. */
void report_tail(FILE *file, const Board &board, const std::vector<double> &khz);

/* The row, with what else is known of it in `note`; or, where `why_not` has a reason, a comment that says why there is none. */
void report_row(FILE *file, const Board &board, const Case &row, const Timing &timing, const std::string &why_not);

/* What `nvidia-smi` is asked for. */
extern const char *const CLOCK_FIELDS;
