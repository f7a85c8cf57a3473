#include "mem/message.h"

#include <string.h>

#include <glib.h>

#include "base/lines.h"

enum { INITIAL_CAPACITY = 64 };

MsgCount msg_count_messages(const MsgCounts *counts, MsgKind kind)
{
    MsgCount sum = {0};
    for (unsigned client = 0; client < CLIENT_N; client++) {
        sum.requests += counts->messages[kind][client].requests;
        sum.bytes += counts->messages[kind][client].bytes;
    }
    return sum;
}

MsgCount msg_count_requests(const MsgCounts *counts, MsgKind kind)
{
    const MsgCount messages = msg_count_messages(counts, kind), *others = &counts->others[kind];
    return (MsgCount){messages.requests + others->requests, messages.bytes + others->bytes};
}

void msg_queue_init(MsgQueue *queue)
{
    *queue = (MsgQueue){0};
}

void msg_queue_clear(MsgQueue *queue)
{
    g_aligned_free(queue->msgs);
    msg_queue_init(queue);
}

/* Moves the live messages to the front where that frees at least half of the storage, else doubles it. */
void msg_queue_make_room(MsgQueue *queue)
{
    const size_t live = queue->tail - queue->head;
    if (live > queue->capacity / 2 || queue->capacity == 0) {
        queue->capacity = MAX(INITIAL_CAPACITY, queue->capacity * 2);
        queue->msgs = lines_renew(queue->msgs, queue->tail * sizeof(Msg), queue->capacity * sizeof(Msg));
    }
    memmove(queue->msgs, queue->msgs + queue->head, live * sizeof *queue->msgs);
    queue->head = 0;
    queue->tail = live;
}

void msg_queue_insert(MsgQueue *queue, const Msg *msg)
{
    size_t at = queue->tail++;
    do
        queue->msgs[at] = queue->msgs[at - 1];
    while (--at > queue->head && msg_before(msg, &queue->msgs[at - 1]));
    queue->msgs[at] = *msg;
}
