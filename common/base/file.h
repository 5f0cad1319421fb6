/* file.h -- whole files and folders. */
#ifndef LOADSTONE_COMMON_BASE_FILE_H
#define LOADSTONE_COMMON_BASE_FILE_H

#include "common/base/err.h"
#include "common/base/strbuf.h"

/* Appends the file's bytes to *sb. ERR_NOT_FOUND, ERR_SYSTEM, or ERR_LIMIT above sb's ceiling. */
int file_read(const char *path, struct strbuf *sb, struct err *err);
/* Writes a temporary file beside it and renames it over path, so readers see all or nothing. */
int file_write(const char *path, const void *data, size_t len, struct err *err);
/* Makes the folder and its parents; one that is there is fine. */
int file_make_dirs(const char *path, struct err *err);
/* Makes the folder that path is in, and its parents. */
int file_make_parent(const char *path, struct err *err);

#endif
