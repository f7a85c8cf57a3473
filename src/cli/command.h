#pragma once
/* The commands of g80sim: one row for each in main.c's table, one file for each group of them. */
#include <stdbool.h>
#include <stddef.h>

/* The exit statuses that users are promised. */
enum { STATUS_GOOD = 0, STATUS_NO = 1, STATUS_USAGE = 2, STATUS_TRACE = 3, STATUS_SIM = 4 };

typedef struct Command Command;
struct Command {
    const char *name;    /* one or two words: "run", "trace check" */
    const char *usage;   /* its operands and options */
    const char *doc;     /* one line */
    const char *details; /* further text of its help: examples last */
    /* argv[0] is the command. Returns the exit status. */
    int (*run)(const Command *self, int argc, char **argv);
};

extern const Command commands[];
extern const size_t n_commands;

int cmd_run(const Command *self, int argc, char **argv);
int cmd_config_check(const Command *self, int argc, char **argv);
int cmd_config_show(const Command *self, int argc, char **argv);
int cmd_config_keys(const Command *self, int argc, char **argv);
int cmd_occupancy(const Command *self, int argc, char **argv);
int cmd_roofline(const Command *self, int argc, char **argv);
int cmd_banks(const Command *self, int argc, char **argv);
int cmd_coalesce(const Command *self, int argc, char **argv);
int cmd_explain(const Command *self, int argc, char **argv);
int cmd_compare(const Command *self, int argc, char **argv);
int cmd_model_blocked(const Command *self, int argc, char **argv);
int cmd_model_mwp_cwp(const Command *self, int argc, char **argv);
int cmd_model_stream(const Command *self, int argc, char **argv);
int cmd_model_tiling(const Command *self, int argc, char **argv);
int cmd_trace_check(const Command *self, int argc, char **argv);
int cmd_trace_stats(const Command *self, int argc, char **argv);
int cmd_stats(const Command *self, int argc, char **argv);
int cmd_whatif(const Command *self, int argc, char **argv);
int cmd_ladder(const Command *self, int argc, char **argv);
int cmd_list(const Command *self, int argc, char **argv);
