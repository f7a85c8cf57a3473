/*
 * Measures the kernels of workloads/ on a GPU and writes a file of rows for `g80sim compare`. See README.md beside this.
 */
#include <cuda_profiler_api.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/bench.h"
#include "harness/board.h"
#include "harness/case.h"
#include "harness/measured.h"
#include "harness/options.h"
#include "harness/processes.h"
#include "harness/report.h"
#include "harness/rows.h"
#include "micro/micro.h"

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

/* Asked before minutes are spent; leaves no file. */
static bool can_be_written(const std::string &path)
{
    if (path.empty()) return true;
    FILE *old = fopen(path.c_str(), "r"), *file = fopen(path.c_str(), "a");
    const bool is_new = !old && file;
    if (old) fclose(old);
    if (file) fclose(file);
    if (is_new) remove(path.c_str());
    return file != nullptr;
}

static FILE *output_of(const Options &options)
{
    FILE *file = options.output.empty() ? stdout : fopen(options.output.c_str(), "w");
    if (!file) mistake(options.output + ": cannot be written");
    return file;
}

static bool closed_well(FILE *file, const Options &options)
{
    if (fflush(file) == 0 && (file == stdout || fclose(file) == 0)) return true;
    mistake(options.output + ": cannot be written");
    return false;
}

static void report(FILE *file, const Board &board, const Options &options, const std::string &clocks, const std::vector<Case> &rows,
                   const std::vector<Measured> &measured)
{
    std::vector<double> spread, error, khz;
    report_head(file, board, options, clocks);
    fprintf(file, "# runs: %d or more behind a cold one, in %d processes; the value is the mean of the places of a row's arrays, of each the "
                  "middle half of its runs; L2 flushed before each: %s\n",
            options.runs, options.processes, options.flush ? "yes" : "no");
    fprintf(file, "id,workload,params,metric,value,unit,confidence,family,reduced,board,note\n");
    for (size_t i = 0; i < rows.size(); i++) {
        const Timing &t = measured[i].timing;
        const std::string &refused = measured[i].refused;
        report_row(file, board, rows[i], t, refused);
        fprintf(stderr, "%-24s %12.6g cycles, %zu places, %.2f %% apart, again %d%s%s\n", rows[i].id, t.value(), t.places.size(),
                t.places_percent(), t.again, refused.empty() ? "" : ": ", refused.c_str());
        spread.push_back(t.spread_percent());
        error.push_back(t.error_percent());
        khz.push_back(t.khz);
    }
    report_tail(file, board, khz);
    fprintf(file, "# spread of the middle 80 %% of a row's runs: median %.2f %%; standard error of a value by its places: median %.2f %%, "
                  "largest %.2f %%\n",
            median_of(spread), median_of(error), *std::max_element(error.begin(), error.end()));
}

static int measure(const Options &options, const std::vector<Case> &rows)
{
    std::map<std::string, double> old, now;
    std::string fault, clocks;
    if (!options.against.empty() && !rows_read(options.against, &old, &fault)) return mistake(fault);
    if (!can_be_written(options.output)) return mistake(options.output + ": cannot be written");
    std::vector<Measured> measured(rows.size());
    const int code = in_processes(
        options.processes, [&](int process, std::string *text) { return measure_rows(process, options, rows, text); },
        [&](int, const std::string &text) { take_rows(text, &clocks, &measured); });
    Board board;
    if (code != GOOD) return code;
    if (!board_is_there(&board)) return SKIP;
    FILE *file = output_of(options);
    if (!file) return MISTAKE;
    report(file, board, options, clocks, rows, measured);
    if (!closed_well(file, options)) return MISTAKE;
    bool good = true;
    for (size_t i = 0; i < rows.size(); i++) {
        if (measured[i].refused.empty()) now[rows[i].id] = measured[i].timing.value();
        good &= measured[i].refused.empty();
    }
    if (!options.against.empty()) good &= rows_agree(old, now, options.within);
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
            run.pass ? run.pass(k) : run.alone ? run.alone() : run.launch();
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaProfilerStop());
        const std::string wrong = run.check();
        if (!wrong.empty()) fprintf(stderr, "%s: wrong result: %s\n", row.id, wrong.c_str());
        fprintf(file, "%s,%s,%s,%d\n", row.id, row.workload, row.params, run.launches);
        fflush(file);
    }
    return GOOD;
}

/* What writes its file as it goes. */
static int with_device(const Options &options, const std::vector<Case> &rows)
{
    Board board;
    if (!board_is_there(&board)) return SKIP;
    FILE *file = output_of(options);
    if (!file) return MISTAKE;
    int code = GOOD;
    if (options.what == Options::MICROBENCHMARKS) {
        wake_up();
        report_head(file, board, options, board.smi(CLOCK_FIELDS));
        fprintf(file, "# runs: %d of each behind a cold one\n", options.runs);
        micro_write(file, board, options.runs);
        fprintf(file, "# clocks after: %s\n", board.smi(CLOCK_FIELDS).c_str());
    } else
        code = once(file, rows);
    return closed_well(file, options) ? code : MISTAKE;
}

int main(int argc, char **argv)
{
    setenv("CUDA_MODULE_LOADING", "EAGER", 1); /* or the first run of a kernel would be its loading */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);       /* the host's arrays come and go: their pages are kept */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    Options options;
    std::string fault;
    if (!Options::parse(argc, argv, &options, &fault)) return mistake(fault);
    const std::vector<Case> rows = rows_of(options, &fault);
    if (!fault.empty()) return mistake(fault);
    switch (options.what) {
    case Options::HELP: fputs(Options::usage(), stdout); return GOOD;
    case Options::LIST: return list(rows);
    case Options::DIFF: return diff(options);
    case Options::MEASURE: return measure(options, rows);
    default: return with_device(options, rows);
    }
}
