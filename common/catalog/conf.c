/* conf.c -- see conf.h. */
#include "common/catalog/conf.h"

#include "common/base/file.h"
#include "common/base/log.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CONF_MAX_BYTES (1 << 20)

#define DRIVER_OFF(member) .off = offsetof(struct driver_conf, member)

const struct key driver_conf_keys[] = {
    {.name = "name",
     .type = KEY_TEXT,
     DRIVER_OFF(name),
     .def = "",
     .doc = "Name of the driver; the host's name when not given."},
    {.name = "url",
     .type = KEY_TEXT,
     DRIVER_OFF(url),
     .def = "",
     .doc = "Where the controller reaches the driver; from bind and port when not given."},
    {.name = "bind",
     .type = KEY_TEXT,
     DRIVER_OFF(bind),
     .def = "127.0.0.1",
     .doc = "Address to listen on."},
    {.name = "port",
     .type = KEY_INT,
     DRIVER_OFF(port),
     .def = "18088",
     .min = 0,
     .max = 65535,
     .doc = "Port to listen on; 0: any free one."},
    {.name = "controller",
     .type = KEY_TEXT,
     DRIVER_OFF(controller),
     .def = "",
     .doc = "Controller to register with, http://HOST:PORT."},
    {.name = "threads",
     .type = KEY_INT,
     DRIVER_OFF(threads),
     .def = "0",
     .min = 0,
     .max = 1024,
     .doc = "Event-loop threads; 0: one per core."},
    {.name = "log_level",
     .type = KEY_TEXT,
     DRIVER_OFF(log_level),
     .def = "INFO",
     .doc = "DEBUG, INFO, WARN or ERROR."},
    {.name = "log_file",
     .type = KEY_TEXT,
     DRIVER_OFF(log_file),
     .def = "",
     .doc = "File to log to; standard error when not given."},
    {.name = "token",
     .type = KEY_TEXT,
     DRIVER_OFF(token),
     .def = "",
     .secret = true,
     .doc = "Secret shared with the controller."},
    {.name = NULL},
};

#define CONTROLLER_OFF(member) .off = offsetof(struct controller_conf, member)

const struct key controller_conf_keys[] = {
    {.name = "drivers",
     .type = KEY_INT,
     CONTROLLER_OFF(driver_count),
     .def = "0",
     .min = 0,
     .max = 4096,
     .doc = "Number of [driverN] sections."},
    {.name = "name",
     .type = KEY_TEXT,
     CONTROLLER_OFF(name),
     .def = "N/A",
     .doc = "Name shown on the page."},
    {.name = "url",
     .type = KEY_TEXT,
     CONTROLLER_OFF(url),
     .def = "N/A",
     .doc = "Address shown on the page."},
    {.name = "bind",
     .type = KEY_TEXT,
     CONTROLLER_OFF(bind),
     .def = "127.0.0.1",
     .doc = "Address to listen on."},
    {.name = "port",
     .type = KEY_INT,
     CONTROLLER_OFF(port),
     .def = "19088",
     .min = 0,
     .max = 65535,
     .doc = "Port to listen on; 0: any free one."},
    {.name = "data_dir",
     .type = KEY_TEXT,
     CONTROLLER_OFF(data_dir),
     .def = "loadstone-data",
     .doc = "Folder of the database."},
    {.name = "archive_dir",
     .type = KEY_TEXT,
     CONTROLLER_OFF(archive_dir),
     .def = "archive",
     .doc = "Folder of the archive of ended workloads."},
    {.name = "web_root",
     .type = KEY_TEXT,
     CONTROLLER_OFF(web_root),
     .def = "",
     .doc = "Folder of the page's files; the built or installed one when not given."},
    {.name = "concurrency",
     .type = KEY_INT,
     CONTROLLER_OFF(concurrency),
     .def = "1",
     .min = 1,
     .max = 64,
     .doc = "Workloads that run at once."},
    {.name = "driver_timeout",
     .type = KEY_INT,
     CONTROLLER_OFF(driver_timeout_s),
     .def = "10",
     .min = 2,
     .max = 3600,
     .doc = "Seconds of silence after which a driver is lost."},
    {.name = "log_level",
     .type = KEY_TEXT,
     CONTROLLER_OFF(log_level),
     .def = "INFO",
     .doc = "DEBUG, INFO, WARN or ERROR."},
    {.name = "log_file",
     .type = KEY_TEXT,
     CONTROLLER_OFF(log_file),
     .def = "",
     .doc = "File to log to; standard error when not given."},
    {.name = "token",
     .type = KEY_TEXT,
     CONTROLLER_OFF(token),
     .def = "",
     .secret = true,
     .doc = "Secret shared with drivers and clients."},
    {.name = "tls_cert",
     .type = KEY_TEXT,
     CONTROLLER_OFF(tls_cert),
     .def = "",
     .doc = "PEM file of the certificate, to serve https."},
    {.name = "tls_key",
     .type = KEY_TEXT,
     CONTROLLER_OFF(tls_key),
     .def = "",
     .doc = "PEM file of the certificate's key."},
    {.name = NULL},
};

/* ---- the file itself */

static char *trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return xstrndup(from, (size_t)(to - from));
}

static int parse_line(const char *name, char *line, int number, char **section,
                      struct conf_file *file, struct err *err)
{
    size_t len = strlen(line);
    if (len == 0 || *line == '#' || *line == ';')
        return 0;
    if (*line == '[') {
        if (line[len - 1] != ']' || len < 3)
            return err_set(err, ERR_CONFIG, "%s:%d: expected [SECTION]", name, number);
        free(*section);
        *section = trimmed(line + 1, line + len - 1);
        return 0;
    }
    char *equals = strchr(line, '=');
    if (!equals || equals == line)
        return err_set(err, ERR_CONFIG, "%s:%d: expected [SECTION] or KEY = VALUE", name, number);
    if (!*section)
        return err_set(err, ERR_CONFIG, "%s:%d: a key before the first [SECTION]", name, number);
    struct conf_line entry = {xstrdup(*section), trimmed(line, equals),
                              trimmed(equals + 1, line + len), number};
    vec_push(&file->lines, entry);
    return 0;
}

int conf_parse(const char *name, const char *text, size_t len, struct conf_file *file,
               struct err *err)
{
    AUTO(freep) char *section = NULL;
    const char *end = text + len;
    int number = 0, rc = 0;
    if (memchr(text, '\0', len))
        return err_set(err, ERR_CONFIG, "%s: is not a text file", name);
    for (const char *from = text; rc == 0 && from < end;) {
        const char *to = memchr(from, '\n', (size_t)(end - from));
        if (!to)
            to = end;
        AUTO(freep) char *line = trimmed(from, to);
        rc = parse_line(name, line, ++number, &section, file, err);
        from = to + 1;
    }
    return rc;
}

void conf_file_release(struct conf_file *file)
{
    VEC_EACH (line, &file->lines) {
        free(line->section);
        free(line->key);
        free(line->value);
    }
    vec_release(&file->lines);
}

static int read_file(const char *path, struct conf_file *file, struct err *err)
{
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(CONF_MAX_BYTES);
    int rc = file_read(path, &text, err);
    return rc < 0 ? rc : conf_parse(path, text.buf, text.len, file, err);
}

/* ---- sections to settings */

/* The keys of a section as a config, so that the key tables read it. */
static void take_section(const struct conf_file *file, const char *section, struct config *config)
{
    VEC_EACH (line, &file->lines) {
        if (strcasecmp(line->section, section) != 0)
            continue;
        struct config_entry entry = {xstrdup(line->key), xstrdup(line->value)};
        vec_push(&config->entries, entry);
    }
}

static int line_of(const struct conf_file *file, const char *section, const char *key)
{
    int found = 0;
    VEC_EACH (line, &file->lines) {
        if (strcasecmp(line->section, section) == 0 && strcasecmp(line->key, key) == 0)
            found = line->line;
    }
    return found;
}

static int load_section(const char *path, const struct conf_file *file, const char *section,
                        const struct key *keys, void *settings, struct err *err)
{
    AUTO(config_release) struct config config = {{0}};
    take_section(file, section, &config);
    VEC_EACH (entry, &config.entries) {
        if (!keys_find(keys, entry->key))
            log_warn("%s:%d: key %s of [%s] is not known and not used", path,
                     line_of(file, section, entry->key), entry->key, section);
    }
    int rc = keys_load(keys, &config, settings, err);
    if (rc < 0 && path) {
        char key[64] = "";
        sscanf(err ? err->text : "", "%63[^:]", key);
        err_prefix(err, "%s:%d: ", path, line_of(file, section, key));
    }
    return rc;
}

int driver_conf_load(const char *path, struct driver_conf *conf, struct err *err)
{
    AUTO(conf_file_release) struct conf_file file = {{0}};
    int rc = path ? read_file(path, &file, err) : 0;
    return rc < 0 ? rc : load_section(path, &file, "driver", driver_conf_keys, conf, err);
}

void driver_conf_release(struct driver_conf *conf)
{
    keys_release(driver_conf_keys, conf);
}

static int load_driver(const char *path, const struct conf_file *file, int64_t number,
                       struct controller_conf *conf, struct err *err)
{
    char section[32];
    AUTO(config_release) struct config config = {{0}};
    snprintf(section, sizeof(section), "driver%lld", (long long)number);
    take_section(file, section, &config);
    const char *name = config_find(&config, "name");
    const char *url = config_find(&config, "url");
    if (!url || !*url)
        return err_set(err, ERR_CONFIG, "%s: [%s] has no url, and drivers = %lld asks for it", path,
                       section, (long long)conf->driver_count);
    struct controller_conf_driver driver = {xstrdup(name && *name ? name : section), xstrdup(url)};
    vec_push(&conf->drivers, driver);
    return 0;
}

int controller_conf_load(const char *path, struct controller_conf *conf, struct err *err)
{
    AUTO(conf_file_release) struct conf_file file = {{0}};
    int rc = path ? read_file(path, &file, err) : 0;
    if (rc == 0)
        rc = load_section(path, &file, "controller", controller_conf_keys, conf, err);
    for (int64_t i = 1; rc == 0 && i <= conf->driver_count; i++)
        rc = load_driver(path, &file, i, conf, err);
    return rc;
}

void controller_conf_release(struct controller_conf *conf)
{
    keys_release(controller_conf_keys, conf);
    VEC_EACH (driver, &conf->drivers) {
        free(driver->name);
        free(driver->url);
    }
    vec_release(&conf->drivers);
}
