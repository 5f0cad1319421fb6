/* log.h -- one line per event: time, level, words, key=value pairs.
 *
 * 2026-11-30T21:02:59.123Z INFO stage started workload=w1 stage=s3-main
 *
 * Secrets are never passed to it. Any thread may log; the measured path does not. */
#ifndef LOADSTONE_COMMON_BASE_LOG_H
#define LOADSTONE_COMMON_BASE_LOG_H

#include "common/base/err.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };

/* Sets the level and, when path is not NULL, appends to that file instead of
 * stderr; missing folders of the path are made. */
int log_open(enum log_level level, const char *path, struct err *err);
/* "DEBUG", "info", "WARN", "WARNING", "ERROR", "TRACE", "FATAL": 0 or ERR_CONFIG. */
int log_level_parse(const char *name, enum log_level *ret_level);

void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_debug(...) log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...)  log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warn(...)  log_write(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_error(...) log_write(LOG_LEVEL_ERROR, __VA_ARGS__)

#endif
