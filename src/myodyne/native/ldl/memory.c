/* Memory for factors: taken piece by piece, given back all at once, and kept for the next factorisation.
 *
 * Asking the system anew for every factorisation would cost as much as the smaller ones take. */
#include "ldl.h"

#include <stdlib.h>

#define SMALLEST ((size_t)1 << 20)
#define ALIGNMENT 64

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used;
    char *data;
} Chunk;

struct Pool {
    Chunk *first, *current;
};

Pool *ldl_pool(void)
{
    return calloc(1, sizeof(Pool));
}

static Chunk *new_chunk(size_t bytes)
{
    size_t size = bytes > SMALLEST ? bytes : SMALLEST;
    Chunk *chunk = malloc(sizeof *chunk + size + ALIGNMENT);
    size_t address;

    if (!chunk)
        return NULL;
    address = (size_t)(chunk + 1);
    chunk->data = (char *)(chunk + 1) + (ALIGNMENT - address % ALIGNMENT) % ALIGNMENT;
    chunk->next = NULL;
    chunk->size = size;
    chunk->used = 0;
    return chunk;
}

/* Returns memory that begins at a line of the cache, or NULL. */
void *ldl_pool_take(Pool *pool, size_t bytes)
{
    Chunk *chunk = pool->current, *fresh;

    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    while (chunk && chunk->used + bytes > chunk->size && chunk->next)
        chunk = chunk->next;
    if (!chunk || chunk->used + bytes > chunk->size) {
        fresh = new_chunk(bytes);
        if (!fresh)
            return NULL;
        if (chunk)
            chunk->next = fresh;
        else
            pool->first = fresh;
        chunk = fresh;
    }
    pool->current = chunk;
    chunk->used += bytes;
    return chunk->data + chunk->used - bytes;
}

void ldl_pool_reset(Pool *pool)
{
    Chunk *chunk;

    for (chunk = pool->first; chunk; chunk = chunk->next)
        chunk->used = 0;
    pool->current = pool->first;
}

void ldl_pool_free(Pool *pool)
{
    Chunk *chunk, *next;

    if (!pool)
        return;
    for (chunk = pool->first; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(pool);
}
