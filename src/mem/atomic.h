#pragma once
/*
 * [atomic]: read-modify-write operations at the memory partitions. Where an L2 serves global memory they work on it: those on one word follow each other
 * at same_word_cycles. Without (GT200 and its kind) there is nothing to hold the word between two of them: each is a trip of its own to the
 * DRAM and back, during which the next one on its sector waits. No figure of a GT200 is published (sources B3, G8).
 */
#include "base/config.h"

typedef struct {
    uint32_t words_per_clock;  /* operations on different words that a partition's unit starts in an interconnect clock */
    uint32_t same_word_cycles; /* shader cycles from one operation on a word to the next on it, the word being at hand */
    bool ideal; /* no key of [atomic], but [ideal] atomics: an operation takes what a store takes, and waits for no other */
} AtomicConfig;

extern const GsConfigTable atomic_config;
