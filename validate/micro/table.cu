#include "harness/rows.h"
#include "micro/micro.h"

void MicroTable::key(const char *key, double value, const char *unit, const std::string &how) const
{
    fprintf(file, "%s,%.6g,%s,%s\n", key, value, unit, csv_field(how).c_str());
    fflush(file);
}

void MicroTable::aside(const std::string &name, double value, const char *unit, const std::string &how) const
{
    fprintf(file, "# %s: %.6g %s; %s\n", name.c_str(), value, unit, how.c_str());
    fflush(file);
}

void micro_device(const MicroTable &table, const Board &board, Bench &bench)
{
    cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    Run empty;
    empty.launch = [] {};
    const double khz = bench.time(empty).khz;
    table.key("sm.khz", khz, "kHz", "clock64 over globaltimer, median");
    table.key("sm.compute_capability", p.major + p.minor / 10.0, "version", "the driver");
    table.key("sm.count", p.multiProcessorCount, "count", "the driver");
    table.key("occupancy.registers", p.regsPerMultiprocessor, "register", "the driver");
    table.key("occupancy.shared_bytes", p.sharedMemPerMultiprocessor, "byte", "the driver");
    table.key("occupancy.max_block_shared", p.sharedMemPerBlockOptin, "byte", "the driver");
    table.key("occupancy.reserved_shared", p.reservedSharedMemPerBlock, "byte", "the driver");
    table.key("occupancy.max_threads", p.maxThreadsPerMultiProcessor, "thread", "the driver");
    table.key("occupancy.max_warps", p.maxThreadsPerMultiProcessor / 32, "warp", "the driver: threads");
    table.key("occupancy.max_blocks", p.maxBlocksPerMultiProcessor, "block", "the driver");
    table.key("occupancy.max_block_threads", p.maxThreadsPerBlock, "thread", "the driver");
    table.key("launch.overhead_us", bench.overhead_us(1), "us", "between events around an empty kernel");
    table.aside("launch.three", bench.overhead_us(3), "us", "between events around three empty kernels");
    table.aside("memory.khz", board.memory_khz, "kHz", "the driver");
    table.aside("memory.bits", board.bus_bits, "bit", "the driver");
    if (board.dram_peak() > 0)
        table.key("dram.khz", dram_khz(board), "kHz", "the driver's memory clock and bus over partition.count = 96, "
                                                                                     "dram.bus_bytes = 8, dram.data_rate = 2");
}

void micro_write(FILE *file, const Board &board, int runs)
{
    Bench bench(runs, false), flushed(runs, true), quick(3, false);
    fprintf(file, "key,value,unit,how\n");
    const MicroTable table(file);
    micro_device(table, board, bench);
    micro_ops(table, bench);
    micro_issue(table, bench);
    micro_latencies(table, bench, flushed);
    micro_throughput(table, board, bench);
    micro_traffic(table, board, bench, flushed);
    micro_l1(table, board, quick);
    micro_stores(table, board, quick);
    micro_knees(table, board, quick);
}
