/* diag.c -- see diag.h. */
#include "common/base/diag.h"

#include <stdarg.h>
#include <stdio.h>

void diags_add(struct diags *diags, enum diag_severity severity, int line, const char *element,
               const char *attribute, const char *format, ...)
{
    if (severity == DIAG_ERROR)
        diags->errors++;
    if (diags->list.len >= DIAGS_MAX) {
        diags->dropped++;
        return;
    }
    char message[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    struct diag diag = {
        .severity = severity,
        .line = line,
        .element = xstrdup(element ? element : ""),
        .attribute = xstrdup(attribute ? attribute : ""),
        .message = xstrdup(message),
    };
    vec_push(&diags->list, diag);
}

void diags_release(struct diags *diags)
{
    VEC_EACH (diag, &diags->list) {
        free(diag->element);
        free(diag->attribute);
        free(diag->message);
    }
    vec_release(&diags->list);
    diags->errors = diags->dropped = 0;
}

void diags_format(const struct diags *diags, const char *file, struct strbuf *sb)
{
    VEC_EACH (diag, &diags->list) {
        if (file)
            strbuf_addf(sb, "%s:", file);
        if (diag->line)
            strbuf_addf(sb, "%d:", diag->line);
        if (file || diag->line)
            strbuf_addc(sb, ' ');
        strbuf_addf(sb, "%s: ", diag->severity == DIAG_ERROR ? "error" : "warning");
        if (*diag->element)
            strbuf_addf(sb, "%s: ", diag->element);
        if (*diag->attribute)
            strbuf_addf(sb, "%s: ", diag->attribute);
        strbuf_addf(sb, "%s\n", diag->message);
    }
    if (diags->dropped)
        strbuf_addf(sb, "... and %zu more\n", diags->dropped);
}
