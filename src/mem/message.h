#pragma once
/*
 * Messages: all that components exchange. A message carries the time at which it arrives, at least the engine's look-ahead L
 * after it was sent, and is handled by its destination in the order (time, source, order of sending), so that the order never
 * depends on threads or on the length of a window. Times are shader cycles.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cycle.h"

/* The largest transaction that any coalescing rule makes; naturally aligned, so that it lies within one interleave block and row. */
enum { TRANSACTION_BYTES_MAX = 128 };

typedef enum { MSG_READ, MSG_WRITE, MSG_ATOMIC, MSG_DATA, MSG_ACK } MsgKind; /* requests, and the replies to them */

/* Whose request it is: it decides which caches serve it. */
typedef enum { CLIENT_GLOBAL, CLIENT_TEXTURE, CLIENT_CONSTANT, CLIENT_N } MsgClient;

enum { MSG_REQUESTS_N = MSG_ATOMIC + 1 }; /* kinds of request */

typedef struct {
    uint64_t requests, bytes;
} MsgCount;

/* Requests that have passed some place, and their data, by kind and client. Of equal requests that travel as one the others count apart. */
typedef struct {
    MsgCount messages[MSG_REQUESTS_N][CLIENT_N], others[MSG_REQUESTS_N];
} MsgCounts;

typedef struct {
    Cycle time; /* of arrival */
    Addr addr; /* in the memory of the partition it goes to; the offset in an interleave block is that of the program's address */
    uint32_t words; /* MSG_WRITE, MSG_ATOMIC: the 4-byte words from addr on that are written */
    uint32_t tag;   /* the requester's own; comes back unchanged in the reply */
    uint16_t src;   /* component numbers: see gpu/gpu.h */
    uint16_t dst;
    uint8_t bytes; /* of data: asked for, written or delivered */
    uint8_t kind;
    uint8_t client : 5;
    uint8_t header : 2;  /* LinkHeader: what it takes at a port besides its data */
    uint8_t partial : 1; /* MSG_WRITE: some of these words are not written in full */
    uint8_t
        count; /* reads and writes: equal requests that travel as one message, each with its own flits and its own DRAM bursts,
                    * else 1; atomics: operations on the word that has the most of them */
} Msg;

static inline void msg_count(MsgCounts *counts, const Msg *request)
{
    MsgCount *messages = &counts->messages[request->kind][request->client];
    messages->requests++;
    messages->bytes += request->bytes;
    if (request->count == 1 || request->kind == MSG_ATOMIC) return;
    MsgCount *others = &counts->others[request->kind];
    const unsigned n = request->count - 1u;
    others->requests += n;
    others->bytes += n * request->bytes;
}

/* The messages of a kind, of all clients; and the requests, where each of those that travel as one counts. */
MsgCount msg_count_messages(const MsgCounts *counts, MsgKind kind);
MsgCount msg_count_requests(const MsgCounts *counts, MsgKind kind);

/* A queue in message order. Push is cheap when messages come nearly in order, which they do. */
typedef struct {
    Msg *msgs;
    size_t head, tail, capacity; /* live messages are [head, tail) */
} MsgQueue;

void msg_queue_init(MsgQueue *queue);
void msg_queue_clear(MsgQueue *queue); /* frees the storage */

/* True when a comes before b; of two of one source and time that which is pushed first does. */
static inline bool msg_before(const Msg *a, const Msg *b)
{
    return a->time != b->time ? a->time < b->time : a->src < b->src;
}

/* The same for a message that comes before the last one there. */
void msg_queue_insert(MsgQueue *queue, const Msg *msg);

/* Makes room for one more message at the end. */
void msg_queue_make_room(MsgQueue *queue);

/* Inserts in order. */
static inline void msg_queue_push(MsgQueue *queue, const Msg *msg)
{
    if (queue->head == queue->tail) queue->head = queue->tail = 0;
    if (queue->tail == queue->capacity) msg_queue_make_room(queue);
    if (queue->head == queue->tail || !msg_before(msg, &queue->msgs[queue->tail - 1]))
        queue->msgs[queue->tail++] = *msg;
    else
        msg_queue_insert(queue, msg);
}

/* Inserts a copy with another time and source. It is changed in its place: a copy of fields just written would have to wait for them. */
static inline void msg_queue_push_at(MsgQueue *queue, const Msg *msg, Cycle time, uint16_t src)
{
    if (queue->head == queue->tail) queue->head = queue->tail = 0;
    if (queue->tail == queue->capacity) msg_queue_make_room(queue);
    Msg *place = &queue->msgs[queue->tail];
    *place = *msg;
    place->time = time;
    place->src = src;
    if (queue->head == queue->tail || !msg_before(place, place - 1)) {
        queue->tail++;
    } else {
        const Msg moved = *place;
        msg_queue_insert(queue, &moved);
    }
}

/* A place behind all that are there, to be filled with what a port sends, one after the other. */
static inline Msg *msg_queue_place(MsgQueue *queue)
{
    if (queue->tail == queue->capacity) msg_queue_make_room(queue);
    return &queue->msgs[queue->tail++];
}

static inline void msg_queue_empty(MsgQueue *queue)
{
    queue->head = queue->tail = 0;
}

/* The first message, or NULL. Valid until the next push. */
static inline const Msg *msg_queue_peek(const MsgQueue *queue)
{
    return queue->head == queue->tail ? 0 : &queue->msgs[queue->head];
}

static inline void msg_queue_pop(MsgQueue *queue)
{
    queue->head++;
}

/* Arrival time of the first message, CYCLE_NEVER when empty. */
static inline Cycle msg_queue_next(const MsgQueue *queue)
{
    return queue->head == queue->tail ? CYCLE_NEVER : queue->msgs[queue->head].time;
}
