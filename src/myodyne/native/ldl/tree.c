/* The tree of elimination: which vertex each one must wait for, and how long its column gets. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

void ldl_tree_free(Tree *tree)
{
    free(tree->block);
    memset(tree, 0, sizeof *tree);
}

static int allocate(Tree *tree, int n)
{
    tree->n = n;
    tree->block = malloc(5 * (size_t)(n + 1) * sizeof(int));
    if (!tree->block)
        return LDL_NO_MEMORY;
    tree->vertex = tree->block;
    tree->position = tree->block + (n + 1);
    tree->parent = tree->block + 2 * (size_t)(n + 1);
    tree->below = tree->block + 3 * (size_t)(n + 1);
    tree->columns = tree->block + 4 * (size_t)(n + 1);
    return LDL_DONE;
}

/* Parents by the row subtrees of Liu (1990), with shortcuts to the root found so far. */
static void find_parents(const Graph *graph, Tree *tree, int *shortcut)
{
    int place, k;

    for (place = 0; place < tree->n; place++) {
        int i = tree->vertex[place];
        tree->parent[place] = shortcut[place] = -1;
        for (k = graph->start[i]; k < graph->start[i + 1]; k++) {
            int j = tree->position[graph->to[k]];
            while (j >= 0 && j < place) {
                int next = shortcut[j];
                shortcut[j] = place;
                if (next < 0)
                    tree->parent[j] = place;
                j = next;
            }
        }
    }
}

/* Renumbers so that every subtree is a run of places, children before parents. */
static int postorder(Tree *tree, int *work)
{
    int n = tree->n, i, top = 0, done = 0;
    int *head = work, *next = work + n, *stack = work + 2 * (size_t)n, *place = work + 3 * (size_t)n;
    int *vertex = work + 4 * (size_t)n;

    memset(head, -1, n * sizeof(int));
    for (i = n - 1; i >= 0; i--)
        if (tree->parent[i] >= 0) {
            next[i] = head[tree->parent[i]];
            head[tree->parent[i]] = i;
        }
    for (i = 0; i < n; i++) {
        if (tree->parent[i] >= 0)
            continue;
        stack[top++] = i;
        while (top > 0) {
            int node = stack[top - 1];
            if (head[node] >= 0) {
                stack[top++] = head[node];
                head[node] = next[head[node]];
            } else {
                place[node] = done++;
                top--;
            }
        }
    }
    for (i = 0; i < n; i++) {
        vertex[place[i]] = tree->vertex[i];
        next[place[i]] = tree->parent[i] < 0 ? -1 : place[tree->parent[i]];
    }
    memcpy(tree->vertex, vertex, n * sizeof(int));
    memcpy(tree->parent, next, n * sizeof(int));
    for (i = 0; i < n; i++)
        tree->position[tree->vertex[i]] = i;
    return done;
}

/* Length of each column below its own rows, by walking every row's subtree. */
static void count_rows(const Graph *graph, Tree *tree, int *mark)
{
    int place, k;

    memset(tree->below, 0, tree->n * sizeof(int));
    memset(mark, -1, tree->n * sizeof(int));
    for (place = 0; place < tree->n; place++) {
        int i = tree->vertex[place];
        mark[place] = place;
        tree->columns[place] = 1;
        for (k = graph->start[i]; k < graph->start[i + 1]; k++) {
            int j = tree->position[graph->to[k]];
            if (j > place)
                continue;
            for (; mark[j] != place; j = tree->parent[j]) {
                mark[j] = place;
                tree->below[j]++;
            }
        }
    }
}

/* Fills the tree of a graph that is eliminated in the given order. */
int ldl_tree(const Graph *graph, const int *order, Tree *tree)
{
    int n = graph->vertices, i;
    int *work = malloc(5 * (size_t)(n + 1) * sizeof(int));

    if (!work || allocate(tree, n)) {
        free(work);
        return LDL_NO_MEMORY;
    }
    for (i = 0; i < n; i++) {
        tree->vertex[i] = order[i];
        tree->position[order[i]] = i;
    }
    find_parents(graph, tree, work);
    postorder(tree, work);
    count_rows(graph, tree, work);
    free(work);
    return LDL_DONE;
}

/* What a front costs, counted in multiplications: the elimination, then moving what is left of it.
 *
 * Two numbers were found by trial on the matrices of gait: a matrix that is read and written once costs as much as
 * this many multiplications of each entry, and every front as much as this many alone. */
double ldl_front_cost(int columns, int below)
{
    double rows = columns + below, sum = 0;
    static const double TRAFFIC = 12, START = 3000;

    sum = columns * (rows * rows - rows * columns + columns * (double)columns / 3);
    return sum + TRAFFIC * (rows * columns + (double)below * below) + START;
}

double ldl_tree_cost(const Tree *tree)
{
    double sum = 0;
    int i;

    for (i = 0; i < tree->n; i++) {
        double rows = tree->columns[i] + tree->below[i];
        sum += tree->columns[i] * rows * rows;
    }
    return sum;
}

/* Merges children into parents where one larger front costs less than two; removed vertices are marked by their
 * front, front[i] = i for those that stay. Columns and parents then hold for fronts. */
int ldl_merge_fronts(Tree *tree, int *front)
{
    int n = tree->n, i, c;
    int *head = malloc(2 * (size_t)(n + 1) * sizeof(int)), *next;

    if (!head)
        return LDL_NO_MEMORY;
    next = head + n;
    memset(head, -1, n * sizeof(int));
    for (i = 0; i < n; i++) {
        int before = -1;
        front[i] = i;
        for (c = head[i]; c >= 0;) {
            int after = next[c], columns = tree->columns[i] + tree->columns[c];
            double apart = ldl_front_cost(tree->columns[i], tree->below[i])
                           + ldl_front_cost(tree->columns[c], tree->below[c]);

            if (tree->below[c] == tree->columns[i] + tree->below[i]
                || ldl_front_cost(columns, tree->below[i]) <= apart) {
                /* The child's children become those of the parent, to be looked at next. */
                int last = head[c];
                front[c] = i;
                tree->columns[i] = columns;
                if (last >= 0) {
                    int first = last;
                    while (next[last] >= 0)
                        last = next[last];
                    next[last] = after;
                    after = first;
                }
                if (before < 0)
                    head[i] = after;
                else
                    next[before] = after;
            } else {
                before = c;
            }
            c = after;
        }
        if (tree->parent[i] >= 0) {
            next[i] = head[tree->parent[i]];
            head[tree->parent[i]] = i;
        }
    }
    for (i = n - 1; i >= 0; i--) {
        if (front[i] != i)
            front[i] = front[front[i]]; /* parents come later, so theirs is final */
        else
            while (tree->parent[i] >= 0 && front[tree->parent[i]] != tree->parent[i])
                tree->parent[i] = front[tree->parent[i]];
    }
    free(head);
    return LDL_DONE;
}
