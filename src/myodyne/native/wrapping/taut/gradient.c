/* The derivatives of a piece's length. The string is stationary, so they are the directions of its straight lines, the
   reactions of grooves, and how the length changes as a surface shrinks with an end inside it. */
#include "walk.h"

double *walk_surface_weights(const path_walk *walk, int use)
{
    return walk->weights + 3 * walk->path->points + 6 * use;
}

void walk_add_motion(double *weights, const double *gradient, const double *at, const double *origin, double sign)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        weights[i] += sign * gradient[i];
        weights[3 + i] += sign * ((at[j] - origin[j]) * gradient[k] - (at[k] - origin[k]) * gradient[j]);
    }
}

void walk_add_seen(path_walk *walk, int use, const double *local, const double *at, double *by_end)
{
    double world[3];
    const double *frame = walk->frames + 12 * use;
    turn_to_world(frame, local, world);
    for (int i = 0; i < 3; i++)
        by_end[i] += world[i];
    walk_add_motion(walk_surface_weights(walk, use), world, at, frame + 9, -1.0);
}

/* The reactions of both surfaces of the groove that a contact leads into. */
static void add_groove(path_walk *walk, const taut_piece *piece, const taut_contact *c, double *by_growth)
{
    taut_reaction reaction[2];
    taut_groove_reactions(piece, c, reaction);
    for (int k = 0; k < 2; k++) {
        int number = k ? c->groove_partner : c->surface;
        const taut_surface *s = piece->surface + number;
        double *weights = walk_surface_weights(walk, s->use), about[3];
        cross3(s->frame + 9, reaction[k].force, about);
        for (int i = 0; i < 3; i++) {
            weights[i] += reaction[k].force[i];
            weights[3 + i] += reaction[k].moment[i] - about[i];
        }
        by_growth[number] += reaction[k].growth;
    }
}

/* The end of a contact at a straight line of a direction: the last of the contact before it (sign -1), or the first of
   the contact after it (sign 1). */
static void add_contact_end(path_walk *walk, const taut_piece *piece, const taut_contact *c, double sign,
                            const double *direction, double *by_growth)
{
    const taut_surface *s = piece->surface + c->surface;
    int first = sign > 0.0;
    const double *at = c->at[1 - first];
    double local[3], there[3];
    walk_add_motion(walk_surface_weights(walk, s->use), direction, at, s->frame + 9, sign);
    /* As all grows about the origin, the length grows with it: the contact takes what its ends do not. */
    to_local(s->frame, at, there);
    turn_to_local(s->frame, direction, local);
    by_growth[c->surface] += sign * dot3(local, there) + (first ? c->length : 0.0);
}

/* A straight line or groove between two contacts, either of which may be missing. */
static void add_line(path_walk *walk, const taut_piece *piece, int line, double *const *by_ends, double *by_growth)
{
    const taut_contact *before = line ? piece->contact + line - 1 : 0;
    const taut_contact *after = line < piece->contacts ? piece->contact + line : 0;
    int groove = before && taut_leads_into_groove(before);
    double direction[3];
    /* Tangents are exact however short the line is. */
    for (int i = 0; i < 3; i++)
        direction[i] = piece->ends[1][i] - piece->ends[0][i];
    if (before || after)
        copy3(direction, after && !groove ? after->tangent[0] : before->tangent[1]);
    normalise3(direction);
    if (groove)
        add_groove(walk, piece, before, by_growth);
    for (int i = 0; i < 3 && !before; i++)
        by_ends[0][i] += -1.0 * direction[i];
    if (before)
        add_contact_end(walk, piece, before, -1.0, direction, by_growth);
    for (int i = 0; i < 3 && !after; i++)
        by_ends[1][i] += direction[i];
    if (after)
        add_contact_end(walk, piece, after, 1.0, groove ? after->tangent[0] : direction, by_growth);
}

/* A surface that shrinks with an end of the piece inside it. */
static void add_shrinking(path_walk *walk, const taut_piece *piece, int number, double by_growth,
                          double *const *by_ends)
{
    const taut_surface *s = piece->surface + number;
    const wrap_surface *whole = walk->path->surface + s->use;
    double by = s->kind == WRAP_TORUS ? 0.0 : by_growth / s->shrinkage, gradient[3], local[3];
    if (!(s->shrinkage < 1.0))
        return;
    for (int i = 0; i < piece->contacts && s->kind == WRAP_TORUS; i++)
        if (piece->contact[i].surface == number)
            by += piece->contact[i].total_curvature * whole->size[0]; /* only its tube shrinks */
    if (by == 0.0)
        return;
    int end = s->pinned[0] ? 0 : 1;
    to_local(s->frame, piece->ends[end], local);
    walk_level(whole, local, gradient);
    for (int i = 0; i < 3; i++)
        gradient[i] *= by;
    walk_add_seen(walk, s->use, gradient, piece->ends[end], by_ends[end]);
}

void walk_add_gradient(path_walk *walk, const taut_piece *piece, double *const *by_ends)
{
    double by_growth[piece->surfaces + 1];
    memset(by_growth, 0, sizeof by_growth);
    for (int line = 0; line <= piece->contacts; line++)
        add_line(walk, piece, line, by_ends, by_growth);
    for (int number = 0; number < piece->surfaces; number++)
        add_shrinking(walk, piece, number, by_growth[number], by_ends);
}
