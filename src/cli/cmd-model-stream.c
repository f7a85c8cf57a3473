/* A kernel that only reads, in closed form: the floor that the bandwidth sets, and an estimate for words that lie apart. */
#include <math.h>

#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/inputs.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "model/stream.h"

enum { BYTES_PER_THREAD_MAX = 1 << 20, STRIDE_MAX = 1 << 20 };
#define GBS_MAX 1e6

typedef struct {
    char *threads, *bytes, *stride, *gbs, *json, **overrides;
} StreamOptions;

static void options_clear(StreamOptions *o)
{
    g_free(o->threads);
    g_free(o->bytes);
    g_free(o->stride);
    g_free(o->gbs);
    g_free(o->json);
    g_strfreev(o->overrides);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(StreamOptions, options_clear)

typedef struct {
    Machine machine; /* file = NULL: the bandwidth was given */
    uint64_t width, stride;
    StreamInput input;
    Stream result;
} Question;

static void question_clear(Question *q)
{
    if (q->machine.file) machine_clear(&q->machine);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Question, question_clear)

/* ---- the answer ---- */

static double factor(const Question *q)
{
    return (double)q->result.bytes_moved / (double)q->result.bytes;
}

/* `of 128 bytes`; `of 56 bytes on average`, where they differ. */
static char *size_text(const StreamAccess *access)
{
    if (access->bytes % access->transactions == 0)
        return g_strdup_printf("%" G_GUINT64_FORMAT, access->bytes / access->transactions);
    return g_strdup_printf("%.1f (mean)", (double)access->bytes / (double)access->transactions);
}

static void print_answer(FILE *out, const void *data)
{
    const Question *q = data;
    const Stream *s = &q->result;
    const StreamAccess *warp = q->input.threads < LANES ? &q->input.rest : &q->input.warp;
    const unsigned lanes = (unsigned)MIN(q->input.threads, LANES);
    g_autofree char *size = size_text(warp);
    const Text gbs = format_number(q->input.bytes_per_second / 1e9);
    fprintf(out, "stream: %s read %s each at %s GB/s%s%s\n\n", format_counted(q->input.threads, "thread").text,
            format_counted(q->input.bytes_per_thread, "byte").text, gbs.text, q->machine.file ? "; " : "",
            q->machine.file ? q->machine.file : "");
    word_paragraph(out, "Bytes", "%s x %s = %s", format_count(q->input.threads).text,
                   format_count(q->input.bytes_per_thread).text, format_count(s->bytes).text);
    word_paragraph(out, "Floor", "%s B / %s GB/s = %s: no pattern of accesses is faster", format_count(s->bytes).text, gbs.text,
                   format_us(s->floor_us).text);
    word_paragraph(out, "A warp", "%u lanes, %s B of each, %s B from one to the next: %s of %s bytes for %s that are asked for",
                   lanes, format_count(q->width).text, format_count(q->stride).text,
                   format_counted(warp->transactions, "transaction").text, size, format_count(lanes * q->width).text);
    word_paragraph(out, "Moved", "%s of %s: %s B, %s x the bytes", format_counted(s->transactions, "transaction").text,
                   format_counted(s->warps, "warp").text, format_count(s->bytes_moved).text, format_number(factor(q)).text);
    word_paragraph(out, "Estimate", "%s B / %s GB/s = %s", format_count(s->bytes_moved).text, gbs.text,
                   format_us(s->estimate_us).text);
}

static void build_answer(JsonBuilder *b, const void *data)
{
    const Question *q = data;
    json_builder_begin_object(b);
    json_add_text(b, "model", "stream");
    if (q->machine.file)
        machine_add(b, &q->machine);
    else
        json_add_null(b, "config");
    json_add_count(b, "threads", q->input.threads);
    json_add_count(b, "bytes_per_thread", q->input.bytes_per_thread);
    json_add_count(b, "stride_bytes", q->stride);
    json_add_number(b, "bytes_per_second", q->input.bytes_per_second);
    json_add_count(b, "bytes", q->result.bytes);
    json_add_number(b, "floor_us", q->result.floor_us);
    json_add_count(b, "accesses_per_thread", q->input.accesses);
    json_add_count(b, "transactions_per_access", (q->input.threads < LANES ? q->input.rest : q->input.warp).transactions);
    json_add_count(b, "transactions", q->result.transactions);
    json_add_count(b, "bytes_moved", q->result.bytes_moved);
    json_add_number(b, "factor", factor(q));
    json_add_number(b, "estimate_us", q->result.estimate_us);
    json_builder_end_object(b);
}

/* ---- the question ---- */

/* By the machine's own rule. */
static StreamAccess machine_access(const Question *q, unsigned lanes)
{
    LaneAccess access = {.mask = lanes == LANES ? LANES_ALL : ((LaneMask)1 << lanes) - 1, .width = (uint32_t)q->width};
    Coalesced c;
    for (unsigned i = 0; i < lanes; i++)
        access.addr[i] = (Addr)(i * q->stride);
    coalesce(&q->machine.config.coalescer, &access, &c);
    return (StreamAccess){c.n, c.bytes_moved};
}

static StreamAccess access_of(const Question *q, unsigned lanes)
{
    return q->machine.file ? machine_access(q, lanes) : stream_segments(lanes, q->stride, q->width);
}

static bool parse_counts(const Command *self, const StreamOptions *o, Question *q)
{
    StreamInput *in = &q->input;
    const NumberRule bytes = {"--bytes-per-thread", "bytes", 1, BYTES_PER_THREAD_MAX, NULL};
    if (!number_parse(self, &bytes, o->bytes, &in->bytes_per_thread)) return false;
    const uint64_t n = in->bytes_per_thread;
    if (n != 1 && n != 2 && n % STREAM_WORD_BYTES) {
        fail_usage(self, "--bytes-per-thread = %s: want 1, 2 or a multiple of %d", o->bytes, STREAM_WORD_BYTES);
        return false;
    }
    q->width = MIN(n, STREAM_WORD_BYTES);
    in->accesses = stream_accesses(n);
    const NumberRule threads = {"--threads", "threads", 1, STREAM_BYTES_MAX / n, "2^55 bytes in all"};
    const NumberRule stride = {"--stride", "bytes", 0, STRIDE_MAX, NULL};
    q->stride = STREAM_SEGMENT_BYTES;
    if (!number_parse(self, &threads, o->threads, &in->threads)) return false;
    if (o->stride && !number_parse(self, &stride, o->stride, &q->stride)) return false;
    if (q->stride % q->width == 0) return true;
    fail_usage(self, "--stride = %s: want a multiple of %" G_GUINT64_FORMAT " bytes, which a lane reads at once", o->stride,
               q->width);
    return false;
}

static bool parse_gbs(const Command *self, const char *text, double *ret_bytes_per_second)
{
    char *end;
    const double gbs = g_ascii_strtod(text, &end);
    if (end == text || *end || !(gbs > 0 && gbs <= GBS_MAX)) {
        fail_usage(self, "--gbs = %s: want a number above 0, %.0f at most: GB/s, such as 86.4", text, GBS_MAX);
        return false;
    }
    *ret_bytes_per_second = gbs * 1e9;
    return true;
}

static int parse_options(const Command *self, const StreamOptions *o, bool has_config, Question *q)
{
    if (!o->threads || !o->bytes) return fail_usage(self, "model stream: want --threads N and --bytes-per-thread B");
    if (has_config == (o->gbs != NULL)) return fail_usage(self, "model stream: want CONFIG or --gbs G, one of them");
    if (o->gbs && o->overrides) return fail_usage(self, "model stream: --set: want CONFIG with it, not --gbs");
    if (!parse_counts(self, o, q)) return STATUS_USAGE;
    return !o->gbs || parse_gbs(self, o->gbs, &q->input.bytes_per_second) ? OPTIONS_GO_ON : STATUS_USAGE;
}

int cmd_model_stream(const Command *self, int argc, char **argv)
{
    g_auto(StreamOptions) o = {0};
    g_auto(Question) q = {0};
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {
        {"threads", 0, 0, G_OPTION_ARG_FILENAME, &o.threads, "Threads of all blocks (required)", "N"},
        {"bytes-per-thread", 0, 0, G_OPTION_ARG_FILENAME, &o.bytes, "That each of them reads (required)", "B"},
        {"stride", 0, 0, G_OPTION_ARG_FILENAME, &o.stride, "From a thread's word to the next one's; default 128", "BYTES"},
        {"gbs", 0, 0, G_OPTION_ARG_FILENAME, &o.gbs, "Bandwidth, where there is no CONFIG", "G"},
        OPTION_SET(&o.overrides),
        OPTION_JSON(&o.json),
        {NULL},
    };
    int status = options_parse(self, entries, 0, 1, argc, argv, &operands);
    if (status == OPTIONS_GO_ON) status = parse_options(self, &o, operands[0] != NULL, &q);
    if (status != OPTIONS_GO_ON) return status;
    GError *error = NULL;
    if (operands[0] && !machine_load(operands[0], (const char *const *)o.overrides, &q.machine, &error)) return fail(error);
    if (operands[0]) q.input.bytes_per_second = (double)machine_peak_bytes_per_second(&q.machine.config);
    q.input.warp = access_of(&q, LANES);
    q.input.rest = access_of(&q, q.input.threads % LANES);
    q.result = stream(&q.input);
    return answer_give(&(const Answer){print_answer, build_answer}, o.json, &q);
}
