/* What is shipped: configurations and workloads, with the first paragraph of comment of each. */
#include <string.h>

#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/options.h"
#include "cli/shipped.h"

typedef struct {
    char *path, *about;
} Shipped;

typedef struct {
    GPtrArray *configs, *workloads; /* of Shipped */
} Shelf;

static void shipped_free(void *data)
{
    Shipped *shipped = data;
    g_free(shipped->path);
    g_free(shipped->about);
    g_free(shipped);
}

static int by_path(gconstpointer a, gconstpointer b)
{
    return strcmp((*(Shipped *const *)a)->path, (*(Shipped *const *)b)->path);
}

/* The first paragraph of comment in the file, on one line. */
static char *first_comment(const char *path)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL)) return g_strdup("");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *about = g_string_new(NULL);
    for (char **line = lines; *line; line++) {
        char *comment = **line == '#' ? g_strstrip(*line + 1) : NULL;
        if (comment && *comment)
            g_string_append_printf(about, "%s%s", about->len ? " " : "", comment);
        else if (about->len)
            break;
    }
    return g_string_free(about, FALSE);
}

static GPtrArray *look_in(const char *root, const char *folder, const char *suffix)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(shipped_free);
    g_autofree char *path = g_build_filename(root, folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir));) {
        if (!g_str_has_suffix(name, suffix)) continue;
        Shipped *shipped = g_new0(Shipped, 1);
        shipped->path = g_build_filename(path, name, NULL);
        shipped->about = first_comment(shipped->path);
        g_ptr_array_add(all, shipped);
    }
    g_ptr_array_sort(all, by_path);
    return all;
}

static void print_shelf(FILE *out, const char *title, const GPtrArray *all)
{
    fprintf(out, "%s\n", title);
    for (unsigned i = 0; i < all->len; i++) {
        const Shipped *shipped = all->pdata[i];
        fprintf(out, "  %s\n      ", shipped->path);
        format_paragraph(out, 6, shipped->about);
    }
}

static void print_list(FILE *out, const void *data)
{
    const Shelf *shelf = data;
    print_shelf(out, "Configurations", shelf->configs);
    fputc('\n', out);
    print_shelf(out, "Workloads", shelf->workloads);
}

static void build_shelf(JsonBuilder *b, const char *name, const GPtrArray *all)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
    for (unsigned i = 0; i < all->len; i++) {
        const Shipped *shipped = all->pdata[i];
        json_builder_begin_object(b);
        json_add_text(b, "file", shipped->path);
        json_add_text(b, "about", shipped->about);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void build_list(JsonBuilder *b, const void *data)
{
    const Shelf *shelf = data;
    json_builder_begin_object(b);
    build_shelf(b, "configs", shelf->configs);
    build_shelf(b, "workloads", shelf->workloads);
    json_builder_end_object(b);
}

int cmd_list(const Command *self, int argc, char **argv)
{
    g_autofree char *json = NULL;
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {OPTION_JSON(&json), {NULL}};
    const int status = options_parse(self, entries, 0, 0, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    const char *root = shipped_root();
    g_autoptr(GPtrArray) configs = look_in(root, "configs", ".ini"), workloads = look_in(root, "workloads", ".trace");
    if (!configs->len && !workloads->len) {
        fprintf(stderr,
                "%s: no configurations and no workloads: set G80SIM_DATADIR to the folder that holds configs/ and workloads/\n",
                root);
        return STATUS_USAGE;
    }
    return answer_give(&(const Answer){print_list, build_list}, json, &(const Shelf){configs, workloads});
}
