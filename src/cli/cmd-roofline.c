/* Ridge point, attainable rate and bound of a machine, and kernels under its roof. */
#include <math.h>
#include <string.h>

#include "base/faults.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/gnuplot.h"
#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/roofline-picture.h"
#include "cli/wording.h"

enum { JSON, PLOT, TEXT, OUTPUTS };

#define SHOWN_US 0.0005 /* less is not the time of a kernel: a point was given as a ratio */

typedef struct {
    char **points, **overrides, *flops, *bytes, *peak_gflops, *peak_gbs, *json, *plot;
} RooflineOptions;

typedef struct {
    RooflineOptions options;
    Machine machine;
    bool own_flops, own_bytes; /* the peaks are the machine's own */
    RooflinePicture picture;
    Output *outputs[OUTPUTS];
} Question;

static void question_clear(Question *q)
{
    RooflineOptions *o = &q->options;
    char *const texts[] = {o->flops, o->bytes, o->peak_gflops, o->peak_gbs, o->json, o->plot};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(texts[i]);
    g_strfreev(o->points);
    g_strfreev(o->overrides);
    for (unsigned i = 0; i < q->picture.n; i++)
        g_free(q->picture.points[i].name);
    for (unsigned i = 0; i < OUTPUTS; i++)
        output_free(q->outputs[i]);
    machine_clear(&q->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

/* ---- the command line ---- */

static bool is_standard(const char *path)
{
    return g_strcmp0(path, "-") == 0;
}

/* A decimal such as 0.25 or 1.7e10, from `least` on. */
static bool parse_number(const char *text, double least, double *ret)
{
    char *end = NULL;
    if (!g_ascii_isdigit(*text)) return false;
    *ret = g_ascii_strtod(text, &end);
    return !*end && isfinite(*ret) && *ret >= least && *ret <= 1e30;
}

static RooflinePoint *add_point(Question *q, const char *name, size_t length)
{
    RooflinePoint *point = &q->picture.points[q->picture.n++];
    *point = (RooflinePoint){.name = g_strndup(name, length), .seconds = NAN};
    return point;
}

/* NAME=FLOPS/BYTES, or NAME=FLOPS/BYTES/US */
static bool parse_point(Question *q, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !g_utf8_validate(text, -1, NULL)) return false;
    RooflinePoint *point = add_point(q, text, (size_t)(equals - text));
    g_auto(GStrv) parts = g_strsplit(equals + 1, "/", -1);
    const unsigned n = g_strv_length(parts);
    double us;
    if (n < 2 || n > 3 || !parse_number(parts[0], 0, &point->flops) || !parse_number(parts[1], 0, &point->bytes)) return false;
    if (n == 2) return true;
    if (!parse_number(parts[2], 1e-9, &us)) return false;
    point->seconds = us / 1e6;
    return true;
}

static int parse_points(const Command *self, Question *q)
{
    const RooflineOptions *o = &q->options;
    if (!o->flops != !o->bytes) return fail_usage(self, "roofline: --flops F and --bytes B: want both, or none");
    if (o->points && g_strv_length(o->points) + !!o->flops > ROOFLINE_POINTS_MAX)
        return fail_usage(self, "roofline: want at most %d points", ROOFLINE_POINTS_MAX);
    if (o->flops) {
        RooflinePoint *point = add_point(q, "kernel", strlen("kernel"));
        if (!parse_number(o->flops, 0, &point->flops))
            return fail_usage(self, "--flops %s: want operations, a number from 0 on, 1e30 at most", o->flops);
        if (!parse_number(o->bytes, 0, &point->bytes))
            return fail_usage(self, "--bytes %s: want bytes, a number from 0 on, 1e30 at most", o->bytes);
    }
    for (char **text = o->points; text && *text; text++) {
        g_autofree char *shown = faults_excerpt(*text);
        if (!parse_point(q, *text))
            return fail_usage(self, "--point %s: want NAME=FLOPS/BYTES or NAME=FLOPS/BYTES/US, numbers from 0 on, US above 0",
                              shown);
    }
    return OPTIONS_GO_ON;
}

static int check_options(const Command *self, Question *q)
{
    const RooflineOptions *o = &q->options;
    double peak;
    if (o->peak_gflops && !parse_number(o->peak_gflops, 1e-9, &peak))
        return fail_usage(self, "--peak-gflops %s: want GFLOP/s, a number above 0", o->peak_gflops);
    q->picture.roofline.peak_flops = o->peak_gflops ? peak * 1e9 : 0;
    if (o->peak_gbs && !parse_number(o->peak_gbs, 1e-9, &peak))
        return fail_usage(self, "--peak-gbs %s: want GB/s, a number above 0", o->peak_gbs);
    q->picture.roofline.peak_bytes = o->peak_gbs ? peak * 1e9 : 0;
    if (is_standard(o->json) && is_standard(o->plot)) return fail_usage(self, "want one of --json and --plot on standard output");
    return parse_points(self, q);
}

static int parse(const Command *self, Question *q, int argc, char **argv, char ***ret_operands)
{
    RooflineOptions *o = &q->options;
    const GOptionEntry entries[] = {
        {"flops", 0, 0, G_OPTION_ARG_STRING, &o->flops, "Floating-point operations of a kernel", "F"},
        {"bytes", 0, 0, G_OPTION_ARG_STRING, &o->bytes, "Bytes that it moves to and from memory", "B"},
        {"point", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->points,
         "A kernel, with the time that it took if /US is given; again for more", "NAME=FLOPS/BYTES[/US]"},
        {"peak-gflops", 0, 0, G_OPTION_ARG_STRING, &o->peak_gflops, "In place of the machine's own", "X"},
        {"peak-gbs", 0, 0, G_OPTION_ARG_STRING, &o->peak_gbs, "In place of the machine's own", "X"},
        OPTION_SET(&o->overrides),
        OPTION_JSON(&o->json),
        {"plot", 0, 0, G_OPTION_ARG_FILENAME, &o->plot, "An image (SVG) by gnuplot; - likewise", "FILE"},
        {NULL},
    };
    const int status = options_parse(self, entries, 1, 1, argc, argv, ret_operands);
    return status == OPTIONS_GO_ON ? check_options(self, q) : status;
}

/* ---- the answer in words ---- */

/* Four significant digits; `-` without a value. */
static Text short_number(double x)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    if (!isfinite(x)) return format_fixed(NAN, 0);
    return format_number(g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.3e", x), NULL));
}

static void print_peaks(FILE *out, const Question *q)
{
    const Roofline *r = &q->picture.roofline;
    const MachineConfig *m = &q->machine.config;
    g_autofree char *flops =
        q->own_flops ? g_strdup_printf(": %s x %s multiply-adds each cycle x 2 at %s GHz", format_counted(m->sm.count, "SM").text,
                                       short_number((double)m->sm.schedulers * LANES / m->op.alu_issue).text,
                                       format_number(m->sm.khz / 1e6).text)
                     : g_strdup(", as given");
    g_autofree char *bytes =
        q->own_bytes
            ? g_strdup_printf(": %s x %u bytes x %u each clock at %s GHz", format_counted(m->partition.count, "partition").text,
                              m->dram.bus_bytes, m->dram.data_rate, format_number(m->dram.khz / 1e6).text)
            : g_strdup(", as given");
    word_paragraph(out, "Arithmetic", "%s GFLOP/s%s", format_fixed(r->peak_flops / 1e9, 1).text, flops);
    word_paragraph(out, "Memory", "%s GB/s%s", format_fixed(r->peak_bytes / 1e9, 1).text, bytes);
    word_paragraph(out, "Ridge", "%s FLOP/byte: with fewer the memory bounds a kernel, from there on the arithmetic",
                   short_number(roofline_ridge(r)).text);
}

/* Four digits, as a floor is compared with a worked one. */
static Text time_text(double us)
{
    Text text;
    if (us < SHOWN_US) return format_fixed(NAN, 0);
    if (us >= 1000) return format_us(us);
    g_snprintf(text.text, sizeof text.text, "%s us", short_number(us).text);
    return text;
}

static void print_point(FILE *out, const Roofline *r, const RooflinePoint *point, unsigned index)
{
    const double intensity = roofline_point_intensity(point), attainable = roofline_attainable(r, intensity);
    const char *bound = roofline_bound_name(roofline_bound(r, intensity));
    const double least_us = roofline_seconds(r, point->flops, point->bytes) * 1e6;
    fprintf(out, "%c %-18.18s%10s %12s %8s  %-8s%10s", (int)('A' + index), point->name, short_number(intensity).text,
            format_fixed(attainable / 1e9, 1).text, format_percent(attainable / r->peak_flops).text, bound ? bound : "-",
            time_text(least_us).text);
    if (!isnan(point->seconds)) fprintf(out, "%10s", time_text(point->seconds * 1e6).text);
    fputc('\n', out);
}

static bool any_took(const RooflinePicture *p)
{
    for (unsigned i = 0; i < p->n; i++)
        if (!isnan(p->points[i].seconds)) return true;
    return false;
}

static void print_answer(FILE *out, const Question *q)
{
    const RooflinePicture *p = &q->picture;
    fprintf(out, "roofline: %s\n", q->machine.file);
    for (char **override = q->machine.overrides; *override; override++)
        fprintf(out, "  -s %s\n", *override);
    fputc('\n', out);
    print_peaks(out, q);
    fputc('\n', out);
    roofline_chart(out, p);
    if (!p->n) return;
    fprintf(out, "\n%-20s%10s %12s %8s  %-8s%10s%s\n", "Kernels", "FLOP/byte", "GFLOP/s", "of peak", "bound by", "least",
            any_took(p) ? "      took" : "");
    for (unsigned i = 0; i < p->n; i++)
        print_point(out, &p->roofline, &p->points[i], i);
}

/* ---- the answer as JSON ---- */

static void build_point(JsonBuilder *b, const Roofline *r, const RooflinePoint *point)
{
    const double intensity = roofline_point_intensity(point);
    json_builder_begin_object(b);
    json_add_text(b, "name", point->name);
    json_add_number(b, "flops", point->flops);
    json_add_number(b, "bytes", point->bytes);
    json_add_number(b, "intensity", isfinite(intensity) ? intensity : NAN);
    json_add_number(b, "attainable_gflops", roofline_attainable(r, intensity) / 1e9);
    json_add_number(b, "achieved_gflops", isnan(point->seconds) ? NAN : point->flops / point->seconds / 1e9);
    json_add_text(b, "bound", roofline_bound_name(roofline_bound(r, intensity)));
    json_add_number(b, "least_us", roofline_seconds(r, point->flops, point->bytes) * 1e6);
    json_builder_end_object(b);
}

static void write_document(FILE *out, const Question *q)
{
    const RooflinePicture *p = &q->picture;
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    json_add_number(b, "peak_gflops", p->roofline.peak_flops / 1e9);
    json_add_number(b, "peak_gbs", p->roofline.peak_bytes / 1e9);
    json_add_number(b, "ridge", roofline_ridge(&p->roofline));
    json_builder_set_member_name(b, "points");
    json_builder_begin_array(b);
    for (unsigned i = 0; i < p->n; i++)
        build_point(b, &p->roofline, &p->points[i]);
    json_builder_end_array(b);
    json_builder_end_object(b);
    json_write_document(out, b);
}

/* ---- the question ---- */

static void take_peaks(Question *q)
{
    Roofline *r = &q->picture.roofline;
    q->own_flops = !q->options.peak_gflops;
    q->own_bytes = !q->options.peak_gbs;
    if (q->own_flops) r->peak_flops = (double)machine_peak_flops_per_second(&q->machine.config);
    if (q->own_bytes) r->peak_bytes = (double)machine_peak_bytes_per_second(&q->machine.config);
}

static bool answer(Question *q, const char *config, GError **error)
{
    const RooflineOptions *o = &q->options;
    if (o->plot && !gnuplot_check(error)) return false;
    if (!machine_load(config, (const char *const *)o->overrides, &q->machine, error)) return false;
    take_peaks(q);
    const bool text = !is_standard(o->json) && !is_standard(o->plot);
    const char *const paths[OUTPUTS] = {[JSON] = o->json, [PLOT] = o->plot, [TEXT] = text ? "-" : NULL};
    for (unsigned i = 0; i < OUTPUTS; i++)
        if (paths[i] && !(q->outputs[i] = output_new(paths[i], error))) return false;
    if (!outputs_check(q->outputs, OUTPUTS, error)) return false;
    if (o->json) write_document(output_stream(q->outputs[JSON]), q);
    if (text) print_answer(output_stream(q->outputs[TEXT]), q);
    if (o->plot && !roofline_plot(output_stream(q->outputs[PLOT]), q->machine.file, &q->picture, error)) return false;
    return outputs_commit(q->outputs, OUTPUTS, error);
}

int cmd_roofline(const Command *self, int argc, char **argv)
{
    g_auto(Question) q = {0};
    g_auto(GStrv) operands = NULL;
    const int status = parse(self, &q, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    return answer(&q, operands[0], &error) ? STATUS_GOOD : fail(error);
}
