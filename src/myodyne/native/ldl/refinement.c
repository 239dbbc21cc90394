/* Makes a cut through a piece of a graph thinner, by moving single vertices across it.
 *
 * A vertex of the cut that moves to one side pulls its neighbours on the other side into the cut. The best move is made
 * even if it thickens the cut, each vertex once, and the thinnest cut on the way is kept (Fiduccia & Mattheyses 1982, for
 * cuts of vertices as in Hendrickson & Rothberg 1998). */
#include "dissection.h"

#define PASSES 6
/* A pass ends after this many moves without a thinner cut. */
#define PATIENCE 80
/* Neither side gets smaller than one part in this many of the piece. */
#define SMALLEST_PART 5

static void enter_cut(Refinement *r, int i)
{
    r->where[i] = r->members;
    r->member[r->members++] = i;
}

static void leave_cut(Refinement *r, int i)
{
    int last = r->member[--r->members];

    r->member[r->where[i]] = last;
    r->where[last] = r->where[i];
}

/* Puts a vertex on another side, and tells its neighbours. */
static void put(Refinement *r, int i, int side)
{
    const Graph *g = r->graph;
    int from = r->side[i], k;

    if (from == CUT)
        leave_cut(r, i);
    else
        r->count[from]--;
    if (side == CUT)
        enter_cut(r, i);
    else
        r->count[side]++;
    r->side[i] = (unsigned char)side;
    for (k = g->start[i]; k < g->start[i + 1]; k++) {
        if (from != CUT)
            r->near[from][g->to[k]]--;
        if (side != CUT)
            r->near[side][g->to[k]]++;
    }
}

static void put_and_note(Refinement *r, int i, int side)
{
    r->moved[r->moves] = i;
    r->moved_from[r->moves++] = r->side[i];
    put(r, i, side);
}

/* The move that leaves the thinnest cut; returns the vertex or -1. */
static int best_move(const Refinement *r, int smallest, int *to)
{
    int k, side, best = -1, most = 0, fairest = 0;

    for (k = 0; k < r->members; k++) {
        int i = r->member[k];
        if (r->locked[i] == r->round)
            continue;
        for (side = 0; side < 2; side++) {
            int pulled = r->near[1 - side][i], gain = 1 - pulled, fair = r->count[1 - side] - r->count[side];
            if (r->count[1 - side] - pulled < smallest && r->count[1 - side] < r->count[side])
                continue;
            if (best < 0 || gain > most || (gain == most && fair > fairest)) {
                best = i;
                most = gain;
                fairest = fair;
                *to = side;
            }
        }
    }
    return best;
}

/* Moves a vertex out of the cut. */
static void move(Refinement *r, int i, int side)
{
    const Graph *g = r->graph;
    int k;

    r->locked[i] = r->round;
    put_and_note(r, i, side);
    for (k = g->start[i]; k < g->start[i + 1]; k++)
        if (r->side[g->to[k]] == 1 - side)
            put_and_note(r, g->to[k], CUT);
}

static int one_pass(Refinement *r, int smallest, int room)
{
    int thinnest = r->members, before = r->members, kept = 0, idle = 0, i, side;

    r->round++;
    r->moves = 0;
    while (idle++ < PATIENCE && (i = best_move(r, smallest, &side)) >= 0) {
        if (r->moves + r->near[1 - side][i] + 1 > room)
            break;
        move(r, i, side);
        if (r->members < thinnest) {
            thinnest = r->members;
            kept = r->moves;
            idle = 0;
        }
    }
    while (r->moves > kept) {
        r->moves--;
        put(r, r->moved[r->moves], r->moved_from[r->moves]);
    }
    return thinnest < before;
}

/* Improves the cut of a piece, whose sides are given; both lists of moves have room for two entries per vertex. */
void ldl_refine_cut(Refinement *r, const int *vertex, int vertices)
{
    const Graph *g = r->graph;
    int k, l, pass;

    r->members = r->count[0] = r->count[1] = 0;
    for (k = 0; k < vertices; k++) {
        int i = vertex[k];
        r->near[0][i] = r->near[1][i] = 0;
        for (l = g->start[i]; l < g->start[i + 1]; l++)
            if (r->side[g->to[l]] < CUT)
                r->near[r->side[g->to[l]]][i]++;
        if (r->side[i] == CUT)
            enter_cut(r, i);
        else
            r->count[r->side[i]]++;
    }
    for (pass = 0; pass < PASSES && one_pass(r, vertices / SMALLEST_PART, 2 * vertices); pass++)
        ;
}
