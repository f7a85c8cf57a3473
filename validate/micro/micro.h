#pragma once
/* Microbenchmarks: the values of a configuration that a program can measure. None of their kernels is one that a configuration is judged on. */
#include <cstdio>

#include "harness/bench.h"
#include "harness/board.h"

/* partition.count of configs/h200.ini: what keys of a partition are a share of. */
enum { PARTITIONS = 96 };

/* The command clock of a partition: configs/h200.ini has a channel's 8 bytes a transfer, two transfers a clock. 0 where the driver does not say. */
inline double dram_khz(const Board &board)
{
    return board.dram_peak() / (PARTITIONS * 8 * 2) / 1000;
}

/* The table `key,value,unit,how`, of keys that `g80sim config keys` has. What is measured but is no key stands in comments. */
class MicroTable {
public:
    explicit MicroTable(FILE *file) : file(file) {}
    void key(const char *key, double value, const char *unit, const std::string &how) const;
    void aside(const std::string &name, double value, const char *unit, const std::string &how) const;

private:
    FILE *file;
};

void micro_device(const MicroTable &table, const Board &board, Bench &bench);   /* what the driver says of the device */
void micro_ops(const MicroTable &table, Bench &bench);                          /* latency and throughput by class */
void micro_issue(const MicroTable &table, Bench &bench);                        /* registers, loops, branches, loads of constants */
void micro_latencies(const MicroTable &table, Bench &bench, Bench &flushed);    /* a load from each level */
void micro_l1(const MicroTable &table, const Board &board, Bench &bench);       /* requests to L1: hits, misses, textures */
void micro_stores(const MicroTable &table, const Board &board, Bench &bench);   /* stores that meet on their way to L2 */
void micro_knees(const MicroTable &table, const Board &board, Bench &quick);    /* capacities, by where a chase becomes slower */
void micro_traffic(const MicroTable &table, const Board &board, Bench &bench, Bench &flushed); /* by lines, sectors, order; ramps */
void micro_throughput(const MicroTable &table, const Board &board, Bench &bench); /* shared memory, atomic operations, L2, DRAM */

/* All of it. */
void micro_write(FILE *file, const Board &board, int runs);
