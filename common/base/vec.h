/* vec.h -- typed arrays that grow. VEC(int) v = {0}; vec_push(&v, 3); v.items[0]; vec_release(&v).
 */
#ifndef LOADSTONE_COMMON_BASE_VEC_H
#define LOADSTONE_COMMON_BASE_VEC_H

#include "common/base/xalloc.h"

#include <stdlib.h>

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t len;                                                                                \
        size_t cap;                                                                                \
    }

#define vec_push(vec, ...)                                                                         \
    do {                                                                                           \
        if ((vec)->len == (vec)->cap) {                                                            \
            (vec)->cap = (vec)->cap ? (vec)->cap * 2 : 8;                                          \
            (vec)->items = xreallocarray((vec)->items, (vec)->cap, sizeof(*(vec)->items));         \
        }                                                                                          \
        (vec)->items[(vec)->len++] = (__VA_ARGS__);                                                \
    } while (0)

/* Frees the array, not what its items own. */
#define vec_release(vec)                                                                           \
    do {                                                                                           \
        free((vec)->items);                                                                        \
        (vec)->items = NULL;                                                                       \
        (vec)->len = (vec)->cap = 0;                                                               \
    } while (0)

/* VEC_EACH(item, &vec): item points to each element in turn. */
#define VEC_EACH(item, vec)                                                                        \
    for (__typeof__(&*(vec)->items) item = (vec)->items; item && item < (vec)->items + (vec)->len;   \
         item++)

#endif
