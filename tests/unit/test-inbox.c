#include "holds.h"
#include "random.h"
#include "unit.h"

#include "mem/inbox.h"

static Msg msg(Cycle time, uint16_t src, uint32_t tag)
{
    return (Msg){.time = time, .src = src, .tag = tag};
}

START_TEST(an_empty_inbox_has_nothing_next)
{
    Inbox inbox;
    inbox_init(&inbox);
    ck_assert_ptr_null(inbox_first(&inbox, CYCLE_NEVER));
    ck_assert(inbox_next(&inbox) == CYCLE_NEVER);
    inbox_clear(&inbox);
}
END_TEST

/* The bound is the first cycle that is not asked for. */
START_TEST(only_what_arrives_before_the_bound_is_first)
{
    Inbox inbox;
    inbox_init(&inbox);
    const Msg m = msg(10, 65535, 7);
    inbox_push(&inbox, &m);
    ck_assert_uint_eq(inbox_next(&inbox), 10);
    ck_assert_ptr_null(inbox_first(&inbox, 10));
    ck_assert_ptr_nonnull(inbox_first(&inbox, 11));
    ck_assert_uint_eq(inbox_first(&inbox, 11)->tag, 7);
    ck_assert_uint_eq(inbox_first(&inbox, 11)->src, 65535);
    inbox_pop(&inbox);
    ck_assert_ptr_null(inbox_first(&inbox, CYCLE_NEVER));
    inbox_clear(&inbox);
}
END_TEST

/* 100 messages are taken out while others come, more than an inbox has places for at first; each is itself until it is given back. */
START_TEST(a_taken_message_stays_until_it_is_given_back)
{
    enum { N = 100 };
    uint32_t places[N];
    Inbox inbox;
    inbox_init(&inbox);
    for (uint32_t i = 0; i < N; i++) {
        const Msg m = msg(i, 0, i), later = msg(N + i, 0, N + i);
        inbox_push(&inbox, &m);
        inbox_push(&inbox, &later);
        ck_assert_uint_eq(inbox_first(&inbox, N)->tag, i);
        places[i] = inbox_take(&inbox);
        ck_assert_uint_eq(inbox_count_taken(&inbox), i + 1);
    }
    for (uint32_t i = N; i-- > 0;) {
        ck_assert_uint_eq(inbox_taken(&inbox, places[i])->tag, i);
        inbox_give_back(&inbox, places[i]);
        ck_assert_uint_eq(inbox_count_taken(&inbox), i);
        ck_assert_uint_eq(inbox_first(&inbox, CYCLE_NEVER)->tag, 2 * N - 1 - i);
        inbox_pop(&inbox);
    }
    inbox_clear(&inbox);
}
END_TEST

/* An inbox and a queue in message order are given the same in turns of pushes and pops, so that storage wraps, moves and grows. */
START_TEST(messages_come_out_as_out_of_a_queue)
{
    uint64_t state = 3;
    uint32_t pushed = 0, popped = 0;
    Inbox inbox;
    MsgQueue queue;
    inbox_init(&inbox);
    msg_queue_init(&queue);
    for (Cycle now = 0; now < 8000; now++) {
        for (uint64_t n = now < 6000 ? random_below(&state, now < 3000 ? 8 : 5) : 0; n > 0; n--) {
            const Msg m = msg(now + random_below(&state, random_below(&state, 50) ? 60 : 3000), (uint16_t)random_below(&state, 4),
                              pushed++);
            inbox_push(&inbox, &m);
            msg_queue_push(&queue, &m);
        }
        HOLDS(inbox_next(&inbox) == msg_queue_next(&queue));
        for (const Msg *m; (m = inbox_first(&inbox, now + 1)); inbox_pop(&inbox), msg_queue_pop(&queue), popped++)
            HOLDS(m->time <= now && m->tag == msg_queue_peek(&queue)->tag);
        HOLDS(inbox_next(&inbox) > now);
    }
    for (const Msg *m; (m = inbox_first(&inbox, CYCLE_NEVER)); inbox_pop(&inbox), msg_queue_pop(&queue), popped++)
        HOLDS(m->tag == msg_queue_peek(&queue)->tag);
    ck_assert_uint_eq(popped, pushed);
    ck_assert_ptr_null(msg_queue_peek(&queue));
    ck_assert_uint_lt(inbox.room, 4096);
    ck_assert_uint_lt(inbox.capacity, 2048);
    inbox_clear(&inbox);
    msg_queue_clear(&queue);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, an_empty_inbox_has_nothing_next);
    tcase_add_test(tcase, only_what_arrives_before_the_bound_is_first);
    tcase_add_test(tcase, a_taken_message_stays_until_it_is_given_back);
    tcase_add_test(tcase, messages_come_out_as_out_of_a_queue);
}

int main(void)
{
    return unit_main("inbox", add);
}
