/* link.c -- registers a driver with its controller and keeps that alive (driver.h). */
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"
#include "common/wire/http_call.h"
#include "driver/driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HEARTBEAT_NS    (2 * SEC)
#define CALL_TIMEOUT_NS (5 * SEC)
#define REPLY_MAX_BYTES (64 << 10)

struct driver_link {
    struct driver *driver;
    char *register_url, *url, *token;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool closing;
};

static char *register_body(struct driver_link *link)
{
    AUTO(json_freep) json_t *json = driver_ping(link->driver);
    AUTO(strbuf_release) struct strbuf body = STRBUF_INIT(REPLY_MAX_BYTES);
    json_object_del(json, "missions");
    json_object_set_new(json, "url", json_text_new(link->url));
    json_write(json, &body);
    return strbuf_take(&body);
}

/* True when the controller took it. */
static bool register_once(struct driver_link *link, struct err *err)
{
    AUTO(freep) char *body = register_body(link);
    struct http_call call = {
        .method = "POST",
        .url = link->register_url,
        .body = body,
        .body_len = strlen(body),
        .bearer = link->token,
        .timeout_ns = CALL_TIMEOUT_NS,
        .reply = STRBUF_INIT(REPLY_MAX_BYTES),
    };
    int rc = http_call_run(&call);
    bool ok = rc == 0 && call.status / 100 == 2;
    if (rc < 0)
        *err = call.err;
    else if (!ok)
        err_set(err, ERR_PROTOCOL, "%s answered %d: %.300s", link->register_url, call.status,
                call.reply.buf);
    strbuf_release(&call.reply);
    return ok;
}

static bool wait_a_beat(struct driver_link *link)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += HEARTBEAT_NS / SEC;
    pthread_mutex_lock(&link->lock);
    while (!link->closing && pthread_cond_timedwait(&link->wake, &link->lock, &until) == 0)
        ;
    bool goes_on = !link->closing;
    pthread_mutex_unlock(&link->lock);
    return goes_on;
}

static void *heartbeat(void *link_memory)
{
    struct driver_link *link = link_memory;
    bool known = false, first = true;
    do {
        struct err err = {0};
        bool ok = register_once(link, &err);
        if (ok && !known)
            log_info("registered controller=%s as=%s", link->register_url, link->url);
        if (!ok && (known || first))
            log_warn("controller does not take this driver, trying again: %s", err.text);
        known = ok;
        first = false;
    } while (wait_a_beat(link));
    return NULL;
}

int driver_link_open(struct driver *driver, const struct driver_link_options *options,
                     struct driver_link **ret_link, struct err *err)
{
    struct driver_link *link = xcalloc(1, sizeof(*link));
    size_t len = strlen(options->controller);
    while (len && options->controller[len - 1] == '/')
        len--;
    link->driver = driver;
    link->register_url = xasprintf("%.*s/api/v1/drivers", (int)len, options->controller);
    link->url = xstrdup(options->url);
    link->token = xstrdup(options->token);
    pthread_mutex_init(&link->lock, NULL);
    pthread_cond_init(&link->wake, NULL);
    if (pthread_create(&link->thread, NULL, heartbeat, link) != 0) {
        free(link->register_url);
        free(link->url);
        free(link->token);
        free(link);
        return err_set(err, ERR_SYSTEM, "no thread could be made");
    }
    *ret_link = link;
    return 0;
}

void driver_link_close(struct driver_link *link)
{
    if (!link)
        return;
    pthread_mutex_lock(&link->lock);
    link->closing = true;
    pthread_cond_signal(&link->wake);
    pthread_mutex_unlock(&link->lock);
    pthread_join(link->thread, NULL);
    pthread_mutex_destroy(&link->lock);
    pthread_cond_destroy(&link->wake);
    free(link->register_url);
    free(link->url);
    free(link->token);
    free(link);
}
