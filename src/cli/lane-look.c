#include "cli/lane-look.h"

static bool has_stride(const LaneAccess *access, const LaneLook *look, int64_t stride)
{
    for (LaneMask left = look->lanes; left; left &= left - 1) {
        const unsigned i = bits_lowest(left);
        if (access->addr[i] != access->addr[look->first] + (Addr)stride * (i - look->first)) return false;
    }
    return true;
}

/* Every word between the lowest and the highest is touched. */
static bool is_dense(const LaneAccess *access, const LaneLook *look)
{
    const Addr words = (look->end - look->lowest) / access->width;
    LaneMask seen = 0;
    if (words > LANES) return false;
    for (LaneMask left = look->lanes; left; left &= left - 1)
        seen |= (LaneMask)1 << (access->addr[bits_lowest(left)] - look->lowest) / access->width;
    return bits_count(seen) == words;
}

LaneLook lane_look(const LaneAccess *access, LaneMask lanes)
{
    LaneLook look = {.shape = SHAPE_SCATTERED, .lanes = lanes, .first = bits_lowest(lanes), .lowest = ~(Addr)0};
    for (LaneMask left = lanes; left; left &= left - 1) {
        const Addr addr = access->addr[bits_lowest(left)];
        look.lowest = MIN(look.lowest, addr);
        look.end = MAX(look.end, addr + access->width);
    }
    const LaneMask rest = lanes & (lanes - 1);
    if (rest) {
        const unsigned next = bits_lowest(rest);
        const int64_t apart = (int64_t)(access->addr[next] - access->addr[look.first]);
        look.stride = apart / (int64_t)(next - look.first);
    } else {
        look.stride = access->width;
    }
    if (look.end - look.lowest == access->width && rest)
        look.shape = SHAPE_SAME;
    else if (has_stride(access, &look, access->width))
        look.shape = SHAPE_IN_ORDER;
    else if (is_dense(access, &look))
        look.shape = SHAPE_DENSE;
    else if (has_stride(access, &look, look.stride))
        look.shape = SHAPE_STRIDED;
    return look;
}
