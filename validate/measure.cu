/*
 * Measures the kernels of workloads/ on a GPU and writes a file of rows for `g80sim compare`. See README.md beside this.
 */
#include <cuda_profiler_api.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "harness/bench.h"
#include "harness/board.h"
#include "harness/case.h"
#include "harness/options.h"
#include "harness/processes.h"
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

static bool device_is_there(Board *board)
{
    std::string why_not;
    if (Board::find(board, &why_not)) return true;
    fprintf(stderr, "measure: no CUDA device here (%s): nothing is measured\n", why_not.c_str());
    return false;
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
    const double seconds = t.chain ? t.minimum() * run.steps / t.khz / 1000 : t.event_us / 1e6;
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

/* What a process says of a row, and all of them. */
struct Measured {
    Timing timing;
    std::string refused; /* why, or nothing */
};

/* Further places are added, as many as a process takes runs at first, while the row's value is less sure than this; to a most. */
static const double SURE_PERCENT = 0.8;
static const size_t FIRST_PLACES = 3, MOST_PLACES = 30;

static bool memory_is_left()
{
    size_t left = 0, all = 0;
    CUDA(cudaMemGetInfo(&left, &all));
    return left > all / 4;
}

/* With arrays at several places: which parts of L2 and which banks they lie in matters, and is not the same from one to the next. */
static Measured measure_row(const Board &board, const Options &options, Bench &bench, const Case &row)
{
    Measured measured;
    std::vector<Run> all; /* kept, or the next ones would lie where these did */
    do {
        std::vector<Run> places;
        for (size_t i = 0; i < FIRST_PLACES; i++)
            places.push_back(row.make(Params(row.params)));
        measured.timing.join(bench.time(places));
        for (const Run &run : places)
            if (measured.refused.empty()) measured.refused = run.check();
        all.insert(all.end(), places.begin(), places.end());
    } while (measured.refused.empty() && measured.timing.error_percent() > SURE_PERCENT && all.size() < MOST_PLACES && memory_is_left());
    if (!measured.refused.empty()) measured.refused = "wrong result: " + measured.refused;
    if (measured.refused.empty()) measured.refused = too_fast(board, options, all[0], measured.timing);
    return measured;
}

/* All rows in one process: their text for the parent, a line each behind the clocks. */
static int one_process(int process, const Options &options, const std::vector<Case> &rows, std::string *text)
{
    Board board;
    if (!device_is_there(&board)) return SKIP;
    wake_up();
    std::ostringstream to;
    to << board.smi(CLOCK_FIELDS) << '\n';
    Bench bench((options.runs + options.processes - 1) / options.processes, options.flush);
    for (const Case &row : rows) {
        const Measured measured = measure_row(board, options, bench, row);
        measured.timing.write(to);
        to << ' ' << measured.refused << '\n';
    }
    *text = to.str();
    fprintf(stderr, "process %d of %d: %zu rows\n", process + 1, options.processes, rows.size());
    return GOOD;
}

/* What one_process wrote, added to what others did. */
static void take_rows(const std::string &text, std::string *clocks, std::vector<Measured> *rows)
{
    std::istringstream from(text);
    std::string line;
    std::getline(from, line);
    if (clocks->empty()) *clocks = line;
    for (Measured &row : *rows) {
        Timing timing;
        std::string refused;
        if (!timing.read(from)) abort(); /* it ended well and wrote something else */
        std::getline(from, refused);
        refused.erase(0, 1); /* the blank between */
        row.timing.join(timing);
        if (row.refused.empty()) row.refused = refused;
    }
}

static void report(FILE *file, const Board &board, const Options &options, const std::string &clocks, const std::vector<Case> &rows,
                   const std::vector<Measured> &measured)
{
    std::vector<double> spread, error, khz;
    report_head(file, board, options, clocks);
    fprintf(file, "# runs: %d or more behind a cold one, in %d processes; the value is the mean of the places of a row's arrays, of each the middle half of "
                  "its runs; L2 flushed before each: %s\n",
            options.runs, options.processes, options.flush ? "yes" : "no");
    fprintf(file, "id,workload,params,metric,value,unit,confidence,family,reduced,board,note\n");
    for (size_t i = 0; i < rows.size(); i++) {
        const Timing &t = measured[i].timing;
        report_row(file, board, rows[i], t, measured[i].refused);
        fprintf(stderr, "%-24s %12.6g cycles, %zu places, %.2f %% apart, again %d%s%s\n", rows[i].id, t.value(), t.places.size(),
                t.places_percent(), t.again, measured[i].refused.empty() ? "" : ": ", measured[i].refused.c_str());
        spread.push_back(t.spread_percent());
        error.push_back(t.error_percent());
        khz.push_back(t.khz);
    }
    report_tail(file, board, khz);
    fprintf(file, "# spread of the middle 80 %% of a row's runs: median %.2f %%; standard error of a value by its places: median %.2f %%, largest %.2f %%\n",
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
        options.processes, [&](int process, std::string *text) { return one_process(process, options, rows, text); },
        [&](int, const std::string &text) { take_rows(text, &clocks, &measured); });
    Board board;
    if (code != GOOD) return code;
    if (!device_is_there(&board)) return SKIP;
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
    if (!device_is_there(&board)) return SKIP;
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
