/* diag.h -- what is wrong (or surprising) in a file a person wrote: all of it, with the places. */
#ifndef LOADSTONE_COMMON_BASE_DIAG_H
#define LOADSTONE_COMMON_BASE_DIAG_H

#include "common/base/strbuf.h"
#include "common/base/vec.h"

#include <stdbool.h>

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

struct diag {
    enum diag_severity severity;
    int line;        /* 1-based; 0: the whole file */
    char *element;   /* "work"; may be "" */
    char *attribute; /* "workers"; may be "" */
    char *message;   /* what was found and what was expected */
};

#define DIAGS_MAX 200 /* more are counted in `dropped`, not kept */

struct diags {
    VEC(struct diag) list;
    size_t errors; /* of DIAG_ERROR, the dropped ones too */
    size_t dropped;
};

void diags_add(struct diags *diags, enum diag_severity severity, int line, const char *element,
               const char *attribute, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void diags_release(struct diags *diags);

/* "file.xml:7: error: work: workers: is missing, expected ..." one a line. file may be NULL. */
void diags_format(const struct diags *diags, const char *file, struct strbuf *sb);

#endif
