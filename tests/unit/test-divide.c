/* Division by multiplication: the quotient of the machine's own division, for every kind of divisor and dividend. */
#include "holds.h"
#include "random.h"
#include "unit.h"

#include "base/divide.h"

static const uint64_t DIVISORS[] = {1,         2, 3, 5, 6, 7, 23, 54, 612001, 1511999, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1,
                                    UINT64_MAX};

static void check(const Divider *d, uint64_t n)
{
    HOLDS(divide(d, n) == n / d->by);
    if (n <= UINT64_MAX - d->by + 1) HOLDS(divide_up(d, n) == n / d->by + (n % d->by != 0));
}

START_TEST(quotients_are_exact)
{
    const Divider d = divider(DIVISORS[_i]);
    uint64_t state = (uint64_t)_i;
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t n = random_next(&state) >> random_below(&state, 64);
        check(&d, n);
        check(&d, n / d.by * d.by);     /* just a multiple */
        check(&d, n / d.by * d.by - 1); /* just below one */
    }
    for (uint64_t n = d.inverse - 1; n - d.inverse + 1 < 3; n++) /* from here on the machine divides */
        check(&d, n);
    check(&d, 0);
    check(&d, UINT64_MAX);
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, quotients_are_exact, 0, G_N_ELEMENTS(DIVISORS));
}

int main(void)
{
    return unit_main("divide", add);
}
