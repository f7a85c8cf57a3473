#pragma once
/*
 * Coalescer: the rules by which the addresses of a warp's lanes become memory transactions. A rule is a policy, one file and
 * one row of the table; it is a pure function of the access, so its result may be cached by whoever calls it. Atomics have one
 * rule for all policies (coalescer-atomic.c). Rules and sources: sources B1 (CUDA programming guides 2.0 and 4.0), B3.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/config.h"
#include "base/cycle.h"

enum { COALESCE_MAX = 64 }; /* transactions of one warp access: 32 lanes, each across one boundary */

typedef struct {
    LaneMask mask;
    uint32_t width;     /* bytes per lane: 1 2 4 8 16; addresses are multiples of it */
    bool store, atomic; /* at most one of them; neither: a load */
    Addr addr[LANES];   /* of the active lanes; others are not read */
} LaneAccess;

typedef struct {
    Addr addr;
    uint32_t words; /* the 4-byte words from addr on that its lanes touch */
    uint8_t bytes;
    uint8_t partial; /* 1: its lanes touch some word, but not every byte of it */
    uint8_t lanes;   /* how many lanes it serves */
    uint8_t depth;   /* the most of them that touch one and the same 4-byte word: atomics serialize on it; 0 without lanes */
} Transaction;

typedef struct {
    uint32_t n;
    uint32_t bytes_moved;                   /* sum over transactions */
    uint32_t bytes_used;                    /* distinct bytes the lanes touch */
    uint32_t bytes_requested;               /* active lanes times width */
    Transaction transactions[COALESCE_MAX]; /* in the order they are issued */
} Coalesced;

typedef struct {
    uint32_t policy; /* index into the table of policies */
    uint32_t merge;  /* index of none | word | sector: whether uncoalesced lanes of a half-warp that ask for the same word or
                      * the same 32-byte sector share a transaction (cc 1.0, 1.1) */
    uint32_t load_bytes, store_bytes; /* cc 2.x: size of the lines that loads and stores are cut into */
    bool
        ideal; /* no key of [coalescer], but [ideal] coalescing: loads and stores take the fewest transactions (coalescer-ideal.c) */
} CoalescerConfig;

extern const GsConfigTable coalescer_config; /* [coalescer] */

/* A policy's name for the configuration stands in the table of policies (coalescer.c). */
typedef struct {
    uint32_t period;       /* moving every address by this many bytes moves every transaction by as much and changes nothing else;
                      * a power of two; of loads, stores and atomics alike */
    uint32_t atomic_lanes; /* lanes whose atomics are looked at together */
    uint8_t group_lanes[3];          /* lanes that one transaction may serve: of words of up to 4 bytes, of 8, of 16 */
    uint8_t least_bytes, most_bytes; /* of a transaction; 0: it is a line of the configured size */
    void (*coalesce)(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret);
} CoalescerPolicy;

const CoalescerPolicy *coalescer_policy(const CoalescerConfig *config);

/* Applies the configured policy and fills every field of *ret. A mask of 0 gives no transactions. */
void coalesce(const CoalescerConfig *config, const LaneAccess *access, Coalesced *ret);

/* Policies */
extern const CoalescerPolicy coalescer_cc10, coalescer_cc12, coalescer_cc20, coalescer_sector;
