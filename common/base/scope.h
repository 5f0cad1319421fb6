/* scope.h -- ownership helpers for locals, and the few macros every file needs. */
#ifndef LOADSTONE_COMMON_BASE_SCOPE_H
#define LOADSTONE_COMMON_BASE_SCOPE_H

#include <stddef.h>

/* Calls fn(&variable) when the variable leaves its scope. */
#define AUTO(fn) __attribute__((cleanup(fn)))

/* Gives up ownership of a pointer local: its value, and the local becomes NULL. */
#define TAKE(pointer)                                                                              \
    ({                                                                                             \
        __auto_type take_value_ = (pointer);                                                       \
        (pointer) = NULL;                                                                          \
        take_value_;                                                                               \
    })

/* Defines NAME_freep(), which AUTO() needs, from NAME_free(struct NAME *). */
#define DEFINE_FREEP(name)                                                                         \
    static inline void name##_freep(struct name **pointer)                                         \
    {                                                                                              \
        name##_free(*pointer);                                                                     \
    }

#define container_of(pointer, type, member)                                                        \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
