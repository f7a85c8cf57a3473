/*
 * The L2 slice of a partition, to the cycle. The machine is the default one with an L2 for all requests: lines of 128 bytes, sectors of 32. A
 * flit passes a port in 54/23 = 2.35 cycles: one alone arrives 3 cycles later. The DRAM's clock is two thirds of the cycle.
 */
#include <string.h>

#include "mem/cache-keys.h"
#include "partition-driver.h"

enum { FAR = 10000, READ_32 = 264, HIT_32 = 172, ACK = 174, ALL_WORDS = 0xff };

static Machine cached(void)
{
    Machine m = defaults();
    m.l2.serves = L2_ALL;
    m.l2.cache.line_bytes = 128;
    m.l2.cache.sector_bytes = 32;
    m.dram.t_refi = 0;
    return m;
}

/* One set of two lines. */
static Machine tiny(void)
{
    Machine m = cached();
    m.l2.cache.bytes = 256;
    m.l2.cache.ways = 2;
    return m;
}

static Partition *begin(const Machine *machine)
{
    Partition *p = make(machine);
    partition_begin(p, machine->l2.serves != L2_NONE);
    return p;
}

static void send(Partition *p, Msg msg)
{
    inbox_push(partition_inbox(p), &msg);
}

static void send_read(Partition *p, Cycle at, Addr addr, unsigned bytes)
{
    send(p, request(at, addr, bytes, false, 0));
}

static void send_write(Partition *p, Cycle at, Addr addr, unsigned bytes, uint32_t words)
{
    Msg msg = request(at, addr, bytes, true, 0);
    msg.words = words;
    send(p, msg);
}

/* When the next reply arrives, counted from `from`. */
static Cycle next_reply(Partition *p, Cycle from)
{
    MsgQueue *outbox = partition_outbox(p);
    ck_assert_ptr_nonnull(msg_queue_peek(outbox));
    const Cycle at = msg_queue_peek(outbox)->time - from;
    msg_queue_pop(outbox);
    return at;
}

static void end(Partition *p)
{
    ck_assert_ptr_null(msg_queue_peek(partition_outbox(p)));
    ck_assert_uint_eq(partition_pending(p), 0);
    partition_free(p);
}

/*
 * A miss of 32 bytes: past the port at 3, at the DRAM at 3 + 120 = 123, clock 82; + t_rcd 14 + t_cl 12 + burst 2 = 110, cycle 165; past the
 * port at 168, + 96 = 264. A hit: 3 + 70 = 73, 76, + 96 = 172.
 */
START_TEST(a_miss_goes_to_the_dram_and_a_hit_does_not)
{
    const Machine machine = cached();
    Partition *p = begin(&machine);
    send_read(p, 0, 0, 32);
    send_read(p, FAR, 0, 32);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), READ_32);
    ck_assert_uint_eq(next_reply(p, FAR), HIT_32);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, 1);
    ck_assert_uint_eq(partition_l2_stats(p)->hits, 1);
    end(p);
}
END_TEST

/* Both are answered with the fill at 165; the second reply passes the port after the first: ceil(165 + 2*54/23) = 170, + 96. */
START_TEST(a_read_of_what_is_under_way_merges)
{
    const Machine machine = cached();
    Partition *p = begin(&machine);
    send_read(p, 0, 0, 32);
    send_read(p, 10, 0, 32);
    partition_run(p, FAR);
    ck_assert_uint_eq(next_reply(p, 0), READ_32);
    ck_assert_uint_eq(next_reply(p, 0), READ_32 + 2);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, 1);
    ck_assert_uint_eq(partition_l2_stats(p)->merged, 1);
    end(p);
}
END_TEST

/* The hit at 10 is answered before the miss of 0: at 13 + 70, 86, 182. */
START_TEST(a_hit_passes_a_miss)
{
    const Machine machine = cached();
    Partition *p = begin(&machine);
    send_read(p, 0, 128, 32);
    send_read(p, FAR, 0, 32);
    send_read(p, FAR + 10, 128, 32);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), READ_32);
    ck_assert_uint_eq(next_reply(p, FAR), 10 + HIT_32);
    /* its row is open: clock ceil(10123 * 2/3) = 6749, + 14 = 6763, cycle 10145, 10148, + 96 */
    ck_assert_uint_eq(next_reply(p, FAR), 244);
    end(p);
}
END_TEST

START_TEST(a_line_is_fetched_by_sectors)
{
    for (unsigned sector = 32; sector <= 128; sector *= 2) {
        Machine machine = cached();
        machine.l2.cache.sector_bytes = sector;
        Partition *p = begin(&machine);
        send_read(p, 0, 32, 32);
        send_read(p, FAR, 96, 32);
        partition_run(p, 2 * FAR);
        next_reply(p, 0);
        const unsigned parts = sector == 128 ? 1 : 2; /* bytes 32 and 96 lie in one sector of 128 only */
        ck_assert_uint_eq(partition_dram_stats(p)->reads, parts);
        ck_assert_uint_eq(partition_get_stats(p)->fetch_bytes, parts * sector);
        if (sector == 128) ck_assert_uint_eq(next_reply(p, FAR), HIT_32);
        msg_queue_empty(partition_outbox(p));
        end(p);
    }
}
END_TEST

/* A write of 32 bytes is two flits: 5, + 70 = 75, 78, + 96 = 174. Nothing is fetched, nothing written; its words may be read. */
START_TEST(a_write_is_acknowledged_by_the_l2)
{
    const Machine machine = cached();
    Partition *p = begin(&machine);
    send_write(p, 0, 0, 32, ALL_WORDS);
    send_read(p, FAR, 0, 32);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), ACK);
    ck_assert_uint_eq(next_reply(p, FAR), HIT_32);
    ck_assert_uint_eq(partition_dram_stats(p)->reads + partition_dram_stats(p)->writes, 0);
    end(p);
}
END_TEST

/* The third line of a set puts out the first, whose words are then written; of part of a burst, masked. */
static const struct {
    uint32_t words;
    unsigned writes, masked, bytes;
} VICTIMS[] = {
    {0xff, 1, 0, 32},       {0x1, 1, 1, 4},        {0xff00ff, 2, 0, 64}, {0xffffffff, 1, 0, 128},
    {0x00ffff00, 1, 0, 64}, {0x10000001, 2, 2, 8}, {0x80, 1, 1, 4},
};

START_TEST(a_victim_is_written_back)
{
    const Machine machine = tiny();
    Partition *p = begin(&machine);
    send_write(p, 0, 0, 128, VICTIMS[_i].words);
    send_read(p, FAR, 128, 32);
    send_read(p, 2 * FAR, 256, 32);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, 0);
    partition_run(p, 3 * FAR);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, VICTIMS[_i].writes);
    ck_assert_uint_eq(partition_dram_stats(p)->masked_writes, VICTIMS[_i].masked);
    ck_assert_uint_eq(partition_get_stats(p)->writeback_bytes, VICTIMS[_i].bytes);
    ck_assert_uint_eq(partition_l2_stats(p)->writebacks, 1);
    msg_queue_empty(partition_outbox(p));
    end(p);
}
END_TEST

/* ---- write policies ---- */

/* A read of the line, a write of one of its words, a read of that word: what the DRAM reads and writes, and whether the last read hits. */
static const struct {
    const char *policy;
    bool present;
    unsigned reads, writes;
    bool hit;
} POLICIES[] = {
    {"back", true, 1, 0, true},        {"back", false, 0, 0, true},        {"back-fetch", true, 1, 0, true},
    {"back-fetch", false, 1, 0, true}, {"through", true, 1, 1, true},      {"through", false, 1, 1, false},
    {"back-merge", true, 1, 0, true},  {"back-merge", false, 1, 0, false}, {"evict", true, 2, 1, false},
    {"evict", false, 1, 1, false},
};

START_TEST(a_policy_says_where_a_write_goes)
{
    Machine machine = cached();
    while (!g_str_equal(cache_write_names[machine.l2.cache.write], POLICIES[_i].policy))
        machine.l2.cache.write = (machine.l2.cache.write + 1) % 5;
    Partition *p = begin(&machine);
    if (POLICIES[_i].present) send_read(p, 0, 0, 32);
    send_write(p, FAR, 0, 32, 1);
    send_read(p, 2 * FAR, 0, 4);
    partition_run(p, 3 * FAR);
    if (POLICIES[_i].present) next_reply(p, 0);
    ck_assert_uint_eq(next_reply(p, FAR), ACK);
    const Cycle last = next_reply(p, 2 * FAR);
    ck_assert_msg(POLICIES[_i].hit == (last == HIT_32), "%" G_GUINT64_FORMAT, last);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, POLICIES[_i].reads);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, POLICIES[_i].writes);
    end(p);
}
END_TEST

/* ---- sectors written in part ---- */

static Machine merging(uint32_t partial_lines)
{
    Machine machine = cached();
    machine.l2.cache.write = CACHE_BACK_MERGE;
    machine.l2.cache.partial_lines = partial_lines;
    return machine;
}

/*
 * The second line in part is one too many. Its write is past the port at 5, and the first line's sector at the DRAM at 10000 + 5 + 120, clock 6750;
 * + t_rcd 14 + t_cl 12 + burst 2 = 6778, cycle 10167. Then it is written, whole, at the DRAM 120 later, and no write waits for it.
 */
START_TEST(one_line_in_part_too_many_is_merged)
{
    const Machine machine = merging(1);
    Partition *p = begin(&machine);
    send_write(p, 0, 0, 32, 1);
    send_write(p, FAR, 128, 32, 1);
    partition_run(p, FAR + 167);
    ck_assert_uint_eq(next_reply(p, 0), ACK);
    ck_assert_uint_eq(next_reply(p, FAR), ACK);
    ck_assert_uint_eq(partition_get_stats(p)->fetch_bytes, 32);
    ck_assert_uint_eq(partition_get_stats(p)->writeback_bytes, 0);
    partition_run(p, FAR + 169);
    ck_assert_uint_eq(partition_get_stats(p)->writeback_bytes, 32);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, 0);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, 1);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, 1);
    ck_assert_uint_eq(partition_dram_stats(p)->masked_writes, 0);
    ck_assert_uint_eq(partition_dirty_bytes(p), 4);
    /* it has stayed, whole */
    send_read(p, 2 * FAR, 0, 32);
    partition_run(p, 3 * FAR);
    ck_assert_uint_eq(next_reply(p, 2 * FAR), HIT_32);
    end(p);
}
END_TEST

/* The read of the first line's sector comes while it is fetched to be merged, and is answered with it: 167, 170, + 96 = 266 for a hit's 100 + 172. */
START_TEST(a_read_waits_for_what_is_merged)
{
    const Machine machine = merging(1);
    Partition *p = begin(&machine);
    send_write(p, 0, 0, 32, 1);
    send_write(p, FAR, 128, 32, 1);
    send_read(p, FAR + 100, 0, 32);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), ACK);
    ck_assert_uint_eq(next_reply(p, FAR), ACK);
    ck_assert_uint_eq(next_reply(p, FAR), 266);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, 1);
    end(p);
}
END_TEST

/* Sectors in part of a victim are read and written, whole ones written: runs of them in one request. */
static const struct {
    uint32_t words;
    unsigned reads, writes, read_bytes, written_bytes;
} MERGED_VICTIMS[] = {
    {0xff, 0, 1, 0, 32},        {0x1, 1, 1, 32, 32},        {0xff00ff, 0, 2, 0, 64},      {0xffffffff, 0, 1, 0, 128},
    {0x00ffff01, 1, 2, 32, 96}, {0x10000001, 2, 2, 64, 64}, {0x01010101, 1, 1, 128, 128},
};

START_TEST(a_victim_in_part_is_merged)
{
    Machine machine = merging(0);
    machine.l2.cache.bytes = 256;
    machine.l2.cache.ways = 2;
    Partition *p = begin(&machine);
    send_write(p, 0, 0, 128, MERGED_VICTIMS[_i].words);
    send_write(p, FAR, 128, 32, ALL_WORDS);
    send_write(p, 2 * FAR, 256, 32, ALL_WORDS);
    partition_run(p, 3 * FAR);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, MERGED_VICTIMS[_i].reads);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, MERGED_VICTIMS[_i].writes);
    ck_assert_uint_eq(partition_dram_stats(p)->masked_writes, 0);
    ck_assert_uint_eq(partition_get_stats(p)->fetch_bytes, MERGED_VICTIMS[_i].read_bytes);
    ck_assert_uint_eq(partition_get_stats(p)->writeback_bytes, MERGED_VICTIMS[_i].written_bytes);
    ck_assert_uint_eq(partition_l2_stats(p)->fetched_bytes, MERGED_VICTIMS[_i].read_bytes);
    ck_assert_uint_eq(partition_l2_stats(p)->written_bytes, MERGED_VICTIMS[_i].written_bytes);
    msg_queue_empty(partition_outbox(p));
    end(p);
}
END_TEST

/* One MSHR: the third line in part is one too many while the first is fetched, so that the fourth waits for its fill, at 167; then 167 + 70 = 237,
 * 240, + 96 = 336. All but the last are read. */
START_TEST(a_write_waits_for_room_among_lines_in_part)
{
    Machine machine = merging(1);
    machine.l2.cache.mshrs = 1;
    Partition *p = begin(&machine);
    send_write(p, 0, 0, 32, 1);
    for (unsigned i = 1; i < 4; i++)
        send_write(p, FAR, 128 * i, 32, 1);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), ACK);
    ck_assert_uint_eq(next_reply(p, FAR), ACK);
    ck_assert_uint_eq(next_reply(p, FAR), ACK + 5); /* behind the first: ceil(4 * 54/23) = 10 for 5 */
    ck_assert_uint_eq(next_reply(p, FAR), 336);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, 3);
    end(p);
}
END_TEST

/* ---- no room ---- */

/* One pending line: the second miss enters with the fill of the first, at 165; at 165 + 120 = 285 it is at the DRAM, clock 190, its row open:
 * + 12 + 2 = 204, 306, 309, 405. The third misses in its turn. */
START_TEST(a_look_up_without_room_holds_those_behind_it)
{
    Machine machine = cached();
    machine.l2.cache.mshrs = 1;
    Partition *p = begin(&machine);
    send_read(p, 0, 0, 32);
    send_read(p, 10, 128, 32);
    send_read(p, 20, 256, 32);
    partition_run(p, FAR);
    ck_assert_uint_eq(next_reply(p, 0), 264);
    ck_assert_uint_eq(next_reply(p, 0), 405);
    ck_assert_uint_ge(next_reply(p, 0), 405 + 120); /* the third miss, once more */
    ck_assert_uint_eq(partition_l2_stats(p)->misses, 3);
    end(p);
}
END_TEST

/* ---- whom it serves ---- */

START_TEST(it_serves_whom_it_is_told_to)
{
    static const bool SERVED[][CLIENT_N] = {{false, false, false}, {false, true, true}, {true, true, true}};
    for (unsigned serves = 0; serves < 3; serves++)
        for (unsigned client = 0; client < CLIENT_N; client++) {
            Machine machine = cached();
            machine.l2.serves = serves;
            Partition *p = begin(&machine);
            Msg msg = request(0, 0, 32, false, 0);
            msg.client = client & 3;
            send(p, msg);
            partition_run(p, FAR);
            /* the pipeline's 220 in place of the miss's 120: clock 149 for 82, which is 266 for 165 */
            ck_assert_uint_eq(next_reply(p, 0), SERVED[serves][client] ? READ_32 : READ_32 - 165 + 266);
            end(p);
        }
}
END_TEST

/* ---- the data array and the halves ---- */

/*
 * A sector takes the array 100 cycles. A write: past the port at 5, in the array at 105, + 70 = 175, 178, + 96 = 274 for 174. A miss has its data at
 * 165, in the array at 265, 268, + 96 = 364 for 264; a hit does not go into the array.
 */
START_TEST(what_is_written_and_what_is_fetched_goes_into_the_array)
{
    Machine machine = cached();
    machine.l2.array_khz = 1350000 / 100;
    Partition *p = begin(&machine);
    send_read(p, 0, 0, 32);
    send_read(p, FAR, 0, 32);
    send_write(p, 2 * FAR, 512, 32, ALL_WORDS);
    partition_run(p, 3 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), READ_32 + 100);
    ck_assert_uint_eq(next_reply(p, FAR), HIT_32);
    ck_assert_uint_eq(next_reply(p, 2 * FAR), ACK + 100);
    end(p);
}
END_TEST

/* The write has the array from 105 to 205, and is answered at 274 after its own start; the data that are there at 165 from 205 to 305: 40 later. */
START_TEST(a_fill_waits_for_a_write)
{
    Machine machine = cached();
    machine.l2.array_khz = 1350000 / 100;
    Partition *p = begin(&machine);
    send_read(p, 0, 0, 32);
    send_write(p, 100, 512, 32, ALL_WORDS);
    partition_run(p, FAR);
    ck_assert_uint_eq(next_reply(p, 100), ACK + 100);
    ck_assert_uint_eq(next_reply(p, 0), READ_32 + 100 + 40);
    end(p);
}
END_TEST

/* Cluster 3 is of the odd half, 2 of the even one, to which partition 0 belongs; who had a miss has a copy. */
START_TEST(a_miss_of_the_other_half_takes_longer)
{
    Machine machine = cached();
    machine.l2.far_cycles = 50;
    Partition *p = begin(&machine);
    Msg read = request(0, 0, 32, false, 0), again = request(FAR, 0, 32, false, 0);
    read.src = again.src = (uint16_t)(2 + _i);
    send(p, read);
    send(p, again);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(next_reply(p, 0), _i ? READ_32 + 50 : READ_32);
    ck_assert_uint_eq(next_reply(p, FAR), HIT_32);
    end(p);
}
END_TEST

/* Fetched by the near half; the far one's first hit is far, the next near; after a write it is far once more, after a fetch for the far half near. */
START_TEST(the_first_hit_of_the_other_half_takes_longer)
{
    static const struct {
        unsigned src;
        bool write;
        Cycle want;
    } STEPS[] = {{2, false, READ_32}, {3, false, HIT_32 + 50}, {3, false, HIT_32}, {2, false, HIT_32},
                 {2, true, ACK},      {3, false, HIT_32 + 50}, {2, false, HIT_32}, {3, false, HIT_32}};
    Machine machine = cached();
    machine.l2.far_cycles = 50;
    Partition *p = begin(&machine);
    for (unsigned i = 0; i < G_N_ELEMENTS(STEPS); i++) {
        Msg msg = request(i * FAR, 0, 32, STEPS[i].write, 0);
        msg.src = (uint16_t)STEPS[i].src;
        msg.words = STEPS[i].write ? ALL_WORDS : 0;
        send(p, msg);
        partition_run(p, (i + 1) * FAR);
        const Cycle took = next_reply(p, i * FAR);
        ck_assert_msg(took == STEPS[i].want, "step %u: %" G_GUINT64_FORMAT, i, took);
    }
    end(p);
}
END_TEST

START_TEST(runs_of_partitions_take_turns_in_the_halves)
{
    ck_assert(l2_is_far(3, 0) && l2_is_far(3, 7) && !l2_is_far(3, 8) && l2_is_far(3, 16));
    ck_assert(!l2_is_far(2, 0) && l2_is_far(2, 15));
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, a_miss_goes_to_the_dram_and_a_hit_does_not);
    tcase_add_test(tcase, a_read_of_what_is_under_way_merges);
    tcase_add_test(tcase, a_hit_passes_a_miss);
    tcase_add_test(tcase, a_line_is_fetched_by_sectors);
    tcase_add_test(tcase, a_write_is_acknowledged_by_the_l2);
    tcase_add_loop_test(tcase, a_victim_is_written_back, 0, G_N_ELEMENTS(VICTIMS));
    tcase_add_loop_test(tcase, a_policy_says_where_a_write_goes, 0, G_N_ELEMENTS(POLICIES));
    tcase_add_test(tcase, one_line_in_part_too_many_is_merged);
    tcase_add_test(tcase, a_read_waits_for_what_is_merged);
    tcase_add_loop_test(tcase, a_victim_in_part_is_merged, 0, G_N_ELEMENTS(MERGED_VICTIMS));
    tcase_add_test(tcase, a_write_waits_for_room_among_lines_in_part);
    tcase_add_test(tcase, a_look_up_without_room_holds_those_behind_it);
    tcase_add_test(tcase, it_serves_whom_it_is_told_to);
    tcase_add_test(tcase, what_is_written_and_what_is_fetched_goes_into_the_array);
    tcase_add_test(tcase, a_fill_waits_for_a_write);
    tcase_add_loop_test(tcase, a_miss_of_the_other_half_takes_longer, 0, 2);
    tcase_add_test(tcase, the_first_hit_of_the_other_half_takes_longer);
    tcase_add_test(tcase, runs_of_partitions_take_turns_in_the_halves);
}

int main(void)
{
    return unit_main("partition-l2", add);
}
