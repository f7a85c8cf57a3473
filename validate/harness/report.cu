#include "harness/report.h"

#include <algorithm>
#include <ctime>

#include "harness/rows.h"

const char *const CLOCK_FIELDS = "clocks.sm,clocks.mem,clocks.max.sm,power.draw,temperature.gpu,clocks_event_reasons.active";

static std::string today()
{
    char text[32];
    const time_t now = time(nullptr);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    return text;
}

void report_head(FILE *file, const Board &board, const Options &options, const std::string &clocks_before)
{
    fprintf(file, "# device: %s, compute capability %d.%d, %d SMs, %d bytes of L2\n", board.name.c_str(), board.capability_major,
            board.capability_minor, board.sms, board.l2_bytes);
    fprintf(file, "# driver: %s (CUDA %d.%d); runtime: CUDA %d.%d; nvcc %d.%d.%d\n", board.smi("driver_version").c_str(), board.driver / 1000,
            board.driver % 1000 / 10, board.runtime / 1000, board.runtime % 1000 / 10, __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
            __CUDACC_VER_BUILD__);
    fprintf(file, "# date: %s; commit: %s\n", today().c_str(), options.commit.c_str());
    fprintf(file, "# memory: %d kHz, %d bits: %.1f GB/s at most\n", board.memory_khz, board.bus_bits, board.dram_peak() / 1e9);
    fprintf(file, "# clocks before (%s): %s\n", CLOCK_FIELDS, clocks_before.c_str());
}

void report_tail(FILE *file, const Board &board, const std::vector<double> &khz)
{
    const auto range = std::minmax_element(khz.begin(), khz.end());
    fprintf(file, "# clocks after: %s\n", board.smi(CLOCK_FIELDS).c_str());
    fprintf(file, "# SM clock, clock64 over globaltimer: %.1f to %.1f MHz in the medians of the rows\n", *range.first / 1000, *range.second / 1000);
}

static std::string note_of(const Timing &t)
{
    char text[320];
    snprintf(text, sizeof text, "%s; cold %.6g; minimum %.6g, median %.6g, spread %.2f %%",
             t.chain ? "clock64 of the chain, a step" : "events less the launch", t.cold, t.minimum(), t.median(), t.spread_percent());
    std::string note = text;
    snprintf(text, sizeof text, "; %zu places, %.2f %% apart, standard error %.2f %%; SM %.1f MHz; %.3f us", t.places.size(), t.places_percent(),
             t.error_percent(), t.khz / 1000, t.event_us);
    note += text;
    if (!t.chain) {
        snprintf(text, sizeof text, " behind %d launch%s of %.3f us", t.launches, t.launches > 1 ? "es" : "", t.launch_us / t.launches);
        note += text;
    }
    if (!t.chain && t.dram_bytes > 0 && t.event_us > 0) {
        snprintf(text, sizeof text, "; at least %.1f GB/s", t.dram_bytes / t.event_us / 1000);
        note += text;
    }
    if (t.unsteady) note += "; the clock kept changing";
    return note;
}

void report_row(FILE *file, const Board &board, const Case &row, const Timing &timing, const std::string &why_not)
{
    const std::string note = note_of(timing);
    if (!why_not.empty()) {
        fprintf(file, "# refused: %s (%s %s): %s; %s\n", row.id, row.workload, row.params, why_not.c_str(), note.c_str());
        return;
    }
    fprintf(file, "%s,%s,%s,cycles,%.6g,cycles,measured,%s,%s,%s,%s\n", row.id, row.workload, row.params, timing.value(), row.family,
            row.slow ? "-" : "", csv_field(board.name).c_str(), csv_field(note).c_str());
}
