/* err.c -- see err.h. */
#include "common/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int __attribute__((format(printf, 3, 0)))
err_vset(struct err *err, int code, const char *format, va_list args)
{
    if (err) {
        err->code = code;
        vsnprintf(err->text, sizeof(err->text), format, args);
    }
    return code;
}

int err_set(struct err *err, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err_vset(err, code, format, args);
    va_end(args);
    return code;
}

int err_errno(struct err *err, const char *format, ...)
{
    int saved = errno;
    va_list args;
    va_start(args, format);
    err_vset(err, ERR_SYSTEM, format, args);
    va_end(args);
    if (err) {
        size_t len = strlen(err->text);
        char reason[128];
        snprintf(err->text + len, sizeof(err->text) - len, ": %s",
                 strerror_r(saved, reason, sizeof(reason)));
    }
    return ERR_SYSTEM;
}

int err_prefix(struct err *err, const char *format, ...)
{
    char rest[ERR_TEXT_BYTES];
    if (!err)
        return ERR_SYSTEM;
    memcpy(rest, err->text, sizeof(rest));
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof(err->text), format, args);
    va_end(args);
    size_t len = strlen(err->text);
    snprintf(err->text + len, sizeof(err->text) - len, "%s", rest);
    return err->code;
}

const char *err_code_name(int code)
{
    static const char *const names[] = {"ok",       "config",    "system",   "network",
                                        "protocol", "not_found", "conflict", "limit",
                                        "denied",   "timeout",   "store"};
    if (code > 0 || -code >= (int)(sizeof(names) / sizeof(names[0])))
        return "error";
    return names[-code];
}
