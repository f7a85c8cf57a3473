#pragma once
/*
 * What is on its way to a component: messages put in nearly in order, which come out in message order (message.h). The messages
 * stay where they are put, if wanted until they are answered; what is kept in order are their times and sources, half the size.
 */
#include "mem/message.h"

typedef struct {
    uint64_t key; /* time, then source */
    uint32_t place;
} InboxEntry;

enum { INBOX_SOURCE_BITS = 16 }; /* of the key */

typedef struct {
    InboxEntry *entries;
    size_t head, tail, room; /* live entries are [head, tail), of `room`; before them stands one that comes before all */
    Msg *msgs;
    uint32_t *free; /* stack of places in msgs without a message */
    uint32_t n_free, capacity;
} Inbox;

void inbox_init(Inbox *inbox);
void inbox_clear(Inbox *inbox); /* frees the storage */

/* Parts of inbox_push. */
void inbox_add_places(Inbox *inbox);
void inbox_make_room(Inbox *inbox);

/* Adds a copy of a message, which comes after any that was popped; of two of one source and time that which is pushed first comes
 * first. */
static inline void inbox_push(Inbox *inbox, const Msg *msg)
{
    if (inbox->n_free == 0) inbox_add_places(inbox);
    if (inbox->tail >= inbox->room) inbox_make_room(inbox);
    const uint64_t key = msg->time << INBOX_SOURCE_BITS | msg->src;
    const uint32_t place = inbox->free[--inbox->n_free];
    inbox->msgs[place] = *msg;
    InboxEntry *at = inbox->entries + inbox->tail++;
    for (; at[-1].key > key; at--)
        *at = at[-1];
    *at = (InboxEntry){key, place};
}

/* Arrival time of the first message, CYCLE_NEVER when empty. */
static inline Cycle inbox_next(const Inbox *inbox)
{
    return inbox->head == inbox->tail ? CYCLE_NEVER : inbox->entries[inbox->head].key >> INBOX_SOURCE_BITS;
}

/* The first message if it arrives before `until`, else NULL. Valid until the next push. */
static inline const Msg *inbox_first(const Inbox *inbox, Cycle until)
{
    return inbox_next(inbox) < until ? &inbox->msgs[inbox->entries[inbox->head].place] : NULL;
}

/* Takes out the message that inbox_first returned, but keeps it stored until its place is given back, which this returns. */
static inline uint32_t inbox_take(Inbox *inbox)
{
    const uint32_t place = inbox->entries[inbox->head++].place;
    if (inbox->head == inbox->tail) inbox->head = inbox->tail = 1;
    return place;
}

/* A message that is taken out and stored. Valid until the next push. */
static inline const Msg *inbox_taken(const Inbox *inbox, uint32_t place)
{
    return &inbox->msgs[place];
}

static inline void inbox_give_back(Inbox *inbox, uint32_t place)
{
    inbox->free[inbox->n_free++] = place;
}

/* Takes out the message that inbox_first returned. */
static inline void inbox_pop(Inbox *inbox)
{
    inbox_give_back(inbox, inbox_take(inbox));
}

/* Messages that are taken out and stored. */
static inline unsigned inbox_count_taken(const Inbox *inbox)
{
    return inbox->capacity - inbox->n_free - (unsigned)(inbox->tail - inbox->head);
}
