#pragma once
/*
 * Banks that multicast (cc 2.x and later): what a group of lanes asks of each bank, equal words counted once. The bank with the most
 * different ones says how many passes the group takes.
 */
#include "sm/shared.h"

enum { BANKS_MAX = 32, BANK_WORDS_MAX = LANES * 4 };

typedef struct {
    struct {
        uint64_t keys[BANK_WORDS_MAX];
        bool repeated[BANK_WORDS_MAX];
        unsigned n;
    } banks[BANKS_MAX];
    unsigned most;    /* different keys of the fullest bank */
    unsigned repeats; /* keys that were asked for more than once */
} BankLoad;

void bank_load_clear(BankLoad *load);

/* One lane asks a bank for `key`: a word, or a row of wide banks. */
void bank_load_add(BankLoad *load, unsigned bank, uint64_t key);

/* How a policy sees one word of an access: the bank that holds it, and what the bank has to fetch for it. */
typedef struct {
    unsigned bank;
    uint64_t key;
} BankWord;
typedef BankWord (*BankOf)(const SharedConfig *config, uint64_t word);

/* Successive 32-bit words in successive banks. */
BankWord bank_of_word(const SharedConfig *config, uint64_t word);

/* Cuts the warp into groups of `lanes`, asks the banks for every 32-bit word of each lane of a group, and appends the group. `extra` is added to
 * each group's factor. */
void bank_load_groups(const SharedConfig *config, const LaneAccess *access, unsigned lanes, unsigned extra, BankOf bank_of,
                      SharedPasses *ret);
