/* Newton's method on all contacts of a piece together. */
#include "taut.h"

/* Gaussian elimination with pivots; 0 if the matrix is singular. The solution replaces the right-hand side. */
static int solve_linear(int count, double *matrix, double *right)
{
    for (int k = 0; k < count; k++) {
        int pivot = k;
        for (int i = k + 1; i < count; i++)
            if (fabs(matrix[count * i + k]) > fabs(matrix[count * pivot + k]))
                pivot = i;
        double head = matrix[count * pivot + k];
        if (!(fabs(head) > LEAST_PIVOT))
            return 0;
        for (int j = k; j < count && pivot != k; j++) {
            double swap = matrix[count * k + j];
            matrix[count * k + j] = matrix[count * pivot + j];
            matrix[count * pivot + j] = swap;
        }
        double swap = right[k];
        right[k] = right[pivot];
        right[pivot] = swap;
        for (int i = k + 1; i < count; i++) {
            double factor = matrix[count * i + k] / head;
            if (factor == 0.0)
                continue;
            for (int j = k + 1; j < count; j++)
                matrix[count * i + j] -= factor * matrix[count * k + j];
            right[i] -= factor * right[k];
        }
    }
    for (int k = count - 1; k >= 0; k--) {
        for (int j = k + 1; j < count; j++)
            right[k] -= matrix[count * k + j] * right[j];
        right[k] /= matrix[count * k + k];
    }
    return 1;
}

/* Longer than any shortest path over a surface, or far off it. */
static int diverged(const taut_surface *s, const taut_contact *c)
{
    double widest = s->size[0];
    if (s->kind == WRAP_CYLINDER)
        return 0;
    for (int i = 1; i < 3 && s->kind == WRAP_ELLIPSOID; i++)
        if (s->size[i] > widest)
            widest = s->size[i];
    return c->length > LONGEST_GEODESIC * widest || c->length < SHORTEST_GEODESIC * widest;
}

/* Change the unknowns of a contact by a multiple of a step. */
static void move(const taut_surface *s, taut_contact *c, const double *step, double factor)
{
    double normal[3], binormal[3];
    taut_normal(s, c->start, normal);
    cross3(normal, c->start_direction, binormal);
    double turn = factor * step[ROTATION], cosine = cos(turn), sine = sin(turn);
    for (int i = 0; i < 3; i++) {
        c->start[i] += factor * (step[AHEAD] * c->start_direction[i] + step[SIDEWAYS] * binormal[i]);
        c->start_direction[i] = cosine * c->start_direction[i] + sine * binormal[i];
    }
    /* The tangent plane turns with the place, and the direction along with it. */
    taut_project(s, c->start, c->start_direction);
    c->length += factor * step[LENGTH];
}

/* How far the straight line at an end runs along the tangent there; infinite where there is no such line. */
static double line_along_tangent(const taut_piece *piece, int number, int end)
{
    const taut_contact *c = piece->contact + number;
    int neighbour = end ? number + 1 : number - 1, outer = neighbour < 0 || neighbour >= piece->contacts;
    const double *there = outer ? piece->ends[end] : piece->contact[neighbour].at[1 - end];
    double line = 0.0;
    if ((outer && c->pinned[end]) || taut_groove_beside(piece, number, end))
        return INFINITY;
    for (int k = 0; k < 3; k++)
        line += (end ? there[k] - c->at[1][k] : c->at[0][k] - there[k]) * c->tangent[end][k];
    return line;
}

/* The equations hold as well if a straight line runs against its tangent: the string overshoots its end and comes back.
   Move such ends over to the other tangent; whether there were any. */
static int reverse_backward_lines(taut_piece *piece)
{
    int found = 0;
    for (int i = 0; i < piece->contacts; i++) {
        taut_contact *c = piece->contact + i;
        const taut_surface *s = piece->surface + c->surface;
        for (int e = 0; e < 2; e++) {
            double line = line_along_tangent(piece, i, e);
            if (line > -REVERSED_LINE * taut_least_radius(s))
                continue;
            found = 1;
            if (!e)
                taut_move_start(s, c, -2.0 * line);
            c->length += 2.0 * line;
            taut_evaluate(s, c, GEODESIC_ERROR);
        }
    }
    return found;
}

/* The equations hold as well where two surfaces meet: the string then has a kink there, and no straight line. */
static int has_kink(const taut_piece *piece)
{
    for (int i = 0; i + 1 < piece->contacts; i++) {
        const taut_contact *a = piece->contact + i, *b = a + 1;
        double line = distance3(a->at[1], b->at[0]), size = taut_least_radius(piece->surface + a->surface);
        if (!taut_leads_into_groove(a) && line < NO_LINE * size && dot3(a->tangent[1], b->tangent[0]) < 1.0 - KINK)
            return 1;
    }
    return 0;
}

/* The error of geodesics in the first iterations. From close above a surface the tangents turn much by little, so that
   coarse geodesics would not do. */
static double first_error(const taut_piece *piece)
{
    double error = GUESS_ERROR;
    for (int e = 0; e < 2; e++) {
        const taut_contact *c = piece->contact + (e ? piece->contacts - 1 : 0);
        const taut_surface *s = piece->surface + c->surface;
        double local[3];
        to_local(s->frame, piece->ends[e], local);
        if (!c->pinned[e] && taut_distance(s, local) < CLOSE_ABOVE * s->size[0])
            error = GEODESIC_ERROR;
    }
    return error;
}

/* The step of Newton's method; 0 if the matrix is singular. */
static int newton_step(const taut_piece *piece, double *step)
{
    int width = UNKNOWNS * piece->contacts;
    double matrix[UNKNOWNS * UNKNOWNS * MOST_CONTACTS * MOST_CONTACTS];
    memset(matrix, 0, sizeof(double) * width * width);
    for (int i = 0; i < piece->contacts; i++)
        for (int e = 0; e < 2; e++) {
            int row = UNKNOWNS * i + 2 * e;
            taut_end_equations(piece, i, e, width, matrix + row * width, step + row);
        }
    return solve_linear(width, matrix, step);
}

/* The part of a step that is taken, and how large the whole is; 0 if it is not finite. */
static int limit_step(const taut_piece *piece, const double *step, double *factor, double *largest)
{
    *factor = 1.0;
    *largest = 0.0;
    for (int i = 0; i < UNKNOWNS * piece->contacts; i++) {
        int unknown = i % UNKNOWNS;
        const taut_surface *s = piece->surface + piece->contact[i / UNKNOWNS].surface;
        double change = fabs(step[i]) / (unknown == ROTATION ? 1.0 : taut_least_radius(s));
        double most = unknown == LENGTH ? LONGEST_LENGTH_STEP : LONGEST_STEP;
        if (!(change < NEWTON_DIVERGED))
            return 0;
        *largest = change > *largest ? change : *largest;
        if (*factor * change > most)
            *factor = most / change;
    }
    return 1;
}

int taut_newton(taut_piece *piece)
{
    double step[UNKNOWNS * MOST_CONTACTS], factor, largest;
    int reversals = 0;
    if (!piece->contacts)
        return 1;
    double coarse = first_error(piece);
    for (int i = 0; i < piece->contacts; i++)
        taut_evaluate(piece->surface + piece->contact[i].surface, piece->contact + i, coarse);
    for (int iteration = 0; iteration < NEWTON_ITERATIONS; iteration++) {
        if (!newton_step(piece, step) || !limit_step(piece, step, &factor, &largest))
            return 0;
        if (iteration > CONTRACTION_START && largest > NEWTON_LARGE)
            return 0; /* not contracting after 10 iterations */
        int fine = largest < NEWTON_NEARLY || iteration > COARSE_ITERATIONS;
        for (int i = 0; i < piece->contacts; i++) {
            taut_contact *c = piece->contact + i;
            const taut_surface *s = piece->surface + c->surface;
            move(s, c, step + UNKNOWNS * i, -factor);
            if (diverged(s, c))
                return 0;
            taut_evaluate(s, c, fine ? GEODESIC_ERROR : coarse);
        }
        if (!(largest < NEWTON_CONVERGED))
            continue;
        if (!reverse_backward_lines(piece))
            return !has_kink(piece);
        if (++reversals > MOST_REVERSALS)
            return 0;
    }
    return 0;
}

double taut_length(const taut_piece *piece)
{
    const double *here = piece->ends[0];
    double length = 0.0;
    for (int i = 0; i < piece->contacts; i++) {
        const taut_contact *c = piece->contact + i;
        int from_groove = i && taut_leads_into_groove(c - 1);
        length += (from_groove ? c[-1].groove_length : distance3(here, c->at[0])) + c->length;
        here = c->at[1];
    }
    return length + distance3(here, piece->ends[1]);
}
