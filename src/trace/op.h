#pragma once
/*
 * The operations of the trace language, by their PTX-like names, and the operation classes whose issue cost and latency the
 * configuration gives. An operation is declared here once: the parser, the configuration keys of [op] and `trace stats`
 * all derive from these two lists. What a compiler would add to them is not added here (docs/accuracy.md, S2).
 */
#include <stdint.h>

/* X(class, what it holds) */
#define OP_CLASSES(X)                                                      \
    X(alu, "moves, FP add and multiply-add, integer add, min, max, logic") \
    X(mul, "FP multiply")                                                  \
    X(shift, "shifts")                                                     \
    X(compare, "compares and selects")                                     \
    X(convert, "type conversions")                                         \
    X(mul24, "24-bit integer multiply and multiply-add")                   \
    X(imul, "32-bit integer multiply")                                     \
    X(imad, "32-bit integer multiply-add")                                 \
    X(rcp, "reciprocal and reciprocal square root")                        \
    X(lg2, "base-2 logarithm")                                             \
    X(ex2, "base-2 exponential")                                           \
    X(sincos, "sine and cosine")                                           \
    X(sqrt, "square root")                                                 \
    X(div, "FP divide")                                                    \
    X(rem, "integer divide and remainder")                                 \
    X(dp, "double-precision add, multiply, multiply-add")                  \
    X(branch, "branches")

#define OP_CLASS_ENUM(name, doc) OP_CLASS_##name,
typedef enum { OP_CLASSES(OP_CLASS_ENUM) OP_CLASS_N } OpClass;
#undef OP_CLASS_ENUM

typedef struct {
    const char *name;
    OpClass cls;
    uint8_t max_sources; /* register, memory or literal operands after the destination; fewer may be written */
    uint8_t width;       /* consecutive registers that a register operand stands for: 2 for double precision */
    uint8_t flops;       /* floating-point operations per lane: 2 for a multiply-add */
} OpInfo;

/* The ALU operation of that name, or NULL. Memory and control mnemonics are not here. */
const OpInfo *op_find(const char *name);

/* All of them, for nearest-name messages and documentation; *ret_n is their number. */
const OpInfo *op_all(unsigned *ret_n);

const char *op_class_name(OpClass cls);
const char *op_class_doc(OpClass cls);
