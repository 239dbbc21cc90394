/* The tree of elimination of a graph, and the merging of its vertices to fronts. */
#ifndef MYODYNE_LDL_TREE_H
#define MYODYNE_LDL_TREE_H

#include "ldl.h"

typedef struct {
    int n;
    int *vertex;    /* which vertex of the graph comes at each place; subtrees are runs of places */
    int *position;  /* the place of each vertex */
    int *parent;    /* by place, or -1 */
    int *below;     /* by place: rows of the column below its own */
    int *columns;   /* by place: rows of the matrix that it stands for */
    int *block;
} Tree;

int ldl_tree(const Graph *graph, const int *order, Tree *tree);
void ldl_tree_free(Tree *tree);
double ldl_tree_cost(const Tree *tree);
double ldl_front_cost(int columns, int below);
int ldl_merge_fronts(Tree *tree, int *front);

#endif
