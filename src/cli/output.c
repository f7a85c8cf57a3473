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
    char *path;       /* as the user named it */
    char *target;     /* its one spelling, behind links; NULL for standard output */
    char *header;     /* of rows; NULL: a file written whole */
    bool straight;    /* standard output, or a target that is no regular file */
    FILE *stream;     /* the content so far: a file without a name */
    char *temporary;  /* beside the target, while it exists */
    int fd;           /* of the rows' file, while it is locked */
    bool created;     /* the rows' file is new */
    off_t size;       /* of the rows' file before they are appended; -1 while it is not locked */
    bool reader_gone; /* of the pipe */
    struct stat st;   /* of the target; st_mode is 0 when there is none */
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

/* ---- signals: held back while a temporary file has a name and while rows are appended ---- */

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

static bool look_at_standard(Output *output, GError **error)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || fstat(STDOUT_FILENO, &output->st) != 0) return refuse(output, errno, error);
    return (flags & O_ACCMODE) != O_RDONLY || refuse(output, EBADF, error);
}

static bool look_at_target(Output *output, GError **error)
{
    if (is_standard(output)) return look_at_standard(output, error);
    if (stat(output->target, &output->st) != 0) {
        output->st = (struct stat){0};
        if (errno != ENOENT) return refuse(output, errno, error);
        return can_create(output, error);
    }
    if (S_ISDIR(output->st.st_mode)) return refuse(output, EISDIR, error);
    if (access(output->target, W_OK) != 0) return refuse(output, errno, error);
    output->straight = !S_ISREG(output->st.st_mode);
    if (output->straight) return true;
    return output->header ? check_rows(output, error) : can_create(output, error);
}

/* What the path leads to, when that does not exist: behind the links, in a folder by its one name. */
static char *resolve_missing(const char *path)
{
    enum { LINKS_MAX = 40 };
    char *at = g_strdup(path);
    for (unsigned i = 0; i < LINKS_MAX; i++) {
        g_autofree char *link = g_file_read_link(at, NULL), *folder = g_path_get_dirname(at);
        if (!link) break;
        g_free(at);
        at = g_path_is_absolute(link) ? g_strdup(link) : g_build_filename(folder, link, NULL);
    }
    g_autofree char *folder = g_path_get_dirname(at), *base = g_path_get_basename(at);
    char *real = realpath(folder, NULL);
    if (real && !g_str_has_suffix(at, "/")) {
        g_free(at);
        at = g_build_filename(real, base, NULL);
    }
    free(real);
    return at;
}

static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);
    if (!real) return resolve_missing(path);
    char *target = g_strdup(real);
    free(real);
    return target;
}

static bool open_target(Output *output, GError **error)
{
    output->straight = is_standard(output);
    if (!output->straight) output->target = resolve(output->path);
    if (!look_at_target(output, error)) return false;
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

/* ---- files that must differ ---- */

static GArray *inputs; /* of struct stat: the regular files that this process reads */

void outputs_spare(const char *path)
{
    struct stat st;
    const int failed = g_str_equal(path, "-") ? fstat(STDIN_FILENO, &st) : stat(path, &st);
    if (failed || !S_ISREG(st.st_mode)) return;
    if (!inputs) inputs = g_array_new(FALSE, FALSE, sizeof st);
    g_array_append_val(inputs, st);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_mode && b->st_mode && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* A device may be named twice: /dev/null, a terminal. */
static bool collide(const Output *a, const Output *b)
{
    if (S_ISCHR(a->st.st_mode)) return is_standard(a) && is_standard(b);
    return same_file(&a->st, &b->st) || (a->target && g_strcmp0(a->target, b->target) == 0);
}

static const char *name_of(const Output *output)
{
    return is_standard(output) ? "standard output" : output->path;
}

static bool check_inputs(const Output *output, GError **error)
{
    for (unsigned i = 0; inputs && i < inputs->len; i++) {
        if (is_standard(output) || !same_file(&output->st, &g_array_index(inputs, struct stat, i))) continue;
        g_autofree char *shown = g_filename_display_name(output->path);
        g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "%s: is read by this run: want another file for the results", shown);
        return false;
    }
    return true;
}

bool outputs_check(Output *const *outputs, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++) {
        if (!outputs[i]) continue;
        if (!check_inputs(outputs[i], error)) return false;
        for (unsigned k = 0; k < i; k++) {
            if (!outputs[k] || !collide(outputs[k], outputs[i])) continue;
            g_autofree char *a = g_filename_display_name(name_of(outputs[k])), *b = g_filename_display_name(name_of(outputs[i]));
            g_set_error(error, G80SIM_ERROR, G80SIM_ERROR_USAGE, "%s and %s: the same file: want two", a, b);
            return false;
        }
    }
    return true;
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

static void open_rows(Output *output)
{
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC;
    do {
        output->fd = open(output->target, flags);
        output->created = output->fd < 0 && errno == ENOENT;
        if (output->created) output->fd = open(output->target, flags | O_CREAT | O_EXCL, 0666);
    } while (output->fd < 0 && output->created && errno == EEXIST);
}

/* Whoever held the lock before may have removed the file: then there is another to open. */
static bool lock_rows(Output *output, GError **error)
{
    for (;;) {
        struct stat named, locked;
        output->size = -1;
        open_rows(output);
        if (output->fd < 0) return refuse(output, errno, error);
        if (!lock_file(output, output->fd, F_WRLCK, error)) return false;
        if (fstat(output->fd, &locked) != 0) return refuse(output, errno, error);
        output->size = locked.st_size;
        if (stat(output->target, &named) == 0 && same_file(&named, &locked)) return check_header(output, output->fd, error);
        close(output->fd);
    }
}

/* Ends the last line, if it has no end; the header goes before the first. */
static bool begin_rows(const Output *output, int fd)
{
    char last;
    if (output->size == 0) return write_all(fd, output->header, strlen(output->header)) && write_all(fd, "\n", 1);
    return pread(fd, &last, 1, output->size - 1) == 1 && (last == '\n' || write_all(fd, "\n", 1));
}

static bool append_rows(Output *output, GError **error)
{
    return (begin_rows(output, output->fd) && copy_content(output, output->fd)) || refuse(output, errno, error);
}

/* Leaves the file of rows as it was, and none where there was none. */
static void restore_rows(const Output *output, GError **error)
{
    struct stat st;
    if (output->fd < 0 || output->size < 0 || fstat(output->fd, &st) != 0) return;
    if (st.st_size != output->size && ftruncate(output->fd, output->size) != 0) g_prefix_error(error, "half a row may be left: ");
    if (output->created && output->size == 0) unlink(output->target);
}

static bool write_straight(Output *output, int fd, GError **error)
{
    const bool good = (!output->header || (write_all(fd, output->header, strlen(output->header)) && write_all(fd, "\n", 1))) &&
                      copy_content(output, fd);
    output->reader_gone = !good && errno == EPIPE;
    return good || refuse(output, errno, error);
}

static bool write_device(Output *output, GError **error)
{
    const int fd = is_standard(output) ? dup(STDOUT_FILENO) : open(output->target, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return refuse(output, errno, error);
    const bool good = write_straight(output, fd, error);
    return (close(fd) == 0 || !good || refuse(output, errno, error)) && good;
}

static bool is_regular(const Output *output)
{
    return output && !output->straight;
}

static bool is_rows(const Output *output)
{
    return is_regular(output) && output->header;
}

static bool is_whole(const Output *output)
{
    return is_regular(output) && !output->header;
}

/* All content is there, and no file has changed. */
static bool flush_streams(Output *const *outputs, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++)
        if (outputs[i] && (fflush(outputs[i]->stream) != 0 || ferror(outputs[i]->stream)))
            return refuse(outputs[i], errno, error);
    return true;
}

/* A reader that has gone is no failure: *ret_gone, and the files are written all the same. */
static bool write_devices(Output *const *outputs, unsigned n, bool *ret_gone, GError **error)
{
    for (unsigned i = 0; i < n; i++) {
        GError *fault = NULL;
        if (!outputs[i] || !outputs[i]->straight) continue;
        if (write_device(outputs[i], &fault)) continue;
        if (outputs[i]->reader_gone) {
            *ret_gone = true;
            g_error_free(fault);
            continue;
        }
        g_propagate_error(error, fault);
        return false;
    }
    return true;
}

/* What can fail comes first: temporary files, then rows, which can be taken back, then names. */
static bool change_files(Output *const *outputs, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++)
        if (is_whole(outputs[i]) && !write_temporary(outputs[i], error)) return false;
    for (unsigned i = 0; i < n; i++)
        if (is_rows(outputs[i]) && !append_rows(outputs[i], error)) return false;
    for (unsigned i = 0; i < n; i++) {
        if (!is_whole(outputs[i])) continue;
        if (rename(outputs[i]->temporary, outputs[i]->target) != 0) return refuse(outputs[i], errno, error);
        g_clear_pointer(&outputs[i]->temporary, g_free);
    }
    return true;
}

static void take_back(Output *const *outputs, unsigned n, GError **error)
{
    for (unsigned i = 0; i < n; i++) {
        if (is_rows(outputs[i])) restore_rows(outputs[i], error);
        if (!is_whole(outputs[i]) || !outputs[i]->temporary) continue;
        unlink(outputs[i]->temporary);
        g_clear_pointer(&outputs[i]->temporary, g_free);
    }
}

static bool commit_files(Output *const *outputs, unsigned n, GError **error)
{
    bool good = true;
    for (unsigned i = 0; good && i < n; i++)
        good = !is_rows(outputs[i]) || lock_rows(outputs[i], error);
    sigset_t before;
    hold_signals(&before);
    good = good && change_files(outputs, n, error);
    if (!good) take_back(outputs, n, error);
    release_signals(&before);
    return good;
}

bool outputs_commit(Output *const *outputs, unsigned n, GError **error)
{
    bool gone = false;
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    const bool good =
        flush_streams(outputs, n, error) && write_devices(outputs, n, &gone, error) && commit_files(outputs, n, error);
    signal(SIGPIPE, before);
    if (good && gone) raise(SIGPIPE);
    return good;
}
