/* A whole path along the shortest strings: the same as `wrap_length` and `wrap_points` in wrapping.h. */
#ifndef MYODYNE_TAUT_PATH_H
#define MYODYNE_TAUT_PATH_H

#include "../wrapping.h"

double taut_path(const wrap_path *path, const double *points, const double *active, const double *frames,
                 double *weights);
int taut_points(const wrap_path *path, const double *points, const double *active, const double *frames, int pieces,
                double *places);

/* What may make the length of a path jump: MARKS numbers for each surface, one of which differs between both sides of a
   jump. All but MARK_SIDE are sets of pieces. */
enum {
    MARK_TOUCHED,  /* pieces that touch it */
    MARK_SLIPPED,  /* pieces that slipped off it */
    MARK_SIDE,     /* on which sides of it the points of the path lie, or which pieces pass the edge of its half */
    MARK_LEFT_OUT, /* pieces for which it was left out, as no string is taut over it and another */
    MARKS,
};
void taut_marks(const wrap_path *path, const double *points, const double *active, const double *frames, int *marks);

#endif
