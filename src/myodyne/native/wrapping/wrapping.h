/* Paths over surfaces: the length of a path, and how the length changes with every point and surface.

   Points and surface frames are given in one common frame (the kernel "wrap_places" computes them), so that
   nothing here knows of bodies or coordinates. */
#ifndef MYODYNE_WRAPPING_H
#define MYODYNE_WRAPPING_H

enum { WRAP_CYLINDER, WRAP_SPHERE, WRAP_ELLIPSOID, WRAP_TORUS };
enum { WRAP_HYBRID, WRAP_MIDPOINT, WRAP_AXIAL };

typedef struct {
    int kind;        /* WRAP_CYLINDER to WRAP_TORUS */
    int half;        /* 0 for the whole surface, 1, 2, 3 for the positive half of x, y, z, negative otherwise */
    int method;      /* WRAP_HYBRID to WRAP_AXIAL, for ellipsoids in OpenSim */
    int first, last; /* numbers of the points between which the path may touch it, from 0; -1 for the ends */
    int group;       /* surfaces of one body that overlap have the same number */
    double size[3];  /* radius and length; radius; three half axes; radius of the tube and of its circle */
} wrap_surface;

typedef struct {
    int points;
    int surfaces;
    const wrap_surface *surface;
    int shortest; /* zero for exactly the lengths of OpenSim 4.6, else the shortest paths */
} wrap_path;

/* Finds one path over its surfaces. `points` holds three numbers for each, `active` is zero for those not in use,
   `frames` twelve numbers for each surface: its rotation row by row, then its origin. `weights` receives the
   derivatives of the length by the places of the points, three for each (zero where inactive), then for each surface
   the derivatives by a displacement of its frame and by a rotation of it about its origin, six for each: so that for
   any small motion of all places, dL = sum weights . motion. Returns the length. */
double wrap_length(const wrap_path *path, const double *points, const double *active, const double *frames,
                   double *weights);

/* The same for `count` rows of some paths, whose places and weights lie one behind the other in each row. */
void wrap_rows(long count, int paths, const wrap_path *path, const double *points, const double *active,
               const double *frames, double *lengths, double *weights);

/* Writes the points of a path, for drawing, with `pieces` pieces on each surface; returns how many there are, at most
   points + surfaces (pieces + 1). On shortest paths there may be more: without `places` they are only counted. */
int wrap_points(const wrap_path *path, const double *points, const double *active, const double *frames, int pieces,
                double *places);

#endif
