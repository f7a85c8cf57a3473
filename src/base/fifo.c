#include "base/fifo.h"

#include <glib.h>

#include "base/lines.h"

enum { INITIAL_CAPACITY = 32 };

void fifo_init(Fifo *fifo)
{
    *fifo = (Fifo){0};
}

void fifo_clear(Fifo *fifo)
{
    g_aligned_free(fifo->data);
    fifo_init(fifo);
}

void fifo_make_room(Fifo *fifo, size_t element_bytes, size_t n)
{
    const size_t live = fifo_length(fifo);
    if (2 * (live + n) > fifo->capacity) {
        fifo->capacity = MAX(INITIAL_CAPACITY, 2 * (live + n));
        fifo->data = lines_renew(fifo->data, element_bytes * fifo->tail, element_bytes * fifo->capacity);
    }
    memmove(fifo->data, fifo->data + element_bytes * fifo->head, element_bytes * live);
    fifo->head = 0;
    fifo->tail = live;
}
