/* conf.h -- the daemons' own settings: INI files as COSBench has them (spec: interfaces.md, Files).
 *
 *   [controller]              [driver]
 *   drivers = 2               name = driver1
 *   [driver1]                 url = http://127.0.0.1:18088/driver
 *   name = driver1
 *   url = http://127.0.0.1:18088/driver
 *
 * Lines: [section], key = value, blank, or a comment that begins with # or ;. A comment may also
 * follow a value after white space; a value in "quotes" may hold # and ;. Unknown keys are warned
 * about in the log. Errors name file and line. */
#ifndef LOADSTONE_COMMON_CATALOG_CONF_H
#define LOADSTONE_COMMON_CATALOG_CONF_H

#include "common/base/err.h"
#include "common/catalog/key.h"

/* Text members are never NULL once loaded; "" where nothing was given. */
struct driver_conf {
    char *name, *url, *bind;
    char *controller; /* URL to register with */
    char *log_level, *log_file;
    char *token;
    int64_t port; /* when not given: that of url, as COSBench's files have it only there */
    int64_t threads;
};
extern const struct key driver_conf_keys[];

struct controller_conf_driver {
    char *name, *url;
};

struct controller_conf {
    char *name, *url, *bind;
    char *data_dir, *archive_dir, *web_root;
    char *log_level, *log_file;
    char *token;
    char *tls_cert, *tls_key;
    int64_t port, concurrency;
    int64_t driver_timeout_s; /* silence after which a driver is lost */
    int64_t driver_count;     /* what drivers = says */
    VEC(struct controller_conf_driver) drivers;
};
extern const struct key controller_conf_keys[];

/* path NULL: the defaults. 0, ERR_NOT_FOUND, ERR_SYSTEM or ERR_CONFIG. Release in every case. */
int driver_conf_load(const char *path, struct driver_conf *conf, struct err *err);
void driver_conf_release(struct driver_conf *conf);
int controller_conf_load(const char *path, struct controller_conf *conf, struct err *err);
void controller_conf_release(struct controller_conf *conf);

/* ---- the file itself */
struct conf_line {
    const char *section; /* one of the file's */
    char *key, *value;
    int line;
};
struct conf_file {
    VEC(struct conf_line) lines; /* in file order */
    VEC(char *) sections;
};
/* name is only for messages, "NAME:LINE: what is wrong". 0 or ERR_CONFIG; release in every case. */
int conf_parse(const char *name, const char *text, size_t len, struct conf_file *file,
               struct err *err);
/* The same for a file; also ERR_NOT_FOUND, ERR_SYSTEM, or ERR_LIMIT above 1 MiB. */
int conf_read(const char *path, struct conf_file *file, struct err *err);
bool conf_has_section(const struct conf_file *file, const char *section);
/* The last such value, or NULL; no case. Borrowed. */
const char *conf_find(const struct conf_file *file, const char *section, const char *key);
void conf_file_release(struct conf_file *file);

#endif
