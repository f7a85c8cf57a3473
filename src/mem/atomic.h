#pragma once
/*
 * [atomic]: read-modify-write operations at the memory partitions. Where an L2 serves global memory they work on it: those on one word follow each other
 * at same_word_cycles, and different sectors do not wait for each other; or, with packet_khz, a slice takes one packet after the other, whatever their
 * words, and a transaction is as many packets as there are operations on the word that has the most. Without (GT200 and its kind) there is nothing to hold the word between two of them: each is a trip of its own to the
 * DRAM and back, during which the next one on its sector waits. No figure of a GT200 is published (sources B3, G8).
 */
#include "base/config.h"

typedef struct {
    uint32_t words_per_clock;  /* operations on different words that a partition's unit starts in an interconnect clock */
    uint32_t same_word_cycles; /* shader cycles from one operation on a word to the next on it, the word being at hand */
    /* Packets that the unit of a slice of the L2 takes one after the other, in thousands a second: one operation on each of several words of a
     * sector. packet_khz 0: no such unit, but the two numbers above. */
    uint32_t packet_khz; /* packets with an operation on every word of the sector */
    uint32_t part_khz;   /* ... on some of them; 0: as packet_khz */
    bool ideal; /* no key of [atomic], but [ideal] atomics: an operation takes what a store takes, and waits for no other */
} AtomicConfig;

extern const GsConfigTable atomic_config;
