/* The shortest way of one piece of a path, between two of its points, over all surfaces that it may touch.

   A taut string is straight between surfaces and a geodesic on them, and leaves them along its tangents. Each contact
   is a geodesic, given by its first point, its direction there, and its length; all contacts of a piece are found
   together by Newton's method, from the exact variations of geodesics (Scholz, Sherman, Stavness, Delp and Kecskeméthy
   2016, "A fast multi-obstacle muscle wrapping method using natural geodesic variations"). As such a string is
   stationary, the derivatives of its length are the directions of its straight pieces. */
#ifndef MYODYNE_TAUT_H
#define MYODYNE_TAUT_H

#include "../wrapping.h"
#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 12, SAMPLES = 12 };

typedef struct { /* a surface as one piece of a path meets it */
    int kind, use, axis, side;
    int held;              /* whether the piece keeps to the way in front, or through a ring */
    int off;               /* whether the piece has slipped off, and passes it by */
    int rank;              /* when it is looked at: see `taut_string` */
    int flipped;           /* whether the other way round a cylinder, or the next over an ellipsoid, is taken */
    int doubt;             /* whether there was another way over an ellipsoid, hardly longer */
    int pinned[2];         /* whether the ends of the piece lie on it */
    double size[3], share; /* half axes or radii, after shrinking to the given share */
    double weight[3];      /* one over the squares of half axes */
    double half_length;    /* of a cylinder */
    /* A ball or an ellipsoid held to one half: only ways that cross the plane across `edge` no lower than `low`, in the
       direction `front`; all in units of the half axes. `held` tells whether others are refused. */
    double edge[3], front[3], low;
    const double *frame;
} taut_surface;

typedef struct {                         /* what a string in a groove does to one of its surfaces: integrals along it */
    double force[3], moment[3], stretch; /* the moment about the common origin; and by growing */
} taut_lean;

typedef struct { /* a geodesic on a surface; places in the frame of the surface */
    int surface;
    double from[3], along[3], length;
    int pinned[2];            /* whether it begins and ends in fixed points, at which the piece ends */
    double to[3], leaving[3]; /* where it ends, and its direction there */
    double shift[2], turn[2]; /* how its end moves aside, and turns, as its beginning is moved aside, and turned */
    double push;              /* the integral of its curvature: how the length grows as the surface swells */
    /* At both ends, in the common frame: place, direction, normal, and the direction aside; then curvatures. */
    double at[2][3], tangent[2][3], normal[2][3], aside[2][3], bent[2], twisted[2], across[2];
    /* The other surface, if the string runs on along the groove in which both meet, as far as the next contact, which is
       on either of them; -1 if it goes on straight. How long the groove is. */
    int mate;
    double bed;
    double rival; /* by how much the next best way over an ellipsoid alone was longer */
} taut_contact;

typedef struct {
    const double *ends[2];
    taut_surface *surface;
    int surfaces;
    taut_contact contact[MOST_CONTACTS];
    int contacts;
    int dropped; /* surfaces that had to be left out */
    double length;
    double limit; /* no use in strings that are longer */
} taut_piece;

/* Copy a piece with those contacts that it has: most have few. */
static inline void taut_copy(taut_piece *into, const taut_piece *from)
{
    into->ends[0] = from->ends[0];
    into->ends[1] = from->ends[1];
    into->surface = from->surface;
    into->surfaces = from->surfaces;
    into->contacts = from->contacts;
    into->dropped = from->dropped;
    into->length = from->length;
    into->limit = from->limit;
    memcpy(into->contact, from->contact, sizeof(taut_contact) * from->contacts);
}

/* The frame of a surface: places and directions into it, and out of it. */
static inline void taut_in(const double *frame, const double *world, double *local)
{
    for (int i = 0; i < 3; i++) {
        local[i] = 0.0;
        for (int k = 0; k < 3; k++)
            local[i] += frame[3 * k + i] * (world[k] - frame[9 + k]);
    }
}
static inline void taut_turned(const double *frame, const double *local, double *world)
{
    for (int i = 0; i < 3; i++)
        world[i] = frame[3 * i] * local[0] + frame[3 * i + 1] * local[1] + frame[3 * i + 2] * local[2];
}
static inline void taut_out(const double *frame, const double *local, double *world)
{
    taut_turned(frame, local, world);
    for (int i = 0; i < 3; i++)
        world[i] += frame[9 + i];
}

static inline double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double size3(const double *a)
{
    return sqrt(dot3(a, a));
}
static inline void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}
static inline double apart3(const double *a, const double *b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return size3(d);
}
static inline int unit_of(double *a)
{
    double size = size3(a);
    if (!(size > 0.0))
        return 0;
    for (int i = 0; i < 3; i++)
        a[i] /= size;
    return 1;
}

/* taut_geodesic.c: below, places and directions are in the frame of the surface. */
void taut_normal(const taut_surface *s, const double *x, double *normal);
void taut_project(const taut_surface *s, double *x, double *direction);
double taut_outside(const taut_surface *s, const double *x);
void taut_follow(const taut_surface *s, taut_contact *c, double error);
void taut_place(const taut_surface *s, const taut_contact *c, double length, double *x, double *direction);

/* How the unit normal turns as a place of the surface moves along a direction. */
void taut_bend(const taut_surface *s, const double *x, const double *normal, const double *d, double *turn);

/* taut_newton.c: makes all contacts of a piece tangent; zero if that fails. */
int taut_settle(taut_piece *piece);
double taut_length(const taut_piece *piece);
void taut_trace(const taut_surface *s, taut_contact *c, double error);

/* taut_groove.c: settles a piece, and takes out what it has lifted off from; zero if that fails. Places along a groove,
   in the common frame. */
int taut_relax(taut_piece *piece);
void taut_along_groove(const taut_piece *piece, const taut_contact *c, double length, double *x);
/* How a string leans on both surfaces of the groove that a contact runs into. */
void taut_leaning(const taut_piece *piece, const taut_contact *c, taut_lean *lean);
void taut_take_out(taut_piece *piece, int number);
void taut_leave(taut_piece *piece, int surface);
/* Lead a contact that runs inside another surface, between two shares of its length, along the groove; zero if it
   cannot be. */
int taut_split(taut_piece *piece, int number, int surface, double low, double high);
/* The place of a groove next to a given one; one farther along it, with the direction there. Zero if there is none. */
int taut_meet(const taut_surface *a, const taut_surface *b, double *x);
int taut_groove_on(const taut_surface *a, const taut_surface *b, double length, double *x, double *direction);

/* taut_chain.c: settles a piece by way of a chain that is pulled tight; zero if that fails. */
int taut_chain(taut_piece *piece);

/* taut_over.c: the way over one surface alone between two places outside, of which some may lie on it; zero if it does
   not touch. `swing` is by how much the way turns about the axis of a cylinder, or the tube of a ring. */
double taut_nearest(const taut_surface *s, const double *a, const double *b, double *place);
int taut_over(const taut_surface *s, const double *a, const double *b, const int *pinned, double swing,
              taut_contact *c);

/* Whether a contact passes below the edge of its half. */
int taut_low(const taut_surface *s, const taut_contact *c);

/* taut_string.c: finds the contacts of a piece; whether the straight line between two places meets a surface. */
int taut_passed(const taut_surface *s, const double *const *ends);
int taut_passes(const taut_piece *piece, int number);
void taut_string(taut_piece *piece);
double taut_angle(const taut_surface *s, const double *x);
double taut_swing(const taut_surface *s, const double *a, const double *b, int *behind);

#endif
