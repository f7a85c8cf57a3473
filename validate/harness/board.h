#pragma once
/* The device: what it is called, how it is clocked, and how fast it can be at most. */
#include <string>

struct Board {
    std::string name, pci;
    int capability_major = 0, capability_minor = 0, sms = 0, l2_bytes = 0;
    int memory_khz = 0, bus_bits = 0; /* of the driver's attributes; 0 where it does not say */
    int driver = 0, runtime = 0;      /* CUDA versions, 13000 for 13.0 */

    static bool find(Board *board, std::string *why_not); /* the first device; false without one */
    double dram_peak() const;                             /* bytes a second: two transfers a clock on each line of the bus */
    double l2_peak(double khz) const;                     /* bytes a second: 64 bytes a clock to or from each SM */
    double shared_peak(double khz) const;                 /* bytes a second: 32 banks of 4 bytes in each SM */
    double issue_peak(double khz) const;                  /* warp instructions a second: four schedulers in each SM */
    std::string smi(const char *fields) const;            /* what nvidia-smi answers, `-` where it cannot */
};

/* Finds it; false where there is none, and says so. */
bool board_is_there(Board *board);
