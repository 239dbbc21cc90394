/* One piece of a path: groups of surfaces that overlap on one body, and halves of spheres and ellipsoids. */
#include "walk.h"
#include "../wrap_way.h"

void walk_write_point(path_walk *walk, const double *frame, const double *x)
{
    if (walk->places && frame)
        to_world(frame, x, walk->places + 3 * walk->written);
    else if (walk->places)
        copy3(walk->places + 3 * walk->written, x);
    walk->written++;
}

static void write_contacts(path_walk *walk, const taut_piece *piece)
{
    for (int n = 0; n < piece->contacts; n++) {
        const taut_contact *c = piece->contact + n;
        const taut_surface *s = piece->surface + c->surface;
        double x[3], direction[3];
        for (int k = 0; k <= walk->parts; k++) {
            taut_geodesic_point(s, c, c->length * k / walk->parts, x, direction);
            walk_write_point(walk, s->frame, x);
        }
        for (int k = 1; k < walk->parts && taut_leads_into_groove(c); k++) {
            taut_groove_point(piece, c, c->groove_length * k / walk->parts, x);
            walk_write_point(walk, 0, x);
        }
    }
}

static void mark(path_walk *walk, const taut_piece *piece, int number)
{
    for (int n = 0; n < piece->contacts; n++)
        walk->marks[MARKS * piece->surface[piece->contact[n].surface].use + MARK_TOUCHED] |= mark_of_piece(number);
    for (int n = 0; n < piece->surfaces; n++) {
        const taut_surface *s = piece->surface + n;
        if (s->status != AVAILABLE)
            walk->marks[MARKS * s->use + (s->status == LEFT_OUT ? MARK_LEFT_OUT : MARK_SLIPPED)] |=
                mark_of_piece(number);
    }
}

/* Collect derivatives, points and marks of a string that was found; returns its length. */
static double collect(path_walk *walk, const taut_piece *found, const path_piece *piece)
{
    if (walk->weights)
        walk_add_gradient(walk, found, piece->by_ends);
    if (walk->parts)
        write_contacts(walk, found);
    if (walk->marks)
        mark(walk, found, piece->number);
    return found->length;
}

/* The middle plane of the straight line, and how low a path may cross it (see `edge_point`); 0 if anywhere. */
static int find_edge(taut_surface *s, const double *const *ends)
{
    double u[3], v[3], part;
    if (!s->side || !walk_is_convex(s))
        return 0;
    to_local(s->frame, ends[0], u);
    to_local(s->frame, ends[1], v);
    for (int i = 0; i < 3; i++) {
        double size = s->size[s->kind == WRAP_ELLIPSOID ? i : 0];
        u[i] /= size;
        s->line_direction[i] = v[i] / size - u[i];
        s->half_direction[i] = i == s->axis ? s->side : 0.0;
    }
    if (!(dot3(s->line_direction, s->line_direction) > LINE_OF_NO_LENGTH))
        return 0;
    normalise3(s->line_direction);
    part = dot3(s->half_direction, s->line_direction);
    for (int i = 0; i < 3; i++)
        s->half_direction[i] -= part * s->line_direction[i];
    if (!(dot3(s->half_direction, s->half_direction) > LINE_ALONG_AXIS))
        return 0;
    normalise3(s->half_direction);
    s->lowest = dot3(u, s->half_direction);
    if (s->lowest > 0.0)
        s->lowest = 0.0;
    return s->lowest > -1.0;
}

/* The lowest point at which a path over a sphere or an ellipsoid may cross the middle plane of the straight line, seen
   from the wanted half: not below the edge of the half, nor below the line itself. There are two, one on either hand
   (1 and -1) of the line. */
static void edge_point(const wrap_surface *s, const dual3 *p, const dual3 *q, dual shrinkage, double hand, dual3 *place)
{
    dual3 u, v, line, front = {{constant(0.0), constant(0.0), constant(0.0)}}, part, aside;
    for (int i = 0; i < 3; i++) {
        dual size = times(s->size[s->kind == WRAP_ELLIPSOID ? i : 0], shrinkage);
        u.x[i] = quotient(p->x[i], size);
        v.x[i] = quotient(q->x[i], size);
    }
    line = sub3(&v, &u);
    line = unit3(&line);
    front.x[wrap_axis(s->half)] = constant(wrap_side(s->half));
    part = along(dot(&front, &line), &line);
    front = sub3(&front, &part);
    front = unit3(&front);
    aside = cross(&line, &front);
    dual height = dot(&u, &front);
    if (height.v > 0.0)
        height = constant(0.0);
    dual wide = times(hand, root(plus(times(-1.0, mul(height, height)), 1.0)));
    part = along(height, &front);
    aside = along(wide, &aside);
    *place = add3(&part, &aside);
    for (int i = 0; i < 3; i++)
        place->x[i] = mul(place->x[i], times(s->size[s->kind == WRAP_ELLIPSOID ? i : 0], shrinkage));
}

/* The edge point with its derivatives by both ends of a piece, in the frame of the surface. */
static dual3 edge_point_of(const path_walk *walk, const taut_surface *s, const double *const *ends, double hand)
{
    const wrap_surface *whole = walk->path->surface + s->use;
    double local[2][3], gradient[3];
    dual3 p, q, place;
    dual shrinkage = constant(s->shrinkage);
    int inside = s->pinned[0] ? 0 : 1;
    for (int e = 0; e < 2; e++) {
        to_local(s->frame, ends[e], local[e]);
        for (int i = 0; i < 3; i++) {
            dual *x = (e ? &q : &p)->x + i;
            *x = constant(local[e][i]);
            x->d[3 * e + i] = 1.0;
        }
    }
    walk_level(whole, local[inside], gradient);
    for (int i = 0; i < 3 && s->shrinkage < 1.0; i++)
        shrinkage.d[3 * inside + i] = gradient[i];
    edge_point(whole, &p, &q, shrinkage, hand, &place);
    return place;
}

/* Pass the derivative by the edge point on to the ends of the piece, and to the frame of the surface. */
static void pass_on(path_walk *walk, const taut_surface *s, const path_piece *piece, const dual3 *place,
                    const double *at, const double *by_middle)
{
    double seen[3], by[2][3] = {{0}, {0}};
    turn_to_local(s->frame, by_middle, seen);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            by[k / 3][k % 3] += seen[i] * place->x[i].d[k];
    walk_add_motion(walk_surface_weights(walk, s->use), by_middle, at, s->frame + 9, 1.0);
    for (int e = 0; e < 2; e++)
        walk_add_seen(walk, s->use, by[e], piece->ends[e], piece->by_ends[e]);
}

/* A piece that passes the edge of a half: two pieces that meet in the edge point. */
static double over_edge(path_walk *walk, const taut_surface *s, const path_piece *piece, double hand)
{
    double middle[3], at[3], by_middle[3] = {0.0, 0.0, 0.0};
    dual3 place = edge_point_of(walk, s, piece->ends, hand);
    for (int i = 0; i < 3; i++)
        middle[i] = place.x[i].v;
    to_world(s->frame, middle, at);
    path_piece first = *piece, second = *piece;
    first.ends[1] = second.ends[0] = at;
    first.by_ends[1] = second.by_ends[0] = by_middle;
    if (walk->marks)
        walk->marks[MARKS * s->use + MARK_SIDE] |= mark_of_piece(piece->number);
    piece->freed[s->use] = 1;
    double length = walk_piece(walk, &first);
    length += walk_piece(walk, &second);
    piece->freed[s->use] = 0;
    if (walk->weights)
        pass_on(walk, s, piece, &place, at, by_middle);
    return length;
}

/* The surfaces that a piece may touch; returns how many. */
static int prepare_surfaces(const path_walk *walk, const path_piece *piece, taut_surface *surfaces)
{
    int count = 0;
    for (int use = 0; use < walk->path->surfaces; use++) {
        taut_surface *s = surfaces + count;
        if (piece->access[use] == NO_ACCESS)
            continue;
        walk_surface(walk, use, piece->access[use], piece->ends, s);
        if (s->shrinkage > LEAST_SHRINKAGE)
            count++;
        if ((piece->freed[use] || !find_edge(s, piece->ends)) && walk_is_convex(s))
            s->side = 0;
    }
    return count;
}

/* The first sphere or ellipsoid that a string crosses below the edge of its half. */
static int first_below_edge(const taut_piece *found)
{
    for (int n = 0; n < found->contacts; n++) {
        const taut_contact *c = found->contact + n;
        const taut_surface *s = found->surface + c->surface;
        if (walk_is_convex(s) && s->side && taut_below_edge(s, c))
            return c->surface;
    }
    return NO_SURFACE;
}

/* A piece over one surface of each group. */
static double over_chosen(path_walk *walk, const path_piece *piece)
{
    taut_surface surfaces[walk->path->surfaces + 1];
    taut_piece found;
    found.ends[0] = piece->ends[0];
    found.ends[1] = piece->ends[1];
    found.surface = surfaces;
    found.surfaces = prepare_surfaces(walk, piece, surfaces);
    taut_shortest(&found);
    int low = first_below_edge(&found);
    if (low == NO_SURFACE)
        return collect(walk, &found, piece);
    /* The shortest of the strings that stay above the edges, and of those that pass this one on either hand. */
    for (int n = 0; n < found.surfaces; n++)
        if (walk_is_convex(surfaces + n))
            surfaces[n].held_to_side = surfaces[n].side != 0;
    taut_shortest(&found);
    path_walk quiet = quiet_walk(walk);
    double right = over_edge(&quiet, surfaces + low, piece, 1.0);
    double left = over_edge(&quiet, surfaces + low, piece, -1.0);
    double hand = left < right ? -1.0 : 1.0, shorter = left < right ? left : right;
    if (found.length <= shorter && !found.left_out)
        return collect(walk, &found, piece);
    return over_edge(walk, surfaces + low, piece, hand);
}

/* Choose one surface of each group: a number counts up, whose digits are the members that are chosen. `chosen` receives
   the access to those; 0 after the last choice. */
static int choose_of_groups(const path_walk *walk, const unsigned char *access, int choice, unsigned char *chosen)
{
    int count = walk->path->surfaces;
    memcpy(chosen, access, count);
    for (int first = 0; first < count; first++) {
        int members[count], size = 0;
        if (walk->path->surface[first].group != first)
            continue;
        for (int use = first; use < count; use++)
            if (walk->path->surface[use].group == first && access[use] != NO_ACCESS)
                members[size++] = use;
        for (int m = 0; m < size; m++)
            if (m != choice % size)
                chosen[members[m]] = NO_ACCESS;
        if (size)
            choice /= size;
    }
    return choice == 0;
}

static int line_is_free(const path_walk *walk, const path_piece *piece)
{
    for (int use = 0; use < walk->path->surfaces; use++) {
        taut_surface s;
        if (piece->access[use] == NO_ACCESS)
            continue;
        walk_surface(walk, use, piece->access[use], piece->ends, &s);
        if (s.shrinkage > LEAST_SHRINKAGE && taut_line_penetrates(&s, piece->ends))
            return 0;
    }
    return 1;
}

/* Of surfaces that overlap on one body, the string runs over the one that makes it longest: over both, it would lie in
   the groove between them. */
double walk_piece(path_walk *walk, const path_piece *piece)
{
    unsigned char chosen[walk->path->surfaces + 1];
    path_walk quiet = quiet_walk(walk);
    path_piece part = *piece;
    double longest = -1.0;
    int best = 0, several = choose_of_groups(walk, piece->access, 1, chosen);
    part.access = chosen;
    if (several && !line_is_free(walk, piece))
        for (int choice = 0; choose_of_groups(walk, piece->access, choice, chosen); choice++) {
            double length = over_chosen(&quiet, &part);
            if (length > longest) {
                longest = length;
                best = choice;
            }
        }
    choose_of_groups(walk, piece->access, best, chosen);
    return over_chosen(walk, &part);
}
