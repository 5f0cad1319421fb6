/* log.c -- see log.h. A line is written by one write(), so threads do not mix. */
#include "common/base/log.h"

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/scope.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static atomic_int level_now = LOG_LEVEL_INFO;
static atomic_int log_fd = STDERR_FILENO;

static const char *const level_names[] = {"DEBUG", "INFO", "WARN", "ERROR"};

int log_level_parse(const char *name, enum log_level *ret_level)
{
    static const struct {
        const char *name;
        enum log_level level;
    } names[] = {
        {"trace", LOG_LEVEL_DEBUG}, {"debug", LOG_LEVEL_DEBUG},  {"info", LOG_LEVEL_INFO},
        {"warn", LOG_LEVEL_WARN},   {"warning", LOG_LEVEL_WARN}, {"error", LOG_LEVEL_ERROR},
        {"fatal", LOG_LEVEL_ERROR},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcasecmp(name, names[i].name) == 0) {
            *ret_level = names[i].level;
            return 0;
        }
    }
    return ERR_CONFIG;
}

int log_open(enum log_level level, const char *path, struct err *err)
{
    if (path) {
        int rc = file_make_parent(path, err);
        if (rc < 0)
            return rc;
        int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
        if (fd < 0)
            return err_errno(err, "log file %s", path);
        int old = atomic_exchange(&log_fd, fd);
        if (old != STDERR_FILENO)
            close(old);
    }
    atomic_store(&level_now, (int)level);
    return 0;
}

void log_write(enum log_level level, const char *format, ...)
{
    if ((int)level < atomic_load_explicit(&level_now, memory_order_relaxed))
        return;
    char line[4096];
    clock_format_iso(clock_wall_ns(), line, 32);
    size_t len = strlen(line);
    len += (size_t)snprintf(line + len, sizeof(line) - len, " %s ", level_names[level]);
    va_list args;
    va_start(args, format);
    int added = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
    va_end(args);
    size_t end = MIN(len + (size_t)MAX(added, 0), sizeof(line) - 2);
    for (size_t i = len; i < end; i++)
        if ((unsigned char)line[i] < ' ')
            line[i] = ' '; /* text from outside cannot forge a line */
    line[end] = '\n';
    if (write(atomic_load(&log_fd), line, end + 1) < 0)
        return; /* nowhere left to say so */
}
