#pragma once
/* A growing first-in first-out queue of equal elements, in one array. */
#include <glib.h>

typedef struct {
    GArray *array;
    unsigned head;
} Fifo;

static inline void fifo_init(Fifo *fifo, unsigned element_bytes)
{
    fifo->array = g_array_new(FALSE, FALSE, element_bytes);
    fifo->head = 0;
}

static inline void fifo_clear(Fifo *fifo)
{
    if (fifo->array) g_array_unref(fifo->array);
    fifo->array = NULL;
}

static inline unsigned fifo_length(const Fifo *fifo)
{
    return fifo->array->len - fifo->head;
}

/* The first element, as type T; the queue must not be empty. */
#define fifo_peek(fifo, T) (&g_array_index((fifo)->array, T, (fifo)->head))

static inline void fifo_push(Fifo *fifo, const void *element)
{
    g_array_append_vals(fifo->array, element, 1);
}

/* Drops the first element; what was dropped is reclaimed when the queue runs empty or is mostly dropped elements. */
static inline void fifo_pop(Fifo *fifo)
{
    fifo->head++;
    if (fifo->head == fifo->array->len) {
        g_array_set_size(fifo->array, 0);
        fifo->head = 0;
    } else if (fifo->head >= 1024 && fifo->head * 2 >= fifo->array->len) {
        g_array_remove_range(fifo->array, 0, fifo->head);
        fifo->head = 0;
    }
}

static inline void fifo_empty(Fifo *fifo)
{
    g_array_set_size(fifo->array, 0);
    fifo->head = 0;
}
