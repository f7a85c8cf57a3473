/* The wake-up wheel against a list of (warp, time), looked through each time. */
#include "holds.h"
#include "random.h"
#include "sm/wheel.h"
#include "unit.h"

enum { WARPS = 64, ROUNDS = 300000 };

typedef struct {
    Wheel wheel;
    Cycle at[WARPS]; /* CYCLE_NEVER: awake */
} Both;

/* Times beyond the wheel's turn come at its far end. */
static void sleep_until(Both *b, unsigned warp, Cycle at)
{
    const Cycle far = b->wheel.now + WHEEL_SLOTS - 1;
    b->at[warp] = at < far ? at : far;
    wheel_add(&b->wheel, warp, b->wheel.now, at);
}

static Cycle next(const Both *b)
{
    Cycle first = CYCLE_NEVER;
    for (unsigned w = 0; w < WARPS; w++)
        first = cycle_min(first, b->at[w]);
    return first;
}

static void check_advance(Both *b, Cycle to)
{
    uint64_t want = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        if (b->at[w] > to) continue;
        want |= UINT64_C(1) << w;
        b->at[w] = CYCLE_NEVER;
    }
    const uint64_t have = wheel_advance(&b->wheel, to);
    if (have != want) ck_abort_msg("woken %" G_GINT64_MODIFIER "x, want %" G_GINT64_MODIFIER "x", have, want);
    HOLDS(b->wheel.now == to);
}

START_TEST(wakes_whom_a_list_wakes)
{
    static const unsigned SPANS[] = {1, 3, 70, 200, 255, 256, 257, 300, 5000};
    uint64_t seed = 31;
    Both b;
    wheel_init(&b.wheel, (Cycle)_i * 61);
    for (unsigned w = 0; w < WARPS; w++)
        b.at[w] = CYCLE_NEVER;
    for (unsigned n = 0; n < ROUNDS; n++) {
        const unsigned span = SPANS[random_below(&seed, G_N_ELEMENTS(SPANS))], warp = (unsigned)random_below(&seed, WARPS);
        if (b.at[warp] == CYCLE_NEVER) sleep_until(&b, warp, b.wheel.now + 1 + random_below(&seed, span));
        HOLDS(wheel_next(&b.wheel) == next(&b));
        if (random_below(&seed, 3) == 0) check_advance(&b, b.wheel.now + random_below(&seed, span + 1));
        HOLDS(wheel_next(&b.wheel) == next(&b));
    }
}
END_TEST

START_TEST(an_empty_wheel_turns_freely)
{
    Wheel wheel;
    wheel_init(&wheel, 5);
    ck_assert_uint_eq(wheel_next(&wheel), CYCLE_NEVER);
    ck_assert_uint_eq(wheel_advance(&wheel, UINT64_C(1) << 40), 0);
    ck_assert_uint_eq(wheel_next(&wheel), CYCLE_NEVER);
    ck_assert_uint_eq(wheel.now, UINT64_C(1) << 40);
}
END_TEST

START_TEST(one_cycle_before_and_at_the_time)
{
    for (Cycle now = 0; now < 2 * WHEEL_SLOTS; now++) {
        for (Cycle in = 1; in < WHEEL_SLOTS; in++) {
            Wheel wheel;
            wheel_init(&wheel, now);
            wheel_add(&wheel, 63, wheel.now, now + in);
            HOLDS(wheel_next(&wheel) == now + in);
            HOLDS(wheel_advance(&wheel, now + in - 1) == 0);
            HOLDS(wheel_advance(&wheel, now + in) == UINT64_C(1) << 63);
            HOLDS(wheel_next(&wheel) == CYCLE_NEVER);
        }
    }
}
END_TEST

START_TEST(far_times_wake_early)
{
    Wheel wheel;
    wheel_init(&wheel, 1000);
    wheel_add(&wheel, 0, wheel.now, 1000 + WHEEL_SLOTS);
    wheel_add(&wheel, 1, wheel.now, CYCLE_NEVER - 1);
    wheel_add(&wheel, 2, wheel.now, 1000 + WHEEL_SLOTS - 1);
    ck_assert_uint_eq(wheel_next(&wheel), 1000 + WHEEL_SLOTS - 1);
    ck_assert_uint_eq(wheel_advance(&wheel, 1000 + WHEEL_SLOTS - 1), 7);
}
END_TEST

/* 1000 + 63 = 1063 is looked at late, at 1070: the next look is at 1063 + 63 = 1126 all the same, and the one at 1189 past the time itself. */
START_TEST(a_late_look_does_not_move_the_next)
{
    Wheel wheel;
    wheel_init(&wheel, 1000);
    wheel_add(&wheel, 5, wheel.now, 1180);
    ck_assert_uint_eq(wheel_advance(&wheel, 1070), 1u << 5);
    wheel_add_again(&wheel, 5, 1180);
    ck_assert_uint_eq(wheel.far, 1u << 5);
    ck_assert_uint_eq(wheel_next(&wheel), 1126);
    ck_assert_uint_eq(wheel_advance(&wheel, 1126), 1u << 5);
    wheel_add_again(&wheel, 5, 1180);
    ck_assert_uint_eq(wheel.far, 0);
    ck_assert_uint_eq(wheel_next(&wheel), 1180);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, wakes_whom_a_list_wakes, 0, 3);
    tcase_add_test(tcase, an_empty_wheel_turns_freely);
    tcase_add_test(tcase, one_cycle_before_and_at_the_time);
    tcase_add_test(tcase, far_times_wake_early);
    tcase_add_test(tcase, a_late_look_does_not_move_the_next);
}

int main(void)
{
    return unit_main("wheel", add);
}
