/* http_call.c -- see http_call.h.
 *
 * Each thread that calls keeps one easy handle and one multi handle of its own, and with them its
 * open connections: a heartbeat or a poll does not connect anew each time. */
#include "common/wire/http_call.h"

#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/banned.h"

#define DEFAULT_TIMEOUT_NS (10 * SEC)

struct client { /* of one thread */
    CURL *easy;
    CURLM *multi;
};

struct flight { /* one call under way */
    struct http_call *call;
    CURL *easy;
    struct curl_slist *headers;
    char text[CURL_ERROR_SIZE];
};

static pthread_key_t client_key;
static pthread_once_t client_once = PTHREAD_ONCE_INIT;

static void client_free(void *pointer)
{
    struct client *client = pointer;
    curl_easy_cleanup(client->easy);
    if (client->multi)
        curl_multi_cleanup(client->multi);
    free(client);
}

/* The main thread's client is not freed by its key: the process ends. */
static void free_own_client(void)
{
    struct client *client = pthread_getspecific(client_key);
    if (client) {
        pthread_setspecific(client_key, NULL);
        client_free(client);
    }
}

static void setup(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
    pthread_key_create(&client_key, client_free);
    atexit(free_own_client);
    signal(SIGPIPE, SIG_IGN);
}

void http_call_setup(void)
{
    pthread_once(&client_once, setup);
}

static struct client *own_client(void)
{
    http_call_setup();
    struct client *client = pthread_getspecific(client_key);
    if (!client) {
        client = xcalloc(1, sizeof(*client));
        pthread_setspecific(client_key, client);
    }
    return client;
}

static void *no_memory(void *pointer)
{
    if (!pointer)
        abort();
    return pointer;
}

static size_t on_data(char *data, size_t size, size_t count, void *context)
{
    struct http_call *call = context;
    return strbuf_add(&call->reply, data, size * count) < 0 ? 0 : size * count;
}

static void add_header(struct flight *flight, const char *name, const char *value)
{
    AUTO(freep) char *line = xasprintf("%s: %s", name, value);
    flight->headers = no_memory(curl_slist_append(flight->headers, line));
}

static void set_method(CURL *easy, const struct http_call *call)
{
    const char *method = call->method ? call->method : "GET";
    if (strcmp(method, "HEAD") == 0) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (call->body || strcmp(method, "POST") == 0 || strcmp(method, "PUT") == 0) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, call->body ? call->body : "");
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                         (curl_off_t)(call->body ? call->body_len : 0));
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

/* Fills the easy handle, which is fresh or reset. */
static void flight_begin(struct flight *flight, CURL *easy, struct http_call *call)
{
    int64_t timeout_ns = call->timeout_ns > 0 ? call->timeout_ns : DEFAULT_TIMEOUT_NS;
    long timeout_ms = (long)((timeout_ns + MS - 1) / MS);

    flight->call = call;
    flight->easy = easy;
    flight->headers = NULL;
    flight->text[0] = '\0';
    call->status = 0;
    call->rc = 0;
    call->err = (struct err){0};
    strbuf_reset(&call->reply);

    curl_easy_setopt(easy, CURLOPT_URL, call->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, timeout_ms);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "loadstone/" LOADSTONE_VERSION);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, call);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, flight->text);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, flight);
    if (call->ca_file && *call->ca_file)
        curl_easy_setopt(easy, CURLOPT_CAINFO, call->ca_file);
    if (call->userpwd) {
        curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
        curl_easy_setopt(easy, CURLOPT_USERPWD, call->userpwd);
    }
    set_method(easy, call);
    if (call->body)
        add_header(flight, "Content-Type",
                   call->content_type ? call->content_type : "application/json");
    if (call->bearer && *call->bearer) {
        AUTO(freep) char *value = xasprintf("Bearer %s", call->bearer);
        add_header(flight, "Authorization", value);
    }
    flight->headers = no_memory(curl_slist_append(flight->headers, "Expect:"));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, flight->headers);
}

/* "http://host:port/path" of an URL: no query, no user. Returns out. */
static const char *url_for_people(const char *url, char *out, size_t out_len)
{
    const char *rest = strstr(url, "://");
    const char *start = rest ? rest + 3 : url;
    const char *at = memchr(start, '@', strcspn(start, "/?#"));
    snprintf(out, out_len, "%.*s%.*s", (int)MIN(start - url, 16), url,
             (int)MIN(strcspn(at ? at + 1 : start, "?#"), (size_t)400), at ? at + 1 : start);
    return out;
}

static void flight_end(struct flight *flight, CURLcode result)
{
    struct http_call *call = flight->call;
    long status = 0;
    char url[512];

    curl_easy_getinfo(flight->easy, CURLINFO_RESPONSE_CODE, &status);
    if (result == CURLE_OK) {
        call->status = (int)status;
    } else if (call->reply.overflow) {
        call->rc = err_set(&call->err, ERR_LIMIT, "%s: the answer is larger than %zu bytes",
                           url_for_people(call->url, url, sizeof(url)), call->reply.max);
    } else if (result == CURLE_OPERATION_TIMEDOUT) {
        int64_t ms = (call->timeout_ns > 0 ? call->timeout_ns : DEFAULT_TIMEOUT_NS) / MS;
        call->rc = err_set(&call->err, ERR_TIMEOUT, "%s: no whole answer within %lld ms",
                           url_for_people(call->url, url, sizeof(url)), (long long)ms);
    } else {
        call->rc =
            err_set(&call->err, ERR_NETWORK, "%s: %s", url_for_people(call->url, url, sizeof(url)),
                    flight->text[0] ? flight->text : curl_easy_strerror(result));
    }
    curl_slist_free_all(flight->headers);
}

int http_call_run(struct http_call *call)
{
    struct client *client = own_client();
    struct flight flight;
    if (!client->easy)
        client->easy = no_memory(curl_easy_init());
    flight_begin(&flight, client->easy, call);
    flight_end(&flight, curl_easy_perform(client->easy));
    curl_easy_reset(client->easy); /* keeps its connections */
    return call->rc;
}

/* Reads what ended; returns how many did. */
static size_t reap(CURLM *multi)
{
    size_t ended = 0;
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        struct flight *flight = NULL;
        CURL *easy = message->easy_handle;
        CURLcode result = message->data.result;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &flight);
        flight_end(flight, result);
        curl_multi_remove_handle(multi, easy);
        curl_easy_cleanup(easy);
        flight->easy = NULL;
        ended++;
    }
    return ended;
}

void http_call_run_all(struct http_call *calls, size_t count)
{
    struct client *client = own_client();
    if (count == 0)
        return;
    if (!client->multi) {
        client->multi = no_memory(curl_multi_init());
        curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)DRIVERS_MAX);
    }
    AUTO(freep) struct flight *flights = xcalloc(count, sizeof(*flights));
    for (size_t i = 0; i < count; i++) {
        flight_begin(&flights[i], no_memory(curl_easy_init()), &calls[i]);
        curl_multi_add_handle(client->multi, flights[i].easy);
    }
    size_t ended = 0;
    while (ended < count) {
        int running = 0;
        CURLMcode rc = curl_multi_perform(client->multi, &running);
        ended += reap(client->multi);
        if (rc != CURLM_OK && rc != CURLM_CALL_MULTI_PERFORM)
            break;
        if (ended < count)
            curl_multi_poll(client->multi, NULL, 0, 1000, NULL);
    }
    for (size_t i = 0; i < count; i++) { /* only after a failure of the multi handle itself */
        if (!flights[i].easy)
            continue;
        flight_end(&flights[i], CURLE_FAILED_INIT);
        curl_multi_remove_handle(client->multi, flights[i].easy);
        curl_easy_cleanup(flights[i].easy);
    }
}
