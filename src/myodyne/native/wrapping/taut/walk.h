/* A walk along a path, piece by piece, and what is collected on it. */
#ifndef MYODYNE_TAUT_WALK_H
#define MYODYNE_TAUT_WALK_H

#include "path.h"
#include "taut.h"

/* Whether a piece may touch a surface, and how. */
typedef enum {
    NO_ACCESS,   /* the surface is not there for this piece */
    FREE_ACCESS, /* on any side */
    HELD_ACCESS, /* in front of a cylinder that the path is held to, or through the hole of a torus */
} piece_access;

/* Any but the path may be missing. */
typedef struct {
    const wrap_path *path;
    const double *frames;
    double *weights;       /* derivatives by the points, then by the motions of surfaces */
    double *places;        /* points to draw; if missing, they are only counted */
    int written, parts;    /* points so far, and parts of each arc: none if zero */
    int *marks;            /* see `taut_marks` */
    unsigned char *access; /* for each piece and surface, a `piece_access` */
} path_walk;

/* One piece between two places; see pieces.c. */
typedef struct {
    const double *ends[2];
    double *by_ends[2];          /* receive the derivatives of the length by the ends */
    const unsigned char *access; /* to each surface */
    unsigned char *freed;        /* surfaces that do not hold the piece to their halves */
    int number;                  /* in the path */
} path_piece;

/* A walk over the same path that collects nothing but marks. */
static inline path_walk quiet_walk(const path_walk *walk)
{
    path_walk quiet = {walk->path, walk->frames, 0, 0, 0, 0, walk->marks, 0};
    return quiet;
}

/* The mark of a piece in `taut_marks`; of more than 31 pieces, some share one. */
static inline int mark_of_piece(int number)
{
    return 1 << number % 31;
}

/* surface_use.c. How far out a point is in units of a surface's size, and the gradient of that. */
double walk_level(const wrap_surface *s, const double *x, double *gradient);
/* A surface as a piece meets it, shrunk to the ends that lie inside. */
void walk_surface(const path_walk *walk, int use, piece_access access, const double *const *ends, taut_surface *s);
static inline int walk_is_convex(const taut_surface *s)
{
    return s->kind == WRAP_SPHERE || s->kind == WRAP_ELLIPSOID;
}

/* gradient.c. Add the derivatives of a piece by its ends, and by the motions of its surfaces. */
void walk_add_gradient(path_walk *walk, const taut_piece *piece, double *const *by_ends);
double *walk_surface_weights(const path_walk *walk, int use);
/* Add the derivative by a point that moves with the frame of a surface, times a sign. */
void walk_add_motion(double *weights, const double *gradient, const double *at, const double *origin, double sign);
/* Add the derivative by an end as seen from a surface: to the end, and against it to the frame. */
void walk_add_seen(path_walk *walk, int use, const double *local, const double *at, double *by_end);

/* pieces.c. The length of a piece, whose derivatives, points and marks are collected. */
double walk_piece(path_walk *walk, const path_piece *piece);
void walk_write_point(path_walk *walk, const double *frame, const double *x);

#endif
