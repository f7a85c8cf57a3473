/* Atomic operations in a partition, with an L2 and without, and mixed traffic in windows. The machine is that of partition-l2. */
#include <string.h>

#include "partition-driver.h"

enum { FAR = 10000 };

static Msg atomic(Cycle at, Addr addr, uint32_t words, unsigned count, uint32_t tag)
{
    Msg msg = request(at, addr, 32, false, tag);
    msg.kind = MSG_ATOMIC;
    msg.words = words;
    msg.count = (uint8_t)count;
    return msg;
}

static Machine machine_that(uint32_t serves)
{
    Machine m = defaults();
    m.l2.serves = serves;
    m.l2.cache.line_bytes = 128;
    m.l2.cache.sector_bytes = 32;
    m.dram.t_refi = 0;
    return m;
}

static Partition *begin(const Machine *machine)
{
    Partition *p = make(machine);
    partition_begin(p, machine->l2.serves != L2_NONE);
    return p;
}

static Cycle reply_of(Partition *p, uint32_t tag, Cycle from)
{
    const MsgQueue *outbox = partition_outbox(p);
    for (size_t i = outbox->head; i < outbox->tail; i++) {
        if (outbox->msgs[i].tag != tag) continue;
        ck_assert_uint_eq(outbox->msgs[i].kind, MSG_DATA);
        ck_assert_uint_eq(outbox->msgs[i].count, 1);
        return outbox->msgs[i].time - from;
    }
    ck_abort_msg("no reply %u", tag);
}

/* ---- with an L2 ---- */

/*
 * The word being there: two flits, 5, + 70 = 75; the unit starts four words a clock of 54/23: 78 for up to four, 80 for eight; n operations on
 * one word are 4n cycles; past the port 3 later, + 96.
 */
static const struct {
    uint32_t words;
    unsigned count;
    Cycle time;
} OPERATIONS[] = {
    {0x1, 1, 78 + 4 + 3 + 96},  {0x1, 32, 78 + 128 + 3 + 96}, {0xf, 1, 78 + 4 + 3 + 96},
    {0xff, 1, 80 + 4 + 3 + 96}, {0xff, 4, 80 + 16 + 3 + 96},
};

START_TEST(operations_on_one_word_follow_one_another)
{
    const Machine machine = machine_that(L2_ALL);
    Partition *p = begin(&machine);
    const Msg first = request(0, 0, 32, false, 9), op = atomic(FAR, 0, OPERATIONS[_i].words, OPERATIONS[_i].count, 1);
    inbox_push(partition_inbox(p), &first);
    inbox_push(partition_inbox(p), &op);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(reply_of(p, 1, FAR), OPERATIONS[_i].time);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, 0); /* they stay in the L2 */
    ck_assert_uint_eq(partition_pending(p), 0);
    partition_free(p);
}
END_TEST

/* The second request for the sector begins when the first is done, at 206: 206 + 128, + 3 + 96. One for another sector does not wait. */
START_TEST(requests_for_one_sector_follow_one_another)
{
    const Machine machine = machine_that(L2_ALL);
    Partition *p = begin(&machine);
    const Msg msgs[] = {request(0, 0, 128, false, 9), atomic(FAR, 0, 1, 32, 1), atomic(FAR, 0, 1, 32, 2),
                        atomic(FAR, 32, 1, 1, 3)};
    for (unsigned i = 0; i < G_N_ELEMENTS(msgs); i++)
        inbox_push(partition_inbox(p), &msgs[i]);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(reply_of(p, 1, FAR), 206 + 3 + 96);
    ck_assert_uint_eq(reply_of(p, 2, FAR), 206 + 128 + 3 + 96);
    ck_assert_uint_lt(reply_of(p, 3, FAR), 206 + 96);
    partition_free(p);
}
END_TEST

/*
 * A packet that fills the sector takes the slice's unit 100 cycles, another one 200, and a transaction is `count` packets: 75, + these, + 3 + 96. With
 * no time of their own packets with holes take that of the others.
 */
static const struct {
    uint32_t words;
    unsigned count;
    bool alike;
    Cycle packets;
} PACKETS[] = {{0xff, 1, false, 100}, {0xff, 4, false, 400}, {0x01, 1, false, 200}, {0x7f, 3, false, 600}, {0x01, 3, true, 300}};

static Machine machine_of_packets(bool alike)
{
    Machine m = machine_that(L2_ALL);
    m.atomic.packet_khz = 1350000 / 100;
    m.atomic.part_khz = alike ? 0 : 1350000 / 200;
    return m;
}

START_TEST(a_transaction_is_as_many_packets_as_a_word_has_operations)
{
    const Machine machine = machine_of_packets(PACKETS[_i].alike);
    Partition *p = begin(&machine);
    const Msg first = request(0, 0, 32, false, 9), op = atomic(FAR, 0, PACKETS[_i].words, PACKETS[_i].count, 1);
    inbox_push(partition_inbox(p), &first);
    inbox_push(partition_inbox(p), &op);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(reply_of(p, 1, FAR), 75 + PACKETS[_i].packets + 3 + 96);
    partition_free(p);
}
END_TEST

/* The second's sector is another one: it is there at 80, and its packet begins at 175 when the first one's is done. */
START_TEST(packets_for_two_sectors_follow_one_another)
{
    const Machine machine = machine_of_packets(false);
    Partition *p = begin(&machine);
    const Msg sectors = request(0, 0, 64, false, 9), one = atomic(FAR, 0, 0xff, 1, 1), other = atomic(FAR, 32, 0xff, 1, 2);
    inbox_push(partition_inbox(p), &sectors);
    inbox_push(partition_inbox(p), &one);
    inbox_push(partition_inbox(p), &other);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(reply_of(p, 1, FAR), 175 + 3 + 96);
    ck_assert_uint_eq(reply_of(p, 2, FAR), 275 + 3 + 96);
    partition_free(p);
}
END_TEST

/* With headers on wires of their own the data are one flit: 3, + 70 = 73, + 100, 176, + 96. */
START_TEST(data_alone_take_the_port_where_headers_have_wires)
{
    Machine machine = machine_of_packets(false);
    machine.icnt.write_header = ICNT_HEADER_MASK;
    Partition *p = begin(&machine);
    const Msg first = request(0, 0, 32, false, 9), op = atomic(FAR, 0, 0xff, 1, 1);
    inbox_push(partition_inbox(p), &first);
    inbox_push(partition_inbox(p), &op);
    partition_run(p, 2 * FAR);
    ck_assert_uint_eq(reply_of(p, 1, FAR), 173 + 3 + 96);
    partition_free(p);
}
END_TEST

/* ---- without ---- */

/*
 * One operation: 5, four clocks of the raster-output units for 32 bytes at 8, since not all of them are written: 15, + 220 = 235, clock 157;
 * + 14 + 12 + 2 = 185, cycle 278; the unit 281, + 4 = 285; past the port 288, + 96 = 384. The write of its word: clock 190, + t_wl 8 + 2 =
 * 200, cycle 300. The second begins then: 300 + 220 = 520, clock 347, its row open: + 14 = 361, 542, 545, 549, and 99 to the reply: 648.
 * Write 366, 376, 564. The third 784, clock 523, 537, 806, 809, 813: 912.
 */
static const Cycle ROUNDS[] = {384, 648, 912};

START_TEST(each_operation_is_a_trip_to_the_dram)
{
    const Machine machine = machine_that(_i % 2 ? L2_NONE : L2_TEXTURE);
    const unsigned count = 1 + (unsigned)_i / 2;
    Partition *p = begin(&machine);
    const Msg op = atomic(0, 0, 1, count, 1);
    inbox_push(partition_inbox(p), &op);
    partition_run(p, FAR);
    ck_assert_uint_eq(reply_of(p, 1, 0), ROUNDS[count - 1]);
    ck_assert_uint_eq(partition_dram_stats(p)->reads, count);
    ck_assert_uint_eq(partition_dram_stats(p)->writes, count);
    ck_assert_uint_eq(partition_dram_stats(p)->masked_writes, count);
    ck_assert_uint_eq(partition_pending(p), 0);
    partition_free(p);
}
END_TEST

/* Two requests of one operation on a sector are as two operations of one request, to the rounding of clocks; on other sectors they overlap. */
START_TEST(a_request_waits_for_the_word_of_another)
{
    const Machine machine = machine_that(L2_NONE);
    Partition *p = begin(&machine);
    const Msg msgs[] = {atomic(0, 0, 1, 1, 1), atomic(0, 4, 1, 1, 2), atomic(0, 64, 1, 1, 3)};
    for (unsigned i = 0; i < G_N_ELEMENTS(msgs); i++)
        inbox_push(partition_inbox(p), &msgs[i]);
    partition_run(p, FAR);
    ck_assert_uint_eq(reply_of(p, 1, 0), ROUNDS[0]);
    ck_assert_uint_ge(reply_of(p, 2, 0) + 4, ROUNDS[1]);
    ck_assert_uint_le(reply_of(p, 2, 0), ROUNDS[1] + 4);
    ck_assert_uint_lt(reply_of(p, 3, 0), ROUNDS[0] + 40);
    partition_free(p);
}
END_TEST

/* A request that comes when the word is free, but before its pipeline has been passed after the last operation: it too begins after that. The
 * write of the first is at 300; the second has passed the units at 200 + 15, the pipeline at 435, and would be early: 520 as above. */
START_TEST(the_word_is_free_when_it_is_written)
{
    const Machine machine = machine_that(L2_NONE);
    Partition *p = begin(&machine);
    const Msg msgs[] = {atomic(0, 0, 1, 1, 1), atomic(200, 0, 1, 1, 2), atomic(298, 32 * 256, 1, 1, 3)}; /* 3: of the same lock */
    for (unsigned i = 0; i < G_N_ELEMENTS(msgs); i++)
        inbox_push(partition_inbox(p), &msgs[i]);
    partition_run(p, FAR);
    ck_assert_uint_eq(reply_of(p, 2, 0), ROUNDS[1]);
    ck_assert_uint_ge(reply_of(p, 3, 0), ROUNDS[2]);
    partition_free(p);
}
END_TEST

/* ---- windows ---- */

enum { N = 4000 };

/* Reads, writes and atomics of six clusters, of all clients, on few enough lines for all of them to meet. */
static Msg *traffic(void)
{
    Msg *msgs = g_new(Msg, N);
    uint64_t state = 31;
    Cycle now = 0;
    for (uint32_t i = 0; i < N; i++) {
        now += random_below(&state, random_below(&state, 300) == 0 ? 9000 : 15);
        const unsigned bytes = 32u << random_below(&state, 3), kind = (unsigned)random_below(&state, 6);
        const Addr place = random_below(&state, random_below(&state, 2) ? 16 : 2048) * 128;
        if (kind == 0)
            msgs[i] = atomic(now, place + random_below(&state, 4) * 32, (uint32_t)random_below(&state, 255) + 1,
                             1 + (unsigned)random_below(&state, 5), i);
        else
            msgs[i] = request(now, place, bytes, kind == 1, i);
        if (kind == 1) msgs[i].words = (uint32_t)(random_next(&state) & bits_below(bytes / 4));
        if (kind > 3) msgs[i].client = 1 + random_below(&state, 2);
        msgs[i].src = (uint16_t)random_below(&state, 6);
    }
    return msgs;
}

/* As in test-partition: 0 jumps from each partition_next to the next. */
static GArray *run(const Machine *machine, const Msg *msgs, Cycle window)
{
    GArray *replies = g_array_new(FALSE, FALSE, sizeof(Msg));
    Partition *p = begin(machine);
    Cycle until = 0;
    uint32_t pushed = 0;
    while (pushed < N || partition_pending(p) || partition_next(p) != CYCLE_NEVER) {
        const Cycle arrival = pushed < N ? msgs[pushed].time : CYCLE_NEVER;
        until = window ? until + window : cycle_min(arrival, partition_next(p)) + 1;
        for (; pushed < N && msgs[pushed].time < until; pushed++)
            inbox_push(partition_inbox(p), &msgs[pushed]);
        partition_run(p, until);
        for (MsgQueue *outbox = partition_outbox(p); msg_queue_peek(outbox); msg_queue_pop(outbox))
            g_array_append_val(replies, *msg_queue_peek(outbox));
    }
    partition_free(p);
    return replies;
}

static void set(Machine *m, uint64_t bytes, unsigned ways, unsigned mshrs, unsigned merges, unsigned cycles)
{
    m->l2.cache.bytes = bytes;
    m->l2.cache.ways = ways;
    m->l2.cache.mshrs = mshrs;
    m->l2.cache.merges = merges;
    m->l2.hit_cycles = m->l2.miss_cycles = cycles;
    m->partition.pipeline_cycles = cycles - 1;
}

static const struct {
    unsigned serves, write;
    uint64_t bytes;
    unsigned ways, mshrs, merges, cycles;
} KINDS[] = {
    {L2_NONE, 0, 4096, 4, 64, 32, 221}, {L2_NONE, 0, 4096, 4, 64, 32, 1},   {L2_TEXTURE, 0, 4096, 4, 64, 32, 120},
    {L2_TEXTURE, 0, 1024, 2, 2, 2, 1},  {L2_ALL, 0, 32768, 8, 64, 32, 120}, {L2_ALL, 0, 1024, 2, 1, 1, 1},
    {L2_ALL, 1, 2048, 4, 3, 2, 5},      {L2_ALL, 2, 2048, 4, 3, 2, 30},     {L2_ALL, 3, 2048, 4, 8, 8, 30},
};

START_TEST(windows_change_nothing)
{
    static const Cycle WINDOWS[] = {0, 2, 7, 40, 96};
    Machine machine = machine_that(KINDS[_i].serves);
    machine.l2.cache.write = KINDS[_i].write;
    set(&machine, KINDS[_i].bytes, KINDS[_i].ways, KINDS[_i].mshrs, KINDS[_i].merges, KINDS[_i].cycles);
    g_autofree Msg *msgs = traffic();
    GArray *single = run(&machine, msgs, 1);
    ck_assert_uint_eq(single->len, N);
    for (unsigned w = 0; w < G_N_ELEMENTS(WINDOWS); w++) {
        GArray *other = run(&machine, msgs, WINDOWS[w]);
        ck_assert_uint_eq(other->len, N);
        for (unsigned i = 0; i < N; i++) {
            const Msg *a = &g_array_index(single, Msg, i), *b = &g_array_index(other, Msg, i);
            if (memcmp(a, b, sizeof *a) != 0)
                ck_abort_msg("reply %u: tag %u at %" G_GUINT64_FORMAT ", with windows of %" G_GUINT64_FORMAT
                             " tag %u at %" G_GUINT64_FORMAT,
                             i, a->tag, a->time, WINDOWS[w], b->tag, b->time);
        }
        g_array_unref(other);
    }
    g_array_unref(single);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, operations_on_one_word_follow_one_another, 0, G_N_ELEMENTS(OPERATIONS));
    tcase_add_test(tcase, requests_for_one_sector_follow_one_another);
    tcase_add_loop_test(tcase, a_transaction_is_as_many_packets_as_a_word_has_operations, 0, G_N_ELEMENTS(PACKETS));
    tcase_add_test(tcase, packets_for_two_sectors_follow_one_another);
    tcase_add_test(tcase, data_alone_take_the_port_where_headers_have_wires);
    tcase_add_loop_test(tcase, each_operation_is_a_trip_to_the_dram, 0, 6);
    tcase_add_test(tcase, a_request_waits_for_the_word_of_another);
    tcase_add_test(tcase, the_word_is_free_when_it_is_written);
    tcase_add_loop_test(tcase, windows_change_nothing, 0, G_N_ELEMENTS(KINDS));
}

int main(void)
{
    return unit_main("partition-atomic", add);
}
