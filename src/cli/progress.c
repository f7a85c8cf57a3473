#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include <glib.h>

#include "cli/format.h"

enum { FIRST_US = 500000, BETWEEN_US = 200000 };

struct Progress {
    int64_t start, next; /* us */
    uint64_t blocks;
    bool shown;
};

Progress *progress_new(bool wanted, uint64_t blocks)
{
    const char *terminal = g_getenv("TERM");
    if (!wanted || !isatty(STDERR_FILENO) || g_strcmp0(terminal, "dumb") == 0) return NULL;
    Progress *p = g_new0(Progress, 1);
    p->start = g_get_monotonic_time();
    p->next = p->start + FIRST_US;
    p->blocks = blocks;
    return p;
}

static void erase(Progress *p)
{
    if (p->shown) fputs("\r\033[K", stderr);
}

static void print_left(double seconds)
{
    if (seconds < 100)
        fprintf(stderr, ", %.0f s left", seconds);
    else if (seconds < 6000)
        fprintf(stderr, ", %.0f min left", seconds / 60);
    else
        fprintf(stderr, ", %.1f h left", seconds / 3600);
}

void progress_show(Progress *p, uint64_t done, uint64_t instructions)
{
    if (!p) return;
    const int64_t now = g_get_monotonic_time();
    if (now < p->next) return;
    p->next = now + BETWEEN_US;
    erase(p);
    const double seconds = (double)(now - p->start) / 1e6, part = p->blocks ? (double)done / (double)p->blocks : 0;
    fprintf(stderr, "%5.1f %% of %s blocks, %.2f million warp instructions/s", part * 100, format_count(p->blocks).text,
            (double)instructions / seconds / 1e6);
    if (done) print_left(seconds * (1 - part) / part);
    fflush(stderr);
    p->shown = true;
}

void progress_free(Progress *p)
{
    if (!p) return;
    erase(p);
    fflush(stderr);
    g_free(p);
}
