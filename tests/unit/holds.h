#pragma once
/* As ck_assert, but what holds costs nothing: a runner that forks is told of each ck_assert. For loops of millions. */
#include <check.h>

#define HOLDS(cond)                             \
    do {                                        \
        if (!(cond)) ck_abort_msg("%s", #cond); \
    } while (0)
