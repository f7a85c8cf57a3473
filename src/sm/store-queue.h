#pragma once
/*
 * Stores of an SM on their way to its port: requests, each the sectors of one access, which leave in order, a transaction's time for each sector
 * and one for the mask of each stretch of TRANSACTION_BYTES_MAX that is not written in whole sectors (icnt.write_header = mask). They begin to
 * when no further store has come for a while, or when too many wait: one more then holds the load/store path. What a later store writes of a
 * sector that waits joins it, and is no message of its own.
 * Measured on an H200 (sources F): the words that a warp stores to the same sectors one instruction after the other arrive in L2 as one request.
 */
#include "base/fifo.h"
#include "mem/coalescer.h"

enum { STORE_REQUESTS_MAX = 15 }; /* that wait, at most: sm.store_requests */

typedef struct {
    Cycle ready;    /* it may leave */
    uint64_t first; /* number of its first message among all that the SM has sent */
    uint32_t n;     /* messages */
    uint32_t steps; /* transactions' times that it takes to leave */
    Addr low, high; /* of its sectors: the lowest, and behind the highest */
    bool open;      /* others may join it: it has few enough lines */
} StoreRequest;

typedef struct {
    StoreRequest
        at[STORE_REQUESTS_MAX + 4]; /* in order, from 0 on; beyond those that wait the parts of one that holds the path */
    unsigned n;
    Cycle free; /* when those before have left */
} StoreQueue;

typedef struct {
    uint32_t requests; /* that wait at most */
    uint32_t lines;    /* of a request that others may join, and of one that may join, at most */
    uint32_t hold;     /* cycles from the end of the last store on the path until the first leaves, if there is room for all */
    uint32_t step;     /* cycles of one transaction */
    bool masks;        /* icnt.write_header = mask */
} StoreRules;

/* What is to be done with a store's transactions. `sent`: the SM's messages on their way, of which the last is number n_sent - 1. */
typedef struct {
    Fifo *sent;
    uint64_t n_sent;
} StoreMessages;

/* A store on its way: its transactions, of which the first could leave at `at`. */
typedef struct {
    const Coalesced *c;
    Addr base;
    unsigned lines; /* stretches of TRANSACTION_BYTES_MAX that it touches */
    Cycle at;
    Cycle free; /* when the path is free again, by the same count */
} Store;

/* The number of such stretches; one that comes again behind others counts again. */
unsigned store_lines(const Coalesced *c, Addr base);

/* Joins the transactions with those that wait; ret_alone[0 .. n): indices of those that found none, which the caller sends as messages of a new
 * request (store_queue_add). Returns their number n. */
unsigned store_queue_join(StoreQueue *queue, const StoreRules *rules, StoreMessages messages, const Store *store,
                          uint8_t ret_alone[COALESCE_MAX]);

/* A new request of the last n messages, which get their times. */
void store_queue_add(StoreQueue *queue, const StoreRules *rules, StoreMessages messages, const Store *store, unsigned n);

/* From when on the load/store path may take another store, whose first transaction leaves `ahead` cycles after its issue. */
Cycle store_queue_room(const StoreQueue *queue, const StoreRules *rules, Cycle now, uint32_t ahead);
