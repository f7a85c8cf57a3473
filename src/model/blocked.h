#pragma once
/*
 * Blocked matrix multiplication on a hierarchy of caches in closed form (course notes on the matrix-multiply lab): C = A*B of n x n words,
 * in b x b blocks, three of which fit into a cache of Z words: 3 b^2 <= Z. `c += a*b` is t = a*b and c = c + t, six accesses, so the
 * processor makes 6 n^3. Each of the (n/b)^2 blocks of C is brought in once, with n/b blocks of A and of B:
 *     misses = (b^2 + 2 b n) (n/b)^2 = n^2 + 2 n^3/b
 * fewest with b = sqrt(Z/3): n^2 + 2 n^3/sqrt(Z/3). (The last formula of the notes is garbled; this is what its steps give.)
 *
 * Lines of L words: a block comes in as b rows of b/L lines, so one of its two factors b is divided by L and with it all misses. Rows
 * of a block are taken to begin at a line; where L does not divide b a row's last line counts whole. Where b does not divide n, the last
 * blocks are as small as what is left: n^2 + 2 n^2 ceil(n/b) words. Levels are chained: the accesses of a level are the misses of the one
 * above, one for each of its own lines that such a line spans. Not in it: conflicts of a set, the writing back of C. Integers are exact:
 * 2 n^3 misses times BLOCKED_LINE_MAX fit into 63 bits.
 */
#include <stdbool.h>
#include <stdint.h>

enum { BLOCKED_N_MAX = 100000, BLOCKED_LINE_MAX = 4096, BLOCKED_WORD_BYTES = 4, BLOCKED_LEVELS_MAX = 3 };

typedef struct {
    uint64_t words;      /* Z, 3 at least */
    uint64_t line_words; /* L, 1 at least, BLOCKED_LINE_MAX and Z at most */
    uint64_t block;      /* b, 1..n, or 0: the best one */
} BlockedLevel;

typedef struct {
    uint64_t block;      /* in force */
    uint64_t best_block; /* whole words: below sqrt(Z/3), n at most, and whole lines where there is one */
    bool fits;           /* 3 block^2 <= Z */
    uint64_t blocks;     /* along an edge of the matrix */
    uint64_t row_lines;  /* of a row of the matrix, block after block */
    uint64_t accesses;
    uint64_t words_in;   /* n^2 + 2 n^2 blocks: the misses with lines of one word */
    uint64_t misses;     /* lines, accesses at most */
    double ideal_block;  /* sqrt(Z/3), n at most */
    double ideal_misses; /* (n^2 + 2 n^3/ideal_block) / L */
} BlockedResult;

/* One level below another, or the first one: `above` is NULL, and so is its result. */
BlockedResult blocked(uint64_t n, const BlockedLevel *level, const BlockedLevel *above, const BlockedResult *above_result);
