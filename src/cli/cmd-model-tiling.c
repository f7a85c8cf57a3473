/* Tiled matrix multiplication in closed form: the reads of global memory, naive and tiled, with the working. */
#include "cli/answer.h"
#include "cli/fail.h"
#include "cli/format.h"
#include "cli/numbers.h"
#include "cli/options.h"
#include "cli/wording.h"
#include "model/tiling.h"

typedef struct {
    uint64_t n, tile;
    Tiling result;
} Question;

static void print_answer(FILE *out, const void *data)
{
    const Question *q = data;
    const Tiling *t = &q->result;
    const Text n = format_count(q->n), tile = format_count(q->tile), tiles = format_count(t->tiles);
    fprintf(out, "tiling: C = A*B of %s x %s floats, in tiles of %s x %s\n\n", n.text, n.text, tile.text, tile.text);
    word_paragraph(out, "Naive", "2 n^3 = 2 x %s^3 = %s reads, %s: each of n^2 threads reads a row of A and a column of B",
                   n.text, format_count(t->reads_naive).text, format_bytes((double)t->reads_naive * TILING_WORD_BYTES).text);
    word_paragraph(out, "Tiled", "%s = 2 x %s^2 x %s = %s reads, %s: each of %s^2 blocks reads %s of A and of B",
                   q->n % q->tile ? "2 n^2 x tiles along an edge, rounded up" : "2 n^3 / T = 2 n^2 x n/T", n.text, tiles.text,
                   format_count(t->reads_tiled).text, format_bytes((double)t->reads_tiled * TILING_WORD_BYTES).text, tiles.text,
                   format_counted(t->tiles, "tile").text);
    word_paragraph(out, "Reduction", "%s: a word of a tile serves %s threads%s", format_number(t->reduction).text, tile.text,
                   q->n % q->tile ? ", fewer at the edges" : "");
    word_paragraph(out, "Tile", "%s x %s x %d = %s", tile.text, tile.text, TILING_WORD_BYTES,
                   format_counted(t->tile_bytes, "byte").text);
    word_paragraph(out, "Shared memory", "2 x %s = %s of a block, for a tile of A and one of B", format_count(t->tile_bytes).text,
                   format_counted(t->block_bytes, "byte").text);
}

static void build_answer(JsonBuilder *b, const void *data)
{
    const Question *q = data;
    const Tiling *t = &q->result;
    json_builder_begin_object(b);
    json_add_text(b, "model", "tiling");
    json_add_count(b, "n", q->n);
    json_add_count(b, "tile", q->tile);
    json_add_count(b, "tiles", t->tiles);
    json_add_count(b, "reads_naive", t->reads_naive);
    json_add_count(b, "reads_tiled", t->reads_tiled);
    json_add_count(b, "bytes_naive", t->reads_naive * TILING_WORD_BYTES);
    json_add_count(b, "bytes_tiled", t->reads_tiled * TILING_WORD_BYTES);
    json_add_number(b, "reduction", t->reduction);
    json_add_count(b, "tile_bytes", t->tile_bytes);
    json_add_count(b, "block_bytes", t->block_bytes);
    json_builder_end_object(b);
}

int cmd_model_tiling(const Command *self, int argc, char **argv)
{
    g_autofree char *n = NULL, *tile = NULL, *json = NULL;
    g_auto(GStrv) operands = NULL;
    const GOptionEntry entries[] = {
        {"n", 'n', 0, G_OPTION_ARG_FILENAME, &n, "Rows and columns of the matrices (required)", "N"},
        {"tile", 0, 0, G_OPTION_ARG_FILENAME, &tile, "Rows and columns of a tile (required)", "T"},
        OPTION_JSON(&json),
        {NULL},
    };
    const int status = options_parse(self, entries, 0, 0, argc, argv, &operands);
    if (status != OPTIONS_GO_ON) return status;
    if (!n || !tile) return fail_usage(self, "model tiling: want --n N and --tile T");
    Question q;
    if (!number_parse(self, &(NumberRule){"--n", "rows", 1, TILING_N_MAX, NULL}, n, &q.n)) return STATUS_USAGE;
    if (!number_parse(self, &(NumberRule){"--tile", "rows", 1, q.n, "a tile is a part of the matrix"}, tile, &q.tile))
        return STATUS_USAGE;
    q.result = tiling(q.n, q.tile);
    return answer_give(&(const Answer){print_answer, build_answer}, json, &q);
}
