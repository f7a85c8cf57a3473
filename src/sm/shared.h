#pragma once
/*
 * Shared memory: banks, and the rules by which one warp access becomes passes. A pass serves each bank at most once; an access without
 * conflicts takes one pass for each group of lanes that is looked at together (a half-warp on cc 1.x). A rule is a policy, one file and
 * one row of the table, and a pure function of the access. Rules and sources: facts B2.
 */
#include "base/config.h"
#include "mem/coalescer.h"

typedef struct {
    uint32_t policy;      /* index into the table of policies */
    uint32_t banks;
    uint32_t bank_bytes;  /* width of a bank: one word */
    uint32_t broadcast;   /* index of lowest-lane | most-lanes: which word a pass broadcasts on cc 1.x */
    uint32_t pass_cycles; /* shader cycles of one pass */
    uint32_t latency;     /* of a load without conflicts: issue to use of the value */
} SharedConfig;

enum { SHARED_LOWEST_LANE, SHARED_MOST_LANES }; /* values of `broadcast` */

extern const GsConfigTable shared_config; /* [shared] */

enum { SHARED_GROUPS_MAX = 8 };

typedef struct {
    uint8_t first_lane, last_lane;
    uint8_t factor; /* passes */
    bool broadcast; /* some pass served several lanes with one word */
} SharedGroup;

typedef struct {
    uint32_t n_groups; /* groups with an active lane */
    uint32_t passes;   /* sum of the factors */
    uint32_t broadcasts; /* words that a pass gave to several lanes */
    SharedGroup groups[SHARED_GROUPS_MAX];
} SharedPasses;

typedef struct {
    const char *name;
    void (*passes)(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret);
} SharedPolicy;

/* Applies the configured policy and fills every field of *ret. Moving all addresses by a multiple of bank_bytes changes nothing. */
void shared_passes(const SharedConfig *config, const LaneAccess *access, SharedPasses *ret);

extern const SharedPolicy shared_cc1x;
