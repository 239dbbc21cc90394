/* Cuts through a graph, one within the other. */
#ifndef MYODYNE_LDL_DISSECTION_H
#define MYODYNE_LDL_DISSECTION_H

#include "ldl.h"

typedef struct {
    int cuts;
    int hubs;     /* the cut that holds the hubs, or -1 */
    int *cut;     /* of each vertex: the cut it belongs to, or -1 */
    int *above;   /* of each vertex: the cut that made the piece it lies in, or through which its own cut goes; or -1 */
    int *parent;  /* of each cut: that cut again */
    int *size;    /* of each cut: how many vertices the piece had that it goes through */
    int *block;
} Dissection;

enum { INSIDE, OUTSIDE, CUT, ELSEWHERE };

int ldl_dissect(const Graph *graph, int leaf, Dissection *dissection);
void ldl_dissection_free(Dissection *dissection);

/* along.c */
int ldl_dissect_along(const Graph *graph, int leaf, Dissection *dissection);

/* hubs.c */
int ldl_hubs(const Graph *graph, unsigned char *hub);

/* refinement.c */
typedef struct {
    const Graph *graph;
    unsigned char *side;           /* of all vertices: INSIDE, OUTSIDE, CUT or ELSEWHERE */
    int *near[2];                  /* of vertices of the piece: neighbours inside, outside */
    int *locked, round;
    int *member, members, *where;  /* the vertices of the cut, and the place of each in that list */
    int *moved, *moved_from, moves;
    int count[2];
} Refinement;

void ldl_refine_cut(Refinement *refinement, const int *vertex, int vertices);

#endif
