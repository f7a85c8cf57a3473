#pragma once
/* What the rows of a comparison come to: figures of each class of confidence, of each metric and of all, and which rows are too far off. */
#include "cli/compare-order.h"
#include "model/agreement.h"

typedef enum { ROW_COUNTED, ROW_BEYOND, ROW_GAP, ROW_FOREIGN, ROW_ASIDE, ROW_STATUS_N } RowStatus;

const char *row_status_name(RowStatus status);

typedef enum { FIGURES_CONFIDENCE, FIGURES_METRIC, FIGURES_ALL, FIGURES_KINDS } FiguresKind;

typedef struct {
    FiguresKind kind;
    const char *name; /* `primary`, `gbs`, `all` */
    Agreement agreement;
    const CompareRow *worst;
} Figures;

typedef struct {
    const Machine *machine;
    const CompareSet *set;
    double tolerance, max_mape; /* percent; NAN: not asked for */
    bool in_order;              /* asked for */
    unsigned n_simulations;     /* that the rows came to */
    GArray *figures;            /* of Figures; the last one is of all */
    Order order;
    unsigned n_rows[ROW_STATUS_N];
    bool mape_beyond;
} Comparison;

/* Of rows that have their predictions; at least one of them counts. */
Comparison comparison_make(const Machine *machine, const CompareSet *set, double tolerance, double max_mape, bool in_order);
void comparison_clear(Comparison *comparison);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Comparison, comparison_clear)

RowStatus comparison_status(const Comparison *comparison, const CompareRow *row);

/* The tolerance in force for the row; NAN: none. */
double comparison_tolerance(const Comparison *comparison, const CompareRow *row);

/* Within all that was asked for. */
bool comparison_good(const Comparison *comparison);

const Figures *comparison_all(const Comparison *comparison);
