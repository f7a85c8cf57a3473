#define _XOPEN_SOURCE 700 /* realpath */

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

struct Output {
    char *path;      /* as the user named it */
    char *target;    /* behind links; NULL for standard output */
    char *header;    /* of rows; NULL: a file written whole */
    bool straight;   /* standard output, or a target that is no regular file */
    FILE *stream;    /* the content so far: a file without a name */
    char *temporary; /* beside the target, while it exists */
    int fd;          /* of the rows' file, while it is locked */
};

static bool is_standard(const Output *output)
{
    return g_str_equal(output->path, "-");
}

static bool refuse(const Output *output, int reason, GError **error)
{
    g_autofree char *shown = g_filename_display_name(is_standard(output) ? "standard output" : output->path);
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "%s: %s", shown, g_strerror(reason));
    return false;
}

/* ---- signals: held back while a temporary file has a name ---- */

static void hold_signals(sigset_t *ret_before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, ret_before);
}

static void release_signals(const sigset_t *before)
{
    sigprocmask(SIG_SETMASK, before, NULL);
}

/* ---- looking at the target beforehand ---- */

/* A new file beside the target; -1 with errno. */
static int open_beside(const char *target, mode_t mode, char **ret_path)
{
    g_autofree char *folder = g_path_get_dirname(target), *base = g_path_get_basename(target);
    g_autofree char *name = g_strdup_printf(".%.100s.XXXXXX", base);
    char *path = g_build_filename(folder, name, NULL);
    const int fd = g_mkstemp_full(path, O_RDWR | O_CLOEXEC, mode);
    if (fd < 0) {
        const int reason = errno;
        g_free(path);
        errno = reason;
        return -1;
    }
    *ret_path = path;
    return fd;
}

static bool can_create(const Output *output, GError **error)
{
    sigset_t before;
    hold_signals(&before);
    char *path = NULL;
    const int fd = open_beside(output->target, 0600, &path);
    const int reason = errno;
    if (fd >= 0) {
        close(fd);
        unlink(path);
        g_free(path);
    }
    release_signals(&before);
    return fd >= 0 || refuse(output, reason, error);
}

/* The first line of the file is the header, or the file is empty. */
static bool check_header(const Output *output, int fd, GError **error)
{
    const size_t length = strlen(output->header) + 1;
    g_autofree char *line = g_malloc(length);
    const ssize_t n = pread(fd, line, length, 0);
    if (n < 0) return refuse(output, errno, error);
    if (n == 0 || ((size_t)n == length && memcmp(line, output->header, length - 1) == 0 && line[length - 1] == '\n')) return true;
    g_autofree char *shown = g_filename_display_name(output->path);
    g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "%s: its first line is not the header of these rows: want another file",
                shown);
    return false;
}

/* Waits until no other process is writing to the file; F_WRLCK keeps readers out as well. */
static bool lock_file(const Output *output, int fd, short type, GError **error)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
    while (fcntl(fd, F_SETLKW, &lock) != 0)
        if (errno != EINTR) return refuse(output, errno, error);
    return true;
}

/* Under a lock, lest another process has written half of the header. */
static bool check_rows(const Output *output, GError **error)
{
    const int fd = open(output->target, O_RDWR | O_CLOEXEC);
    if (fd < 0) return refuse(output, errno, error);
    const bool good = lock_file(output, fd, F_RDLCK, error) && check_header(output, fd, error);
    close(fd);
    return good;
}

static bool look_at_target(Output *output, GError **error)
{
    struct stat st;
    if (stat(output->target, &st) != 0) {
        if (errno != ENOENT) return refuse(output, errno, error);
        return can_create(output, error);
    }
    if (S_ISDIR(st.st_mode)) return refuse(output, EISDIR, error);
    if (access(output->target, W_OK) != 0) return refuse(output, errno, error);
    output->straight = !S_ISREG(st.st_mode);
    if (output->straight) return true;
    return output->header ? check_rows(output, error) : can_create(output, error);
}

static bool open_target(Output *output, GError **error)
{
    output->straight = is_standard(output);
    if (!output->straight) {
        char *real = realpath(output->path, NULL);
        output->target = g_strdup(real ? real : output->path);
        free(real);
        if (!look_at_target(output, error)) return false;
    }
    output->stream = tmpfile();
    return output->stream || refuse(output, errno, error);
}

static Output *new_output(const char *path, const char *header, GError **error)
{
    Output *output = g_new0(Output, 1);
    output->path = g_strdup(path);
    output->header = g_strdup(header);
    output->fd = -1;
    if (open_target(output, error)) return output;
    output_free(output);
    return NULL;
}

Output *output_new(const char *path, GError **error)
{
    return new_output(path, NULL, error);
}

Output *output_new_rows(const char *path, const char *header, GError **error)
{
    return new_output(path, header, error);
}

/* Drops what is not committed. */
void output_free(Output *output)
{
    if (!output) return;
    if (output->temporary) unlink(output->temporary);
    if (output->fd >= 0) close(output->fd);
    if (output->stream) fclose(output->stream);
    g_free(output->temporary);
    g_free(output->header);
    g_free(output->target);
    g_free(output->path);
    g_free(output);
}

FILE *output_stream(Output *output)
{
    return output->stream;
}

/* ---- bringing the content to its target ---- */

static bool write_all(int fd, const char *data, size_t n)
{
    while (n) {
        const ssize_t done = write(fd, data, n);
        if (done < 0 && errno != EINTR) return false;
        if (done < 0) continue;
        data += done;
        n -= (size_t)done;
    }
    return true;
}

static bool copy_content(Output *output, int fd)
{
    char buffer[65536];
    size_t n;
    if (fflush(output->stream) != 0 || ferror(output->stream)) return false;
    rewind(output->stream);
    while ((n = fread(buffer, 1, sizeof buffer, output->stream)) > 0)
        if (!write_all(fd, buffer, n)) return false;
    return !ferror(output->stream);
}

static bool write_temporary(Output *output, GError **error)
{
    struct stat st;
    const bool exists = stat(output->target, &st) == 0;
    const int fd = open_beside(output->target, 0666, &output->temporary);
    if (fd < 0) return refuse(output, errno, error);
    bool good = copy_content(output, fd) && (!exists || fchmod(fd, st.st_mode & 0777) == 0);
    int reason = errno;
    if (close(fd) != 0 && good) {
        good = false;
        reason = errno;
    }
    return good || refuse(output, reason, error);
}

static bool lock_rows(Output *output, GError **error)
{
    output->fd = open(output->target, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (output->fd < 0) return refuse(output, errno, error);
    return lock_file(output, output->fd, F_WRLCK, error) && check_header(output, output->fd, error);
}

static bool append_rows(Output *output, GError **error)
{
    const off_t size = lseek(output->fd, 0, SEEK_END);
    const bool good =
        size >= 0 &&
        (size > 0 || (write_all(output->fd, output->header, strlen(output->header)) && write_all(output->fd, "\n", 1))) &&
        copy_content(output, output->fd);
    if (good) return true;
    refuse(output, errno, error);
    if (size < 0 || ftruncate(output->fd, size) != 0) g_prefix_error(error, "half a row may be left: ");
    return false;
}

static bool write_straight(Output *output, int fd, GError **error)
{
    if (output->header && !(write_all(fd, output->header, strlen(output->header)) && write_all(fd, "\n", 1)))
        return refuse(output, errno, error);
    return copy_content(output, fd) || refuse(output, errno, error);
}

static bool write_device(Output *output, GError **error)
{
    if (is_standard(output)) return write_straight(output, STDOUT_FILENO, error);
    const int fd = open(output->target, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return refuse(output, errno, error);
    const bool good = write_straight(output, fd, error);
    close(fd);
    return good;
}

static bool commit(Output *output, GError **error)
{
    if (output->straight) return write_device(output, error);
    if (output->header) return append_rows(output, error);
    if (rename(output->temporary, output->target) != 0) return refuse(output, errno, error);
    g_clear_pointer(&output->temporary, g_free);
    return true;
}

static bool is_regular(const Output *output)
{
    return output && !output->straight;
}

static bool prepare(Output *const *outputs, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++)
        if (is_regular(outputs[i]) && !outputs[i]->header && !write_temporary(outputs[i], error)) return false;
    return true;
}

bool outputs_commit(Output *const *outputs, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++)
        if (is_regular(outputs[i]) && outputs[i]->header && !lock_rows(outputs[i], error)) return false;
    sigset_t before;
    hold_signals(&before);
    bool good = prepare(outputs, n, error);
    for (unsigned i = 0; good && i < n; i++)
        good = !outputs[i] || commit(outputs[i], error);
    for (unsigned i = 0; i < n; i++) {
        if (!outputs[i] || !outputs[i]->temporary) continue;
        unlink(outputs[i]->temporary);
        g_clear_pointer(&outputs[i]->temporary, g_free);
    }
    release_signals(&before);
    return good;
}
