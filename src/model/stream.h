#pragma once
/*
 * A kernel whose threads read so many bytes each and do nothing else, in closed form (course exercise 5.3): the time that the bandwidth
 * allows for the bytes themselves, which no pattern can beat, and the time for what the transactions of a given pattern move. No latency, no
 * caches, no launch. Pure functions; integers are exact.
 */
#include <stdint.h>

#include "base/bits.h"

enum { STREAM_SEGMENT_BYTES = 128, STREAM_WORD_BYTES = 4 };
#define STREAM_BYTES_MAX ((uint64_t)1 << 55) /* of all threads: 128 for each fit into 63 bits */

/* What one access of the first `lanes` lanes of a warp takes. */
typedef struct {
    uint64_t transactions, bytes;
} StreamAccess;

typedef struct {
    uint64_t threads;
    uint64_t bytes_per_thread;
    uint64_t accesses; /* of a thread */
    StreamAccess warp; /* of a whole warp */
    StreamAccess rest; /* of the last one, where threads is no multiple of LANES */
    double bytes_per_second;
} StreamInput;

typedef struct {
    uint64_t warps;        /* the last one may be a part */
    uint64_t bytes;        /* that the threads ask for */
    uint64_t transactions; /* of the pattern */
    uint64_t bytes_moved;  /* by them */
    double floor_us;       /* bytes at the bandwidth */
    double estimate_us;    /* bytes_moved at the bandwidth */
} Stream;

/* Accesses that a thread needs for its bytes: words of four, or one access of less. */
uint64_t stream_accesses(uint64_t bytes_per_thread);

/* Distinct aligned segments of STREAM_SEGMENT_BYTES that `lanes` lanes touch with `width` bytes each, `stride` bytes from one to the next,
 * the first at the start of a segment. */
StreamAccess stream_segments(unsigned lanes, uint64_t stride, uint64_t width);

/* threads * bytes_per_thread <= STREAM_BYTES_MAX; the bandwidth is more than 0; no transaction is larger than STREAM_SEGMENT_BYTES. */
Stream stream(const StreamInput *input);
