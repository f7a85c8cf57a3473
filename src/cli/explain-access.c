#include "cli/explain-access.h"

#include "mem/texture-layout.h"
#include "sm/constant-access.h"
#include "sm/sm.h"

enum { HALF = LANES / 2, WORD_BYTES = 4, SEGMENT_BYTES = 128, SECTOR_BYTES = 32 };

bool access_read(Cursor *cursor, LaneMask mask, LaneAccess *ret)
{
    const Insn *insn = cursor->insn;
    const bool local = insn->space == SPACE_LOCAL;
    AccessLanes lanes;
    if (!cursor_access(cursor, mask, &lanes)) return false;
    *ret = (LaneAccess){.mask = mask,
                        .width = local ? MIN(insn->width, WORD_BYTES) : insn->width,
                        .store = insn->mem == MEM_STORE,
                        .atomic = insn->mem == MEM_ATOMIC};
    for (LaneMask left = mask; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        const Addr at = (Addr)(lanes.base + lanes.offset[i]);
        ret->addr[i] = local ? sm_local_offset(at, i) : at;
    }
    return true;
}

bool access_by_halves(const MachineConfig *config)
{
    const CoalescerPolicy *policy = coalescer_policy(&config->coalescer);
    return policy == &coalescer_cc10 || policy == &coalescer_cc12;
}

unsigned access_align(const MachineConfig *config, unsigned width, unsigned group)
{
    const bool halves = access_by_halves(config), lines = coalescer_policy(&config->coalescer) == &coalescer_cc20;
    const unsigned piece = halves ? MIN(HALF * width, SEGMENT_BYTES) : lines ? SEGMENT_BYTES : SECTOR_BYTES;
    return MIN(piece, group * width);
}

/* ---- what the lanes touch ---- */

/* Where lane 0 of the group would be, were it there. */
static bool is_aligned(const LaneAccess *access, const LaneLook *look, unsigned group, unsigned align)
{
    const Addr before = (Addr)(look->first % group) * access->width;
    return (access->addr[look->first] - before) % align == 0;
}

/* Whether all groups of so many lanes look alike, and how. */
static bool look_by(const LaneAccess *access, unsigned group, unsigned align, AccessPattern *ret)
{
    AccessPattern p = {.group = (uint8_t)group, .aligned = true};
    bool first = true;
    for (unsigned at = 0; at < LANES; at += group) {
        const LaneMask lanes = access->mask & (LaneMask)bits_below(group) << at;
        if (!lanes) continue;
        const LaneLook look = lane_look(access, lanes);
        const int64_t stride = look.shape == SHAPE_STRIDED ? look.stride : 0;
        if (!first && (p.shape != look.shape || p.stride != stride)) return false;
        p.shape = look.shape;
        p.stride = stride;
        p.aligned = p.aligned && (look.shape != SHAPE_IN_ORDER || is_aligned(access, &look, group, align));
        first = false;
    }
    *ret = p;
    return p.shape != SHAPE_SCATTERED;
}

/* Elsewhere than in global memory it does not matter where words begin. */
static unsigned place_align(const MachineConfig *config, Space space, const LaneAccess *access, unsigned group)
{
    return space == SPACE_GLOBAL ? access_align(config, access->width, group) : access->width;
}

AccessPattern access_pattern(const MachineConfig *config, Space space, const LaneAccess *access)
{
    AccessPattern p = {.shape = SHAPE_SAME, .group = LANES, .single = true, .aligned = true};
    if (bits_count(access->mask) == 1) return p;
    for (unsigned group = LANES; group >= 4; group /= 2)
        if (look_by(access, group, place_align(config, space, access, group), &p) && p.shape != SHAPE_DENSE) return p;
    for (unsigned group = LANES; group >= HALF; group /= 2) /* two rows of one kind are more to the point than all in a heap */
        if (look_by(access, group, place_align(config, space, access, group), &p)) return p;
    return (AccessPattern){.shape = SHAPE_SCATTERED, .group = LANES};
}

/* ---- what it costs ---- */

/* Lane k at word k of an aligned segment. */
static Coalesced in_order(const MachineConfig *config, const LaneAccess *like, uint32_t width)
{
    LaneAccess access = {.mask = like->mask, .width = width, .store = like->store, .atomic = like->atomic};
    Coalesced c;
    for (unsigned i = 0; i < LANES; i++)
        access.addr[i] = (Addr)i * width;
    coalesce(&config->coalescer, &access, &c);
    return c;
}

static AccessCost global_cost(const MachineConfig *config, const LaneAccess *access)
{
    Coalesced now;
    coalesce(&config->coalescer, access, &now);
    const Coalesced best = in_order(config, access, access->width),
                    wide = in_order(config, access, MAX(access->width, WORD_BYTES));
    return (AccessCost){now.n, MIN(now.n, MIN(best.n, wide.n)), now.bytes_moved,
                        MIN(now.bytes_moved, MIN(best.bytes_moved, wide.bytes_moved))};
}

static AccessCost shared_cost(const MachineConfig *config, const LaneAccess *access)
{
    SharedPasses passes;
    shared_passes(&config->shared, access, &passes);
    return (AccessCost){.now = passes.passes, .fewest = passes.n_groups};
}

static AccessCost constant_cost(const MachineConfig *config, const LaneAccess *access)
{
    ConstantRequests requests;
    constant_requests(access, config->constant.group_lanes, &requests);
    return (AccessCost){.now = requests.requests, .fewest = requests.n_groups};
}

static AccessCost texture_cost(const MachineConfig *config, const ArrayPlace *place, const LaneAccess *access)
{
    const TextureConfig *texture = &config->texture;
    const TextureLayout layout = {.tile_bytes = TEXTURE_TILE_BYTES,
                                  .tile_rows = texture->tile_rows,
                                  .block_bytes = texture->block_bytes,
                                  .line_bytes = texture->cache.line_bytes};
    const uint64_t pitch = place->pitch;
    const TextureShape shape = {.base = place->base, .pitch_bytes = pitch, .rows = pitch ? place->bytes / pitch : 0};
    Addr lines[TEXTURE_LINES_MAX];
    const uint32_t now = texture_lines(&layout, &shape, access, lines), line = layout.line_bytes;
    return (AccessCost){.now = now, .fewest = MIN(now, (bits_count(access->mask) * access->width + line - 1) / line)};
}

AccessCost access_cost(const MachineConfig *config, const Insn *insn, const ArrayPlace *place, const LaneAccess *access)
{
    AccessCost cost;
    switch ((Space)insn->space) {
    case SPACE_SHARED: return shared_cost(config, access);
    case SPACE_CONST: return constant_cost(config, access);
    case SPACE_TEX: return texture_cost(config, place, access);
    default: break;
    }
    cost = global_cost(config, access);
    const uint32_t parts = insn->space == SPACE_LOCAL ? sm_local_parts(insn->width) : 1;
    return (AccessCost){cost.now * parts, cost.fewest * parts, cost.moved * parts, cost.needed * parts};
}
