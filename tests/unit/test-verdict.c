#include "unit.h"

#include <string.h>

#include "cli/verdict.h"

enum { PARTITIONS = 4 };

/* A kernel of 1000 scheduler cycles whose DRAM buses together had 1000 clocks. */
typedef struct {
    KernelResult result;
    DramStats partitions[PARTITIONS];
} Case;

static void begin(Case *c)
{
    *c = (Case){.result = {.schedulers = 1, .sms = 1, .n_partitions = PARTITIONS}};
    c->result.partitions = c->partitions;
    c->result.kernel = (KernelStats){.cycles = 1000, .launches = 1, .khz = 1000000};
    c->result.occupancy = (OccupancyStats){.max_warps_per_sm = 24, .warp_cycles = 6000, .sm_cycles = 1000};
    c->result.dram.bus_clocks = 1000;
    c->result.global_load = (TransferStats){.requests = 10, .transactions = 20, .bytes_moved = 1280, .bytes_used = 1280};
}

static void set_dram(Case *c, const uint64_t busy[PARTITIONS])
{
    for (int i = 0; i < PARTITIONS; i++) {
        c->partitions[i].busy_clocks = busy[i];
        c->result.dram.dram.busy_clocks += busy[i];
    }
}

static const struct {
    const char *what;
    uint64_t issued, no_warp, reason_cycles;
    StallReason reason;
    uint64_t busy[PARTITIONS]; /* of 250 clocks each */
    VerdictKind want;
    double share;
} CASES[] = {
    /* clang-format off */
    {"ports held from 60 % on",            600,   0, 400, STALL_memory,        {0},                  VERDICT_ISSUE,         0.6},
    {"ports held less",                    599,   0, 401, STALL_memory,        {0},                  VERDICT_MEMORY,        0.401},
    {"buses busy from 60 % on",            100,   0, 900, STALL_memory,        {150, 150, 150, 150}, VERDICT_DRAM,          0.6},
    {"buses busy less: latency",           100,   0, 900, STALL_memory,        {150, 150, 150, 149}, VERDICT_MEMORY,        0.9},
    {"both busy: the larger one, DRAM",    700,   0, 300, STALL_memory,        {175, 175, 175, 175}, VERDICT_DRAM,          0.7},
    {"both busy: the larger one, issue",   701,   0, 299, STALL_memory,        {175, 175, 175, 175}, VERDICT_ISSUE,         0.701},
    {"one partition busy from 75 % on",    100,   0, 900, STALL_memory,        {188, 0, 0, 0},       VERDICT_CAMPING,       0.752},
    {"one partition busy less",            100,   0, 900, STALL_memory,        {187, 0, 0, 0},       VERDICT_MEMORY,        0.9},
    {"SMs without a block do not count",    60, 900,  40, STALL_alu,           {0},                  VERDICT_ISSUE,         0.6},
    {"arithmetic latency",                 166,   0, 834, STALL_alu,           {0},                  VERDICT_ALU,           0.834},
    {"passes of shared memory",            300,   0, 700, STALL_bank_conflict, {0},                  VERDICT_PASSES,        0.7},
    {"barriers",                           300,   0, 700, STALL_barrier,       {0},                  VERDICT_BARRIER,       0.7},
    {"the load/store path",                300,   0, 700, STALL_memory_pipe,   {0},                  VERDICT_MEMORY_PIPE,   0.7},
    {"a unit",                             300,   0, 700, STALL_unit,          {0},                  VERDICT_UNIT,          0.7},
    {"a unit, beside ports held longer",   670,   0, 330, STALL_unit,          {0},                  VERDICT_UNIT,          0.33},
    {"a unit from a tenth on",             900,   0, 100, STALL_unit,          {0},                  VERDICT_UNIT,          0.1},
    {"a unit that costs less",             901,   0,  99, STALL_unit,          {0},                  VERDICT_ISSUE,         0.901},
    {"branches",                           300,   0, 700, STALL_branch,        {0},                  VERDICT_BRANCH,        0.7},
    {"block dispatch",                     300,   0, 700, STALL_dispatch,      {0},                  VERDICT_DISPATCH,      0.7},
    /* clang-format on */
};

START_TEST(counters_give_the_verdict)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_issued] = CASES[_i].issued;
    c.result.stalls.cycles[STALL_no_warp] = CASES[_i].no_warp;
    c.result.stalls.cycles[CASES[_i].reason] = CASES[_i].reason_cycles;
    set_dram(&c, CASES[_i].busy);
    const Verdict v = verdict_of(&c.result);
    ck_assert_msg(v.kind == CASES[_i].want, "%s: %s", CASES[_i].what, verdict_name(v.kind));
    ck_assert_double_eq_tol(v.share, CASES[_i].share, 1e-9);
}
END_TEST

/* 700 cycles are charged to conflicts; in `again` of them the port is held. From a tenth of the passes on, conflicts are waited for. */
START_TEST(conflicts_are_waited_for_or_issued_again)
{
    static const struct {
        uint64_t conflict_passes, again;
        VerdictKind want;
        double share;
    } ROWS[] = {{9, 0, VERDICT_PASSES, 0.7},
                {10, 0, VERDICT_BANK_CONFLICT, 0.7},
                {10, 301, VERDICT_BANK_CONFLICT, 0.7}, /* 601 hold the port, most of them again */
                {10, 300, VERDICT_ISSUE, 0.3},         /* as many for the first time */
                {10, 299, VERDICT_BANK_CONFLICT, 0.7}};
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_issued] = 300;
    c.result.stalls.cycles[STALL_bank_conflict] = 700;
    for (unsigned i = 0; i < G_N_ELEMENTS(ROWS); i++) {
        c.result.shared = (SharedStats){
            .requests = 50, .passes = 100, .conflict_passes = ROWS[i].conflict_passes, .replay_cycles = ROWS[i].again};
        const Verdict v = verdict_of(&c.result);
        ck_assert_int_eq(v.kind, ROWS[i].want);
        ck_assert_double_eq_tol(v.share, ROWS[i].share, 1e-9);
        ck_assert_double_eq_tol(verdict_replays(&c.result), (double)ROWS[i].again / 1000, 1e-9);
    }
}
END_TEST

START_TEST(no_wait_of_half_is_no_single_bound)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_issued] = 400;
    c.result.stalls.cycles[STALL_memory] = 299;
    c.result.stalls.cycles[STALL_barrier] = 180;
    c.result.stalls.cycles[STALL_alu] = 121;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_MIXED);
    c.result.stalls.cycles[STALL_memory] = 300;
    c.result.stalls.cycles[STALL_alu] = 120;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_MEMORY);
}
END_TEST

START_TEST(without_global_loads_data_comes_from_shared_memory)
{
    Case c;
    begin(&c);
    c.result.global_load = (TransferStats){0};
    c.result.stalls.cycles[STALL_memory] = 1000;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_SHARED);
}
END_TEST

/* 20 transactions of loads; of atomics as many, then one more. */
START_TEST(atomics_bound_when_they_are_most_of_what_is_waited_for)
{
    static const StallReason WAITS[] = {STALL_memory, STALL_memory_pipe};
    static const VerdictKind OTHERWISE[] = {VERDICT_MEMORY, VERDICT_MEMORY_PIPE};
    Case c;
    begin(&c);
    c.result.stalls.cycles[WAITS[_i]] = 1000;
    c.result.global_atomic = (TransferStats){.requests = 10, .transactions = 20};
    ck_assert_int_eq(verdict_of(&c.result).kind, OTHERWISE[_i]);
    c.result.global_atomic.transactions = 21;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_ATOMIC);
    g_autofree char *text = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(text, "51 % of the transactions are atomic")); /* 21 of 41 */
}
END_TEST

START_TEST(local_memory_is_memory)
{
    Case c;
    begin(&c);
    c.result.global_load = (TransferStats){0};
    c.result.local.requests = 1;
    c.result.stalls.cycles[STALL_memory] = 1000;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_MEMORY);
}
END_TEST

START_TEST(caches_are_told_apart_by_what_is_used)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_cache] = 1000;
    c.result.texture = (TextureStats){.requests = 10, .lines = 40};
    c.result.memory.texture = (CacheStats){.accesses = 40, .hits = 10};
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_TEXTURE);
    g_autofree char *texture = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(texture, "with 4.0 lines for each fetch; 25 % of the accesses to their cache hit"));
    c.result.constant = (ConstantStats){.requests = 10, .passes = 20};
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_CACHE);
    c.result.texture = (TextureStats){0};
    c.result.memory.constant_l1 = (CacheStats){.accesses = 20, .hits = 15};
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_CONSTANT);
    g_autofree char *constant = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(constant, "75 % of the accesses to the first level hit"));
}
END_TEST

/* A pass of each half-warp is no news; 21 for 10 accesses are. */
START_TEST(passes_of_constants_hold_the_port)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_issued] = 1000;
    c.result.constant = (ConstantStats){.requests = 10, .passes = 20};
    g_autofree char *agreeing = verdict_text(&c.result);
    ck_assert_str_eq(agreeing, "Bound by instruction issue: SMs with a block issue in 100 % of their cycles.");
    c.result.constant.passes = 21;
    g_autofree char *differing = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(differing, "with 2.1 passes for each constant access"));
}
END_TEST

START_TEST(the_path_is_taken_by_what_is_most)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_memory_pipe] = 1000;
    c.result.memory.l1 = (CacheStats){.accesses = 20, .hits = 5};
    g_autofree char *loads = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(loads, "with 2.0 transactions for each request; 25 % of the accesses to L1 hit"));
    c.result.texture = (TextureStats){.requests = 7, .lines = 21};
    g_autofree char *fetches = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(fetches, "with 3.0 lines for each texture fetch"));
}
END_TEST

/* 1000 cycles at 1 GHz are 1000 ns. */
START_TEST(launches_bound_when_they_take_most_of_the_time)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_issued] = 1000;
    c.result.kernel.launches = 2;
    c.result.kernel.overhead_ns = 1000;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_ISSUE);
    c.result.kernel.overhead_ns = 1001;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_LAUNCH);
    c.result.kernel.launches = 1;
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_ISSUE);
}
END_TEST

START_TEST(nothing_at_all_is_no_single_bound)
{
    Case c;
    begin(&c);
    c.result.kernel = (KernelStats){0};
    c.result.occupancy = (OccupancyStats){0};
    ck_assert_int_eq(verdict_of(&c.result).kind, VERDICT_MIXED);
    g_autofree char *text = verdict_text(&c.result);
    ck_assert(!strstr(text, "nan") && !strstr(text, "inf"));
}
END_TEST

START_TEST(text_has_the_number)
{
    Case c;
    begin(&c);
    set_dram(&c, (const uint64_t[]){215, 215, 210, 210});
    c.result.stalls.cycles[STALL_memory] = 1000;
    g_autofree char *coalesced = verdict_text(&c.result);
    ck_assert_str_eq(coalesced, "Bound by DRAM bandwidth: the data buses are busy 85 % of the time.");
    c.result.global_load.bytes_used = 160;
    g_autofree char *scattered = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(scattered, "only 12 % of the bytes moved are used"));
}
END_TEST

/* 6 warps on average, on an SM that has a block half of the time: 12 then. */
START_TEST(text_counts_warps_where_there_is_a_block)
{
    Case c;
    begin(&c);
    c.result.stalls.cycles[STALL_no_warp] = 500;
    c.result.stalls.cycles[STALL_memory] = 500;
    g_autofree char *text = verdict_text(&c.result);
    ck_assert_ptr_nonnull(strstr(text, "with 12.0 warps to hide it"));
    ck_assert_ptr_nonnull(strstr(text, "In 50 % of all cycles an SM has no block."));
}
END_TEST

START_TEST(every_verdict_has_a_name)
{
    ck_assert_ptr_nonnull(verdict_name((VerdictKind)_i));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, counters_give_the_verdict, 0, G_N_ELEMENTS(CASES));
    tcase_add_test(tcase, conflicts_are_waited_for_or_issued_again);
    tcase_add_test(tcase, no_wait_of_half_is_no_single_bound);
    tcase_add_test(tcase, without_global_loads_data_comes_from_shared_memory);
    tcase_add_loop_test(tcase, atomics_bound_when_they_are_most_of_what_is_waited_for, 0, 2);
    tcase_add_test(tcase, local_memory_is_memory);
    tcase_add_test(tcase, caches_are_told_apart_by_what_is_used);
    tcase_add_test(tcase, passes_of_constants_hold_the_port);
    tcase_add_test(tcase, the_path_is_taken_by_what_is_most);
    tcase_add_test(tcase, launches_bound_when_they_take_most_of_the_time);
    tcase_add_test(tcase, nothing_at_all_is_no_single_bound);
    tcase_add_test(tcase, text_has_the_number);
    tcase_add_test(tcase, text_counts_warps_where_there_is_a_block);
    tcase_add_loop_test(tcase, every_verdict_has_a_name, 0, VERDICT_N);
}

int main(void)
{
    return unit_main("verdict", add);
}
