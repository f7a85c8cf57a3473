/*
 * measure RUNS OUTPUT COMMAND...: runs the command and prints the median of its processor time in seconds and the largest of its peak
 * resident sizes in KiB. OUTPUT takes what the last run prints. Processor time, since other programs on the machine disturb it
 * less than they do the clock on the wall; the simulator is one thread.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 99 };

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static struct rusage used(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return usage;
}

static int run(const char *output, char **command)
{
    const pid_t child = fork();
    if (child == 0) {
        const int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) _exit(126);
        execvp(command[0], command);
        _exit(127);
    }
    int status;
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int runs = argc > 3 ? atoi(argv[1]) : 0;
    if (runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "measure: want RUNS (1..%d) OUTPUT COMMAND...\n", RUNS_MAX);
        return 2;
    }
    double time[RUNS_MAX];
    for (int i = 0; i < runs; i++) {
        const struct rusage before = used();
        const int status = run(argv[2], argv + 3);
        if (status != 0) {
            fprintf(stderr, "measure: %s: exit status %d\n", argv[3], status);
            return 1;
        }
        const struct rusage after = used();
        time[i] = seconds(after.ru_utime) + seconds(after.ru_stime) - seconds(before.ru_utime) - seconds(before.ru_stime);
    }
    qsort(time, (size_t)runs, sizeof *time, ascending);
    printf("%.6f %ld\n", (time[(runs - 1) / 2] + time[runs / 2]) / 2, used().ru_maxrss);
    return 0;
}
