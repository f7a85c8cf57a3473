/*
 * The levels of memory: how long a load takes that finds its word there, and how much they hold. One thread follows a chain; the first
 * laps are not timed where the level is to hold the chain already.
 */
#include "harness/chase.h"
#include "micro/micro.h"

/* Cycles of a step, of chains on as many SMs, or on as many as there are runs. */
static double step_of(Bench &bench, int sms, const std::function<Run()> &make)
{
    std::vector<Run> chains;
    for (int i = 0; i < sms; i++)
        chains.push_back(make());
    return bench.time(chains).value();
}

enum { SMS = 22, FEW_SMS = 3 };

/* `count` places, `stride` bytes apart; whole laps of warming up. */
static double chase(Bench &bench, int sms, size_t stride, unsigned count, unsigned warm_laps, unsigned steps)
{
    return step_of(bench, sms, [=] { return chase_global({stride * count, stride, warm_laps * count, steps}); });
}

static double constant(Bench &bench, int sms, unsigned stride, unsigned bytes)
{
    return step_of(bench, sms, [=] { return chase_constant({bytes, stride, 2 * bytes / stride, 4096}); });
}

/* The rest of a step beside the key: what a simulation of the same chase with configs/h200.ini takes (282, 661 and 28 cycles a step) less
 * the key that it has there (167, 389 and 24). */
enum { AROUND_L2 = 115, AROUND_MEMORY = 272, AROUND_CONSTANT = 4 };
/* Issue and use, and the lookups ahead of a hit that configs/h200.ini has by choice: 48 cycles of each. */
enum { AROUND_SECOND_CONSTANT = 5 + 48, AROUND_TEXTURE = 6 + 48 };

static double texture(Bench &bench, unsigned stride, unsigned bytes)
{
    return step_of(bench, 1, [=] { return chase_texture({bytes, stride, bytes / stride, 4096}); });
}

static void micro_constants(const MicroTable &table, Bench &bench)
{
    const double first = constant(bench, SMS, 64, 1024), second = constant(bench, SMS, 64, 16384), all = constant(bench, SMS, 256, 65536);
    table.key("constant.latency", first - AROUND_CONSTANT, "cycle", "chase through 1 KB of constant memory, a step less 4");
    table.aside("step in the second constant level", second, "cycles", "chase through 16 KB of constant memory, mean of 22 SMs");
    table.key("constant.l2_hit_cycles", second - AROUND_SECOND_CONSTANT, "cycle", "that step less 5 and constant.l2_lookup_cycles = 48");
    table.aside("step in constant memory, 64 KB", all, "cycles", "chase through 64 KB at 256 bytes, mean of 22 SMs");
}

void micro_latencies(const MicroTable &table, Bench &bench, Bench &flushed)
{
    const double l2 = chase(bench, SMS, 256, 8192, 1, 8192), far = chase(bench, SMS, 4096, 4096, 1, 4096);
    const double memory = chase(flushed, SMS, 1024, 32768, 0, 32768), dense = chase(flushed, SMS, 512, 16384, 0, 16384);
    const double shared = step_of(bench, 1, [] { return chase_shared(64, 8192); });
    table.key("shared.latency", shared, "cycle", "chase through 256 bytes of shared memory, a step");
    table.key("l1.latency", chase(bench, 1, 128, 128, 2, 8192), "cycle", "chase through 16 KB, second lap on, a step");
    table.aside("step in L2", l2, "cycles", "chase through 2 MB at 256 bytes, second lap, mean of 22 SMs");
    table.aside("step in L2, 16 MB", far, "cycles", "chase through 16 MB at 4096 bytes, second lap, mean of 22 SMs");
    table.aside("step in memory", memory, "cycles", "chase through 32 MB at 1024 bytes, one lap behind a flush of L2, mean of 22 SMs");
    table.aside("step in memory, 512 bytes", dense, "cycles", "the same through 8 MB at 512 bytes");
    table.key("l2.hit_cycles", l2 - AROUND_L2, "cycle", "step in L2, less 115 of the way there and back with configs/h200.ini");
    table.key("l2.miss_cycles", memory - AROUND_MEMORY, "cycle",
              "step in memory, less 272 of the way, the DRAM with its refreshes and half of l2.far_cycles with configs/h200.ini");
    micro_constants(table, bench);
    table.key("texture.hit_cycles", texture(bench, 32, 4096) - AROUND_TEXTURE, "cycle",
              "chase through a texture of 4 KB, a step less 6 and texture.lookup_cycles = 48");
    for (const unsigned pages : {16u, 64u, 256u, 512u, 1024u, 2048u})
        table.aside("step, a word in each of " + std::to_string(pages) + " pages of 2 MB", chase(bench, 1, (2 << 20) + 128, pages, 2, 2048),
                    "cycles", "L2 holds the words: more than in L2 is translation");
}

/* The largest footprint whose step is nearer to the first than to the last one, with all steps told. */
template <class Step> static double knee(const MicroTable &table, const char *of, const std::vector<double> &bytes, Step step)
{
    std::vector<double> steps;
    for (const double b : bytes) {
        steps.push_back(step(b));
        table.aside(std::string("step in ") + of + ", " + std::to_string((long)b) + " bytes", steps.back(), "cycles", "for the knee");
    }
    double last = bytes[0];
    for (size_t i = 0; i < bytes.size() && steps[i] < (steps[0] + steps.back()) / 2; i++)
        last = bytes[i];
    return last;
}

void micro_knees(const MicroTable &table, const Board &board, Bench &quick)
{
    const double k = 1024, m = 1024 * 1024;
    const double l1 = knee(table, "L1", {32 * k, 96 * k, 160 * k, 192 * k, 208 * k, 224 * k, 240 * k, 256 * k, 288 * k, 384 * k},
                           [&](double b) { return chase(quick, FEW_SMS, 128, b / 128, 2, 8192); });
    table.aside("L1 at its largest", l1, "bytes", "the knee of a chase at 128 bytes; l1.unified_bytes is the next power of two");
    const double l2 = knee(table, "L2", {8 * m, 16 * m, 24 * m, 32 * m, 40 * m, 48 * m, 56 * m, 64 * m, 96 * m},
                           [&](double b) { return chase(quick, FEW_SMS, 256, b / 256, 1, 65536); });
    table.aside("L2", l2, "bytes", "the knee of a chase at 256 bytes from one SM");
    table.key("l2.bytes", board.l2_bytes / PARTITIONS, "byte", "the driver's size of L2 over partition.count = 96");
    const double c1 = knee(table, "constant L1", {512, k, 1.5 * k, 2 * k, 3 * k, 4 * k, 8 * k},
                           [&](double b) { return constant(quick, FEW_SMS, 64, b); });
    table.key("constant.l1_bytes", c1, "byte", "the knee of a chase at 64 bytes through constant memory");
    const double c2 = knee(table, "constant L2", {8 * k, 16 * k, 24 * k, 32 * k, 48 * k, 64 * k},
                           [&](double b) { return constant(quick, FEW_SMS, 256, b); });
    table.aside("constant L2", c2, "bytes", "the knee of a chase at 256 bytes, 64 KB at most");
}
