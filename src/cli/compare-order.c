#include "cli/compare-order.h"

#include <math.h>
#include <stdlib.h>

/* A row that takes part. In the group, sorted by what was measured, the rows that are far enough below one are the first few. */
typedef struct {
    const CompareRow *row;
    double measured, predicted;
    unsigned group;  /* of the same family and metric */
    unsigned index;  /* in the order of the file */
    unsigned place;  /* in the sorted group */
    unsigned far;    /* how many places of the group, from 0 on, are far enough below this one */
    unsigned rank;   /* of the prediction in the group; equal ones share it */
    bool has_broken; /* it is in a broken pair */
} Member;

static bool takes_part(const CompareRow *row)
{
    return *row->cells[COMPARE_family] && !row->foreign && !row->gap;
}

/* In the order of the file. */
static GArray *members_of(const CompareSet *set)
{
    g_autoptr(GHashTable) groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GArray *members = g_array_new(FALSE, FALSE, sizeof(Member));
    for (unsigned i = 0; i < set->rows->len; i++) {
        const CompareRow *row = set->rows->pdata[i];
        if (!takes_part(row)) continue;
        char *key = g_strdup_printf("%d %s", (int)row->metric, row->cells[COMPARE_family]);
        const unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(groups, key)), group = known ? known : members->len + 1;
        g_hash_table_insert(groups, key, GUINT_TO_POINTER(group));
        const Member member = {.row = row,
                               .measured = row->measured * row->scale,
                               .predicted = row->predicted * row->scale,
                               .group = group,
                               .index = members->len};
        g_array_append_val(members, member);
    }
    return members;
}

static int by_group(const Member *x, const Member *y)
{
    return (x->group > y->group) - (x->group < y->group);
}

static int by_index(const Member *x, const Member *y)
{
    return (x->index > y->index) - (x->index < y->index);
}

static int by_measured(const void *a, const void *b)
{
    const Member *x = *(Member *const *)a, *y = *(Member *const *)b;
    const int group = by_group(x, y), value = (x->measured > y->measured) - (x->measured < y->measured);
    return group ? group : value ? value : by_index(x, y);
}

static int by_predicted(const void *a, const void *b)
{
    const Member *x = *(Member *const *)a, *y = *(Member *const *)b;
    const int value = (x->predicted > y->predicted) - (x->predicted < y->predicted);
    return value ? value : by_index(x, y);
}

/* ---- a group of n, sorted by what was measured ---- */

static void set_places(Member **group, unsigned n)
{
    unsigned far = 0;
    for (unsigned j = 0; j < n; j++) {
        const double high = group[j]->measured;
        while (far < j && high - group[far]->measured > high * ORDER_PERCENT / 100)
            far++;
        group[j]->place = j;
        group[j]->far = far;
    }
}

static void set_ranks(Member **group, unsigned n)
{
    g_autofree Member **sorted = g_memdup2(group, n * sizeof(Member *));
    qsort(sorted, n, sizeof(Member *), by_predicted);
    for (unsigned i = 0; i < n; i++)
        sorted[i]->rank = i && sorted[i]->predicted == sorted[i - 1]->predicted ? sorted[i - 1]->rank : i;
}

/* Counts of ranks as a Fenwick tree, of n + 1 numbers: its sums and changes take log n steps. */
static void tree_add(unsigned *tree, unsigned n, unsigned rank)
{
    for (unsigned i = rank + 1; i <= n; i += i & -i)
        tree[i]++;
}

static unsigned tree_below(const unsigned *tree, unsigned rank)
{
    unsigned sum = 0;
    for (unsigned i = rank; i; i -= i & -i)
        sum += tree[i];
    return sum;
}

/* A pair is broken when the row that was measured as the lower one is not predicted so. */
static void count_pairs(Order *order, Member **group, unsigned n)
{
    g_autofree unsigned *tree = g_new0(unsigned, n + 1);
    for (unsigned j = 0, taken = 0; j < n; j++) {
        for (; taken < group[j]->far; taken++)
            tree_add(tree, n, group[taken]->rank);
        const unsigned broken = taken - tree_below(tree, group[j]->rank);
        order->n_pairs += taken;
        order->n_broken += broken;
        group[j]->has_broken = broken;
    }
}

/* The other rows of broken pairs: those with some prediction as low, or lower, far enough above. */
static void mark_lower(Member **group, unsigned n)
{
    unsigned lowest = n;
    for (unsigned i = n, j = n; i-- > 0;) {
        for (; j > 0 && group[j - 1]->far > i; j--)
            lowest = MIN(lowest, group[j - 1]->rank);
        if (lowest <= group[i]->rank) group[i]->has_broken = true;
    }
}

/* ---- the pairs that are listed ---- */

static bool is_broken(const Member *a, const Member *b)
{
    const Member *low = a->place < b->place ? a : b, *high = low == a ? b : a;
    return a->group == b->group && low->place < high->far && low->rank >= high->rank;
}

/* Looks only behind rows that are in a broken pair. One with no pair behind it is the second one of a pair that is listed already, so that at
 * most twice ORDER_LISTED rows are looked behind. */
static void list_pairs(Order *order, const GArray *members)
{
    const Member *all = (const Member *)(const void *)members->data;
    for (unsigned i = 0; i < members->len && order->n_listed < MIN(order->n_broken, ORDER_LISTED); i++)
        for (unsigned j = i + 1; all[i].has_broken && j < members->len && order->n_listed < ORDER_LISTED; j++)
            if (is_broken(&all[i], &all[j])) order->listed[order->n_listed++] = (OrderPair){all[i].row, all[j].row};
}

Order order_of(const CompareSet *set)
{
    Order order = {0};
    g_autoptr(GArray) members = members_of(set);
    g_autofree Member **sorted = g_new(Member *, members->len + 1);
    for (unsigned i = 0; i < members->len; i++)
        sorted[i] = &g_array_index(members, Member, i);
    qsort(sorted, members->len, sizeof(Member *), by_measured);
    for (unsigned first = 0, next; first < members->len; first = next) {
        for (next = first + 1; next < members->len && sorted[next]->group == sorted[first]->group;)
            next++;
        set_places(sorted + first, next - first);
        set_ranks(sorted + first, next - first);
        count_pairs(&order, sorted + first, next - first);
        mark_lower(sorted + first, next - first);
    }
    list_pairs(&order, members);
    return order;
}
