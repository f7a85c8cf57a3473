/* One memory partition of the default machine, behind its ports. */
#include "partition-driver.h"

enum { N = 20000 };

/* The first reply to a lone message. */
static Msg reply_to(Msg msg)
{
    const Machine machine = defaults();
    Partition *partition = make(&machine);
    inbox_push(partition_inbox(partition), &msg);
    partition_run(partition, msg.time + 5000);
    ck_assert_ptr_nonnull(msg_queue_peek(partition_outbox(partition)));
    const Msg reply = *msg_queue_peek(partition_outbox(partition));
    ck_assert_uint_eq(partition_pending(partition), 0);
    partition_free(partition);
    return reply;
}

/*
 * Unloaded, at cycle 0. A flit takes 54/23 cycles, three DRAM clocks take two... read of 64 bytes: the request has passed the
 * port at ceil(54/23) = 3, left the pipeline at 223; DRAM clock ceil(223 * 2/3) = 149; + t_rcd 14 + t_cl 12 + 2 bursts of 2 =
 * 179; cycle ceil(179 * 3/2) = 269; two flits of reply: ceil(269 + 108/23) = 274; + 96 = 370. A write of all of 32 bytes:
 * ceil(108/23) = 5, two clocks for 16 bytes each at the raster-output units ceil(5 + 108/23) = 10, 230, clock 154, + 14 + 8 + 2 =
 * 178, cycle 267, ceil(267 + 54/23) = 270, 366. Of some of them: four clocks for 8 bytes each, ceil(5 + 216/23) = 15, 235, clock
 * ceil(235 * 2/3) = 157, 181, cycle ceil(181 * 3/2) = 272, ceil(272 + 54/23) = 275, 371.
 */
static const struct {
    bool write, partial;
    unsigned bytes;
    uint32_t words;
    Cycle time;
} UNLOADED[] = {
    {false, false, 64, 0, 370},   {true, false, 32, 0xff, 366}, {true, false, 32, 0x7f, 371},
    {true, false, 32, 0x80, 371}, {true, true, 32, 0xff, 371},
};

START_TEST(an_unloaded_request_takes_the_sum_of_its_parts)
{
    Msg msg = request(0, 0, UNLOADED[_i].bytes, UNLOADED[_i].write, 0);
    msg.words = UNLOADED[_i].words;
    msg.partial = UNLOADED[_i].partial;
    ck_assert_uint_eq(reply_to(msg).time, UNLOADED[_i].time);
}
END_TEST

START_TEST(a_reply_goes_back_to_who_asked_with_the_tag_and_the_bytes)
{
    const Msg reply = reply_to(request(7, 6 * 256, 64, _i, 0xabcd1234));
    ck_assert_uint_eq(reply.dst, 3);
    ck_assert_uint_eq(reply.src, SELF);
    ck_assert_uint_eq(reply.tag, 0xabcd1234);
    ck_assert_uint_eq(reply.bytes, 64);
    ck_assert_uint_eq(reply.kind, _i ? MSG_ACK : MSG_DATA);
}
END_TEST

/* Traffic of eight clusters; the kinds and places mixed. */
static Msg *traffic(void)
{
    Msg *msgs = g_new(Msg, N);
    uint64_t state = 9;
    Cycle now = 0;
    for (uint32_t i = 0; i < N; i++) {
        now += random_below(&state, random_below(&state, 500) == 0 ? 20000 : 9);
        const unsigned bytes = 32u << random_below(&state, 3);
        const Addr place = random_below(&state, 4) ? i / 4 * UINT64_C(256) : random_below(&state, 1 << 16) * UINT64_C(256);
        msgs[i] = request(now, place + random_below(&state, 2) * 128, bytes, random_below(&state, 3) == 0, i);
        msgs[i].src = (uint16_t)random_below(&state, 8);
        msgs[i].words = random_below(&state, 2) ? UINT32_MAX >> (32 - bytes / 4) : 1;
    }
    return msgs;
}

/* Runs the traffic in windows; 0 stands for jumps from each partition_next to the next. Returns the replies in their order. */
static GArray *run(const Machine *machine, const Msg *msgs, Cycle window, Cycle *ret_shortest)
{
    GArray *replies = g_array_new(FALSE, FALSE, sizeof(Msg));
    Partition *partition = make(machine);
    Cycle until = 0, shortest = CYCLE_NEVER;
    uint32_t pushed = 0;
    while (pushed < N || partition_pending(partition) || inbox_next(partition_inbox(partition)) != CYCLE_NEVER) {
        const Cycle start = until, arrival = pushed < N ? msgs[pushed].time : CYCLE_NEVER;
        until = window ? until + window : cycle_min(arrival, partition_next(partition)) + 1;
        for (; pushed < N && msgs[pushed].time < until; pushed++)
            inbox_push(partition_inbox(partition), &msgs[pushed]);
        partition_run(partition, until);
        MsgQueue *outbox = partition_outbox(partition);
        for (; msg_queue_peek(outbox); msg_queue_pop(outbox)) {
            g_array_append_val(replies, *msg_queue_peek(outbox));
            shortest = cycle_min(shortest, msg_queue_peek(outbox)->time - start);
        }
    }
    partition_free(partition);
    if (ret_shortest) *ret_shortest = shortest;
    return replies;
}

START_TEST(every_request_is_answered_once)
{
    static bool seen[N];
    const Machine machine = defaults();
    g_autofree Msg *msgs = traffic();
    GArray *replies = run(&machine, msgs, 48, NULL);
    ck_assert_uint_eq(replies->len, N);
    for (guint i = 0; i < replies->len; i++) {
        const Msg *reply = &g_array_index(replies, Msg, i);
        ck_assert(!seen[reply->tag]);
        seen[reply->tag] = true;
        ck_assert_uint_eq(reply->dst, msgs[reply->tag].src);
        ck_assert_uint_ge(reply->time, msgs[reply->tag].time + machine.partition.pipeline_cycles + machine.icnt.reply_cycles);
    }
    g_array_unref(replies);
}
END_TEST

static const Cycle WINDOWS[] = {0, 1, 2, 7, 40, 96};

START_TEST(windows_change_nothing)
{
    const Machine machine = defaults();
    g_autofree Msg *msgs = traffic();
    GArray *whole = run(&machine, msgs, UINT64_C(1) << 32, NULL), *cut = run(&machine, msgs, WINDOWS[_i], NULL);
    ck_assert_uint_eq(cut->len, whole->len);
    for (guint i = 0; i < whole->len; i++)
        ck_assert_mem_eq(&g_array_index(cut, Msg, i), &g_array_index(whole, Msg, i), sizeof(Msg));
    g_array_unref(whole);
    g_array_unref(cut);
}
END_TEST

START_TEST(replies_arrive_after_the_window_in_which_they_were_decided)
{
    const Machine machine = defaults();
    g_autofree Msg *msgs = traffic();
    Cycle shortest;
    g_array_unref(run(&machine, msgs, machine.icnt.reply_cycles, &shortest));
    ck_assert_uint_ge(shortest, machine.icnt.reply_cycles);
}
END_TEST

START_TEST(a_counted_message_is_that_many_requests_with_one_reply)
{
    const Machine machine = defaults();
    Partition *partition = make(&machine);
    Msg msg = request(0, 0, 32, _i, 1);
    msg.count = 8;
    inbox_push(partition_inbox(partition), &msg);
    partition_run(partition, 5000);
    MsgQueue *outbox = partition_outbox(partition);
    ck_assert_uint_eq(outbox->tail - outbox->head, 1);
    ck_assert_uint_eq(msg_queue_peek(outbox)->count, 8);
    const DramStats *stats = partition_dram_stats(partition);
    ck_assert_uint_eq(stats->reads + stats->writes, 8);
    ck_assert_uint_eq(stats->row_hits, 7);
    partition_free(partition);
}
END_TEST

START_TEST(a_port_passes_one_flit_per_interconnect_clock)
{
    const Machine machine = defaults();
    Partition *partition = make(&machine);
    for (uint32_t i = 0; i < 230; i++) {
        const Msg msg = request(0, 0, 128, false, i);
        inbox_push(partition_inbox(partition), &msg);
    }
    partition_run(partition, 1 << 20);
    MsgQueue *outbox = partition_outbox(partition);
    const Cycle first = outbox->msgs[outbox->head].time, last = outbox->msgs[outbox->tail - 1].time;
    ck_assert_uint_ge(last - first, (UINT64_C(229) * 4 * 54) / 23);
    partition_free(partition);
}
END_TEST

/* The cycle at which the last of 100 writes of `words` of 64 bytes is acknowledged. */
static Cycle last_of_100_writes(uint32_t rop_bytes, uint32_t rop_masked_bytes, uint32_t words)
{
    Machine machine = defaults();
    machine.partition.rop_bytes = rop_bytes;
    machine.partition.rop_masked_bytes = rop_masked_bytes;
    Partition *partition = make(&machine);
    for (uint32_t i = 0; i < 100; i++) {
        Msg msg = request(0, i * UINT64_C(64) % 256 + i / 4 * UINT64_C(256), 64, true, i);
        msg.words = words;
        inbox_push(partition_inbox(partition), &msg);
    }
    partition_run(partition, 100000);
    Cycle last = 0;
    for (const Msg *msg; (msg = msg_queue_peek(partition_outbox(partition))); msg_queue_pop(partition_outbox(partition)))
        last = msg->time;
    partition_free(partition);
    return last;
}

/* 64 bytes at 16 a clock take four interconnect clocks of 54/23 cycles, more than the port's three flits and the DRAM's six cycles. */
START_TEST(written_data_passes_the_raster_output_units)
{
    const Cycle limited = last_of_100_writes(16, 0, 0xffff), free = last_of_100_writes(0, 8, 0xffff);
    ck_assert_uint_ge(limited, 100 * 4 * 54 / 23 + 316);
    ck_assert_uint_le(limited, 100 * 4 * 54 / 23 + 316 + 100);
    ck_assert_uint_lt(free + 200, limited);
}
END_TEST

/* Of some of their words they take eight clocks, at 8 bytes a clock. */
START_TEST(masked_writes_pass_them_at_a_rate_of_their_own)
{
    const Cycle limited = last_of_100_writes(0, 8, 0xfffe), free = last_of_100_writes(16, 0, 0xfffe);
    ck_assert_uint_ge(limited, 100 * 8 * 54 / 23 + 316);
    ck_assert_uint_le(limited, 100 * 8 * 54 / 23 + 316 + 100);
    ck_assert_uint_eq(free, last_of_100_writes(0, 8, 0xffff));
}
END_TEST

/*
 * Twenty writes of 64 bytes that each take 64 clocks, and a read behind them. The read has passed the port behind 60 flits, at
 * ceil(61 * 54/23) = 144, and needs 367 cycles from there on when nothing is in its way, as above; the DRAM may turn its bus and the row
 * is open or not, for less than 100 cycles. The last write has passed after 20 * 64 * 54/23 = 3005 cycles at the earliest.
 */
START_TEST(reads_pass_beside_the_writes)
{
    Machine machine = defaults();
    machine.partition.rop_masked_bytes = 1;
    Partition *partition = make(&machine);
    for (uint32_t i = 0; i <= 20; i++) {
        const Msg msg = request(0, i * UINT64_C(64), 64, i < 20, i);
        inbox_push(partition_inbox(partition), &msg);
    }
    partition_run(partition, 100000);
    Cycle read = 0, last = 0;
    for (const Msg *msg; (msg = msg_queue_peek(partition_outbox(partition))); msg_queue_pop(partition_outbox(partition))) {
        if (msg->tag == 20) read = msg->time;
        last = msg->time;
    }
    ck_assert_uint_ge(read, 144 + 367);
    ck_assert_uint_lt(read, 144 + 367 + 100);
    ck_assert_uint_gt(last, 3005);
    partition_free(partition);
}
END_TEST

START_TEST(an_idle_partition_has_nothing_next)
{
    const Machine machine = defaults();
    Partition *partition = make(&machine);
    ck_assert(partition_next(partition) == CYCLE_NEVER);
    const Msg msg = request(77, 0, 32, false, 0);
    inbox_push(partition_inbox(partition), &msg);
    ck_assert_uint_eq(partition_next(partition), 77);
    partition_run(partition, 78);
    ck_assert_uint_eq(partition_pending(partition), 1);
    ck_assert_uint_gt(partition_next(partition), 77 + machine.partition.pipeline_cycles);
    partition_free(partition);
}
END_TEST

/* Cycle by cycle: whatever produces a reply was announced for that cycle or an earlier one. */
START_TEST(next_is_never_too_late)
{
    const Machine machine = defaults();
    g_autofree Msg *msgs = traffic();
    Partition *partition = make(&machine);
    uint32_t pushed = 0, replies = 0;
    for (Cycle now = 0; now < 50000; now++) {
        for (; pushed < N && msgs[pushed].time <= now; pushed++)
            inbox_push(partition_inbox(partition), &msgs[pushed]);
        const Cycle next = partition_next(partition);
        partition_run(partition, now + 1);
        MsgQueue *outbox = partition_outbox(partition);
        for (; msg_queue_peek(outbox); msg_queue_pop(outbox), replies++)
            ck_assert_uint_le(next, now);
    }
    ck_assert_uint_gt(replies, 1000);
    partition_free(partition);
}
END_TEST

START_TEST(settling_counts_refreshes_up_to_the_cycle)
{
    const Machine machine = defaults();
    Partition *partition = make(&machine);
    partition_run(partition, 53000);
    partition_settle(partition, 10 * 3510 / 2 * 3);
    ck_assert_uint_eq(partition_dram_stats(partition)->refreshes, 9);
    partition_settle(partition, 10 * 3510 / 2 * 3 + 1);
    ck_assert_uint_eq(partition_dram_stats(partition)->refreshes, 10);
    partition_free(partition);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, an_unloaded_request_takes_the_sum_of_its_parts, 0, G_N_ELEMENTS(UNLOADED));
    tcase_add_loop_test(tcase, a_reply_goes_back_to_who_asked_with_the_tag_and_the_bytes, 0, 2);
    tcase_add_test(tcase, every_request_is_answered_once);
    tcase_add_loop_test(tcase, windows_change_nothing, 0, G_N_ELEMENTS(WINDOWS));
    tcase_add_test(tcase, replies_arrive_after_the_window_in_which_they_were_decided);
    tcase_add_loop_test(tcase, a_counted_message_is_that_many_requests_with_one_reply, 0, 2);
    tcase_add_test(tcase, a_port_passes_one_flit_per_interconnect_clock);
    tcase_add_test(tcase, written_data_passes_the_raster_output_units);
    tcase_add_test(tcase, masked_writes_pass_them_at_a_rate_of_their_own);
    tcase_add_test(tcase, reads_pass_beside_the_writes);
    tcase_add_test(tcase, an_idle_partition_has_nothing_next);
    tcase_add_test(tcase, next_is_never_too_late);
    tcase_add_test(tcase, settling_counts_refreshes_up_to_the_cycle);
}

int main(void)
{
    return unit_main("partition", add);
}
