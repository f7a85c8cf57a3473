#pragma once
/* What the runs of a row came to. Its arrays lay at several places, or chains ran on several SMs, in several processes: each of these is a
 * place here. */
#include <iosfwd>
#include <vector>

struct Timing {
    std::vector<std::vector<double>> places; /* cycles of the runs of each; with its steps: of one step */
    double cold = 0;                         /* cycles of the very first run, which is not among them */
    bool chain = false;                      /* clock64 in the kernel; otherwise time between events */
    int launches = 1;                        /* that a run is made of */
    double dram_bytes = 0;                   /* that a run reads at the least; 0 where that is not known */
    double launch_us = 0;                    /* what was taken off, for all launches; 0 for a chain */
    double event_us = 0;                     /* the shortest time between the events, the launch taken off */
    double khz = 0;                          /* median; of several times the mean of these */
    int again = 0;                           /* runs made again since the clock had changed */
    bool unsteady = false;                   /* it changed too often: runs of different clocks are among them */

    double minimum() const, median() const;
    double value() const;          /* what a row says: the mean of the places, of each the middle of its runs */
    double spread_percent() const; /* (largest - smallest) of the middle 80 % of all runs, by the median */
    double places_percent() const; /* (largest - smallest) of the places, by the value */
    double error_percent() const;  /* standard error of the value, by how far the places are apart; 100 for a single one */

    void join(const Timing &other);  /* further places of the same row */
    void write(std::ostream &) const; /* on one line, with all digits, for `read` in another process */
    bool read(std::istream &);
};

double median_of(std::vector<double> values);

/* The mean of the middle half. As robust as the median, and not bound to the 32 ns in which events are told. */
double middle_of(std::vector<double> values);
