/* strbuf.h -- text that grows up to a ceiling.
 *
 * buf is always NUL-terminated (and never NULL), len never counts the NUL. What
 * would pass the ceiling is not added, and `overflow` stays true until a reset:
 * a writer may add without checking and look once at the end. */
#ifndef LOADSTONE_COMMON_BASE_STRBUF_H
#define LOADSTONE_COMMON_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf {
    char *buf;
    size_t len;
    size_t cap; /* 0: buf is not ours to free */
    size_t max; /* ceiling of len */
    bool overflow;
};

extern char strbuf_empty[];
#define STRBUF_INIT(max_bytes)                                                                     \
    {                                                                                              \
        strbuf_empty, 0, 0, (max_bytes), false                                                     \
    }

/* Each returns 0, or ERR_LIMIT and adds nothing. */
int strbuf_add(struct strbuf *sb, const void *data, size_t len);
int strbuf_adds(struct strbuf *sb, const char *text);
int strbuf_addc(struct strbuf *sb, char c);
int strbuf_addf(struct strbuf *sb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes room for len more bytes and returns where they go (then set with
 * strbuf_commit()), or NULL at the ceiling. */
char *strbuf_reserve(struct strbuf *sb, size_t len);
void strbuf_commit(struct strbuf *sb, size_t len);

/* Empties it, keeping the memory. */
void strbuf_reset(struct strbuf *sb);
/* Frees the memory; usable again afterwards. */
void strbuf_release(struct strbuf *sb);
/* The text, owned by the caller; sb is empty afterwards. */
char *strbuf_take(struct strbuf *sb);

#endif
