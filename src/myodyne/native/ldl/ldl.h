/* A sparse symmetric indefinite matrix in factors, A = P S L D L^T S P^T.
 *
 * The matrices come from optimal control: many small groups of rows, each linked to its neighbours in time, with zeros on
 * the diagonal of every constraint. Nothing here depends on that but the speed. The method is multifrontal (Duff & Reid
 * 1983): columns with like patterns are eliminated together in a dense front, what is left of a front is added to that of
 * its parent, and a column without a safe pivot waits for the parent's front.
 *
 * Sizes are int, positions in factors size_t. Arrays that a function returns belong to the structure they are in. */
#ifndef MYODYNE_LDL_H
#define MYODYNE_LDL_H

#include <stddef.h>

/* Numbers in a register. Vectors that are longer than the machine's are taken apart in memory by compilers. */
#if defined(__AVX512F__)
#define REGISTER 8
#elif defined(__AVX__)
#define REGISTER 4
#else
#define REGISTER 2
#endif
typedef double Register __attribute__((vector_size(REGISTER * sizeof(double)), aligned(sizeof(double)), may_alias));

/* Rows of fronts are padded to this many, so that inner loops have no remainders. */
#define LANES 8
#define PADDED(rows) (((rows) + LANES - 1) / LANES * LANES)
/* From column to column of a front: the rows below may be read in whole registers. */
#define STRIDE(candidates, below) PADDED((candidates) + PADDED(below))

enum { LDL_DONE = 0, LDL_SINGULAR = 1, LDL_NO_MEMORY = 2, LDL_NOT_FINITE = 3 };

/* The rows of a matrix and their links, in both directions, without loops and without repetitions. */
typedef struct {
    int vertices;
    int *start;          /* vertices + 1 */
    int *to;
    double *size;        /* of each link: the magnitude of its entry, scaled */
    double *largest;     /* of each vertex: its largest link */
    unsigned char *weak; /* of each vertex: whether its diagonal is next to nothing */
} Graph;

/* What follows from the pattern and stays for all matrices that have it. */
typedef struct {
    int n, fronts, largest_front;
    int *order;        /* n: the row of the matrix that comes at each place */
    int *first;        /* fronts + 1: places of the columns that each front eliminates */
    int *parent;       /* fronts: or -1 */
    int *child;        /* fronts: the last of its children, or -1 */
    int *sibling;      /* fronts: the child of the same parent before it, or -1 */
    int *depth;        /* fronts: how many lie above it */
    size_t *start;     /* fronts + 1: into rows */
    int *rows;         /* places of the rows below the columns of a front, ascending */
    int *entry_start;  /* fronts + 1: into the two lists of entries */
    int *entry_from;   /* which value of the matrix */
    size_t *entry_at;  /* where in the columns of the front, if no columns of children wait */
    double operations; /* multiplications and additions, without waiting columns */
    double factor_entries;
} Analysis;

/* One front after its elimination. Rows: pivots, columns that wait, rows below. */
typedef struct {
    int pivots, waiting, below, stride;
    double *columns;  /* stride x (pivots + waiting) */
    double *inverse;  /* 2 x pivots: the inverse of D, its diagonal and what links a pivot to the next */
    int *rows;        /* pivots + waiting + below places */
} Front;

typedef struct Pool Pool;

/* A matrix and its factors. */
typedef struct {
    int n, entries;
    int *column_start, *row; /* the pattern: any triangle or a mix, repetitions are added up */
    Analysis *analysis;
    double *scale;           /* n, by rows of the matrix */
    Front *front;
    Pool *pool;
    double *stack[2];        /* what fronts leave to their parents, by the parity of their depth */
    size_t stack_size[2];
    double *work;
    size_t work_size;
    size_t *rest;            /* of each front: where in the stack its rest begins */
    int *place_of;           /* work of the assembly, 3 (n + 1) */
    double *scaled;          /* values of the matrix, scaled */
    int negative, rank, delayed, two_by_two; /* of the last factorisation */
    int factorised;
    double operations;
    int analyses;
    int surprised;           /* so many columns waited that another order may be better */
} Matrix;

/* graph.c, dissection.c, partners.c, minimum_degree.c */
int ldl_graph(const Matrix *matrix, const double *value, Graph *graph);
void ldl_graph_free(Graph *graph);
int ldl_partners(const Graph *graph, const int *cut_above, int *separator, int *partner);
int ldl_minimum_degree(const Graph *graph, const int *separator, const int *partner, int hubs, int *order);

/* analysis.c */
Analysis *ldl_analyse(const Matrix *matrix, const double *value);
void ldl_analysis_free(Analysis *analysis);

/* front.c, product.c */
void ldl_product(int rows, int columns, int skip, int depth, const double *left, int left_stride,
                 const double *right, int right_stride, double *target, int target_stride, int fresh);
typedef struct {
    double threshold, zero;
    int negative, zeros, two_by_two, not_finite;
} Pivoting;
void ldl_eliminate(Front *front, int candidates, double *work, Pivoting *pivoting);
size_t ldl_front_work(int stride, int candidates);

/* memory.c */
Pool *ldl_pool(void);
void *ldl_pool_take(Pool *pool, size_t bytes);
void ldl_pool_reset(Pool *pool);
void ldl_pool_free(Pool *pool);

/* factorise.c, solve.c */
int ldl_factorise(Matrix *matrix, const double *value, double threshold);
void ldl_solve(const Matrix *matrix, double *vector, double *work);

/* several.c: so many vectors at once */
#define LDL_TOGETHER 8
void ldl_solve_several(const Matrix *matrix, int count, double *vectors, size_t stride, double *work);

/* matrix.c */
Matrix *ldl_matrix(int n, const int *column_start, const int *row, int base);
void ldl_facts(const Matrix *matrix, int *counts, double *sizes);
void ldl_matrix_free(Matrix *matrix);

#endif
