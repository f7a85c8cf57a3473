/* g80sim: the commands, and how one of them is chosen. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <glib.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/fail.h"

#define EXIT_STATUSES                                                                 \
    "Exit status: 0 good, 2 a mistake on the command line or in the configuration,\n" \
    "3 in the trace, 4 the simulation cannot go on."

#define HELP_EXPR                                                                             \
    "EXPR is an expression of the trace language: a byte address for each lane, made of\n"    \
    "integers, laneid, tid.x tid.y tid.z, ntid.x ... and + - * / % << >> & | ^ ?: min max.\n" \
    "The warp is the first one of a block of 32 threads in x; --ntid sets another block,\n"   \
    "--warp another warp of it. Quote EXPR: the shell has plans for * and &.\n\n"

#define HELP_OCCUPANCY                                                                             \
    "The registers of an SM, divided by those of a thread, are the threads that fit: of the\n"     \
    "most threads of an SM, that share is the occupancy. Only whole warps of 32 are resident,\n"   \
    "registers are granted in steps, and blocks are resident as a whole: with --threads, shared\n" \
    "memory and the limits of warps, threads and blocks count too. A launch that does not fit\n"   \
    "is an answer: 0 blocks, and why.\n\n"                                                         \
    "Examples:\n"                                                                                  \
    "  g80sim occupancy configs/exercise.ini --regs 48\n"                                          \
    "      65,536 / 48 = 1,365 threads, 66.7 % of 2,048; 42 whole warps = 1,344, 65.6 %\n"         \
    "      (--regs 32: 100 %; --regs 64: 50 %)\n"                                                  \
    "  g80sim occupancy configs/g80.ini --regs 10 --threads 256\n"                                 \
    "      3 blocks, 24 of 24 warps; with 11 registers 2 blocks, 66.7 %\n"                         \
    "  g80sim occupancy configs/exercise.ini --regs 32 --threads 256 --shared 2048\n"              \
    "      8 blocks, limited by registers, warps and threads; shared memory alone: 48\n\n" EXIT_STATUSES
#define HELP_BANKS                                                                               \
    "Successive words of 4 bytes lie in successive banks: bank = (byte / 4) mod banks. Lanes\n"  \
    "that want different words of one bank take turns, each turn a pass; lanes that want the\n"  \
    "same word are served together (a broadcast). The factor is the passes of the worst group\n" \
    "of lanes: 1 means no conflict.\n\n" HELP_EXPR "Examples:\n"                                 \
    "  g80sim banks configs/exercise.ini --address 260\n"                                        \
    "      byte 260 is in bank 1: word 65, and 65 mod 32 banks = 1; all lanes: a broadcast\n"    \
    "  g80sim banks configs/exercise.ini --address '4*laneid'\n"                                 \
    "      words 0..31 in banks 0..31: factor 1\n"                                               \
    "  g80sim banks configs/exercise.ini --address '128*laneid'\n"                               \
    "      a column of tile[32][32]: all in bank 0, factor 32; pad rows by 1 word\n"             \
    "  g80sim banks configs/exercise.ini --address '132*laneid'\n"                               \
    "      a column of tile[32][33]: factor 1\n"                                                 \
    "  g80sim banks configs/g80.ini --address '4*(17*tid.x + tid.y)' --ntid 16,16\n"             \
    "      a column of tile[16][17] by half-warps: factor 1, 2 passes\n"                         \
    "  g80sim banks configs/gt200.ini --address '4*(laneid/4)' --atomic\n"                       \
    "      four lanes on each counter: atomics take turns on a word, factor 4\n\n" EXIT_STATUSES
#define HELP_COALESCE                                                                             \
    "Global memory is read and written in aligned pieces: segments, lines or sectors of 32 to\n"  \
    "128 bytes, each a transaction. Lanes whose words lie side by side share one; the\n"          \
    "efficiency is the share of the moved bytes that some lane uses.\n\n" HELP_EXPR "Examples:\n" \
    "  g80sim coalesce configs/exercise.ini --address '4*laneid'\n"                               \
    "      32 consecutive words: 1 transaction of 128 bytes, 100 %\n"                             \
    "  g80sim coalesce configs/exercise.ini --address '128*laneid'\n"                             \
    "      128 bytes apart: 32 transactions, 3.1 %\n"                                             \
    "  g80sim coalesce configs/exercise.ini --address '64+4*laneid'\n"                            \
    "      consecutive, but from byte 64 on, across a boundary: 2 transactions, 50.0 %\n"         \
    "  g80sim coalesce configs/g80.ini --address '132+4*laneid'\n"                                \
    "      shifted by one word: 32 transactions of 32 bytes; with 128+4*laneid 2 of 64\n"         \
    "  g80sim coalesce configs/gt200.ini --address 0 --atomic\n"                                  \
    "      one counter for all: 2 transactions of 32 bytes, each of depth 16\n\n" EXIT_STATUSES

#define HELP_ROOFLINE                                                                            \
    "A kernel does at most what the arithmetic units can, and at most what the memory lets\n"    \
    "through: its intensity, FLOPS/BYTES, times the bandwidth. Both are equal at the ridge.\n"   \
    "BYTES are those of the memory; run counts both (roofline in its JSON). A multiply-add is\n" \
    "two operations. Numbers may be decimals: 0.25, 1.7e10.\n\n"                                 \
    "Examples:\n"                                                                                \
    "  g80sim roofline configs/exercise.ini\n"                                                   \
    "      10,000 GFLOP/s and 500 GB/s: ridge 20 FLOP/byte\n"                                    \
    "  g80sim roofline configs/exercise.ini --point naive=0.25/1 --point tiled=4/1\n"            \
    "      125 and 2,000 GFLOP/s: both below the ridge, bound by the memory\n"                   \
    "  g80sim roofline configs/g80.ini --flops 2097152 --bytes 1048576 --plot roof.svg\n\n" EXIT_STATUSES

#define HELP_COMPARE                                                                              \
    "FILE.csv has a header and a row for each measured figure; - is standard input. Columns,\n"   \
    "in any order: workload,params,metric,value; and, where wanted, id, board, config, unit,\n"   \
    "confidence, source, note, reduced, explain, gap, tolerance, family. Lines that begin with\n" \
    "# are skipped. params is as for -p, with blanks between: N=4096 offset=1.\n\n"               \
    "Metrics and their units, the usual one first:\n"                                             \
    "  cycles        of the run; of one step where the trace states steps\n"                      \
    "  time          ms, s, us, ns: simulated, and launch.overhead_us for each launch\n"          \
    "  gbs           GB/s: the bytes that the trace calls useful, in that time\n"                 \
    "  gflops        GFLOP/s: those the trace states as flops; a multiply-add is two\n"           \
    "  speedup:REF   x: time of REF / time of this row. REF is an id of the file, or a\n"         \
    "                workload, which takes this row's parameters\n"                               \
    "  ratio         the same, with the unit `x over WORKLOAD` or `x over row ID`\n"              \
    "  model-cycles  by the closed form of g80sim model mwp-cwp: nothing is simulated\n\n"        \
    "A workload NAME is the file NAME or NAME.trace in the folders of -w, in that of FILE.csv,\n" \
    "then among the shipped ones (g80sim list). A row whose config is not the name of CONFIG\n"   \
    "is only listed. A known gap (gap is not empty, or note has `known gap:`) is shown and not\n" \
    "counted. Rows of one family whose measured values differ by more than 15 % of the larger\n"  \
    "should come in the measured order: --order wants it.\n\n"                                    \
    "Examples:\n"                                                                                 \
    "  g80sim compare configs/g80.ini measured.csv --tolerance 25\n"                              \
    "  g80sim compare configs/g80.ini measured.csv -w my-traces -j 4 --plot agreement.svg\n\n"    \
    "Exit status: 0 good, 1 out of tolerance, 2 a mistake on the command line, in the file or\n"  \
    "in the configuration, 3 in a trace, 4 a simulation cannot go on."

#define HELP_WHATIF                                                                                \
    "Simulates the trace as it is, then again with one bottleneck away at a time, and with all:\n" \
    "perfect coalescing, no bank conflicts, one constant for all lanes, atomic operations that\n"  \
    "cost what stores do, unlimited DRAM bandwidth, no memory latency, unlimited registers, no\n"  \
    "divergence (keys of the section [ideal]: g80sim config keys ideal), memory hashed over the\n" \
    "partitions, and blocks of half and double the size where a parameter sets it and the\n"       \
    "number of threads stays. What saves most is the bottleneck, and comes first.\n\n"             \
    "Examples:\n"                                                                                  \
    "  g80sim whatif configs/g80.ini workloads/transpose-naive.trace -p N=256\n"                   \
    "  g80sim whatif configs/g80.ini workloads/matmul.trace -j 4 --json whatif.json\n\n" EXIT_STATUSES

#define HELP_LADDER                                                                                 \
    "Latencies are those of chains of dependent steps, measured on the simulated machine. Scope:\n" \
    "who sees what a level holds. A cache holds what others made it fetch; registers are given\n"   \
    "out by the compiler, shared and global memory are filled by the program.\n\n"                  \
    "Examples:\n"                                                                                   \
    "  g80sim ladder configs/exercise.ini\n"                                                        \
    "      registers 1, shared memory 65, L2 200, global memory 600 cycles\n"                       \
    "  g80sim ladder configs/g80.ini --json -\n\n" EXIT_STATUSES
#define HELP_TILING                                                                              \
    "C = A*B of N x N floats. Naive, each of the N^2 threads reads a row of A and a column of\n" \
    "B: 2 N^3 words. With tiles of T x T in shared memory a word that is loaded serves T\n"      \
    "threads: 2 N^3 / T. Where T does not divide N, the last tiles are smaller.\n\n"             \
    "Examples:\n"                                                                                \
    "  g80sim model tiling --n 2048 --tile 16\n"                                                 \
    "      17,179,869,184 and 1,073,741,824 reads: 16 times fewer\n\n" EXIT_STATUSES
#define HELP_BLOCKED                                                                              \
    "C = A*B of N x N floats makes 6 N^3 accesses; in blocks of B x B, of which three fit into\n" \
    "a cache of Z words, (B^2 + 2 B N) (N/B)^2 of them miss: fewest with B = sqrt(Z/3). A line\n" \
    "of L words divides the misses by L. The accesses of a cache are the misses of the one\n"     \
    "above; each is blocked for itself, without --block as well as it can be.\n\n"                \
    "Examples:\n"                                                                                 \
    "  g80sim model blocked --n 1024 --cache 12K --block 32\n"                                    \
    "      3 x 32^2 = 3,072 words: 6,442,450,944 accesses, 68,157,440 misses\n"                   \
    "  g80sim model blocked --n 1024 --cache 16K --line 64 --cache2 1024K --line2 64\n\n" EXIT_STATUSES
#define HELP_STREAM                                                                                \
    "The floor is the bytes that the threads ask for over the bandwidth. The estimate takes\n"     \
    "what is moved when the words of neighbouring threads lie --stride bytes apart: segments\n"    \
    "of 128 bytes or, with a CONFIG, the transactions of its own rule. No latency, no caches.\n\n" \
    "Examples:\n"                                                                                  \
    "  g80sim model stream --threads 1048576 --bytes-per-thread 4 --gbs 500\n"                     \
    "      8.39 us at least; 128 bytes apart, 32 transactions for one: 268.4 us\n"                 \
    "  g80sim model stream configs/g80.ini --threads 1048576 --bytes-per-thread 4 --stride 8\n\n" EXIT_STATUSES

const Command commands[] = {
    {"run", "CONFIG TRACE [OPTION...]", "Simulate a trace on a machine: cycles, and where they go.",
     "CONFIG is an INI file (see g80sim config keys), TRACE a file of the trace language;\n"
     "- reads the trace from standard input. Nothing is written when anything fails.\n\n"
     "Examples:\n"
     "  g80sim configs/g80.ini workloads/matmul.trace\n"
     "  g80sim configs/g80.ini workloads/matmul.trace -p N=1024 -s dram.banks=4\n"
     "  g80sim configs/g80.ini workloads/matmul.trace --json result.json --quiet\n"
     "  g80sim configs/lab-cache.ini workloads/matmul.trace --repeat 3 --cold flush\n\n" EXIT_STATUSES,
     cmd_run},
    {"occupancy", "CONFIG --regs R [--threads T] [--shared BYTES] [OPTION...]",
     "How many blocks and warps fit on an SM, and what limits them.", HELP_OCCUPANCY, cmd_occupancy},
    {"banks", "CONFIG --address EXPR [OPTION...]", "Which lane goes to which bank of shared memory, and who waits for whom.",
     HELP_BANKS, cmd_banks},
    {"coalesce", "CONFIG --address EXPR [OPTION...]", "The memory transactions of one access of a warp, and why.", HELP_COALESCE,
     cmd_coalesce},
    {"roofline", "CONFIG [--flops F --bytes B] [--point NAME=FLOPS/BYTES]... [OPTION...]",
     "What a machine can do at most at an intensity, and what bounds it.", HELP_ROOFLINE, cmd_roofline},
    {"explain", "CONFIG TRACE [-p NAME=VALUE]... [-s SECTION.KEY=VALUE]... [OPTION...]",
     "What bounds a trace, and why: each memory instruction and the launches, in words.",
     "First the bottleneck, by the timing simulation and what causes it; then what limits the\n"
     "blocks on an SM and how far the next limit is; then a line for each memory instruction:\n"
     "what its lanes touch, the transactions (global), passes (shared), addresses (constant)\n"
     "or lines (texture) it takes, and what would spare some. The lines are of a sample: up to\n"
     "64 blocks of each of up to 64 launches. Traces of more than about 20 million warp\n"
     "instructions are not simulated unless --run is given.\n\n"
     "Examples:\n"
     "  g80sim explain configs/g80.ini workloads/transpose-naive.trace -p N=512\n"
     "  g80sim explain configs/gt200.ini workloads/reduction-2.trace --no-run\n\n" EXIT_STATUSES,
     cmd_explain},
    {"compare", "CONFIG FILE.csv [OPTION...]", "Predicted against measured: the error of each row, and how well all agree.",
     HELP_COMPARE, cmd_compare},
    {"model mwp-cwp", "CONFIG TRACE [-p NAME=VALUE]... [-s SECTION.KEY=VALUE]... [--json FILE]",
     "Cycles of a trace by the closed form of Hong and Kim.",
     "Counts what each launch does and puts it into the equations of Hong and Kim (ISCA 2009):\n"
     "how many warps of an SM can wait for memory together (MWP), against how many warps'\n"
     "computation fits into that time (CWP). Nothing is simulated; caches, bank conflicts and\n"
     "the order of instructions play no part. The model's own numbers are keys of [mwp-cwp].\n\n"
     "Examples:\n"
     "  g80sim model mwp-cwp configs/fx5600.ini workloads/mwp-cwp-example.trace\n"
     "      the worked example of the paper: 50728 cycles\n"
     "  g80sim model mwp-cwp configs/g80.ini workloads/matmul.trace -s mwp-cwp.mem_latency=0\n\n" EXIT_STATUSES,
     cmd_model_mwp_cwp},
    {"whatif", "CONFIG TRACE [OPTION...]", "What each bottleneck costs: the same trace with one away at a time.", HELP_WHATIF,
     cmd_whatif},
    {"ladder", "CONFIG [-s SECTION.KEY=VALUE]... [--json FILE] [--csv FILE]",
     "Latency, size, scope and manager of each level of storage.", HELP_LADDER, cmd_ladder},
    {"model tiling", "--n N --tile T [--json FILE]", "Reads of global memory by a matrix product, naive and tiled.", HELP_TILING,
     cmd_model_tiling},
    {"model blocked", "--n N --cache BYTES [--line BYTES] [--block B] [--cache2 BYTES ...] [--json FILE]",
     "Accesses and misses of a blocked matrix product, level by level.", HELP_BLOCKED, cmd_model_blocked},
    {"model stream", "--threads N --bytes-per-thread B [--stride BYTES] (CONFIG | --gbs G) [OPTION...]",
     "The time that the bandwidth allows for reading, together and apart.", HELP_STREAM, cmd_model_stream},
    {"trace check", "TRACE [-p NAME=VALUE]... [--json FILE]", "Check a trace: all its mistakes, with line and column.",
     "Parses the trace, carries its launches out and compiles each, on no particular machine.\n\n"
     "Examples:\n  g80sim trace check my.trace -p N=512\n\n" EXIT_STATUSES,
     cmd_trace_check},
    {"trace stats", "TRACE [-p NAME=VALUE]... [--json FILE]",
     "Count what a trace does: instructions, requests, bytes, footprint.",
     "Walks every warp without timing; on no particular machine.\n\n"
     "Examples:\n  g80sim trace stats workloads/matmul.trace -p N=512\n\n" EXIT_STATUSES,
     cmd_trace_stats},
    {"config check", "CONFIG [-s SECTION.KEY=VALUE]... [--json FILE]",
     "Check a configuration: all its mistakes; keys that do nothing.",
     "Examples:\n  g80sim config check my.ini\n\n" EXIT_STATUSES, cmd_config_check},
    {"config show", "CONFIG [-s SECTION.KEY=VALUE]... [--json FILE]", "Print the configuration in force, as a file that loads.",
     "Examples:\n  g80sim config show configs/g80.ini -s dram.banks=4 >four-banks.ini\n\n" EXIT_STATUSES, cmd_config_show},
    {"config keys", "[CONFIG] [SECTION] [-s SECTION.KEY=VALUE]... [--json FILE]",
     "Document every key: meaning, unit, range, default, source.",
     "With a CONFIG, says where that file differs from the defaults.\n\n"
     "Examples:\n  g80sim config keys dram\n  g80sim config keys configs/g80.ini\n\n" EXIT_STATUSES,
     cmd_config_keys},
    {"stats", "[--json FILE]", "Document every counter: unit, meaning, name in NVIDIA's profilers.", EXIT_STATUSES, cmd_stats},
    {"list", "[--json FILE]", "List the shipped configurations and workloads.",
     "Looks in $G80SIM_DATADIR, else where g80sim was installed, else in its source tree.\n\n" EXIT_STATUSES, cmd_list},
};
const size_t n_commands = G_N_ELEMENTS(commands);

static int print_help(void)
{
    puts("g80sim: cycles of CUDA kernels on a model of a G80-style GPU\n\n"
         "Usage: g80sim CONFIG TRACE [OPTION...]      short for g80sim run\n"
         "       g80sim COMMAND [ARGUMENT...]\n\nCommands:");
    for (size_t i = 0; i < n_commands; i++)
        printf("  %-14s%s\n", commands[i].name, commands[i].doc);
    puts("\n  g80sim COMMAND --help    the options of a command\n"
         "  g80sim --version         the version\n\n"
         "Examples:\n"
         "  g80sim configs/g80.ini workloads/matmul.trace\n"
         "  g80sim configs/g80.ini workloads/matmul.trace -p N=1024 --json result.json\n"
         "  g80sim trace check my.trace\n\n" EXIT_STATUSES);
    return STATUS_GOOD;
}

/* How many of argv's first words name the command: 0, 1 or 2. */
static int match(const Command *command, int argc, char **argv)
{
    const char *blank = strchr(command->name, ' ');
    if (!blank) return g_str_equal(argv[1], command->name);
    const size_t length = (size_t)(blank - command->name);
    const bool first = strlen(argv[1]) == length && strncmp(argv[1], command->name, length) == 0;
    return first && argc > 2 && g_str_equal(argv[2], blank + 1) ? 2 : 0;
}

/* The command meant by one word or by two. */
static const char *nearest_command(int argc, char **argv)
{
    const char *names[G_N_ELEMENTS(commands)];
    for (size_t i = 0; i < n_commands; i++)
        names[i] = commands[i].name;
    g_autofree char *two = argc > 2 ? g_strjoin(" ", argv[1], argv[2], NULL) : NULL;
    const char *near = two ? nearest_name(two, names, n_commands) : NULL;
    return near && strchr(near, ' ') ? near : nearest_name(argv[1], names, n_commands);
}

/* `config`, `model` or `trace` without a second word that they know. */
static int refuse_group(int argc, char **argv)
{
    g_autoptr(GString) known = g_string_new(NULL);
    const size_t length = strlen(argv[1]);
    for (size_t i = 0; i < n_commands; i++)
        if (strncmp(commands[i].name, argv[1], length) == 0 && commands[i].name[length] == ' ')
            g_string_append_printf(known, "%s%s", known->len ? ", " : "", commands[i].name);
    g_autofree char *given = argc > 2 ? g_strjoin(" ", argv[1], argv[2], NULL) : g_strdup(argv[1]);
    const char *near = argc > 2 ? nearest_command(argc, argv) : NULL;
    if (near) return fail_usage(NULL, "%s: no such command: did you mean \"%s\"?", given, near);
    return fail_usage(NULL, "%s: want one of %s", given, known->str);
}

static bool is_group(const char *word)
{
    return g_str_equal(word, "config") || g_str_equal(word, "trace") || g_str_equal(word, "model");
}

static bool may_be_config(const char *word)
{
    return *word == '-' || strpbrk(word, "./") || g_file_test(word, G_FILE_TEST_EXISTS);
}

static int print_group_help(const char *group)
{
    for (size_t i = 0; i < n_commands; i++)
        if (g_str_has_prefix(commands[i].name, group))
            printf("g80sim %s %s\n    %s\n", commands[i].name, commands[i].usage, commands[i].doc);
    return STATUS_GOOD;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) return fail_usage(NULL, "want CONFIG TRACE, or a command");
    const char *word = argv[1];
    if (g_str_equal(word, "--help") || g_str_equal(word, "-h") || g_str_equal(word, "help")) return print_help();
    if (g_str_equal(word, "--version")) return printf("g80sim %s\n", G80SIM_VERSION) < 0;
    for (size_t i = 0; i < n_commands; i++) {
        const int words = match(&commands[i], argc, argv);
        if (words) return commands[i].run(&commands[i], argc - words, argv + words);
    }
    if (is_group(word)) {
        if (argc > 2 && (g_str_equal(argv[2], "--help") || g_str_equal(argv[2], "-h"))) return print_group_help(word);
        return refuse_group(argc, argv);
    }
    if (may_be_config(word)) return commands[0].run(&commands[0], argc, argv);
    const char *near = nearest_command(argc, argv);
    if (near) return fail_usage(NULL, "%s: no such command, and no such file: did you mean \"%s\"?", word, near);
    return fail_usage(NULL, "%s: no such command, and no such file", word);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");  /* for the charset of the terminal alone: numbers are written the same everywhere */
    signal(SIGPIPE, SIG_DFL); /* a reader that goes ends g80sim quietly, even where the parent ignores the signal */
    const int status = dispatch(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    fprintf(stderr, "standard output: %s\n", g_strerror(errno));
    return STATUS_USAGE;
}
