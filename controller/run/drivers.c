/* drivers.c -- see drivers.h. */
#include "controller/run/drivers.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/wire/http_call.h"
#include "common/wire/messages.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define PING_EVERY_NS    (2 * SEC)
#define PING_TIMEOUT_NS  (2 * SEC)
#define SUSPECT_NS       (5 * SEC)
#define PING_REPLY_BYTES (1 << 20)

struct entry {
    char *name, *url, *version;
    bool configured;
    bool mismatch;
    int64_t threads, offset_ns, missions;
    int64_t best_round_ns; /* shortest round trip the offset comes from */
    int64_t seen_mono_ns;  /* 0: never */
    int64_t seen_wall_ns;
    enum driver_state logged; /* what the log said last */
};

struct drivers {
    struct db *db;
    const struct controller_conf *conf;
    VEC(struct entry) entries; /* configured ones first */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t watcher;
    bool closing;
};

const char *driver_state_name(enum driver_state state)
{
    static const char *const names[] = {"unknown", "alive", "suspected", "lost", "mismatch"};
    return names[state];
}

char *driver_base_url(const char *url)
{
    size_t len = strlen(url);
    while (len && url[len - 1] == '/')
        len--;
    if (len > 7 && strncmp(url + len - 7, "/driver", 7) == 0)
        len -= 7;
    while (len && url[len - 1] == '/')
        len--;
    return xstrndup(url, len);
}

static struct entry *find(struct drivers *drivers, const char *name)
{
    VEC_EACH (entry, &drivers->entries) {
        if (strcmp(entry->name, name) == 0)
            return entry;
    }
    return NULL;
}

static enum driver_state state_of(const struct drivers *drivers, const struct entry *entry)
{
    int64_t silent_ns = clock_mono_ns() - entry->seen_mono_ns;
    if (entry->mismatch)
        return DRIVER_MISMATCH;
    if (entry->seen_mono_ns == 0)
        return DRIVER_UNKNOWN;
    if (silent_ns > drivers->conf->driver_timeout_s * SEC)
        return DRIVER_LOST;
    return silent_ns > SUSPECT_NS ? DRIVER_SUSPECTED : DRIVER_ALIVE;
}

static struct entry *add(struct drivers *drivers, const char *name, const char *url,
                         bool configured)
{
    struct entry entry = {
        .name = xstrdup(name),
        .url = driver_base_url(url),
        .version = xstrdup(""),
        .configured = configured,
        .best_round_ns = INT64_MAX,
    };
    vec_push(&drivers->entries, entry);
    return &drivers->entries.items[drivers->entries.len - 1];
}

static void replace(char **text, const char *value)
{
    free(*text);
    *text = xstrdup(value);
}

/* ---- registering */

static bool is_url(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0;
}

static bool is_name(const char *name)
{
    size_t len = strlen(name);
    if (len == 0 || len >= NAME_MAX_BYTES / 2)
        return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || *c == '/' || *c == '?' || *c == '#' || *c == '%' ||
            *c == '"' || (unsigned char)*c == 0x7f)
            return false;
    return true;
}

int drivers_register(struct drivers *drivers, const struct driver_registration *registration,
                     struct err *err)
{
    if (!is_name(registration->name))
        return err_set(
            err, ERR_CONFIG,
            "name: expected 1 to %d letters without blanks, slashes, quotes, ?, # and %%",
            NAME_MAX_BYTES / 2 - 1);
    if (!is_url(registration->url))
        return err_set(err, ERR_CONFIG, "url: expected http://HOST:PORT");
    AUTO(freep) char *url = driver_base_url(registration->url);
    pthread_mutex_lock(&drivers->lock);
    struct entry *entry = find(drivers, registration->name);
    if (!entry && drivers->entries.len >= DRIVERS_MAX) {
        pthread_mutex_unlock(&drivers->lock);
        return err_set(err, ERR_LIMIT, "more than %d drivers", DRIVERS_MAX);
    }
    bool fresh = !entry || strcmp(entry->url, url) != 0;
    if (!entry)
        entry = add(drivers, registration->name, url, false);
    replace(&entry->url, url);
    replace(&entry->version, registration->version);
    entry->threads = registration->threads;
    entry->mismatch = false;
    entry->seen_mono_ns = clock_mono_ns();
    entry->seen_wall_ns = clock_wall_ns();
    if (fresh)
        entry->best_round_ns = INT64_MAX;
    pthread_mutex_unlock(&drivers->lock);
    if (fresh) {
        log_info("driver registered name=%s url=%s", registration->name, url);
        return store_note_driver(drivers->db, registration->name, url, "registered",
                                 clock_wall_ns(), err);
    }
    return 0;
}

/* ---- watching */

/* One ping of each driver. */
struct round {
    char *name;
    char *url;
    char *ping_url;
    int64_t sent_wall_ns;
};

static void take_answer(struct drivers *drivers, const struct round *round,
                        const struct http_call *call, int64_t back_wall_ns)
{
    AUTO(json_freep) json_t *json = NULL;
    struct ping ping;
    if (call->rc < 0 || call->status != 200)
        return;
    int rc = json_read(call->reply.buf, call->reply.len, &json, NULL);
    if (rc == 0)
        rc = ping_from_json(json, &ping, NULL);
    struct entry *entry = find(drivers, round->name);
    if (!entry || strcmp(entry->url, round->url) != 0)
        return;
    entry->mismatch = rc < 0;
    if (rc < 0)
        return;
    int64_t round_ns = back_wall_ns - round->sent_wall_ns;
    if (round_ns <= entry->best_round_ns) {
        entry->best_round_ns = round_ns;
        entry->offset_ns = ping.wall_ns - (round->sent_wall_ns + round_ns / 2);
    } else {
        entry->best_round_ns += entry->best_round_ns / 8 + 1; /* clocks drift: old truths fade */
    }
    entry->seen_mono_ns = clock_mono_ns();
    entry->seen_wall_ns = back_wall_ns;
    entry->threads = ping.threads;
    replace(&entry->version, ping.version);
}

static void log_changes(struct drivers *drivers)
{
    VEC_EACH (entry, &drivers->entries) {
        enum driver_state state = state_of(drivers, entry);
        if (state == entry->logged)
            continue;
        if (state == DRIVER_ALIVE)
            log_info("driver is alive name=%s url=%s", entry->name, entry->url);
        else
            log_warn("driver is %s name=%s url=%s", driver_state_name(state), entry->name,
                     entry->url);
        entry->logged = state;
    }
}

static void ping_all(struct drivers *drivers)
{
    pthread_mutex_lock(&drivers->lock);
    size_t count = drivers->entries.len;
    AUTO(freep) struct round *rounds = xcalloc(count, sizeof(*rounds));
    AUTO(freep) struct http_call *calls = xcalloc(count, sizeof(*calls));
    for (size_t i = 0; i < count; i++) {
        rounds[i].name = xstrdup(drivers->entries.items[i].name);
        rounds[i].url = xstrdup(drivers->entries.items[i].url);
    }
    pthread_mutex_unlock(&drivers->lock);
    for (size_t i = 0; i < count; i++) {
        rounds[i].ping_url = xasprintf("%s/api/v1/ping", rounds[i].url);
        rounds[i].sent_wall_ns = clock_wall_ns();
        calls[i] = (struct http_call){
            .url = rounds[i].ping_url,
            .bearer = *drivers->conf->token ? drivers->conf->token : NULL,
            .timeout_ns = PING_TIMEOUT_NS,
            .reply = STRBUF_INIT(PING_REPLY_BYTES),
        };
    }
    int64_t started_ns = clock_mono_ns();
    http_call_run_all(calls, count);
    int64_t back_wall_ns =
        rounds && count ? rounds[0].sent_wall_ns + clock_mono_ns() - started_ns : 0;
    pthread_mutex_lock(&drivers->lock);
    for (size_t i = 0; i < count; i++)
        take_answer(drivers, &rounds[i], &calls[i], back_wall_ns);
    log_changes(drivers);
    pthread_mutex_unlock(&drivers->lock);
    for (size_t i = 0; i < count; i++) {
        strbuf_release(&calls[i].reply);
        free(rounds[i].name);
        free(rounds[i].url);
        free(rounds[i].ping_url);
    }
}

static void *watch(void *drivers_memory)
{
    struct drivers *drivers = drivers_memory;
    for (;;) {
        struct timespec until;
        ping_all(drivers);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += PING_EVERY_NS / SEC;
        pthread_mutex_lock(&drivers->lock);
        while (!drivers->closing &&
               pthread_cond_timedwait(&drivers->wake, &drivers->lock, &until) == 0)
            ;
        bool closing = drivers->closing;
        pthread_mutex_unlock(&drivers->lock);
        if (closing)
            return NULL;
    }
}

int drivers_open(const struct drivers_options *options, struct drivers **ret_drivers,
                 struct err *err)
{
    struct drivers *drivers = xcalloc(1, sizeof(*drivers));
    drivers->db = options->db;
    drivers->conf = options->conf;
    pthread_mutex_init(&drivers->lock, NULL);
    pthread_cond_init(&drivers->wake, NULL);
    int rc = 0;
    VEC_EACH (configured, &options->conf->drivers) {
        if (rc == 0 && (!is_name(configured->name) || find(drivers, configured->name)))
            rc = err_set(err, ERR_CONFIG, "driver name \"%s\": not usable, or given twice",
                         configured->name);
        if (rc == 0 && !is_url(configured->url))
            rc = err_set(err, ERR_CONFIG, "driver %s: url \"%s\": expected http://HOST:PORT/driver",
                         configured->name, configured->url);
        if (rc == 0) {
            add(drivers, configured->name, configured->url, true);
            rc = store_note_driver(drivers->db, configured->name, configured->url, "configured",
                                   clock_wall_ns(), err);
        }
    }
    if (rc == 0 && pthread_create(&drivers->watcher, NULL, watch, drivers) != 0)
        rc = err_set(err, ERR_SYSTEM, "no thread could be made");
    if (rc < 0) {
        drivers->closing = true; /* no watcher to wait for */
        drivers->watcher = 0;
        drivers_close(drivers);
        return rc;
    }
    *ret_drivers = drivers;
    return 0;
}

void drivers_close(struct drivers *drivers)
{
    if (!drivers)
        return;
    if (!drivers->closing) {
        pthread_mutex_lock(&drivers->lock);
        drivers->closing = true;
        pthread_cond_signal(&drivers->wake);
        pthread_mutex_unlock(&drivers->lock);
        pthread_join(drivers->watcher, NULL);
    }
    VEC_EACH (entry, &drivers->entries) {
        free(entry->name);
        free(entry->url);
        free(entry->version);
    }
    vec_release(&drivers->entries);
    pthread_mutex_destroy(&drivers->lock);
    pthread_cond_destroy(&drivers->wake);
    free(drivers);
}

/* ---- reading */

void drivers_list(struct drivers *drivers, struct driver_rows *ret_rows)
{
    struct driver_rows rows = {{0}};
    pthread_mutex_lock(&drivers->lock);
    VEC_EACH (entry, &drivers->entries) {
        struct driver_row row = {
            .name = xstrdup(entry->name),
            .url = xstrdup(entry->url),
            .version = xstrdup(entry->version),
            .source = xstrdup(entry->configured ? "configured" : "registered"),
            .state = state_of(drivers, entry),
            .threads = entry->threads,
            .clock_offset_ns = entry->offset_ns,
            .last_seen_ns = entry->seen_wall_ns,
            .missions = entry->missions,
        };
        vec_push(&rows.list, row);
    }
    pthread_mutex_unlock(&drivers->lock);
    *ret_rows = rows;
}

void driver_rows_release(struct driver_rows *rows)
{
    VEC_EACH (row, &rows->list) {
        free(row->name);
        free(row->url);
        free(row->version);
        free(row->source);
    }
    vec_release(&rows->list);
}

void drivers_alive(struct drivers *drivers, struct live_drivers *ret_drivers)
{
    struct live_drivers alive = {{0}};
    pthread_mutex_lock(&drivers->lock);
    VEC_EACH (entry, &drivers->entries) {
        if (state_of(drivers, entry) != DRIVER_ALIVE)
            continue;
        struct live_driver driver = {xstrdup(entry->name), xstrdup(entry->url), entry->offset_ns};
        vec_push(&alive.list, driver);
    }
    pthread_mutex_unlock(&drivers->lock);
    *ret_drivers = alive;
}

void live_drivers_release(struct live_drivers *drivers)
{
    VEC_EACH (driver, &drivers->list) {
        free(driver->name);
        free(driver->url);
    }
    vec_release(&drivers->list);
}

bool drivers_knows(struct drivers *drivers, const char *name)
{
    pthread_mutex_lock(&drivers->lock);
    bool known = find(drivers, name) != NULL;
    pthread_mutex_unlock(&drivers->lock);
    return known;
}

void drivers_count_mission(struct drivers *drivers, const char *name, int change)
{
    pthread_mutex_lock(&drivers->lock);
    struct entry *entry = find(drivers, name);
    if (entry)
        entry->missions += change;
    pthread_mutex_unlock(&drivers->lock);
}
