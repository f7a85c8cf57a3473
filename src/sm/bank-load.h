#pragma once
/*
 * Banks that multicast (cc 2.x and later): what a group of lanes asks of each bank, equal words counted once. The bank with the most
 * different ones says how many passes the group takes.
 */
#include "sm/shared.h"

enum { BANKS_MAX = 32, BANK_WORDS_MAX = LANES * 4 };

/* How a policy sees one 32-bit word of an access. */
typedef struct {
    unsigned bank; /* that holds it */
    uint64_t key;  /* what the bank fetches for it in one pass */
    unsigned part; /* where a fetch serves two different words: which */
} BankWord;
typedef BankWord (*BankOf)(const SharedConfig *config, uint64_t word);

/* One fetch of a bank. */
typedef struct {
    uint64_t key;
    LaneMask askers[2]; /* lanes that want each of its words */
} BankFetch;

typedef struct {
    struct {
        BankFetch fetches[BANK_WORDS_MAX];
        unsigned n;
    } banks[BANKS_MAX];
    unsigned most;   /* fetches of the fullest bank */
    unsigned shared; /* words that more than one lane asked for */
} BankLoad;

void bank_load_clear(BankLoad *load);

/* One lane asks for a word. */
void bank_load_add(BankLoad *load, BankWord at, unsigned lane);

/* Successive 32-bit words in successive banks. */
BankWord bank_of_word(const SharedConfig *config, uint64_t word);

/* Cuts the warp into groups of `lanes`, asks the banks for every 32-bit word of each lane of a group, and appends the group. `extra` is added to
 * each group's factor. */
void bank_load_groups(const SharedConfig *config, const LaneAccess *access, unsigned lanes, unsigned extra, BankOf bank_of,
                      SharedPasses *ret);
