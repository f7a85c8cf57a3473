#include "mem/texture-layout.h"

enum { WIDTH_MAX = 16 }; /* bytes of the widest texel: a block is no narrower, so that a texel lies in two at most */

/* The layout as shifts: log2 of its sizes. */
typedef struct {
    unsigned tile_x, tile_y, block_x, block_y, line;
} Shifts;

static bool is_power(uint32_t n)
{
    return n && (n & (n - 1)) == 0;
}

bool texture_layout_valid(const TextureLayout *layout)
{
    const TextureLayout *l = layout;
    if (!is_power(l->tile_bytes) || !is_power(l->tile_rows) || !is_power(l->block_bytes) || !is_power(l->line_bytes))
        return false;
    if (l->block_bytes < WIDTH_MAX || l->block_bytes > l->line_bytes) return false;
    return l->tile_rows == 1 || (l->tile_bytes >= l->block_bytes && l->tile_rows >= l->line_bytes / l->block_bytes);
}

static Shifts shifts_of(const TextureLayout *layout)
{
    const unsigned block_x = bits_lowest(layout->block_bytes), line = bits_lowest(layout->line_bytes);
    return (Shifts){.tile_x = bits_lowest(layout->tile_bytes),
                    .tile_y = bits_lowest(layout->tile_rows),
                    .block_x = block_x,
                    .block_y = line - block_x,
                    .line = line};
}

/* Offset of a byte of a tiled texture whose rows are `tiles` tiles long. */
static Addr tiled(const Shifts *s, uint64_t tiles, uint64_t row, uint64_t x)
{
    const uint64_t tile = (row >> s->tile_y) * tiles + (x >> s->tile_x);
    const uint64_t in_row = row & bits_below(s->tile_y), in_x = x & bits_below(s->tile_x);
    const uint64_t block = (in_row >> s->block_y << (s->tile_x - s->block_x)) + (in_x >> s->block_x);
    const uint64_t byte = ((in_row & bits_below(s->block_y)) << s->block_x) + (in_x & bits_below(s->block_x));
    return (tile << (s->tile_x + s->tile_y)) + (block << s->line) + byte;
}

static uint64_t tiles_of(const Shifts *s, uint64_t pitch_bytes)
{
    return (pitch_bytes + bits_below(s->tile_x)) >> s->tile_x;
}

Addr texture_layout_address(const TextureLayout *layout, uint64_t pitch_bytes, uint64_t row, uint64_t x_bytes)
{
    if (layout->tile_rows == 1) return row * pitch_bytes + x_bytes;
    const Shifts s = shifts_of(layout);
    return tiled(&s, tiles_of(&s, pitch_bytes), row, x_bytes);
}

/* ---- the lines of a fetch ---- */

/* The row of the lane before, which is nearly always that of the next lane or its neighbour. */
typedef struct {
    uint64_t row, start; /* start: offset of its first byte */
} Place;

static void move_to(Place *place, uint64_t pitch, uint64_t offset)
{
    const uint64_t x = offset - place->start; /* huge where the row is above */
    if (x < pitch) return;
    if (x - pitch < pitch) {
        place->row++;
        place->start += pitch;
    } else if (place->start - offset <= pitch) {
        place->row--;
        place->start -= pitch;
    } else {
        place->row = offset / pitch;
        place->start = place->row * pitch;
    }
}

/* Appends a line unless it is there; lanes nearby are the likeliest to have it. */
static unsigned add_line(Addr *lines, unsigned n, Addr line)
{
    for (unsigned i = n; i > 0; i--)
        if (lines[i - 1] == line) return n;
    lines[n] = line;
    return n + 1;
}

static unsigned linear_lines(const TextureLayout *layout, const LaneAccess *access, Addr *ret)
{
    const Addr within = layout->line_bytes - 1;
    unsigned n = 0;
    for (LaneMask left = access->mask; left; left &= left - 1) {
        const Addr addr = access->addr[bits_lowest(left)];
        n = add_line(ret, n, addr & ~within);
        n = add_line(ret, n, (addr + access->width - 1) & ~within);
    }
    return n;
}

unsigned texture_lines(const TextureLayout *layout, const TextureShape *shape, const LaneAccess *access,
                       Addr ret[TEXTURE_LINES_MAX])
{
    if (layout->tile_rows == 1 || shape->rows <= 1 || shape->pitch_bytes == 0) return linear_lines(layout, access, ret);
    const Shifts s = shifts_of(layout);
    const uint64_t pitch = shape->pitch_bytes, tiles = tiles_of(&s, pitch);
    const Addr within = layout->line_bytes - 1;
    Place place = {0, 0};
    unsigned n = 0;
    for (LaneMask left = access->mask; left; left &= left - 1) {
        const uint64_t offset = access->addr[bits_lowest(left)] - shape->base;
        move_to(&place, pitch, offset);
        const uint64_t x = offset - place.start, end = x + access->width - 1;
        const Addr first = shape->base + tiled(&s, tiles, place.row, x);
        const bool one_block = (x ^ end) >> s.block_x == 0;
        const Addr last = one_block ? first + access->width - 1 : shape->base + tiled(&s, tiles, place.row, end);
        n = add_line(ret, n, first & ~within);
        n = add_line(ret, n, last & ~within);
    }
    return n;
}
