/* file.c -- see file.h. */
#include "common/base/file.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

int file_read(const char *path, struct strbuf *sb, struct err *err)
{
    AUTO(fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        int code = errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM;
        err_errno(err, "%s", path);
        if (err)
            err->code = code;
        return code;
    }
    for (;;) {
        char *end = strbuf_reserve(sb, MIN((size_t)65536, sb->max - sb->len));
        ssize_t n = sb->len < sb->max ? read(fd, end, MIN((size_t)65536, sb->max - sb->len)) : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_errno(err, "%s", path);
        if (n == 0)
            break;
        strbuf_commit(sb, (size_t)n);
    }
    char more;
    if (sb->len == sb->max && read(fd, &more, 1) > 0)
        return err_set(err, ERR_LIMIT, "%s: larger than %zu bytes", path, sb->max);
    return 0;
}

int file_write(const char *path, const void *data, size_t len, struct err *err)
{
    AUTO(freep) char *temporary = xasprintf("%s.tmp.%d", path, (int)getpid());
    AUTO(fd_close) int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return err_errno(err, "%s", temporary);
    const char *bytes = data;
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(fd, bytes + done, len - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            goto fail;
        done += (size_t)n;
    }
    if (rename(temporary, path) < 0)
        goto fail;
    return 0;
fail:
    err_errno(err, "%s", path);
    unlink(temporary);
    return ERR_SYSTEM;
}

int file_make_dirs(const char *path, struct err *err)
{
    AUTO(freep) char *copy = xstrdup(path);
    for (char *slash = copy + 1;; slash++) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (*copy && mkdir(copy, 0755) < 0 && errno != EEXIST)
            return err_errno(err, "folder %s", copy);
        if (!slash)
            return 0;
        *slash = '/';
    }
}

int file_make_parent(const char *path, struct err *err)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    AUTO(freep) char *parent = xstrndup(path, (size_t)(slash - path));
    return file_make_dirs(parent, err);
}
