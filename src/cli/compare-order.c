#include "cli/compare-order.h"

#include <math.h>

static bool takes_part(const CompareRow *row)
{
    return *row->cells[COMPARE_family] && !row->foreign && !row->gap;
}

static bool is_pair(const CompareRow *a, const CompareRow *b)
{
    const double x = a->measured * a->scale, y = b->measured * b->scale;
    return a->metric == b->metric && g_str_equal(a->cells[COMPARE_family], b->cells[COMPARE_family]) &&
           fabs(x - y) > MAX(x, y) * ORDER_PERCENT / 100;
}

static bool agrees(const CompareRow *a, const CompareRow *b)
{
    const double measured = a->measured * a->scale - b->measured * b->scale;
    return measured * (a->predicted * a->scale - b->predicted * b->scale) > 0;
}

static void take_pair(Order *order, const CompareRow *a, const CompareRow *b)
{
    const OrderPair pair = {a, b};
    if (!is_pair(a, b)) return;
    order->n_pairs++;
    if (!agrees(a, b)) g_array_append_val(order->broken, pair);
}

Order order_of(const CompareSet *set)
{
    Order order = {.broken = g_array_new(FALSE, FALSE, sizeof(OrderPair))};
    for (unsigned i = 0; i < set->rows->len; i++)
        for (unsigned j = i + 1; takes_part(set->rows->pdata[i]) && j < set->rows->len; j++)
            if (takes_part(set->rows->pdata[j])) take_pair(&order, set->rows->pdata[i], set->rows->pdata[j]);
    return order;
}

void order_clear(Order *order)
{
    g_clear_pointer(&order->broken, g_array_unref);
}
