#pragma once
/*
 * Linear forms: c + sum of coefficient * atom. Every node that cannot fail has one; what is not a sum or a product with a constant
 * is an atom. Arithmetic is modulo 2^64, which is exact because the value of the node itself fits.
 */
#include "trace/node.h"

enum { LINEAR_TERMS_MAX = 16 };

typedef struct {
    const Node *atom;
    int64_t coef; /* not 0 */
} LinearTerm;

typedef struct {
    int64_t c;
    unsigned n;
    LinearTerm terms[LINEAR_TERMS_MAX];
} Linear;

/* ND_ITER node of a loop: lets a loop variable be taken apart into start + step * iteration. */
typedef const Node *(*LinearIter)(void *loops, int loop);

/* The linear form of a node. A node that can fail, or whose form has too many terms, is one atom. */
Linear linear_of(const Node *node, LinearIter iter, void *loops);

/* to += scale * from; false (and `to` unspecified) when there are too many terms. */
bool linear_add(Linear *to, const Linear *from, int64_t scale);
