/* The shortest path of a string between two points, over all surfaces that it may touch.

   docs/theory/taut_wrapping.md explains the algorithm. In short: a taut string is straight between surfaces and a
   geodesic on them, and leaves them along its tangents. Each contact is a geodesic, given by its first point, its
   direction there, and its length. Newton's method finds all contacts of a piece together, from the exact variations of
   geodesics (Scholz, Sherman, Stavness, Delp and Kecskeméthy 2016, "A fast multi-obstacle muscle wrapping method using
   natural geodesic variations"). Such a string is stationary, so the derivatives of its length are the directions of
   its straight lines.

   A piece is the part of a path between two of its points. Where an index is called `end`, 0 is the first end of a
   piece or contact, 1 the last. Functions return 1 for success and 0 for failure unless they say otherwise. */
#ifndef MYODYNE_TAUT_H
#define MYODYNE_TAUT_H

#include "../wrapping.h"
#include "tolerances.h"
#include "vectors.h"
#include <string.h>

enum { NO_SURFACE = -1 };

/* The unknowns of a contact: how far its start moves along its direction and sideways, how far the direction turns in
   the tangent plane, and by how much the contact grows. */
enum { AHEAD, SIDEWAYS, ROTATION, LENGTH, UNKNOWNS };

typedef enum {
    AVAILABLE,
    SLIPPED_OFF, /* the string has slipped off the end of a cylinder or the half of a torus, and passes it by */
    LEFT_OUT,    /* no taut string was found over it and the others */
} taut_status;

/* A surface as one piece of a path meets it. */
typedef struct {
    int kind, use;    /* its kind, and its number among the surfaces of the path */
    int axis, side;   /* of the half to which the path is held; side 0 for the whole surface */
    int held_to_side; /* it passes in front of a cylinder, or through a torus; else see `half_direction` */
    taut_status status;
    int rank;                 /* the order in which the search looks at surfaces */
    int takes_runner_up;      /* take the other path round a cylinder, or the second shortest over an ellipsoid */
    int near_tie;             /* the second shortest path over this ellipsoid was hardly longer */
    int pinned[2];            /* whether the ends of the piece lie on it */
    double size[3];           /* as in `wrap_surface`, times `shrinkage` */
    double shrinkage;         /* 1, or less where an end of the piece lies inside */
    double inverse_square[3]; /* of the half axes of an ellipsoid */
    double half_length;       /* of a cylinder */
    /* A sphere or an ellipsoid held to one half: paths cross the plane normal to `line_direction` no lower than
       `lowest` in the direction `half_direction`, all in units of the half axes. Others are rejected if
       `held_to_side` is set. */
    double line_direction[3], half_direction[3], lowest;
    const double *frame;
} taut_surface;

/* What a string in a groove does to one of its two surfaces: integrals along the groove. */
typedef struct {
    double force[3], moment[3]; /* the moment about the common origin */
    double growth;              /* derivative of the length as the surface grows about its origin */
} taut_reaction;

/* A geodesic on a surface. */
typedef struct {
    int surface;
    /* The unknowns, in the frame of the surface. */
    double start[3], start_direction[3], length;
    int pinned[2]; /* whether it begins and ends in the ends of the piece */
    /* Where they lead: its end, and how the end shifts sideways and turns as the start is shifted sideways (index 0)
       and turned (index 1). */
    double end[3], end_direction[3], end_shift[2], end_turn[2];
    double total_curvature; /* integral of the normal curvature: how the length grows as the surface swells */
    /* At both ends, in the common frame. */
    double at[2][3], tangent[2][3], normal[2][3], binormal[2][3];
    /* At both ends: the curvature along the tangent, the torsion of the geodesic, the curvature along the binormal. */
    double normal_curvature[2], torsion[2], binormal_curvature[2];
    /* The other surface, if the string runs on in the groove between both as far as the next contact, which is on
       either of them; NO_SURFACE if it goes on in a straight line. */
    int groove_partner;
    double groove_length;
    double runner_up_gap; /* by how much the second shortest path over this ellipsoid alone was longer */
} taut_contact;

typedef struct {
    const double *ends[2];
    taut_surface *surface;
    int surfaces;
    taut_contact contact[MOST_CONTACTS];
    int contacts;
    int left_out; /* number of surfaces LEFT_OUT */
    double length;
    double limit; /* strings longer than this are of no use */
} taut_piece;

/* Copy a piece with the contacts that it has: most have few. */
static inline void taut_copy(taut_piece *into, const taut_piece *from)
{
    into->ends[0] = from->ends[0];
    into->ends[1] = from->ends[1];
    into->surface = from->surface;
    into->surfaces = from->surfaces;
    into->contacts = from->contacts;
    into->left_out = from->left_out;
    into->length = from->length;
    into->limit = from->limit;
    memcpy(into->contact, from->contact, sizeof(taut_contact) * from->contacts);
}

static inline int taut_leads_into_groove(const taut_contact *c)
{
    return c->groove_partner != NO_SURFACE;
}

/* Cylinders and tori are wound about; spheres and ellipsoids are convex all round. */
static inline int taut_is_wound(const taut_surface *s)
{
    return s->kind == WRAP_CYLINDER || s->kind == WRAP_TORUS;
}

/* surface.c. Points and directions are in the frame of the surface. */
void taut_normal(const taut_surface *s, const double *x, double *normal);
/* How the unit normal turns as a point of the surface moves in a direction. */
void taut_shape_operator(const taut_surface *s, const double *x, const double *normal, const double *direction,
                         double *turn);
/* Distance from the surface, negative inside; of an ellipsoid exact to first order, near its surface. */
double taut_distance(const taut_surface *s, const double *x);
/* Move a point onto the surface, and a direction into its tangent plane. */
void taut_project(const taut_surface *s, double *x, double *direction);
double taut_least_radius(const taut_surface *s);
/* The angle about the axis of a cylinder, or about the core of a torus: zero in the middle of the side to which the
   path is held, and cut opposite to it. */
double taut_angle(const taut_surface *s, const double *x);
/* By how much a straight line winds about a cylinder or a torus's core, and whether it passes on the wrong side. */
double taut_winding(const taut_surface *s, const double *a, const double *b, int *behind);

/* geodesic.c, in the frame of the surface. */
void taut_geodesic_end(const taut_surface *s, taut_contact *c, double error);
void taut_geodesic_point(const taut_surface *s, const taut_contact *c, double length, double *x, double *direction);
/* Move the start of a contact along its geodesic; its length stays. */
void taut_move_start(const taut_surface *s, taut_contact *c, double by);

/* tangency.c. Follow a contact from its unknowns, and compute all that its equations need. */
void taut_evaluate(const taut_surface *s, taut_contact *c, double error);
/* The two equations of one end of a contact: rows of the matrix of `width` unknowns, and residuals. */
void taut_end_equations(const taut_piece *piece, int number, int end, int width, double *rows, double *residual);
/* The other surface of the groove at an end of a contact; null if the string is straight there. */
const taut_surface *taut_groove_beside(const taut_piece *piece, int number, int end);

/* newton.c. Make all contacts of a piece tangent, whatever their lengths. */
int taut_newton(taut_piece *piece);
double taut_length(const taut_piece *piece);

/* groove.c, in the common frame. The point of a groove nearest to a given one; and the point farther along. */
int taut_groove_nearest(const taut_surface *a, const taut_surface *b, double *x);
int taut_groove_advance(const taut_surface *a, const taut_surface *b, double length, double *x, double *direction);
/* Of the groove that a contact leads into: a point; the reactions of both surfaces; its length as far as the next
   contact, from a guess, 0 if it does not lead there or if a string would lift off. */
void taut_groove_point(const taut_piece *piece, const taut_contact *c, double length, double *x);
void taut_groove_reactions(const taut_piece *piece, const taut_contact *c, taut_reaction *reaction);
int taut_measure_groove(const taut_piece *piece, taut_contact *c);

/* settle.c. Make contacts tangent, and remove those of negative length: the string has lifted off there. */
int taut_settle(taut_piece *piece);
void taut_remove_contact(taut_piece *piece, int number);
void taut_remove_surface(taut_piece *piece, int surface);
/* Settle a contact that runs inside another surface, between two shares of its length, in the groove of both. */
int taut_split_at_groove(taut_piece *piece, int number, int surface, double low, double high);

/* chain.c. A chain of nodes laid along a piece and pulled tight over its surfaces. */
typedef double taut_chain[CHAIN_NODES + 2][3];
typedef struct {
    int surface, first, last; /* the nodes that touch the surface */
} taut_touch;
double taut_lay_chain(taut_piece *piece, taut_chain chain);
int taut_tighten_chain(const taut_piece *piece, taut_chain chain);
int taut_read_chain(const taut_piece *piece, taut_chain chain, double near, taut_touch *touch);

/* chain_contacts.c. Settle a piece from the contacts of a chain. */
int taut_settle_by_chain(taut_piece *piece);

/* over_surface.c, over_ellipsoid.c, over_torus.c: the shortest path over one surface alone between two points outside
   or on it, in the frame of the surface; 0 if it does not touch. `winding` is the angle about a cylinder or the core of
   a torus. */
int taut_over_surface(const taut_surface *s, const double *a, const double *b, const int *pinned, double winding,
                      taut_contact *c);
int taut_over_cylinder(const taut_surface *s, const double *a, const double *b, const int *pinned, double winding,
                       taut_contact *c);
int taut_over_ellipsoid(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c);
int taut_over_torus(const taut_surface *s, const double *a, const double *b, const int *pinned, double winding,
                    taut_contact *c);
/* Make a guess exact; the length of the path, infinite if that fails. */
double taut_make_exact(const taut_surface *s, const double *a, const double *b, const int *pinned, taut_contact *c);
/* The next local minimum of a closed row of lengths, or length below `flat`, from the least on; -1 after the last. */
int taut_next_minimum(const double *lengths, int count, double flat, int *last);
/* Distance of a line from the core of a torus, and the nearest point of the line. */
double taut_torus_distance(const taut_surface *s, const double *a, const double *b, double *nearest);
/* Whether a contact crosses the middle plane below the edge of its half. */
int taut_below_edge(const taut_surface *s, const taut_contact *c);

/* penetration.c. Elements of a piece: straight lines even, arcs odd. */
typedef struct {
    int first, last;  /* elements */
    double low, high; /* where it begins in the first, and ends in the last: shares of their lengths */
} taut_stretch;
/* Whether the string penetrates a surface, or passes behind one that it is held in front of; where first. */
int taut_penetrates(const taut_piece *piece, int number, taut_stretch *stretch);
int taut_line_penetrates(const taut_surface *s, const double *const *ends);
/* The ends of a straight line of a piece, in the frame of a surface. */
void taut_line(const taut_piece *piece, const taut_surface *s, int number, double *a, double *b);

/* insertion.c. Put a contact with a surface where the string penetrates it. */
typedef enum { INSERTED, DOES_NOT_TOUCH, NO_ROOM } taut_insertion;
taut_insertion taut_insert(taut_piece *piece, int number, const taut_stretch *stretch);

/* search.c. Find the contacts of a piece, with surfaces in the order of their ranks. `penetrated` marks surfaces that
   the string ran through at some time; `order_matters` is set if it ran through several at once. */
int taut_find_contacts(taut_piece *piece, int *penetrated, int *order_matters);

/* shortest.c. The shortest string of a piece. */
void taut_shortest(taut_piece *piece);

#endif
