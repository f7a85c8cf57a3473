#pragma once
/*
 * One access of a warp, as the options of `banks` and `coalesce` give it: a machine, and an address for each lane by an expression of the
 * trace language. Besides the addresses, the expression taken apart into strides, for advice on how to change it.
 */
#include "cli/command.h"
#include "cli/inputs.h"

typedef struct {
    char *name;           /* `tid.x`; `the term at column 3` */
    int64_t stride;       /* bytes that it is multiplied by */
    int64_t value[LANES]; /* of the active lanes */
} AccessTerm;

enum { ACCESS_TERMS_MAX = 16 };

typedef struct {
    Machine machine;
    char *text; /* --address as given */
    char *json; /* --json, or NULL */
    LaneAccess lanes;
    unsigned n_terms; /* those that differ between lanes; the address is their sum and a constant */
    AccessTerm terms[ACCESS_TERMS_MAX];
} WarpAccess;

/* Parses the command line of `banks` or `coalesce`, which ask about shared and global memory. OPTIONS_GO_ON, or the exit status. */
int warp_access_parse(const Command *self, Space space, int argc, char **argv, WarpAccess *ret);
void warp_access_clear(WarpAccess *access);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(WarpAccess, warp_access_clear)

/* How many steps of the term's stride lie between the lanes that are furthest apart, and one: rows of an array. */
uint64_t access_term_rows(const WarpAccess *access, const AccessTerm *term);

/* `32 lanes load 4 bytes each at 4*laneid; configs/g80.ini`, with a newline. */
void warp_access_print_title(FILE *out, const char *command, const WarpAccess *access);
