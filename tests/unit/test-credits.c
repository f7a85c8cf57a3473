/* The room that a cluster has at each partition. */
#include "holds.h"
#include "random.h"
#include "unit.h"

#include "sm/credits.h"

enum { PARTITIONS = 3 };

static Credits make(uint32_t limit)
{
    Credits credits;
    credits_init(&credits, limit, PARTITIONS);
    return credits;
}

/* The cycle at which `bytes` have room that are ready at `at`; CYCLE_NEVER when no return that is known makes room. */
static Cycle taken_at(Credits *credits, unsigned partition, unsigned bytes, Cycle at)
{
    return credits_take(credits, partition, bytes, &at) ? at : CYCLE_NEVER;
}

/* 128 bytes are room for two of 64, not for one byte more, until one has come back at cycle 50. */
static const struct {
    Cycle ready, taken;
} READY[] = {{12, 50}, {49, 50}, {50, 50}, {51, 51}};

START_TEST(room_is_taken_and_given_back)
{
    Credits credits = make(128);
    ck_assert_uint_eq(taken_at(&credits, 1, 64, 10), 10);
    ck_assert_uint_eq(taken_at(&credits, 1, 64, 11), 11);
    ck_assert_uint_eq(taken_at(&credits, 1, 1, 12), CYCLE_NEVER);
    credits_return(&credits, 1, 64, 50);
    ck_assert_uint_eq(taken_at(&credits, 1, 64, READY[_i].ready), READY[_i].taken);
    ck_assert_uint_eq(taken_at(&credits, 1, 1, 60), CYCLE_NEVER);
    credits_clear(&credits);
}
END_TEST

START_TEST(each_partition_has_room_of_its_own)
{
    Credits credits = make(64);
    for (unsigned i = 0; i < PARTITIONS; i++)
        ck_assert_uint_eq(taken_at(&credits, i, 64, 10 + i), 10 + i);
    credits_return(&credits, 2, 64, 30);
    ck_assert_uint_eq(taken_at(&credits, 2, 32, 20), 30);
    ck_assert_uint_eq(taken_at(&credits, 0, 32, 30), CYCLE_NEVER);
    credits_clear(&credits);
}
END_TEST

/* Both ways round: it waits until all are back, and others wait until it is. */
START_TEST(what_is_larger_than_the_limit_goes_alone)
{
    Credits credits = make(64);
    ck_assert_uint_eq(taken_at(&credits, 0, 128, 5), 5);
    ck_assert_uint_eq(taken_at(&credits, 0, 1, 6), CYCLE_NEVER);
    credits_return(&credits, 0, 128, 20);
    ck_assert_uint_eq(taken_at(&credits, 0, 32, 6), 20);
    ck_assert_uint_eq(taken_at(&credits, 0, 32, 20), 20);
    credits_return(&credits, 0, 32, 40);
    ck_assert_uint_eq(taken_at(&credits, 0, 128, 21), CYCLE_NEVER);
    credits_return(&credits, 0, 32, 41);
    ck_assert_uint_eq(taken_at(&credits, 0, 128, 40), 41);
    credits_clear(&credits);
}
END_TEST

/* As many returns are waited for as are needed: of 128 bytes under way half are back at 30, all at 40. */
static const struct {
    unsigned bytes;
    Cycle taken;
} NEEDS[] = {{64, 30}, {65, 40}, {128, 40}};

START_TEST(returns_count_in_their_order)
{
    Credits credits = make(128);
    taken_at(&credits, 0, 64, 0);
    taken_at(&credits, 0, 64, 0);
    taken_at(&credits, 1, 128, 0);
    credits_return(&credits, 1, 128, 20);
    credits_return(&credits, 0, 64, 30);
    credits_return(&credits, 0, 64, 40);
    ck_assert_uint_eq(taken_at(&credits, 0, NEEDS[_i].bytes, 10), NEEDS[_i].taken);
    credits_clear(&credits);
}
END_TEST

/* A return that makes too little room moves the time on; the next call goes on from there. */
START_TEST(waiting_goes_on_where_it_stopped)
{
    Credits credits = make(128);
    taken_at(&credits, 0, 96, 0);
    taken_at(&credits, 0, 32, 0);
    Cycle at = 10;
    ck_assert(!credits_take(&credits, 0, 64, &at));
    ck_assert_uint_eq(at, 10);
    credits_return(&credits, 0, 32, 20);
    ck_assert(!credits_take(&credits, 0, 64, &at));
    ck_assert_uint_eq(at, 20);
    credits_return(&credits, 0, 96, 35);
    ck_assert(credits_take(&credits, 0, 64, &at));
    ck_assert_uint_eq(at, 35);
    credits_clear(&credits);
}
END_TEST

START_TEST(without_a_limit_nothing_waits)
{
    Credits credits = make(0);
    for (unsigned i = 0; i < 1000; i++)
        ck_assert_uint_eq(taken_at(&credits, 0, 128, 7), 7);
    credits_return(&credits, 0, 128, 9);
    ck_assert_uint_eq(taken_at(&credits, 0, 128, 8), 8);
    ck_assert_uint_eq(credits_unanswered(&credits, PARTITIONS), 0);
    credits_clear(&credits);
}
END_TEST

START_TEST(what_is_unanswered_is_known)
{
    Credits credits = make(128);
    taken_at(&credits, 0, 64, 0);
    taken_at(&credits, 2, 32, 0);
    ck_assert_uint_eq(credits_unanswered(&credits, PARTITIONS), 96);
    credits_return(&credits, 0, 64, 30);
    ck_assert_uint_eq(credits_unanswered(&credits, PARTITIONS), 32);
    credits_return(&credits, 2, 32, 30);
    ck_assert_uint_eq(credits_unanswered(&credits, PARTITIONS), 0);
    credits_clear(&credits);
}
END_TEST

enum { N = 20000, LIMIT = 256 };

typedef struct {
    unsigned partition, bytes;
    Cycle ready, taken, back;
} Request;

/* Requests one behind the other, whose replies come one behind the other. */
static void random_requests(Request *requests)
{
    uint64_t state = 5;
    Cycle ready = 0;
    for (unsigned i = 0; i < N; i++) {
        ready += random_below(&state, random_below(&state, 50) == 0 ? 1000 : 8);
        requests[i] = (Request){.partition = (unsigned)random_below(&state, PARTITIONS),
                                .bytes = (unsigned)random_below(&state, 10) * 32 + 32,
                                .ready = ready};
    }
}

static Cycle back_of(const Request *requests, unsigned i)
{
    const Cycle back = requests[i].taken + 100 + i % 7 * 10;
    return i ? cycle_max(back, requests[i - 1].back) : back;
}

/* By the definition, from all requests before: the first cycle not before `from` at which there is room. */
static Cycle room_for(const Request *requests, unsigned i, Cycle from)
{
    for (Cycle at = from;; at++) {
        unsigned under_way = 0;
        Cycle next = CYCLE_NEVER;
        for (unsigned k = i > 100 ? i - 100 : 0; k < i; k++) {
            if (requests[k].back <= at) continue;
            next = cycle_min(next, requests[k].back);
            if (requests[k].partition == requests[i].partition) under_way += requests[k].bytes;
        }
        if (!under_way || under_way + requests[i].bytes <= LIMIT) return at;
        at = next - 1;
    }
}

/* Whether a return is known as soon as its request goes, or only when somebody waits for it, changes nothing. */
START_TEST(when_returns_become_known_changes_nothing)
{
    static Request requests[N];
    random_requests(requests);
    Credits credits = make(LIMIT);
    Cycle at = 0;
    unsigned returned = 0;
    for (unsigned i = 0; i < N; i++) {
        Request *r = &requests[i];
        at = cycle_max(at, r->ready);
        const Cycle want = room_for(requests, i, at);
        while (!credits_take(&credits, r->partition, r->bytes, &at)) {
            HOLDS(returned < i);
            credits_return(&credits, requests[returned].partition, requests[returned].bytes, requests[returned].back);
            returned++;
        }
        HOLDS(at == want);
        r->taken = at;
        r->back = back_of(requests, i);
        for (; _i && returned <= i; returned++)
            credits_return(&credits, requests[returned].partition, requests[returned].bytes, requests[returned].back);
    }
    credits_clear(&credits);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, room_is_taken_and_given_back, 0, G_N_ELEMENTS(READY));
    tcase_add_test(tcase, each_partition_has_room_of_its_own);
    tcase_add_test(tcase, what_is_larger_than_the_limit_goes_alone);
    tcase_add_loop_test(tcase, returns_count_in_their_order, 0, G_N_ELEMENTS(NEEDS));
    tcase_add_test(tcase, waiting_goes_on_where_it_stopped);
    tcase_add_test(tcase, without_a_limit_nothing_waits);
    tcase_add_test(tcase, what_is_unanswered_is_known);
    tcase_add_loop_test(tcase, when_returns_become_known_changes_nothing, 0, 2);
}

int main(void)
{
    return unit_main("credits", add);
}
