#pragma once
/*
 * What a measured row is: a kernel that mirrors a trace of workloads/, at the size that its parameters give. A family file of kernels/
 * has a table of such rows; from it come the columns `workload` and `params` of the CSV, so that what is simulated is what was measured.
 */
#include <functional>
#include <string>
#include <utility>
#include <vector>

/* `N=4096 offset=1`, as the CSV has it. A row names every parameter that its kernel looks at: no default is kept in two places. */
class Params {
public:
    explicit Params(const char *text);
    long at(const char *name) const; /* ends the program when it is not there: the table of the family is wrong */

private:
    std::vector<std::pair<std::string, long>> values;
};

/* The least that a run of the kernel must move or do. A time that is shorter than the machine could take for one of these is refused:
 * the work was optimised away. */
struct Least {
    double dram_bytes = 0;   /* read from DRAM when nothing is in L2: distinct bytes */
    double l2_bytes = 0;     /* between the SMs and L2, both ways */
    double shared_bytes = 0; /* between registers and shared memory */
    double warp_insns = 0;   /* instructions of warps */
};

/* A kernel with its arrays on the device, ready to be launched again and again. The functions hold the arrays. */
struct Run {
    std::function<void()> launch;       /* on the default stream; nothing is waited for */
    std::function<void(int)> pass;      /* in its place where there are several launches: launch that one, from 0 on */
    std::function<void()> alone;        /* in its place for counters: without what only says where it runs; may be empty */
    std::function<void()> reset;        /* before each run and not timed; may be empty */
    std::function<std::string()> check; /* compares with the CPU: what is wrong, or nothing */
    int launches = 1; /* timed each for itself; the row is their sum */
    double steps = 0; /* above 0: the trace states steps. The kernel writes its own clock64 span, and the row is a step's share of it */
    const unsigned long long *span = nullptr; /* on the device: that span */
    Least least;
};

struct Case {
    const char *id, *family; /* the row; kernels whose order compare checks */
    const char *workload, *params;
    Run (*make)(const Params &);
    bool slow = false; /* to simulate: seconds. compare --reduced leaves the row out */
};

/* One for each file of kernels/. */
std::vector<Case> alu_cases(), atomic_cases(), bank_cases(), branch_cases(), chase_cases(), constant_cases(), copy_cases(), matmul_cases(),
    reduction_cases(), stencil_cases(), transpose_cases();

/* All rows, family by family. */
std::vector<Case> all_cases();
