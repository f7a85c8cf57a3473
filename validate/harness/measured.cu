#include "harness/measured.h"

#include <algorithm>
#include <sstream>

#include "harness/bench.h"
#include "harness/board.h"
#include "harness/report.h"

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
        for (size_t i = 0; i < std::min<size_t>(FIRST_PLACES, bench.runs); i++) /* each has a run */
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

/* The text: a line for each row behind one of the clocks. */
int measure_rows(int process, const Options &options, const std::vector<Case> &rows, std::string *text)
{
    Board board;
    if (!board_is_there(&board)) return SKIP;
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

void take_rows(const std::string &text, std::string *clocks, std::vector<Measured> *measured)
{
    std::istringstream from(text);
    std::string line;
    std::getline(from, line);
    if (clocks->empty()) *clocks = line;
    for (Measured &row : *measured) {
        Timing timing;
        std::string refused;
        if (!timing.read(from)) { /* a time that is no number */
            fprintf(stderr, "measure: what a process says of a row cannot be read\n");
            exit(MISTAKE);
        }
        std::getline(from, refused);
        refused.erase(0, 1); /* the blank between */
        row.timing.join(timing);
        if (row.refused.empty()) row.refused = refused;
    }
}
