#pragma once
/* Microbenchmarks: the values of a configuration that a program can measure. */
#include <cstdio>

#include "harness/bench.h"
#include "harness/board.h"

/* A table `key,value,unit,how`; what has no key is a comment. */
void micro_write(FILE *file, const Board &board, Bench &bench);
