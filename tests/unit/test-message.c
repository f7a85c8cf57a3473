#include "random.h"
#include "unit.h"

#include "mem/message.h"

static Msg msg(Cycle time, uint16_t src, uint32_t tag)
{
    return (Msg){.time = time, .src = src, .tag = tag};
}

START_TEST(an_empty_queue_has_nothing_next)
{
    MsgQueue queue;
    msg_queue_init(&queue);
    ck_assert_ptr_null(msg_queue_peek(&queue));
    ck_assert(msg_queue_next(&queue) == CYCLE_NEVER);
    msg_queue_clear(&queue);
}
END_TEST

/* Time decides first, then source. */
static const struct {
    Msg a, b;
} ORDERED[] = {
    {{.time = 1, .src = 9}, {.time = 2, .src = 0}},
    {{.time = 1, .src = 3}, {.time = 1, .src = 4}},
    {{.time = 0xffffffff, .src = 0}, {.time = 0x100000000, .src = 0}},
};

START_TEST(order_is_time_then_source)
{
    ck_assert(msg_before(&ORDERED[_i].a, &ORDERED[_i].b));
    ck_assert(!msg_before(&ORDERED[_i].b, &ORDERED[_i].a));
    ck_assert(!msg_before(&ORDERED[_i].a, &ORDERED[_i].a));
}
END_TEST

START_TEST(messages_pushed_in_any_order_come_out_in_message_order)
{
    enum { N = 2000 };
    uint64_t state = 1;
    MsgQueue queue;
    msg_queue_init(&queue);
    for (uint32_t i = 0; i < N; i++) {
        const Msg m = msg(random_below(&state, 300), (uint16_t)random_below(&state, 8), i);
        msg_queue_push(&queue, &m);
    }
    Msg last = msg(0, 0, 0);
    for (unsigned i = 0; i < N; i++) {
        const Msg m = *msg_queue_peek(&queue);
        ck_assert_uint_eq(m.time, msg_queue_next(&queue));
        ck_assert(!msg_before(&m, &last));
        ck_assert(i == 0 || msg_before(&last, &m) || last.tag < m.tag); /* equals: as they were pushed */
        last = m;
        msg_queue_pop(&queue);
    }
    ck_assert_ptr_null(msg_queue_peek(&queue));
    msg_queue_clear(&queue);
}
END_TEST

/* Pushes and pops in turn, so that the storage wraps, moves and grows: nothing may be lost. */
START_TEST(nothing_is_lost_between_pushes_and_pops)
{
    uint64_t state = 2, pushed = 0, popped = 0, tags_in = 0, tags_out = 0;
    MsgQueue queue;
    msg_queue_init(&queue);
    for (Cycle now = 0; now < 5000; now++) {
        for (uint64_t n = random_below(&state, now < 2500 ? 6 : 4); n > 0; n--) {
            Msg m = msg(now + random_below(&state, 60), (uint16_t)random_below(&state, 3), (uint32_t)pushed++);
            m.tag = (uint32_t)random_next(&state);
            tags_in += m.tag;
            msg_queue_push(&queue, &m);
        }
        while (msg_queue_next(&queue) <= now) {
            tags_out += msg_queue_peek(&queue)->tag;
            popped++;
            msg_queue_pop(&queue);
        }
    }
    for (; msg_queue_peek(&queue); msg_queue_pop(&queue), popped++)
        tags_out += msg_queue_peek(&queue)->tag;
    ck_assert_uint_eq(popped, pushed);
    ck_assert_uint_eq(tags_out, tags_in);
    ck_assert_uint_lt(queue.capacity, 2048);
    msg_queue_clear(&queue);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, an_empty_queue_has_nothing_next);
    tcase_add_loop_test(tcase, order_is_time_then_source, 0, G_N_ELEMENTS(ORDERED));
    tcase_add_test(tcase, messages_pushed_in_any_order_come_out_in_message_order);
    tcase_add_test(tcase, nothing_is_lost_between_pushes_and_pops);
}

int main(void)
{
    return unit_main("message", add);
}
