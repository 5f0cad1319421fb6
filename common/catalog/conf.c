/* conf.c -- the settings of driver and controller (conf.h). */
#include "common/catalog/conf.h"

#include "common/base/log.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

/* Line of the last such key, or 0. */
static int line_of(const struct conf_file *file, const char *section, const char *key)
{
    int found = 0;
    VEC_EACH (line, &file->lines) {
        if (strcasecmp(line->section, section) == 0 && strcasecmp(line->key, key) == 0)
            found = line->line;
    }
    return found;
}

/* Puts "FILE:LINE: " before the sentence of a bad key; a file is there when a value can be bad. */
static int blame(const char *path, const struct conf_file *file, const char *section,
                 const char *key, struct err *err)
{
    return err_prefix(err, "%s:%d: ", path ? path : "", line_of(file, section, key));
}

static void warn_unknown(const char *path, const struct conf_file *file, const char *section,
                         const struct key *keys)
{
    const char *candidates[64];
    size_t count = 0;
    for (const struct key *key = keys; key->name && count < ARRAY_LEN(candidates); key++)
        candidates[count++] = key->name;
    VEC_EACH (line, &file->lines) {
        if (strcasecmp(line->section, section) != 0 || keys_find(keys, line->key))
            continue;
        const char *near_name = nearest_name(line->key, candidates, count);
        log_warn("%s:%d: key %.64s of [%s] is not known and not used%s%s", path, line->line,
                 line->key, section, near_name ? ", nearest: " : "", near_name ? near_name : "");
    }
}

static int load_section(const char *path, const struct conf_file *file, const char *section,
                        const struct key *keys, void *settings, struct err *err)
{
    AUTO(config_release) struct config config = {{0}};
    struct err own_err = {0};
    if (!err)
        err = &own_err;
    if (path && !conf_has_section(file, section))
        return err_set(err, ERR_CONFIG, "%s: has no section [%s]", path, section);
    take_section(file, section, &config);
    warn_unknown(path, file, section, keys);
    int rc = keys_load(keys, &config, settings, err);
    if (rc < 0) {
        char key[64] = "";
        sscanf(err->text, "%63[^:]", key); /* keys_load() begins with it */
        blame(path, file, section, key, err);
    }
    return rc;
}

/* Text is "" or begins with http://HOST or https://HOST. */
static int check_url(const char *key, const char *text, struct err *err)
{
    const char *host = strncasecmp(text, "http://", 7) == 0    ? text + 7
                       : strncasecmp(text, "https://", 8) == 0 ? text + 8
                                                               : NULL;
    if (!*text || (host && strcspn(host, "/:") > 0))
        return 0;
    return err_set(err, ERR_CONFIG, "%s: found \"%.100s\", expected http://HOST[:PORT]", key, text);
}

/* ---- the driver */

/* The port in the driver's own URL, or 0. COSBench's files have it only there. */
static int64_t port_of_url(const char *url)
{
    const char *host = strstr(url, "://");
    const char *colon = host ? strrchr(host + 3, ':') : NULL;
    if (!colon || strchr(colon, ']') || !colon[1])
        return 0;
    char *end;
    long port = strtol(colon + 1, &end, 10);
    return (*end == '\0' || *end == '/') && port > 0 && port <= 65535 ? port : 0;
}

int driver_conf_load(const char *path, struct driver_conf *conf, struct err *err)
{
    AUTO(conf_file_release) struct conf_file file = {.lines = {0}};
    int rc = path ? conf_read(path, &file, err) : 0;
    if (rc == 0)
        rc = load_section(path, &file, "driver", driver_conf_keys, conf, err);
    if (rc < 0)
        return rc;
    if (check_url("controller", conf->controller, err) < 0)
        return blame(path, &file, "driver", "controller", err);
    if (check_url("url", conf->url, err) < 0)
        return blame(path, &file, "driver", "url", err);
    int64_t port = port_of_url(conf->url);
    if (port && !line_of(&file, "driver", "port"))
        conf->port = port;
    return 0;
}

void driver_conf_release(struct driver_conf *conf)
{
    keys_release(driver_conf_keys, conf);
}

/* ---- the controller */

struct driver_section {
    char *name, *url;
};

static const struct key driver_section_keys[] = {
    {.name = "name",
     .type = KEY_TEXT,
     .off = offsetof(struct driver_section, name),
     .def = "",
     .doc = "Name of the driver; the section's when not given."},
    {.name = "url",
     .type = KEY_TEXT,
     .off = offsetof(struct driver_section, url),
     .def = "",
     .doc = "Where the driver is, http://HOST:PORT/driver."},
    {.name = NULL},
};

static bool has_driver(const struct controller_conf *conf, const char *name)
{
    VEC_EACH (driver, &conf->drivers)
        if (strcmp(driver->name, name) == 0)
            return true;
    return false;
}

/* Takes the strings of *found into conf on success. */
static int add_driver(const char *path, const struct conf_file *file, const char *section,
                      struct driver_section *found, struct controller_conf *conf, struct err *err)
{
    if (!*found->url)
        return err_set(err, ERR_CONFIG, "%s: [%s] has no url", path, section);
    if (check_url("url", found->url, err) < 0)
        return blame(path, file, section, "url", err);
    if (!*found->name) {
        free(found->name);
        found->name = xstrdup(section);
    }
    if (has_driver(conf, found->name)) {
        err_set(err, ERR_CONFIG, "name: there is another driver named %.100s", found->name);
        return blame(path, file, section, "name", err);
    }
    struct controller_conf_driver driver = {TAKE(found->name), TAKE(found->url)};
    vec_push(&conf->drivers, driver);
    return 0;
}

static int load_driver(const char *path, const struct conf_file *file, int64_t number,
                       struct controller_conf *conf, struct err *err)
{
    char section[32];
    struct driver_section found = {0};
    snprintf(section, sizeof(section), "driver%lld", (long long)number);
    if (!conf_has_section(file, section)) {
        err_set(err, ERR_CONFIG, "drivers: is %lld, but there is no section [%s]",
                (long long)conf->driver_count, section);
        return blame(path, file, "controller", "drivers", err);
    }
    int rc = load_section(path, file, section, driver_section_keys, &found, err);
    if (rc == 0)
        rc = add_driver(path, file, section, &found, conf, err);
    keys_release(driver_section_keys, &found);
    return rc;
}

static void warn_beyond(const char *path, const struct conf_file *file,
                        const struct controller_conf *conf)
{
    char section[32];
    snprintf(section, sizeof(section), "driver%lld", (long long)conf->driver_count + 1);
    if (conf_has_section(file, section))
        log_warn("%s: section [%s] is not used: drivers is %lld", path, section,
                 (long long)conf->driver_count);
}

static int check_tls(const char *path, const struct conf_file *file,
                     const struct controller_conf *conf, struct err *err)
{
    if (!*conf->tls_cert == !*conf->tls_key)
        return 0;
    const char *given = *conf->tls_cert ? "tls_cert" : "tls_key";
    err_set(err, ERR_CONFIG, "%s: tls_cert and tls_key only go together", given);
    return blame(path, file, "controller", given, err);
}

int controller_conf_load(const char *path, struct controller_conf *conf, struct err *err)
{
    AUTO(conf_file_release) struct conf_file file = {.lines = {0}};
    int rc = path ? conf_read(path, &file, err) : 0;
    if (rc == 0)
        rc = load_section(path, &file, "controller", controller_conf_keys, conf, err);
    for (int64_t i = 1; rc == 0 && i <= conf->driver_count; i++)
        rc = load_driver(path, &file, i, conf, err);
    if (rc == 0)
        rc = check_tls(path, &file, conf, err);
    if (rc == 0)
        warn_beyond(path, &file, conf);
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
