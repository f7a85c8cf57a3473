#pragma once
/* Inside the partition: shared by its ports (partition.c), its L2 slice (partition-l2.c) and its atomic unit (partition-atomic.c). */
#include "base/check.h"
#include "base/clock.h"
#include "base/fifo.h"
#include "mem/partition.h"

/* What the completion of a DRAM request means. Its cookie is a flight, or for a request that no cache serves and that is one for the DRAM, as
 * nearly all are, the request's place in the inbox and COOKIE_DIRECT. */
#define COOKIE_DIRECT (UINT32_C(1) << 31)
typedef enum {
    FLIGHT_DIRECT,       /* one of equal requests that no cache serves is done */
    FLIGHT_CACHED,       /* not in the DRAM: a request that waits in the L2 */
    FLIGHT_FETCH,        /* data for a line of the L2 */
    FLIGHT_WRITEBACK,    /* a victim of the L2 is written */
    FLIGHT_MERGE,        /* sectors that the L2 has in part are read, to be written whole */
    FLIGHT_ATOMIC_READ,  /* an atomic operation without an L2 has read its word */
    FLIGHT_ATOMIC_WRITE, /* ... has written it */
} FlightKind;

#define FLIGHT_NONE UINT32_MAX

typedef struct {
    Msg request;   /* FETCH, MERGE: addr and bytes are those fetched */
    uint8_t kind;  /* FlightKind */
    uint8_t parts; /* DIRECT: DRAM requests not done; CACHED: look-ups; atomic without L2: operations on its word */
    uint32_t line; /* FETCH: of the L2; MERGE: or L2_NO_LINE */
    Cycle ready;   /* CACHED: when the parts that are done were */
    uint32_t next; /* atomic: the next that waits for the same lock */
} Flight;

/* Operations without an L2 lock their sector; sectors that share a lock wait for each other. */
enum { ATOMIC_LOCKS = 256 };

typedef struct {
    uint32_t holder, last; /* flights: the one at work, and the last of those that wait; FLIGHT_NONE */
    Cycle free_at;         /* the sector's operations so far are done; without an L2: those of requests that have left */
} AtomicLock;

/* A request, or its part on one line, on its way to the L2. */
typedef struct {
    Cycle time;
    Addr addr;
    uint32_t flight;
    uint32_t bytes;
} Lookup;

typedef struct {
    Cycle time;
    uint32_t line; /* L2_NO_LINE: of a victim */
    Addr addr;
    uint32_t bytes;
    bool merge; /* sectors that were in part: they are written on */
} L2Fill;

#define L2_NO_LINE UINT32_MAX

struct Partition {
    PartitionConfig config;
    IcntConfig icnt;
    L2Config l2_config;
    AtomicConfig atomic_config;
    ClockRatio to_dram, to_sm;
    Link requests, replies;
    Link rops;    /* one flit is what the raster-output units pass in a clock */
    Link atomics; /* ... is a word that the atomic unit starts on */
    Link packets; /* ... with atomic.packet_khz, a part of a cycle; see partition-atomic.c */
    uint32_t packet_parts, part_packet_parts;
    Dram *dram;
    unsigned burst_bytes;
    Inbox inbox;
    MsgQueue outbox;
    uint16_t component, index;

    Flight *flights;      /* of what has no place in the inbox */
    uint32_t *free_slots; /* stack of unused indices */
    unsigned n_free, capacity, pending;
    PartitionStats stats;

    bool ordered; /* some requests of this kernel pass the L2: answers are put in the order of time before they leave */
    MsgQueue ready;
    Cache *l2;
    bool *copied;          /* of each line of the L2: the other half of the chip has a copy; NULL without halves */
    bool served[CLIENT_N]; /* by the L2 */
    Fifo lookups;          /* of Lookup */
    Fifo fills;            /* of L2Fill */
    bool blocked;          /* the first look-up waits for a fill */
    Link array;            /* one flit is a sector that goes into the L2's data array; unused without l2.array_khz */
    Cycle filled;          /* the present fill's data are in the array */
    Cycle now;             /* of the L2 */
    AtomicLock locks[ATOMIC_LOCKS];
};

/* partition.c */
void partition_add_flights(Partition *p); /* makes room for more */
void partition_reply(Partition *p, const Msg *request, Cycle ready);
/* Asks the DRAM for the whole bursts that hold the bytes of a request, at cycle `at`. */
void partition_to_dram(Partition *p, Cycle at, DramRank rank, const Msg *request, bool write, uint32_t flight);

/* partition-l2.c */
void partition_l2_accept(Partition *p, Cycle at, const Msg *request);
void partition_l2_fetched(Partition *p, uint32_t flight, Cycle at); /* from the DRAM */
void partition_l2_step(Partition *p);                               /* all that happens at p->now */
Cycle partition_l2_next(const Partition *p);

/* partition-atomic.c */
void partition_atomic_init(Partition *p, uint64_t sm_khz);
void partition_atomic_accept(Partition *p, Cycle at, const Msg *request); /* no L2 serves it */
void partition_atomic_read_done(Partition *p, uint32_t flight, Cycle at);
void partition_atomic_write_done(Partition *p, uint32_t flight, Cycle at);
Cycle partition_atomic_done(Partition *p, Cycle at,
                            const Msg *request); /* with an L2: its data are at hand at `at`; when its operations are done */

static inline uint32_t partition_take_flight(Partition *p, FlightKind kind, const Msg *request)
{
    if (p->n_free == 0) partition_add_flights(p);
    const uint32_t index = p->free_slots[--p->n_free];
    Flight *flight = &p->flights[index];
    flight->request = *request;
    flight->kind = (uint8_t)kind;
    flight->parts = 1;
    p->pending++;
    return index;
}

static inline void partition_drop_flight(Partition *p, uint32_t flight)
{
    p->free_slots[p->n_free++] = flight;
    p->pending--;
}
