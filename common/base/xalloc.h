/* xalloc.h -- small allocations that cannot fail: they abort when memory is refused.
 *
 * For sizes the program itself knows. A size from outside is checked against
 * limits.h first. Every result is freed with free(). */
#ifndef LOADSTONE_COMMON_BASE_XALLOC_H
#define LOADSTONE_COMMON_BASE_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *pointer, size_t size) __attribute__((returns_nonnull));

/* Grows an array to count items of size bytes; aborts on overflow of the product. */
void *xreallocarray(void *pointer, size_t count, size_t size) __attribute__((returns_nonnull));

/* NULL gives NULL. */
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t len);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2), returns_nonnull));

/* For AUTO(freep): frees what a pointer local points to. */
static inline void freep(void *pointer_to_pointer)
{
    extern void free(void *);
    free(*(void **)pointer_to_pointer);
}

#endif
