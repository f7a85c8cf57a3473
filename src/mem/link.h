#pragma once
/*
 * Interconnect: one direction of one port of the crossbar between clusters (TPCs) and memory partitions. A port moves one
 * flit per interconnect clock; the two networks, of requests and of replies, have ports of their own; a packet waits until the port is free, passes flit by flit, and arrives a fixed latency later.
 * The inside of the crossbar is not modelled (docs/accuracy.md, S18): on G80 its ports bind first (8 TPC and 6 partition ports of 32 bytes at the
 * core clock). Source: flit and port counts of GPGPU-Sim's FX 5600 model (sources A4); the latencies are a model choice that makes
 * up the measured unloaded latency of a global load (sources A3, A7).
 */
#include "base/bits.h"
#include "base/config.h"
#include "base/cycle.h"
#include "base/divide.h"

/* What a write request takes besides its data: a flit for each header; or, with headers on wires of their own, the time of a sector for the mask
 * of bytes of each stretch of TRANSACTION_BYTES_MAX that an instruction does not write in whole sectors. */
typedef enum { ICNT_HEADER_FLIT, ICNT_HEADER_MASK } IcntHeader;

/* Of one request. */
typedef enum { LINK_HEADER_FLIT, LINK_HEADER_MASK, LINK_HEADER_NONE } LinkHeader;

enum { LINK_MASK_BYTES = 32 };

typedef struct {
    uint32_t khz; /* interconnect clock */
    /* Widths of the ports: bytes of data of one flit, for each network and each end of it. */
    uint32_t cluster_request_bytes, cluster_reply_bytes, partition_request_bytes, partition_reply_bytes;
    uint32_t request_cycles;  /* shader cycles from a cluster's port to a partition */
    uint32_t reply_cycles;    /* and back */
    uint32_t write_header;    /* IcntHeader */
    uint32_t partition_bytes; /* data of one cluster under way to and from one partition; 0: no limit */
} IcntConfig;

extern const GsConfigTable icnt_config; /* [icnt] */

/* free_at counts in units of 1/scale shader cycle; a flit takes `tick` of them: an exact ratio of clocks in integers. */
typedef struct {
    uint64_t free_at, tick, scale;
    Divider by_scale;
} Link;

Link link_make(const IcntConfig *config, uint64_t sm_khz);

/* The same at another clock, of `khz`: for what passes a unit one by one. */
Link link_make_at(uint64_t khz, uint64_t sm_khz);

/* Sends `flits` that are ready at cycle `now`; returns the first cycle at which the last of them has passed. */
static inline Cycle link_send(Link *link, Cycle now, unsigned flits)
{
    link->free_at = cycle_max(link->free_at, now * link->scale) + flits * link->tick;
    return divide_up(&link->by_scale, link->free_at);
}

/* The first cycle from `now` on at which nothing is passing; `now` does not decrease from call to call, nor does that of link_send. */
static inline Cycle link_free(const Link *link, Cycle now)
{
    return link->free_at <= now * link->scale ? now : divide_up(&link->by_scale, link->free_at);
}

/* Whether nothing is passing any more at some moment before cycle `end`. */
static inline bool link_is_free(const Link *link, Cycle end)
{
    return link->free_at < end * link->scale;
}

/* Flits of a packet at a port of that width, a power of two: a request carries one of header and, if it writes, its data, without a header
 * where it has none; a reply its data or one of acknowledgement. */
static inline unsigned link_data_flits(unsigned width, unsigned bytes)
{
    return (bytes + width - 1) >> bits_lowest(width);
}

static inline unsigned link_request_flits(unsigned width, LinkHeader header, bool write, unsigned bytes)
{
    if (!write) return 1;
    return link_data_flits(width, bytes) +
           (header == LINK_HEADER_MASK ? link_data_flits(width, LINK_MASK_BYTES) : header == LINK_HEADER_FLIT);
}

static inline unsigned link_reply_flits(unsigned width, bool write, unsigned bytes)
{
    return write ? 1 : link_data_flits(width, bytes);
}
