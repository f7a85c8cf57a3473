#pragma once
/*
 * A growing first-in first-out queue of equal elements, in one array. Each queue holds one type, named wherever it is used; pushing is a
 * copy and looking is a pointer, so that the paths taken for every message cost next to nothing.
 */
#include <stddef.h>
#include <string.h>

typedef struct {
    char *data;
    size_t head, tail, capacity; /* in elements; live ones are [head, tail) */
} Fifo;

void fifo_init(Fifo *fifo);
void fifo_clear(Fifo *fifo); /* frees the storage */

/* Makes room for n elements at the end: moves the live elements to the front where that leaves at least half free, else grows the storage. */
void fifo_make_room(Fifo *fifo, size_t element_bytes, size_t n);

static inline size_t fifo_length(const Fifo *fifo)
{
    return fifo->tail - fifo->head;
}

/* Places for n more elements, to be filled. */
static inline void *fifo_places(Fifo *fifo, size_t element_bytes, size_t n)
{
    if (fifo->capacity - fifo->tail < n) fifo_make_room(fifo, element_bytes, n);
    void *first = fifo->data + element_bytes * fifo->tail;
    fifo->tail += n;
    return first;
}

static inline void *fifo_place(Fifo *fifo, size_t element_bytes)
{
    return fifo_places(fifo, element_bytes, 1);
}

/* Appends a copy of *element. */
#define fifo_push(fifo, element) memcpy(fifo_place((fifo), sizeof *(element)), (element), sizeof *(element))

/* The first element, as type T; the queue must not be empty. Valid until the next push. */
#define fifo_peek(fifo, T) ((T *)(void *)(fifo)->data + (fifo)->head)

/* The one pushed last. */
#define fifo_last(fifo, T) ((T *)(void *)(fifo)->data + (fifo)->tail - 1)

static inline void fifo_pop(Fifo *fifo)
{
    fifo->head++;
    if (fifo->head == fifo->tail) fifo->head = fifo->tail = 0;
}
