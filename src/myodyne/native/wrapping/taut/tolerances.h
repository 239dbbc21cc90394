/* Every tolerance and limit of the taut string, each with its reason.

   Lengths are relative to the size of a surface unless another scale is named: a radius, a half axis, or the radius of
   a torus's tube. Where a reason says "tuned", the value was chosen by counting the jumps that are left in published
   models (docs/decisions/0011-paths-over-surfaces.md); nothing but the number of strings found depends on it. */
#ifndef MYODYNE_TAUT_TOLERANCES_H
#define MYODYNE_TAUT_TOLERANCES_H

/* Geodesics and grooves: extrapolated midpoint rule. */
enum {
    EXTRAPOLATION_ORDERS = 7, /* columns of the tableau, order 14: beyond, rounding grows faster than the order helps */
    LARGEST_STATE = 17,       /* numbers followed along a groove, which are more than along a geodesic */
    MOST_STEPS = 200,         /* a geodesic takes about five; the limit ends one whose rates are NaN */
};
static const double GEODESIC_ERROR = 1e-13;     /* of what is returned: a few roundings */
static const double GUESS_ERROR = 1e-6;         /* of Newton's first iterations, and of the chain: they start from guesses */
static const double POINT_ERROR = 1e-10;        /* of points along a geodesic, for sampling and drawing */
static const double LAST_ORDER_SLACK = 100.0;   /* at the highest order so much more error is accepted: halving costs more */
static const double STEP_GROWTH = 1.3;          /* after a step that succeeded; more would fail every other step */
static const double GEODESIC_STEP = 0.8;        /* first step, times the radius of curvature: about the longest to succeed */
static const double LEAST_CURVATURE = 0.1;      /* bounds that step where a geodesic is nearly straight, e.g. in a torus */
static const double GROOVE_STEP = 0.7;          /* first step along a groove, times the least radius of both surfaces */

/* Newton's method on all contacts of a piece. */
enum {
    MOST_CONTACTS = 12,       /* of one piece: das3 and MoBL_ARMS need at most six */
    NEWTON_ITERATIONS = 20,   /* it takes four to seven where it converges */
    CONTRACTION_START = 10,   /* an iteration later than this with a large step means that it does not contract */
    COARSE_ITERATIONS = 5,    /* with coarse geodesics; they may be what keeps it from converging */
    MOST_REVERSALS = 2,       /* times that ends are moved to the other tangent; more often, they go back and forth */
};
static const double NEWTON_CONVERGED = 1e-9;    /* last step: quadratic convergence makes its error about 1e-18 */
static const double NEWTON_NEARLY = 1e-3;       /* below this step, geodesics are followed to GEODESIC_ERROR */
static const double NEWTON_LARGE = 0.1;         /* not contracting after CONTRACTION_START iterations */
static const double NEWTON_DIVERGED = 1e6;      /* a step of this size, or NaN, comes from a singular matrix */
static const double LONGEST_STEP = 0.5;         /* of places (radii) and directions (rad): half the range of the linearisation */
static const double LONGEST_LENGTH_STEP = 2.0;  /* of lengths (radii): to them the equations are nearly linear */
static const double LEAST_PIVOT = 1e-300;       /* below, the matrix is singular: dividing would overflow */
static const double LONGEST_GEODESIC = 7.0;     /* in widest radii: more than once round is no shortest path */
static const double SHORTEST_GEODESIC = -2.0;   /* in widest radii: negative lengths lift off, but from nearby */
static const double REVERSED_LINE = 1e-9;       /* a straight line so far against its tangent is reversed, not of length zero */
static const double NO_LINE = 1e-3;             /* two contacts so close may meet in a kink instead of a straight line */
static const double KINK = 1e-9;                /* one minus the cosine of the angle of a kink: 4.5e-5 rad, above rounding */
static const double CLOSE_ABOVE = 2e-3;         /* height of an end whose two tangents are hard to tell apart (6e-2 radii long) */

/* Grooves. */
enum {
    GROOVE_ITERATIONS = 30,   /* Newton along one number or two: takes about five; limits on the step take the rest */
    GROOVE_CHECKS = 4,        /* parts of a groove whose ends are checked for lifting off: its reactions vary slowly */
    DEEPEST_ITERATIONS = 40,  /* by thirds: 1e-7 of the arc, far below the distance to where the groove begins */
};
static const double PARALLEL_NORMALS = 1e-12;   /* squared sine between two normals: the groove has no direction there */
static const double GROOVE_FAR_OFF = 1e9;       /* (m) not finite, or without hope */
static const double GROOVE_LONGEST_STEP = 0.3;  /* towards the groove, where both surfaces are curved */
static const double GROOVE_LONGEST_SLIDE = 0.5; /* along the groove, where only the groove is */
static const double GROOVE_FOUND = 1e-12;       /* distance from both surfaces: rounding */
static const double GROOVE_MEASURED = 1e-13;    /* distance along the groove to its end: rounding */
static const double GROOVE_MISSED = 1e-7;       /* the next contact does not lie on the same groove if farther away */
static const double GROOVE_TANGENT = 0.999;     /* least cosine with the next contact, or it comes from the other side */
static const double GROOVE_LIFTS = -1e-6;       /* least reaction times radius: negative, but above the error of contacts */

/* Where a string penetrates a surface. */
enum {
    ARC_SAMPLES = 12,         /* of an arc; cubics between them are exact to 1e-6 on arcs up to half a turn */
    ARC_PARTS = 4,            /* of the cubic between two samples */
};
static const double TORUS_TOUCHED = 1e-12;      /* a line penetrates only if deeper: above rounding */
static const double QUADRIC_TOUCHED = 1e-13;    /* the same for the others, as half a chord squared */
static const double ARC_DEPTH = 2e-6;           /* an arc penetrates only if deeper: above the error of the cubics */
static const double ARC_DEPTH_AT_GROOVE = 1e-4; /* the same where its end touches the surface, and cubics dip below it */
static const double GRAZED = 1e-2;              /* chords shorter than this are 1e-5 radii deep: not worth a jump */

/* The search for the surfaces that are touched. */
enum {
    ROUNDS_PER_SURFACE = 6,   /* rounds = this times (surfaces + 1): settling takes two or three for each */
    MOST_MEETINGS = 3,        /* a surface proposed so often takes turns with another: each is inside the other */
    MOST_IDLE = 3,            /* times that a surface is proposed and the string lifts off again */
    MOST_ORDERS = 24,         /* orders of surfaces tried: all of four; five in one piece are not known */
    MOST_ALTERNATIVES = 3,    /* surfaces whose other path is tried: eight combinations, each with all orders */
};
static const double NEAR_TIE = 0.02;            /* paths over an ellipsoid that differ by less, relative to the line, may swap
                                                   once other surfaces are touched (tuned) */

/* The path over one surface. */
enum {
    PLANES = 12,              /* through the line, over an ellipsoid: each minimum is seen, neighbours bracket it */
    CHORDS = 14,              /* of an ellipse: with their correction, lengths to 1e-5 */
    TORUS_PLACES = 24,        /* round a torus; its paths have at most two minima */
    RING_SAMPLES = 12,        /* on either side of the middle of a line, for the place nearest to a torus's core */
    RING_SAMPLES_NEARBY = 3,  /* on either side of the best: the next grid is four times as fine */
    RING_ROUNDS = 14,         /* 4^13 times finer than the first grid: 1e-9 of the line, 1e-18 in the distance */
    EDGE_ITERATIONS = 60,     /* secant, every third time bisection: 20 bisections alone give 1e-6, secants the rest */
    ONE_CHAIN_NODES = 24,     /* of the chain over one surface: a better guess, not an answer */
    ONE_CHAIN_SWEEPS = 150,   /* 24 nodes relax in about 24^2 / 4 sweeps without over-relaxation */
    ONE_CHAIN_PROJECTIONS = 2, /* onto an ellipsoid, whose distance is approximate: twice gives 1e-4 */
};
static const double TANGENT_ZERO = 1e-14;       /* squared length of a tangent, relative to the radius squared: rounding */
static const double THROUGH_CENTRE = 1e-12;     /* a line so close to the centre of a sphere has no plane of its own */
static const double THROUGH_CENTRE_SCALED = 1e-9; /* the same in units of an ellipsoid's half axes: only guesses come of it */
static const double FLAT_MINIMUM = 1.001;       /* planes this close to the best are minima too: spheroids have flat ones */
static const double HOPELESS_PLANE = 1.1;       /* geodesics are hardly shorter than the ellipses beside them */
static const double LONGER_THAN_PLANE = 1.0001; /* a geodesic longer than the ellipse beside it is not the shortest */
static const double SAME_PATH = 1e-7;           /* relative difference of lengths below which two paths are one */
static const double ONE_CHAIN_RELAXATION = 1.5; /* over-relaxation: near the best for 24 nodes, projected each time */
static const double ONE_CHAIN_TOUCHES = 1e-3;   /* nodes this close touch */
static const double EDGE_FOUND = 1e-13;         /* of the length of the contact */
static const double EDGE_ON_PLANE = 1e-14;      /* in units of the half axes */
static const double EDGE_LEAST_SHARE = 0.01;    /* a secant step stays this far from the ends of its bracket */

/* The chain that finds contacts where Newton's method fails. */
enum {
    CHAIN_NODES = 80,         /* grooves shorter than 1/80 of the string are not seen */
    CHAIN_SWEEPS = 240,       /* three per node: with over-relaxation errors travel along the chain in one sweep */
    CHAIN_LAST_SWEEPS = 40,   /* without over-relaxation: it rattles, and nodes do not rest on the surfaces */
    CHAIN_CHECK = 20,         /* sweeps between looks at the length */
    CHAIN_PROJECTIONS = 6,    /* out of overlapping surfaces in turn: converges like the cosine between normals */
    MOST_LINKS = 4,           /* places where a groove is possible; 16 combinations of grooves and straight lines */
    ALL_LINKS = 2,            /* up to this many, all combinations are tried; beyond, none and all grooves only */
    LINK_GAP = 2,             /* nodes between two touched surfaces that may share a groove */
    ENTRY_ITERATIONS = 8,     /* secant along a groove for the place where the string enters it */
};
static const double CHAIN_RELAXATION = 1.9;     /* over-relaxation: 2 / (1 + pi / nodes) is the best for a free chain, 1.92 */
static const double CHAIN_STILL = 1e-5;         /* relative change of length in CHAIN_CHECK sweeps */
static const double CHAIN_DEPTH = 1e-7;         /* a node so deep is moved out once more */
static const double CHAIN_HOPELESS = 1.05;      /* chains this much longer than the best string do not become shorter than it */
static const double CHAIN_TOUCHES = 1e-5;       /* nodes this close touch: a straight piece leaves within one link ... */
static const double CHAIN_TOUCHES_NEARLY = 1e-3; /* ... and if contacts read off so do not settle, those this close (tuned) */
static const double SINGLE_NODE = 0.1;          /* length of a contact of one node, in distances between its neighbours */
static const double ENTRY_FOUND = 1e-2;         /* (rad) between contact and groove: Newton's method does the rest */
static const double ENTRY_FIRST_STEP = 0.02;    /* of the secant */
static const double ENTRY_LONGEST_STEP = 0.4;   /* of the secant: the angle is not linear beyond */

/* Points of the path at surfaces. */
static const double LEAST_SHRINKAGE = 1e-8;     /* a surface that shrank below this share of its size has vanished */
static const double END_ON_SURFACE = 1e-12;     /* a point this close lies on the surface: rounding */
static const double LINE_OF_NO_LENGTH = 1e-18;  /* squared, in half axes: it has no middle plane */
static const double LINE_ALONG_AXIS = 1e-12;    /* squared sine with the axis of the half: no side is in front */

#endif
