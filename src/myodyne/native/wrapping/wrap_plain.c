/* All paths over one surface again, without derivatives: several times faster, and enough to decide which
   surfaces a path runs over. */
#define WRAP_PLAIN
#include "wrap_cylinder.c"
#include "wrap_ellipsoid.c"
#include "wrap_sphere.c"
#include "wrap_torus.c"

int wrap_try(const wrap_surface *s, int how, const double *p, const double *q, double *touches, double *length)
{
    dual3 a, b;
    wrap_way way;
    for (int i = 0; i < 3; i++) {
        a.x[i] = constant(p[i]);
        b.x[i] = constant(q[i]);
    }
    int code = wrap_over(s, how, &a, &b, &way);
    if (code != MET && code != MUST)
        return code;
    for (int i = 0; i < 3; i++) {
        touches[i] = way.touch.x[i].v;
        touches[3 + i] = way.leave.x[i].v;
    }
    *length = way.length.v;
    return code;
}
