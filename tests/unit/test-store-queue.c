/* Stores that wait for their way out, and what joins them. */
#include "sm/store-queue.h"

#include "mem/message.h"
#include "simulate.h"

enum { PATH = 3 }; /* cycles that each store takes of the load/store path */

typedef struct {
    StoreQueue queue;
    StoreRules rules;
    Fifo sent;
    uint64_t n_sent;
} Way;

static void way_init(Way *way)
{
    *way = (Way){.rules = {.requests = 2, .lines = 4, .hold = 5, .step = 2, .masks = true}};
    fifo_init(&way->sent);
}

/* A store at `at` to n sectors that are `apart` bytes apart, these words of each. Returns how many messages it sends. */
static unsigned put(Way *way, Cycle at, Addr base, unsigned n, unsigned apart, uint32_t words)
{
    Coalesced c = {.n = n};
    for (unsigned i = 0; i < n; i++)
        c.transactions[i] = (Transaction){.addr = i * apart, .words = words, .bytes = 32};
    const Store store = {&c, base, store_lines(&c, base), at, at + PATH};
    uint8_t alone[COALESCE_MAX];
    const unsigned left = store_queue_join(&way->queue, &way->rules, (StoreMessages){&way->sent, way->n_sent}, &store, alone);
    for (unsigned i = 0; i < left; i++) {
        const Msg msg = {.kind = MSG_WRITE, .addr = base + c.transactions[alone[i]].addr, .words = words, .bytes = 32};
        fifo_push(&way->sent, &msg);
    }
    way->n_sent += left;
    if (left) store_queue_add(&way->queue, &way->rules, (StoreMessages){&way->sent, way->n_sent}, &store, left);
    return left;
}

static const Msg *sent(const Way *way, unsigned i)
{
    return fifo_peek(&way->sent, Msg) + i;
}

/* Checks with each of these numbers, on a way of its own. */
static void each(unsigned from, unsigned to, void (*check)(Way *way, unsigned number))
{
    for (unsigned number = from; number <= to; number++) {
        Way way;
        way_init(&way);
        check(&way, number);
        fifo_clear(&way.sent);
    }
}

static void check_late(Way *way, unsigned late)
{
    ck_assert_uint_eq(put(way, 100, 4096, 4, 32, 0x0f), 4);
    ck_assert_uint_eq(sent(way, 0)->time, 100 + PATH + 5);
    ck_assert_uint_eq(sent(way, 3)->time, 100 + PATH + 5 + 3 * 2);
    ck_assert_uint_eq(put(way, 100 + PATH + 5 - 1 + late, 4096, 4, 32, 0xf0), late ? 4 : 0);
    ck_assert_uint_eq(sent(way, 0)->words, late ? 0x0f : 0xff);
    /* and waits anew; else the second comes behind the first, which takes 4 sectors and a mask */
    ck_assert_uint_eq(sent(way, late ? 4 : 0)->time, late ? 108 + (4 + 1) * 2 : 107 + PATH + 5);
}

/* The first waits until PATH + 5 cycles behind it have passed: a store in the last of them joins, one behind it does not. */
START_TEST(joins_what_has_not_left)
{
    each(0, 1, check_late);
}
END_TEST

/* A line that has become whole takes 4 steps, a stretch that is written in part one more: two lines of one sector 2 + 2. */
START_TEST(a_mask_for_each_stretch)
{
    Way way;
    way_init(&way);
    put(&way, 100, 4096, 4, 32, 0x0f);
    put(&way, 103, 8192, 2, 128, 0xff);                        /* whole sectors need none */
    ck_assert_uint_eq(sent(&way, 4)->time, 111 + (4 + 1) * 2); /* 111: 103 + PATH + 5, both begin anew */
    put(&way, 106, 4096, 4, 32, 0xf0);
    ck_assert_uint_eq(sent(&way, 4)->time, 114 + 4 * 2);
    put(&way, 109, 8192, 2, 128, 0x01);
    ck_assert_uint_eq(way.queue.at[1].steps, 2);
    way.rules.masks = false;
    put(&way, 112, 16384, 1, 32, 0x01);
    ck_assert_uint_eq(way.queue.at[2].steps, 1);
    fifo_clear(&way.sent);
}
END_TEST

/* Two may wait: the third lets the first go, and the path is held until it has gone. */
START_TEST(too_many_let_the_first_go)
{
    Way way;
    way_init(&way);
    put(&way, 100, 4096, 4, 32, 0x0f);
    put(&way, 103, 8192, 4, 32, 0x0f);
    ck_assert_uint_eq(store_queue_room(&way.queue, &way.rules, 96, 10), 96);
    put(&way, 106, 16384, 4, 32, 0x0f);
    ck_assert_uint_eq(sent(&way, 0)->time, 106);
    ck_assert_uint_eq(store_queue_room(&way.queue, &way.rules, 90, 10), 96); /* a store that issues then comes at 106 */
    ck_assert_uint_eq(put(&way, 107, 4096, 4, 32, 0xf0), 4);                 /* it has left */
    ck_assert_uint_eq(put(&way, 107, 8192, 4, 32, 0xf0), 0);
    ck_assert_uint_eq(put(&way, 107, 8192 + 96, 2, 32, 0xf0), 1); /* one sector of it, and one of its own */
    fifo_clear(&way.sent);
}
END_TEST

static void check_lines(Way *way, unsigned lines)
{
    ck_assert_uint_eq(put(way, 100, 0, lines, 128, 0x01), lines);
    ck_assert_uint_eq(put(way, 101, 0, lines, 128, 0x02), lines == 4 ? 0 : lines);
    ck_assert_uint_eq(put(way, 102, 0, 1, 128, 0x04), lines == 4 ? 0 : 1);
}

/* Four lines may, five may not, whichever of them comes first. */
START_TEST(many_lines_join_nothing)
{
    each(4, 5, check_lines);
}
END_TEST

#define MACHINE "sm.transaction_cycles=1 coalescer.policy=sector icnt.write_header=mask l2.bytes=65536 l2.serves=all"
#define JOINED MACHINE " sm.store_requests=5"

/* The words of three stores arrive in L2 as a third of the messages, all of them; how long a window is does not matter. */
START_TEST(whole_kernels)
{
    static const char TEXT[] =
        "g80trace 1\nglobal G[1024][3] : u32\nkernel k\n  grid 16\n  block 64\n  regs 4\n"
        "  st G[ctaid.x*64 + tid.x][0], r0\n  st G[ctaid.x*64 + tid.x][1], r1\n  st G[ctaid.x*64 + tid.x][2], r2\nend\n";
    KernelResult apart = simulate(TEXT, "", MACHINE, 0), joined = simulate(TEXT, "", JOINED, 0);
    const uint64_t sectors = 1024 * 3 * 4 / 32;
    ck_assert_uint_eq(apart.memory.l2.accesses, 3 * sectors);
    ck_assert_uint_eq(joined.memory.l2.accesses, sectors);
    ck_assert_uint_eq(joined.global_store.transactions, 3 * sectors);
    for (Cycle window = 1; window < 48; window += 15) {
        KernelResult again = simulate(TEXT, "", JOINED, window);
        ck_assert_uint_eq(again.kernel.cycles, joined.kernel.cycles);
        ck_assert_uint_eq(again.memory.l2.accesses, joined.memory.l2.accesses);
        result_clear(&again);
    }
    result_clear(&apart);
    result_clear(&joined);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_test(tcase, joins_what_has_not_left);
    tcase_add_test(tcase, a_mask_for_each_stretch);
    tcase_add_test(tcase, too_many_let_the_first_go);
    tcase_add_test(tcase, many_lines_join_nothing);
    tcase_add_test(tcase, whole_kernels);
}

int main(void)
{
    return unit_main("store-queue", add);
}
