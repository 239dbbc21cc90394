/* A whole path along the shortest ways: the same as `wrap_length` and `wrap_points` in wrapping.h. */
#ifndef MYODYNE_TAUT_PATH_H
#define MYODYNE_TAUT_PATH_H

#include "../wrapping.h"

double taut_path(const wrap_path *path, const double *points, const double *active, const double *frames,
                 double *weights);
int taut_points(const wrap_path *path, const double *points, const double *active, const double *frames, int pieces,
                double *places);

/* What may make the length of a path jump: four numbers for each surface, of which one differs on both sides of a jump.
   Pieces that touch it, pieces that slipped off it, on which sides of it the points of the path lie or which pieces are
   held to its half, and pieces for which it was left out, as no string is taut over it and another. */
void taut_marks(const wrap_path *path, const double *points, const double *active, const double *frames, int *marks);

#endif
