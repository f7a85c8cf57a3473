/* Texture layout: every byte of several textures, the order of tiles and blocks by hand, and the lines of a fetch lane by lane. */
#include <stdlib.h>
#include <string.h>

#include <glib.h>

#include "holds.h"
#include "mem/texture-layout.h"
#include "random.h"
#include "unit.h"

enum { AGREE = 50000 };

/* clang-format off */
static const TextureLayout LAYOUTS[] = {
    /* tile       block line */
    { 64,  4,     16,   32},  /* cc 1.x */
    { 64,  8,     16,   32},  /* Fermi */
    { 64,  4,     32,   32},  /* a line is a row */
    { 64,  2,     16,   32},
    { 16,  2,     16,   32},  /* a tile is a block */
    {128, 16,     32,  128},
    {256,  8,     16,  128},
    { 64,  1,     16,   32},  /* linear */
};
static const struct {
    uint64_t pitch, rows;
} SIZES[] = {{64, 4}, {64, 64}, {16, 7}, {20, 9}, {100, 33}, {1, 5}, {192, 1}, {1000, 21}};
/* clang-format on */

static bool is_linear(const TextureLayout *l)
{
    return l->tile_rows == 1;
}

/* Every byte of the padded texture once, and none beyond. */
START_TEST(every_byte_has_its_own_place)
{
    const TextureLayout *l = &LAYOUTS[_i];
    ck_assert(texture_layout_valid(l));
    for (unsigned s = 0; s < G_N_ELEMENTS(SIZES); s++) {
        const uint64_t wide =
            is_linear(l) ? SIZES[s].pitch : (SIZES[s].pitch + l->tile_bytes - 1) / l->tile_bytes * l->tile_bytes;
        const uint64_t high = (SIZES[s].rows + l->tile_rows - 1) / l->tile_rows * l->tile_rows;
        g_autofree bool *taken = g_new0(bool, wide *high);
        for (uint64_t row = 0; row < high; row++) {
            for (uint64_t x = 0; x < wide; x++) {
                const Addr at = texture_layout_address(l, SIZES[s].pitch, row, x);
                HOLDS(at < wide * high && !taken[at]);
                taken[at] = true;
            }
        }
    }
}
END_TEST

/* The rule once more, by counting: which tile, which block in it, which byte in that. */
START_TEST(tiles_hold_blocks_hold_rows)
{
    const TextureLayout *l = &LAYOUTS[_i];
    if (is_linear(l)) return;
    const unsigned high = l->line_bytes / l->block_bytes;
    const uint64_t pitch = 3 * l->tile_bytes - 5;
    Addr want = 0;
    for (unsigned tile = 0; tile < 9; tile++) {
        for (unsigned block = 0; block < l->tile_bytes * l->tile_rows / l->line_bytes; block++) {
            const unsigned across = l->tile_bytes / l->block_bytes;
            const uint64_t row = tile / 3 * l->tile_rows + block / across * high;
            const uint64_t x = tile % 3 * l->tile_bytes + block % across * l->block_bytes;
            for (unsigned y = 0; y < high; y++)
                for (unsigned k = 0; k < l->block_bytes; k++)
                    HOLDS(texture_layout_address(l, pitch, row + y, x + k) == want++);
        }
    }
}
END_TEST

/* A pitch of 100 bytes is two tiles. Tile (1, 1) begins at 256 * 3; in it row 5 is row 1, the second of the upper blocks. */
static const struct {
    uint64_t row, x;
    Addr want;
} PLACES[] = {
    {0, 0, 0},
    {0, 15, 15},
    {0, 16, 32},
    {1, 0, 16},
    {1, 17, 49},
    {2, 0, 128},
    {3, 63, 255},
    {0, 64, 256},
    {4, 0, 512},
    {5, 70, 768 + 22},
    {6, 99, 768 + 128 + 64 + 3},
};

START_TEST(places_of_cc1x_by_hand)
{
    ck_assert_uint_eq(texture_layout_address(&LAYOUTS[0], 100, PLACES[_i].row, PLACES[_i].x), PLACES[_i].want);
}
END_TEST

START_TEST(sizes_that_make_no_layout)
{
    static const TextureLayout WRONG[] = {
        {0, 4, 16, 32},  {64, 0, 16, 32}, {64, 4, 0, 32},  {64, 4, 16, 0},  {96, 4, 16, 32}, {64, 3, 16, 32}, {64, 4, 24, 32},
        {64, 4, 16, 48}, {64, 4, 8, 32},  {64, 4, 64, 32}, {16, 4, 32, 32}, {64, 2, 16, 64}, {64, 1, 64, 32},
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(WRONG); i++)
        ck_assert_msg(!texture_layout_valid(&WRONG[i]), "%u", i);
    ck_assert(texture_layout_valid(&(TextureLayout){16, 1, 16, 256}));
}
END_TEST

/* ---- the lines of a fetch ---- */

static char *lines_text(const TextureLayout *layout, const TextureShape *shape, const LaneAccess *access)
{
    Addr lines[TEXTURE_LINES_MAX];
    const unsigned n = texture_lines(layout, shape, access, lines);
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < n; i++)
        g_string_append_printf(text, " %" G_GUINT64_FORMAT, lines[i]);
    return g_string_free(text, FALSE);
}

/* Lane k at base + k / across rows and k % across words, of a texture of 128 bytes x 64 rows at 1024. */
static const struct {
    const char *what;
    unsigned layout, rows, first, across;
    LaneMask mask;
    const char *want;
} FETCHES[] = {
    {"a row of 32 words: half of 8 blocks", 0, 64, 0, 32, LANES_ALL, " 1024 1056 1088 1120 1280 1312 1344 1376"},
    {"the row below: the other halves", 0, 64, 128, 32, LANES_ALL, " 1024 1056 1088 1120 1280 1312 1344 1376"},
    {"8 words x 4 rows: 4 blocks", 0, 64, 0, 8, LANES_ALL, " 1024 1056 1152 1184"},
    {"4 words x 8 rows: 4 blocks, in two tiles", 0, 64, 0, 4, LANES_ALL, " 1024 1152 1536 1664"},
    {"a column: two tiles for eight rows", 0, 64, 0, 1, 0x000000ff, " 1024 1152 1536 1664"},
    {"the upper rows off", 0, 64, 0, 4, 0xffff0000, " 1536 1664"},
    {"no lane", 0, 64, 0, 4, 0, ""},
    {"one-dimensional: linear", 0, 1, 0, 32, LANES_ALL, " 1024 1056 1088 1120"},
    {"linear layout", 7, 64, 0, 8, LANES_ALL, " 1024 1152 1280 1408"},
};

START_TEST(lines_by_hand)
{
    const TextureShape shape = {.base = 1024, .pitch_bytes = 128, .rows = FETCHES[_i].rows};
    LaneAccess access = {.mask = FETCHES[_i].mask, .width = 4};
    for (unsigned k = 0; k < LANES; k++)
        access.addr[k] = 1024 + FETCHES[_i].first + k / FETCHES[_i].across * 128 + k % FETCHES[_i].across * 4;
    g_autofree char *have = lines_text(&LAYOUTS[FETCHES[_i].layout], &shape, &access);
    ck_assert_msg(g_str_equal(have, FETCHES[_i].want), "%s:%s", FETCHES[_i].what, have);
}
END_TEST

/* 32 lanes that each reach over the end of a line: 64 lines. */
START_TEST(a_fetch_of_the_most_lines)
{
    const TextureShape shape = {.base = 0};
    LaneAccess access = {.mask = LANES_ALL, .width = 16};
    Addr lines[TEXTURE_LINES_MAX];
    for (unsigned k = 0; k < LANES; k++)
        access.addr[k] = 64 * k + 24;
    ck_assert_uint_eq(texture_lines(&LAYOUTS[0], &shape, &access, lines), 64);
    ck_assert_uint_eq(lines[63], 64 * 31 + 32);
}
END_TEST

static unsigned add_once(Addr *lines, unsigned n, Addr line)
{
    for (unsigned i = 0; i < n; i++)
        if (lines[i] == line) return n;
    lines[n] = line;
    return n + 1;
}

/* Lane by lane, byte by byte. */
static unsigned expected(const TextureLayout *l, const TextureShape *shape, const LaneAccess *access, Addr *ret)
{
    unsigned n = 0;
    for (unsigned k = 0; k < LANES; k++) {
        if (!(access->mask >> k & 1)) continue;
        const uint64_t offset = access->addr[k] - shape->base;
        for (unsigned b = 0; b < access->width; b++) {
            const bool tiled = shape->rows > 1 && shape->pitch_bytes;
            const Addr in = tiled ? texture_layout_address(l, shape->pitch_bytes, offset / shape->pitch_bytes,
                                                           offset % shape->pitch_bytes + b)
                                  : offset + b;
            n = add_once(ret, n, (shape->base + in) / l->line_bytes * l->line_bytes);
        }
    }
    return n;
}

/* Where lanes go: along a row, down a column, in a patch, nearby up and down, anywhere. */
static uint64_t offset_of(unsigned kind, unsigned lane, uint64_t pitch, uint64_t rows, uint64_t start, uint64_t *state)
{
    const uint64_t words = pitch / 4;
    uint64_t row = start / words % rows, word = start % words;
    switch (kind) {
    case 0: word += lane; break;
    case 1: row += lane; break;
    case 2: row += lane / 8, word += lane % 8; break;
    case 3: row += random_below(state, 3), word += random_below(state, 9); break;
    case 4: row += LANES - lane; break;
    default: row += random_below(state, rows), word += random_below(state, words);
    }
    return row % rows * pitch + word % words * 4;
}

START_TEST(lines_are_those_of_every_byte)
{
    const TextureLayout *l = &LAYOUTS[_i];
    static const uint64_t PITCHES[] = {0, 64, 128, 100, 4, 1028, 512};
    uint64_t state = (uint64_t)_i;
    for (unsigned round = 0; round < AGREE; round++) {
        const TextureShape shape = {.base = 256 * random_below(&state, 1 << 20) +
                                            (round % 5 == 0 ? 16 * random_below(&state, 16) : 0),
                                    .pitch_bytes = PITCHES[random_below(&state, G_N_ELEMENTS(PITCHES))],
                                    .rows = random_below(&state, 3) ? 1 + random_below(&state, 200) : 1};
        const uint64_t pitch = MAX(shape.pitch_bytes, 4), start = random_next(&state) >> 40;
        const unsigned kind = (unsigned)random_below(&state, 6);
        LaneAccess access = {.mask = (LaneMask)random_next(&state) | (round % 2 ? LANES_ALL : 0),
                             .width = 1u << random_below(&state, 5)};
        Addr have[TEXTURE_LINES_MAX], want[TEXTURE_LINES_MAX];
        for (unsigned k = 0; k < LANES; k++)
            access.addr[k] = shape.base + offset_of(kind, k, pitch, shape.rows, start, &state);
        const unsigned n = texture_lines(l, &shape, &access, have);
        HOLDS(n == expected(l, &shape, &access, want));
        HOLDS(memcmp(have, want, n * sizeof *have) == 0);
    }
}
END_TEST

static void add(TCase *tcase)
{
    tcase_add_loop_test(tcase, every_byte_has_its_own_place, 0, G_N_ELEMENTS(LAYOUTS));
    tcase_add_loop_test(tcase, tiles_hold_blocks_hold_rows, 0, G_N_ELEMENTS(LAYOUTS));
    tcase_add_loop_test(tcase, places_of_cc1x_by_hand, 0, G_N_ELEMENTS(PLACES));
    tcase_add_test(tcase, sizes_that_make_no_layout);
    tcase_add_loop_test(tcase, lines_by_hand, 0, G_N_ELEMENTS(FETCHES));
    tcase_add_test(tcase, a_fetch_of_the_most_lines);
    tcase_add_loop_test(tcase, lines_are_those_of_every_byte, 0, G_N_ELEMENTS(LAYOUTS));
}

int main(void)
{
    return unit_main("texture-layout", add);
}
