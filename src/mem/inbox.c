#include "mem/inbox.h"

#include <string.h>

#include <glib.h>

#include "base/lines.h"

enum { INITIAL_CAPACITY = 64 };

void inbox_init(Inbox *inbox)
{
    *inbox = (Inbox){.head = 1, .tail = 1};
}

void inbox_clear(Inbox *inbox)
{
    g_aligned_free(inbox->entries);
    g_aligned_free(inbox->msgs);
    g_free(inbox->free);
    inbox_init(inbox);
}

void inbox_add_places(Inbox *inbox)
{
    const uint32_t old = inbox->capacity;
    inbox->capacity = old ? 2 * old : INITIAL_CAPACITY;
    inbox->msgs = lines_renew(inbox->msgs, old * sizeof(Msg), inbox->capacity * sizeof(Msg));
    inbox->free = g_renew(uint32_t, inbox->free, inbox->capacity);
    for (uint32_t i = inbox->capacity; i-- > old;)
        inbox->free[inbox->n_free++] = i;
}

/* Moves the live entries to the front, behind one that comes before all, where that frees at least half of the storage, else doubles
 * it. */
void inbox_make_room(Inbox *inbox)
{
    const size_t live = inbox->tail - inbox->head;
    if (live >= inbox->room / 2) {
        const size_t old = inbox->room;
        inbox->room = MAX(INITIAL_CAPACITY, old * 2);
        inbox->entries = lines_renew(inbox->entries, old * sizeof(InboxEntry), inbox->room * sizeof(InboxEntry));
    }
    memmove(inbox->entries + 1, inbox->entries + inbox->head, live * sizeof *inbox->entries);
    inbox->entries[0].key = 0;
    inbox->head = 1;
    inbox->tail = 1 + live;
}
