/* Texture fetches from an SM: the lines that a warp's texels lie in go to the texture unit of the cluster. */
#include "mem/texture-layout.h"
#include "sm/sm.h"

enum { TEXTURE_SOURCE = 1 }; /* of what is put among an SM's replies; those from the port have 0 */

static unsigned find_lines(const Sm *sm, const Insn *insn, const LaneAccess *access, Addr ret[2 * LANES])
{
    const Cluster *c = sm->cluster;
    const ArrayPlace *place = sm->program->accesses[insn->access].place;
    const TextureConfig *config = c->setup.texture;
    const TextureLayout layout = {.tile_bytes = TEXTURE_TILE_BYTES,
                                  .tile_rows = config->tile_rows,
                                  .block_bytes = config->block_bytes,
                                  .line_bytes = config->cache.line_bytes};
    const uint64_t pitch = place->pitch;
    const TextureShape shape = {.base = place->base, .pitch_bytes = pitch, .rows = pitch ? place->bytes / pitch : 0};
    return texture_lines(&layout, &shape, access, ret);
}

bool sm_issue_texture(Sm *sm, unsigned warp, LaneMask mask)
{
    Warp *w = &sm->warps[warp];
    const Insn *insn = w->cursor.insn;
    const TextureConfig *config = sm->cluster->setup.texture;
    AccessLanes lanes;
    if (!cursor_access(&w->cursor, mask, &lanes)) return false;
    LaneAccess access = {.mask = mask, .width = insn->width};
    for (int i = 0; i < LANES; i++)
        access.addr[i] = (Addr)(lanes.base + lanes.offset[i]);
    Addr line[2 * LANES];
    const unsigned n = find_lines(sm, insn, &access, line), texels = lanes_count(mask);
    const unsigned slot = sm_take_slot(sm, warp, insn, n);
    InsnCounts *counts = sm_count_request(w, mask);
    counts->transactions += n;
    counts->bytes_moved += n * config->cache.line_bytes;
    Msg read = {.time = sm->now + config->lookup_cycles,
                .tag = sm_tag(sm, TAG_SLOT, slot),
                .src = (uint16_t)sm->index,
                .bytes = (uint8_t)config->cache.line_bytes,
                .kind = MSG_READ,
                .client = CLIENT_TEXTURE};
    for (unsigned i = 0; i < n; i++) { /* the texels are counted once, spread over the lines */
        read.addr = line[i];
        read.count = (uint8_t)MAX(1, texels * (i + 1) / n - texels * i / n);
        cache_unit_read(sm->cluster->texture, &read);
    }
    sm_await(sm, warp, &sm->slots[slot], insn, STALL_cache);
    sm->memory_free = sm->now + sm->cluster->port_cycles;
    return true;
}

void sm_texture_answer(Sm *sm, Cycle at, unsigned slot)
{
    MemSlot *s = &sm->slots[slot];
    s->ready = cycle_max(s->ready, at);
    if (--s->left) return;
    const Msg done = {.time = s->ready, .tag = sm_tag(sm, TAG_SLOT, slot), .src = TEXTURE_SOURCE, .kind = MSG_DATA};
    msg_queue_push(&sm->replies, &done);
}
