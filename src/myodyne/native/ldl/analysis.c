/* From the pattern of a matrix to the list of its fronts. */
#include "dissection.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/* Weights of the pieces that are tried. The best is not known before: pieces of few groups leave no room for the order
 * by degrees, large ones leave it too much. */
static const int LEAVES[] = {300, 600, 1200, 2400};

/* From this many rows on, cuts along the numbers of the rows are tried, too: in smaller matrices factorisations are so
 * fast that a further search takes longer than it saves. */
enum { LONG = 20000 };

void ldl_analysis_free(Analysis *analysis)
{
    if (!analysis)
        return;
    free(analysis->order);
    free(analysis->first);
    free(analysis->parent);
    free(analysis->child);
    free(analysis->sibling);
    free(analysis->depth);
    free(analysis->start);
    free(analysis->rows);
    free(analysis->entry_start);
    free(analysis->entry_from);
    free(analysis->entry_at);
    free(analysis);
}

/* Sorts the vertices that were kept for last by the number of their cut, the first cut at the end. */
static int order_separators(const Graph *graph, const int *separator, int cuts, int *order)
{
    int n = graph->vertices, i, kept = 0;
    int *next = calloc(cuts + 1, sizeof(int));

    if (!next)
        return LDL_NO_MEMORY;
    for (i = 0; i < n; i++)
        if (separator[i] >= 0) {
            next[cuts - 1 - separator[i] + 1]++;
            kept++;
        }
    for (next[0] = n - kept, i = 0; i < cuts; i++)
        next[i + 1] += next[i];
    for (i = 0; i < n; i++)
        if (separator[i] >= 0)
            order[next[cuts - 1 - separator[i]]++] = i;
    free(next);
    return LDL_DONE;
}

/* Takes of all cuts those through pieces larger than a leaf; the others are as if they had not been made. */
static void take_cuts(const Dissection *d, int n, int leaf, int *separator, int *above)
{
    int i, c;

    for (i = 0; i < n; i++) {
        c = d->cut[i];
        separator[i] = c >= 0 && d->size[c] > leaf ? c : -1;
        for (c = c >= 0 ? c : d->above[i]; c >= 0 && d->size[c] <= leaf; c = d->parent[c])
            ;
        above[i] = c;
    }
}

/* One order and its tree; pieces as large as the matrix are the order by degrees alone. */
static int candidate(const Graph *graph, const Dissection *d, int leaf, int *work, Tree *tree)
{
    int n = graph->vertices, failed;
    int *separator = work, *order = work + n, *above = work + 2 * (size_t)n, *partner = work + 3 * (size_t)n;

    take_cuts(d, n, leaf, separator, above);
    failed = ldl_partners(graph, above, separator, partner);
    if (!failed)
        failed = ldl_minimum_degree(graph, separator, partner, d->hubs, order);
    if (!failed)
        failed = order_separators(graph, separator, d->cuts, order);
    if (!failed)
        failed = ldl_tree(graph, order, tree);
    return failed;
}

/* Keeps the tree of one order if it is the cheapest so far. */
static int compare(const Graph *graph, const Dissection *d, int leaf, int *work, Tree *best, double *least)
{
    Tree tree = {0};
    int failed = candidate(graph, d, leaf, work, &tree);

    if (!failed) {
        double cost = ldl_tree_cost(&tree);
        if (*least < 0 || cost < *least) {
            Tree other = *best;
            *best = tree;
            tree = other;
            *least = cost;
        }
    }
    ldl_tree_free(&tree);
    return failed;
}

static int best_tree(const Graph *graph, Tree *best)
{
    int n = graph->vertices, tries = (int)(sizeof LEAVES / sizeof *LEAVES), i, leaf, failed;
    int *work = malloc((4 * (size_t)n + 1) * sizeof(int));
    double least = -1;
    Dissection d = {0}, along = {0};

    failed = work ? ldl_dissect(graph, LEAVES[0], &d) : LDL_NO_MEMORY;
    for (i = 0; i <= tries && !failed; i++)
        if (i == tries || LEAVES[i] < n)
            failed = compare(graph, &d, i < tries ? LEAVES[i] : n, work, best, &least);
    if (n > LONG && !failed)
        failed = ldl_dissect_along(graph, LEAVES[tries - 1], &along);
    for (leaf = LEAVES[tries - 1]; n > LONG && leaf < n && !failed; leaf *= 2)
        failed = compare(graph, &along, leaf, work, best, &least);
    ldl_dissection_free(&d);
    ldl_dissection_free(&along);
    free(work);
    return failed;
}

/* Numbers the fronts, and with them all rows of the matrix, front by front, children before parents. */
static int number_fronts(Analysis *a, const Tree *tree, const int *front)
{
    int vertices = tree->n, i, total = 0;
    int *number = malloc((vertices + 1) * sizeof(int)), *next = NULL;

    for (i = 0; i < vertices; i++)
        a->fronts += front[i] == i;
    a->first = malloc((a->fronts + 1) * sizeof(int));
    a->parent = malloc((a->fronts + 1) * sizeof(int));
    a->order = malloc((a->n + 1) * sizeof(int));
    a->child = malloc((a->fronts + 1) * sizeof(int));
    a->sibling = malloc((a->fronts + 1) * sizeof(int));
    a->depth = malloc((a->fronts + 1) * sizeof(int));
    next = malloc((a->fronts + 1) * sizeof(int));
    if (!number || !a->first || !a->parent || !a->order || !a->child || !a->sibling || !a->depth || !next) {
        free(number);
        free(next);
        return LDL_NO_MEMORY;
    }
    a->fronts = 0;
    for (i = 0; i < vertices; i++)
        if (front[i] == i) {
            number[i] = a->fronts;
            next[a->fronts] = a->first[a->fronts] = total;
            total += tree->columns[i];
            a->fronts++;
        }
    a->first[a->fronts] = total;
    for (i = 0; i < vertices; i++)
        if (front[i] == i)
            a->parent[number[i]] = tree->parent[i] < 0 ? -1 : number[tree->parent[i]];
    memset(a->child, -1, (a->fronts + 1) * sizeof(int));
    for (i = 0; i < a->fronts; i++)
        if (a->parent[i] >= 0) {
            a->sibling[i] = a->child[a->parent[i]];
            a->child[a->parent[i]] = i;
        }
    for (i = a->fronts - 1; i >= 0; i--)
        a->depth[i] = a->parent[i] < 0 ? 0 : a->depth[a->parent[i]] + 1;
    for (i = 0; i < vertices; i++)
        a->order[next[number[front[i]]]++] = tree->vertex[i];
    free(number);
    free(next);
    return LDL_DONE;
}

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Rows below the columns of each front: those of its entries and of its children that are not its own. */
static int find_rows(Analysis *a, const int *column_start, const int *row, const int *place, const int *front_of)
{
    int n = a->n, f, j, k;
    size_t room = 0, used = 0;
    int *mark = malloc((n + 1) * sizeof(int)), *count = calloc(a->fronts + 2, sizeof(int));
    int *entry = malloc((column_start[n] + 1) * sizeof(int)), failed = LDL_NO_MEMORY;

    a->start = malloc((a->fronts + 1) * sizeof *a->start);
    if (!mark || !count || !entry || !a->start)
        goto done;
    /* Entries by front: an entry belongs to the front that eliminates its first place. */
    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++)
            count[front_of[place[j] < place[row[k]] ? place[j] : place[row[k]]] + 1]++;
    for (f = 0; f < a->fronts; f++)
        count[f + 1] += count[f];
    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++) {
            int p = place[j], q = place[row[k]];
            entry[count[front_of[p < q ? p : q]]++] = p < q ? q : p;
        }
    memset(mark, -1, (n + 1) * sizeof(int));
    for (f = 0; f < a->fronts; f++) {
        int own = a->first[f + 1], begin = f ? count[f - 1] : 0;
        size_t need = count[f] - begin, c;

        for (j = a->child[f]; j >= 0; j = a->sibling[j])
            need += a->start[j + 1] - a->start[j];
        if (used + need > room) {
            int *larger = realloc(a->rows, (room = 2 * (used + need)) * sizeof(int));
            if (!larger)
                goto done;
            a->rows = larger;
        }
        a->start[f] = used;
        for (k = begin; k < count[f]; k++)
            if (entry[k] >= own && mark[entry[k]] != f) {
                mark[entry[k]] = f;
                a->rows[used++] = entry[k];
            }
        for (j = a->child[f]; j >= 0; j = a->sibling[j])
            for (c = a->start[j]; c < a->start[j + 1]; c++)
                if (a->rows[c] >= own && mark[a->rows[c]] != f) {
                    mark[a->rows[c]] = f;
                    a->rows[used++] = a->rows[c];
                }
        if (used > a->start[f])
            qsort(a->rows + a->start[f], used - a->start[f], sizeof(int), ascending);
        a->start[f + 1] = used;
    }
    if (!a->rows)
        a->rows = malloc(sizeof(int));
    failed = a->rows ? LDL_DONE : LDL_NO_MEMORY;
done:
    free(mark);
    free(count);
    free(entry);
    return failed;
}

/* Where in its front each entry of the matrix goes. */
static int find_entries(Analysis *a, const int *column_start, const int *row, const int *place, const int *front_of)
{
    int n = a->n, f, j, k, i, *local = malloc((n + 1) * sizeof(int)), *low;
    size_t entries = column_start[n];

    a->entry_start = calloc(a->fronts + 2, sizeof(int));
    a->entry_from = malloc((entries + 1) * sizeof(int));
    a->entry_at = malloc((entries + 1) * sizeof(size_t));
    low = malloc((entries + 1) * sizeof(int));
    if (!local || !low || !a->entry_start || !a->entry_from || !a->entry_at) {
        free(local);
        free(low);
        return LDL_NO_MEMORY;
    }
    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++)
            a->entry_start[front_of[place[j] < place[row[k]] ? place[j] : place[row[k]]] + 2]++;
    for (f = 0; f < a->fronts; f++)
        a->entry_start[f + 2] += a->entry_start[f + 1];
    for (j = 0; j < n; j++)
        for (k = column_start[j]; k < column_start[j + 1]; k++) {
            int p = place[j], q = place[row[k]], at = a->entry_start[front_of[p < q ? p : q] + 1]++;
            a->entry_from[at] = k;
            low[at] = p < q ? p : q;
            a->entry_at[at] = p < q ? q : p;
        }
    for (f = 0; f < a->fronts; f++) {
        int columns = a->first[f + 1] - a->first[f], below = (int)(a->start[f + 1] - a->start[f]);

        for (i = 0; i < columns; i++)
            local[a->first[f] + i] = i;
        for (i = 0; i < below; i++)
            local[a->rows[a->start[f] + i]] = columns + i;
        for (k = a->entry_start[f]; k < a->entry_start[f + 1]; k++)
            a->entry_at[k] = local[a->entry_at[k]] + (low[k] - a->first[f]) * (size_t)STRIDE(columns, below);
        if (columns + below > a->largest_front)
            a->largest_front = columns + below;
        a->operations += columns * ((double)(columns + below) * below + columns * (double)columns / 3);
        a->factor_entries += columns * (columns * 0.5 + below);
    }
    free(local);
    free(low);
    return LDL_DONE;
}

static int fill(Analysis *a, const int *column_start, const int *row, const Tree *tree, int *front)
{
    int i, f, failed = number_fronts(a, tree, front);
    int *place = malloc(2 * (size_t)(a->n + 1) * sizeof(int)), *front_of = place + a->n;

    if (!failed && place) {
        for (i = 0; i < a->n; i++)
            place[a->order[i]] = i;
        for (f = 0; f < a->fronts; f++)
            for (i = a->first[f]; i < a->first[f + 1]; i++)
                front_of[i] = f;
        failed = find_rows(a, column_start, row, place, front_of);
        if (!failed)
            failed = find_entries(a, column_start, row, place, front_of);
    }
    if (!place)
        failed = LDL_NO_MEMORY;
    free(place);
    return failed;
}

/* Returns the analysis of the pattern of a matrix, or NULL without memory. Values tell which rows have no diagonal. */
Analysis *ldl_analyse(const Matrix *matrix, const double *value)
{
    Analysis *a = calloc(1, sizeof *a);
    Graph graph = {0};
    Tree tree = {0};
    int *front = malloc((matrix->n + 1) * sizeof(int)), failed = LDL_NO_MEMORY;

    if (a && front) {
        a->n = matrix->n;
        failed = ldl_graph(matrix, value, &graph) || best_tree(&graph, &tree) || ldl_merge_fronts(&tree, front)
                 || fill(a, matrix->column_start, matrix->row, &tree, front);
    }
    ldl_graph_free(&graph);
    ldl_tree_free(&tree);
    free(front);
    if (failed) {
        ldl_analysis_free(a);
        return NULL;
    }
    return a;
}
