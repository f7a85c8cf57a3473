#include "model/stream.h"

#include "base/check.h"

uint64_t stream_accesses(uint64_t bytes_per_thread)
{
    return div_ceil(bytes_per_thread, STREAM_WORD_BYTES);
}

StreamAccess stream_segments(unsigned lanes, uint64_t stride, uint64_t width)
{
    StreamAccess a = {0};
    uint64_t next = 0; /* the first segment that is not counted yet */
    for (unsigned i = 0; i < lanes; i++) {
        const uint64_t first = i * stride / STREAM_SEGMENT_BYTES, last = (i * stride + width - 1) / STREAM_SEGMENT_BYTES;
        if (last < next) continue;
        a.transactions += last - (first > next ? first : next) + 1;
        next = last + 1;
    }
    a.bytes = a.transactions * STREAM_SEGMENT_BYTES;
    return a;
}

Stream stream(const StreamInput *in)
{
    GS_CHECK(in->bytes_per_thread && in->threads <= STREAM_BYTES_MAX / in->bytes_per_thread, "threads %" G_GUINT64_FORMAT,
             in->threads);
    const uint64_t whole = in->threads / LANES, rest = in->threads % LANES ? 1 : 0;
    Stream s = {.warps = whole + rest, .bytes = in->threads * in->bytes_per_thread};
    s.transactions = in->accesses * (whole * in->warp.transactions + rest * in->rest.transactions);
    s.bytes_moved = in->accesses * (whole * in->warp.bytes + rest * in->rest.bytes);
    s.floor_us = (double)s.bytes / in->bytes_per_second * 1e6;
    s.estimate_us = (double)s.bytes_moved / in->bytes_per_second * 1e6;
    return s;
}
