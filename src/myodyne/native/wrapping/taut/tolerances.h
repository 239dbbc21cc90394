/* Every tolerance and limit of the taut string, each with its reason.

   Lengths are in radii of the surface unless another scale is named: `size[0]`, or the least half axis of an ellipsoid.
   "Seen" refers to 710 random poses of arm26, das3, MoBL_ARMS and Rajagopal2016, over the whole ranges of their
   coordinates: 22 thousand searches, and 39 thousand solutions by Newton's method. */
#ifndef MYODYNE_TAUT_TOLERANCES_H
#define MYODYNE_TAUT_TOLERANCES_H

/* Geodesics and grooves: the extrapolated midpoint rule. */
enum {
    EXTRAPOLATION_ORDERS = 7, /* columns of the tableau, up to order 14; a step that needs more is halved */
    LARGEST_STATE = 17,       /* numbers followed along a groove; there are fewer along a geodesic */
    MOST_STEPS = 200,         /* most take one or two, the longest seen 58; ends a curve whose rates are NaN */
};
static const double GEODESIC_ERROR = 1e-13;   /* of what is returned: some hundred roundings */
static const double GUESS_ERROR = 1e-6;       /* of first iterations and of chains, which start from guesses */
static const double POINT_ERROR = 1e-10;      /* of points along a geodesic, for samples and drawings */
static const double LAST_ORDER_SLACK = 100.0; /* more error is accepted at the highest order: halving costs more */
static const double STEP_GROWTH = 1.3;        /* after a success; little, as a failed step costs a whole tableau */
static const double GEODESIC_STEP = 0.8;      /* the first step, in radii of curvature along the geodesic */
static const double LEAST_CURVATURE = 0.1;    /* times the size: bounds the first step where that is nearly straight */
static const double GROOVE_STEP = 0.7;        /* the first step along a groove, in least radii of both surfaces */

/* Newton's method on all contacts of a piece. */
enum {
    MOST_CONTACTS = 12,     /* of one piece; at most three were seen */
    NEWTON_ITERATIONS = 20, /* nine or fewer in all but 20 solutions seen, at most 15 */
    CONTRACTION_START = 10, /* a large step in a later iteration: it does not contract */
    COARSE_ITERATIONS = 5,  /* with coarse geodesics; after these, they may be what keeps it from converging */
    MOST_REVERSALS = 2,     /* times that ends move to their other tangent; more often, they go back and forth */
};
static const double NEWTON_CONVERGED = 1e-9;   /* the last step: convergence is quadratic, its error about 1e-18 */
static const double NEWTON_NEARLY = 1e-3;      /* below this step, geodesics are followed to GEODESIC_ERROR */
static const double NEWTON_LARGE = 0.1;        /* "a large step" above; seen 123 times */
static const double NEWTON_DIVERGED = 1e6;     /* a step so large, or NaN, comes from a nearly singular matrix */
static const double LONGEST_STEP = 0.5;        /* of places (radii) and angles (rad): not linear beyond */
static const double LONGEST_LENGTH_STEP = 2.0; /* of lengths: in these the equations are more nearly linear */
static const double LEAST_PIVOT = 1e-300;      /* below, division overflows */
static const double LONGEST_GEODESIC = 7.0;    /* in widest radii: a little more than once round a sphere */
static const double SHORTEST_GEODESIC = -2.0;  /* in widest radii: they become negative where a string lifts off */
static const double REVERSED_LINE = 1e-9;      /* a line this far against its tangent is reversed, not of length zero */
static const double NO_LINE = 1e-3;            /* contacts this close may meet in a kink instead of a line */
static const double KINK = 1e-9;               /* one minus the cosine of its angle: 4.5e-5 rad */
static const double CLOSE_ABOVE = 2e-3;        /* the height of an end whose tangents, 0.06 long, lie close together */

/* Grooves. */
enum {
    GROOVE_ITERATIONS = 30,  /* Newton's method in one or two unknowns, with limited steps */
    GROOVE_CHECKS = 4,       /* parts of a groove, at whose ends lifting off is looked for */
    DEEPEST_ITERATIONS = 40, /* by thirds: leaves (2/3)^40 = 1e-7 of the arc; only a guess comes of it */
};
static const double PARALLEL_NORMALS = 1e-12;   /* squared sine between two normals: the groove has no direction */
static const double GROOVE_FAR_OFF = 1e9;       /* (m) diverged, or NaN */
static const double GROOVE_LONGEST_STEP = 0.3;  /* towards a groove, across both curved surfaces */
static const double GROOVE_LONGEST_SLIDE = 0.5; /* along a groove, which is all that bends there */
static const double GROOVE_FOUND = 1e-12;       /* the distance from both surfaces: rounding */
static const double GROOVE_MEASURED = 1e-13;    /* the distance along the groove from its end: rounding */
static const double GROOVE_MISSED = 1e-7;       /* a contact farther from the groove begins on another branch of it */
static const double GROOVE_TANGENT = 0.999;     /* least cosine with the next contact: else that runs the other way */
static const double GROOVE_LIFTS = -1e-6;       /* least pressure times radius: negative beyond the error of contacts */

/* Where a string penetrates a surface. */
enum {
    ARC_SAMPLES = 12, /* cubics between them are exact to 2e-6 radii on arcs up to two radians */
    ARC_PARTS = 4,    /* of each cubic, at whose ends the depth is looked at */
};
static const double TORUS_TOUCHED = 1e-12;      /* a line penetrates a torus only if deeper: rounding */
static const double QUADRIC_TOUCHED = 1e-13;    /* the others: half the chord, squared, which is 5e-14 deep */
static const double ARC_DEPTH = 2e-6;           /* an arc penetrates only if deeper: the error of the cubics */
static const double ARC_DEPTH_AT_GROOVE = 1e-4; /* the same where the arc ends on the surface, tangent to it */
static const double GRAZED = 1e-2;              /* a chord: 1e-5 deep, and the arc about it longer by 4e-8 */

/* The search for the surfaces that are touched. */
enum {
    ROUNDS_PER_SURFACE = 6, /* times (surfaces + 1); less than a third were needed in all searches seen */
    MOST_MEETINGS = 3,      /* a surface proposed so often takes turns with another: each is inside the other */
    MOST_IDLE = 3,          /* times that a surface is proposed and the string lifts off again */
    MOST_ORDERS = 24,       /* all orders of four surfaces; pieces through more than two were not seen */
    MOST_ALTERNATIVES = 3,  /* surfaces whose other path is tried, in eight combinations; one was seen */
};
static const double NEAR_TIE = 0.02; /* of the line's length: two paths over an ellipsoid that differ by less may change
                                        ranks once other surfaces are touched */

/* The path over one surface. */
enum {
    PLANES = 12,               /* through a line over an ellipsoid, every 30 degrees: enough to bracket each minimum */
    CHORDS = 14,               /* of an arc in a plane; with their correction, 3e-6 of half a circle */
    TORUS_PLACES = 24,         /* round a torus, every 15 degrees, for the same */
    RING_SAMPLES = 12,         /* either side of a line's middle, for its point nearest to a torus's core */
    RING_SAMPLES_NEARBY = 3,   /* either side of the nearest sample, each time four times as close */
    RING_ROUNDS = 14,          /* 4^13 times as close: 1e-9 of the line, and its square in the distance */
    EDGE_ITERATIONS = 60,      /* secant, every third time bisection: at worst 20 bisections */
    ONE_CHAIN_NODES = 24,      /* of the chain over one surface, from which only a guess is taken */
    ONE_CHAIN_SWEEPS = 150,    /* six per node */
    ONE_CHAIN_PROJECTIONS = 2, /* the distance from an ellipsoid is exact to first order only */
};
static const double TANGENT_ZERO = 1e-14;         /* squared length of a tangent: rounding */
static const double THROUGH_CENTRE = 1e-12;       /* a line so close to a sphere's centre has no plane of its own */
static const double THROUGH_CENTRE_SCALED = 1e-9; /* the same in half axes of an ellipsoid: only planes come of it */
static const double FLAT_MINIMUM = 1.001;       /* planes so close to the shortest are minima too: spheroids are flat */
static const double HOPELESS_PLANE = 1.1;       /* a geodesic is not so much shorter than the plane arc beside it */
static const double LONGER_THAN_PLANE = 1.0001; /* a geodesic so much longer is another one: the error of CHORDS */
static const double SAME_PATH = 1e-7;           /* relative difference of lengths of one path found twice */
static const double ONE_CHAIN_RELAXATION = 1.5; /* below 1.78, the best for a free chain: nodes are projected too */
static const double ONE_CHAIN_TOUCHES = 1e-3;   /* nodes this close touch */
static const double EDGE_FOUND = 1e-13;         /* of the contact's length: rounding */
static const double EDGE_ON_PLANE = 1e-14;      /* in half axes: rounding */
static const double EDGE_LEAST_SHARE = 0.01;    /* a secant step keeps this far from the ends of its bracket */

/* The chain that finds contacts where Newton's method fails. */
enum {
    CHAIN_NODES = 80,       /* grooves shorter than 1/80 of the string are not seen */
    CHAIN_SWEEPS = 240,     /* three per node: with over-relaxation, changes travel along the chain in one sweep */
    CHAIN_LAST_SWEEPS = 40, /* without over-relaxation, which keeps nodes from resting on surfaces */
    CHAIN_CHECK = 20,       /* sweeps between looks at the length */
    CHAIN_PROJECTIONS = 6,  /* out of overlapping surfaces in turn; the fewer, the deeper nodes stay inside grooves */
    MOST_LINKS = 4,         /* places where a groove is possible */
    ALL_LINKS = 2,          /* up to so many, all combinations of grooves and lines; beyond, no groove or all */
    LINK_GAP = 2,           /* nodes between two touched surfaces that may share a groove */
    ENTRY_ITERATIONS = 8,   /* secant along a groove, for the point where the string enters it */
};
static const double CHAIN_RELAXATION = 1.9;      /* over-relaxation: 1.92 is the best for a free chain of 80 nodes */
static const double CHAIN_STILL = 1e-5;          /* relative change of length in CHAIN_CHECK sweeps */
static const double CHAIN_DEPTH = 1e-7;          /* a node deeper than this is projected once more */
static const double CHAIN_HOPELESS = 1.05;       /* a chain this much longer than the best string will not beat it */
static const double CHAIN_TOUCHES = 1e-5;        /* nodes this close touch: a straight line rises more within a link */
static const double CHAIN_TOUCHES_NEARLY = 1e-3; /* the second attempt, if those contacts do not settle */
static const double SINGLE_NODE = 0.1;           /* length of a contact of one node, in distances of its neighbours */
static const double ENTRY_FOUND = 1e-2;          /* (rad) between contact and groove; Newton's method does the rest */
static const double ENTRY_FIRST_STEP = 0.02;     /* of the secant: small enough for a slope */
static const double ENTRY_LONGEST_STEP = 0.4;    /* of the secant: the angle is not linear beyond */

/* Points of the path at surfaces. */
static const double LEAST_SHRINKAGE = 1e-8;    /* a surface that shrank below this share of its size has vanished */
static const double END_ON_SURFACE = 1e-12;    /* a point this close lies on the surface: rounding */
static const double LINE_OF_NO_LENGTH = 1e-18; /* squared length, in half axes: it has no middle plane */
static const double LINE_ALONG_AXIS = 1e-12;   /* squared sine between line and axis of the half: no side is in front */

#endif
