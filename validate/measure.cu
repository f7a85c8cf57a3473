/*
 * Measures the kernels of workloads/ on a GPU and writes a file of rows for `g80sim compare`. See README.md beside this.
 */
#include <cuda_profiler_api.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/bench.h"
#include "harness/board.h"
#include "harness/case.h"
#include "harness/options.h"
#include "harness/report.h"
#include "harness/rows.h"
#include "micro/micro.h"

enum { GOOD = 0, REFUSED = 1, MISTAKE = 2, SKIP = 77 };

static int mistake(const std::string &why)
{
    fprintf(stderr, "measure: %s\n", why.c_str());
    return MISTAKE;
}

static bool chosen(const Options &options, const Case &row)
{
    if (options.only.empty()) return true;
    for (const std::string &name : options.only)
        if (name == row.id || name == row.family) return true;
    return false;
}

static std::vector<Case> rows_of(const Options &options, std::string *fault)
{
    std::vector<Case> all = all_cases(), some;
    std::set<std::string> names;
    for (const Case &row : all)
        names.insert({row.id, row.family});
    for (const std::string &name : options.only)
        if (!names.count(name)) *fault = "--only " + name + ": no such family or row: see --list";
    for (const Case &row : all)
        if (chosen(options, row)) some.push_back(row);
    return some;
}

static int list(const std::vector<Case> &rows)
{
    printf("id,family,workload,params\n");
    for (const Case &row : rows)
        printf("%s,%s,%s,%s\n", row.id, row.family, row.workload, row.params);
    return GOOD;
}

static int diff(const Options &options)
{
    std::map<std::string, double> old, now;
    std::string fault;
    if (!rows_read(options.old_file, &old, &fault) || !rows_read(options.new_file, &now, &fault)) return mistake(fault);
    return rows_agree(old, now, options.within) ? GOOD : REFUSED;
}

/* Faster than the machine can be: the compiler has left something out, or the clock is wrong. Two percent for the clock. */
static std::string too_fast(const Board &board, const Options &options, const Run &run, const Timing &t)
{
    struct {
        const char *of;
        double amount, peak, unit;
    } bounds[] = {
        {"GB/s from DRAM", options.flush ? run.least.dram_bytes : 0, board.dram_peak(), 1e9},
        {"GB/s from L2", run.least.l2_bytes, board.l2_peak(t.khz), 1e9},
        {"GB/s from shared memory", run.least.shared_bytes, board.shared_peak(t.khz), 1e9},
        {"warp instructions a ns", run.least.warp_insns, board.issue_peak(t.khz), 1e9},
    };
    const double seconds = run.span ? t.minimum() * run.steps / t.khz / 1000 : t.event_us / 1e6;
    for (const auto &bound : bounds) {
        const double rate = seconds > 0 ? bound.amount / seconds : 1e30;
        if (bound.amount == 0 || bound.peak == 0 || rate <= 1.02 * bound.peak) continue;
        char text[160];
        snprintf(text, sizeof text, "%.4g %s, and the peak is %.4g: the work was optimised away", rate / bound.unit, bound.of,
                 bound.peak / bound.unit);
        return text;
    }
    return "";
}

/* Of all rows. */
struct Values {
    std::map<std::string, double> value;
    std::vector<double> spread, copies; /* percent */
};

/* Arrays of a row, at as many places: which parts of L2 and which banks they lie in differs from one process to the next. */
static const int COPIES = 3;

/* Its value goes to `values`. */
static bool measure_row(FILE *file, const Board &board, const Options &options, Bench &bench, const Case &row, Values *values)
{
    std::vector<Run> copies;
    for (int i = 0; i < COPIES; i++)
        copies.push_back(row.make(Params(row.params)));
    const Timing timing = bench.time(copies);
    std::string wrong;
    for (const Run &run : copies)
        if (wrong.empty()) wrong = run.check();
    const std::string why_not = wrong.empty() ? too_fast(board, options, copies[0], timing) : "wrong result: " + wrong;
    report_row(file, board, row, copies[0], timing, why_not);
    fprintf(stderr, "%-24s %12.6g cycles, spread %.2f %%, copies %.2f %%, again %d%s%s\n", row.id, timing.value(), timing.spread_percent(),
            timing.copies_percent(), timing.again, why_not.empty() ? "" : ": ", why_not.c_str());
    if (!why_not.empty()) return false;
    values->value[row.id] = timing.value();
    values->spread.push_back(timing.spread_percent());
    values->copies.push_back(timing.copies_percent());
    return true;
}

static int measure(FILE *file, const Board &board, const Options &options, const std::vector<Case> &rows)
{
    std::map<std::string, double> old;
    Values values;
    std::string fault;
    if (!options.against.empty() && !rows_read(options.against, &old, &fault)) return mistake(fault);
    wake_up();
    const std::string clocks = board.smi(CLOCK_FIELDS);
    Bench bench(options.runs, options.flush);
    report_head(file, board, options, clocks);
    fprintf(file, "id,workload,params,metric,value,unit,confidence,family,reduced,board,note\n");
    bool good = true;
    for (const Case &row : rows)
        good &= measure_row(file, board, options, bench, row, &values);
    report_tail(file, board, bench);
    fprintf(file, "# spread of the middle 80 %% of a row's runs: median %.2f %%; of its %d copies: median %.2f %%, largest %.2f %%\n",
            median_of(values.spread), COPIES, median_of(values.copies),
            values.copies.empty() ? 0 : *std::max_element(values.copies.begin(), values.copies.end()));
    if (!options.against.empty()) good &= rows_agree(old, values.value, options.within);
    return good ? GOOD : REFUSED;
}

/* For a profiler that starts with cudaProfilerStart: the launches of all rows, in the order of the file, and nothing else. */
static int once(FILE *file, const std::vector<Case> &rows)
{
    fprintf(file, "id,workload,params,launches\n");
    for (const Case &row : rows) {
        const Run run = row.make(Params(row.params));
        if (run.reset) run.reset();
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaProfilerStart());
        for (int k = 0; k < run.launches; k++)
            run.pass ? run.pass(k) : run.launch();
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaProfilerStop());
        const std::string wrong = run.check();
        if (!wrong.empty()) fprintf(stderr, "%s: wrong result: %s\n", row.id, wrong.c_str());
        fprintf(file, "%s,%s,%s,%d\n", row.id, row.workload, row.params, run.launches);
        fflush(file);
    }
    return GOOD;
}

static int with_device(const Options &options, const std::vector<Case> &rows)
{
    Board board;
    std::string why_not;
    if (!Board::find(&board, &why_not)) {
        fprintf(stderr, "measure: no CUDA device here (%s): nothing is measured\n", why_not.c_str());
        return SKIP;
    }
    FILE *file = options.output.empty() ? stdout : fopen(options.output.c_str(), "w");
    if (!file) return mistake(options.output + ": cannot be written");
    int code = GOOD;
    if (options.what == Options::MICROBENCHMARKS) {
        wake_up();
        const std::string clocks = board.smi(CLOCK_FIELDS);
        report_head(file, board, options, clocks);
        micro_write(file, board, options.runs);
        fprintf(file, "# clocks after: %s\n", board.smi(CLOCK_FIELDS).c_str());
    } else if (options.what == Options::ONCE)
        code = once(file, rows);
    else
        code = measure(file, board, options, rows);
    if (fflush(file) != 0 || (file != stdout && fclose(file) != 0)) return mistake(options.output + ": cannot be written");
    return code;
}

int main(int argc, char **argv)
{
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* or the first run of a kernel would be its loading */
    Options options;
    std::string fault;
    if (!Options::parse(argc, argv, &options, &fault)) return mistake(fault);
    const std::vector<Case> rows = rows_of(options, &fault);
    if (!fault.empty()) return mistake(fault);
    switch (options.what) {
    case Options::HELP: fputs(Options::usage(), stdout); return GOOD;
    case Options::LIST: return list(rows);
    case Options::DIFF: return diff(options);
    default: return with_device(options, rows);
    }
}
