#include "harness/processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

static int mistake(const char *what, const char *why)
{
    fprintf(stderr, "measure: %s: %s\n", what, why);
    return 2;
}

static int be_one(int process, const std::function<int(int, std::string *)> &work, int to)
{
    std::string text;
    int code = work(process, &text);
    for (size_t at = 0; at < text.size();) {
        const ssize_t n = write(to, text.data() + at, text.size() - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return mistake("pipe", strerror(errno));
        at += n;
    }
    return code;
}

static std::string read_all_of(int from)
{
    std::string text;
    char part[4096];
    for (;;) {
        const ssize_t n = read(from, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return text;
        text.append(part, n);
    }
}

static int status_of(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return mistake("a process", strerror(errno));
    if (WIFSIGNALED(status)) return mistake("a process ended", strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status);
}

int in_processes(int count, const std::function<int(int, std::string *)> &work, const std::function<void(int, const std::string &)> &take)
{
    for (int process = 0; process < count; process++) {
        int ends[2];
        if (pipe(ends) != 0) return mistake("pipe", strerror(errno));
        fflush(nullptr); /* or both would write what is in the buffers */
        const pid_t child = fork();
        if (child < 0) return mistake("a process", strerror(errno));
        if (child == 0) {
            close(ends[0]);
            _exit(be_one(process, work, ends[1]));
        }
        close(ends[1]);
        const std::string text = read_all_of(ends[0]);
        close(ends[0]);
        const int code = status_of(child);
        if (code != 0) return code;
        take(process, text);
    }
    return 0;
}
