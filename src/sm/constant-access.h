#pragma once
/*
 * Constant memory: the requests of one warp access. The lanes of a group, a half-warp on cc 1.x and a warp later, make one request for
 * each different address among them; a group that agrees makes one. Each request then hits or misses the constant caches by itself.
 * Source: CUDA programming guide 4.0, 5.3.2.4 (sources B3). An address is that of a word of 4 bytes, since the guide's words are: lanes on
 * parts of one word agree, which is a model choice. Wider words are told apart by their addresses, and are one request.
 */
#include "mem/coalescer.h"

enum { CONSTANT_GROUPS_MAX = 4 };

typedef struct {
    uint32_t n_groups;                      /* groups with an active lane */
    uint32_t requests;                      /* sum over the groups */
    uint8_t per_group[CONSTANT_GROUPS_MAX]; /* requests of each */
    Addr addr[LANES]; /* of each request's word: group after group, in each in the order of the lowest lane */
} ConstantRequests;

/* `group_lanes`: lanes that are looked at together, 8, 16 or 32. Fills all fields of *ret but those behind the last group and request. */
void constant_requests(const LaneAccess *access, unsigned group_lanes, ConstantRequests *ret);

/* Leaves the first request of each group: as if its lanes agreed on it. */
void constant_requests_agree(ConstantRequests *requests);
