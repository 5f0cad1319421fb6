/* adaptor.h -- storage types: how an action on a container or object becomes requests, and what the
 * answers mean.
 *
 * The engine owns sockets, time, retries and statistics; an adaptor only writes exchanges and
 * judges answers, so it is tested without a network and cannot bend a latency. Three lives of its
 * state:
 *
 *   client   one per mission, from the storage's config; immutable once open, shared by all threads
 *   lane     one per thread: signing state and the like
 *   session  one per worker: what an action of several exchanges remembers between them
 *
 * build and judge are on the measured path: no I/O, no locks, no logging. A new storage type is one
 * file and one line in adaptor.c, and its keys a row in common/catalog/adaptors. */
#ifndef LOADSTONE_DRIVER_ADAPTORS_ADAPTOR_H
#define LOADSTONE_DRIVER_ADAPTORS_ADAPTOR_H

#include "common/base/err.h"
#include "common/base/rng.h"
#include "driver/http1/resolve.h"
#include "driver/http1/response.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum action {
    ACTION_READ,
    ACTION_WRITE,
    ACTION_DELETE,
    ACTION_LIST,
    ACTION_CREATE, /* a container */
    ACTION_REMOVE, /* a container, with what this workload wrote in it */
};

/* What is to be done: one sample. Names are not encoded; "" where there is none. */
struct task {
    enum action action;
    const char *container;
    size_t container_len;
    const char *object;
    size_t object_len;
    int64_t size_bytes;       /* of a write */
    const char *payload_hash; /* SHA-256 of a write's body in hex where the client asked for it,
                                 else NULL */
    bool chunked;             /* a write whose length is not told beforehand */
    /* of ACTION_REMOVE: objects that may be deleted have names oprefix + number + osuffix */
    const char *oprefix, *osuffix;
};

enum exchange_kind { EXCHANGE_HTTP, EXCHANGE_TIMER };
enum exchange_body { EXCHANGE_NO_BODY, EXCHANGE_OBJECT /* the task's content */ };

/* One request. The engine sets head and head_cap, the adaptor the rest. */
struct exchange {
    enum exchange_kind kind;
    char *head; /* request line and headers, empty line included */
    size_t head_cap, head_len;
    enum exchange_body body;
    bool is_head;     /* the answer has no body whatever its headers say */
    bool keep_answer; /* keep a good answer's body for judge (lists) */
    int64_t delay_ns; /* EXCHANGE_TIMER: done after so long */
};

/* What came back. body is the kept body: of errors, and where keep_answer was set. */
struct answer {
    int status;
    struct span body;
    int64_t body_bytes; /* received, kept or not */
};

enum verdict {
    VERDICT_GOOD,
    VERDICT_NEXT,  /* another exchange of the same action: build is called again */
    VERDICT_FAILED /* failure says why */
};

struct failure {
    char cause[32];   /* a word of docs/protocol.md */
    char message[64]; /* "503 SlowDown" */
    char detail[192]; /* for the example */
    bool is_auth;     /* 401: signing in again may help */
};

struct client; /* each adaptor's own */

/* What one worker hands to build and judge. */
struct site {
    const struct client *client;
    void *lane;
    void *session;
    struct rng *rng;
    int64_t wall_s; /* seconds since 1970, exact to a second */
};

struct adaptor {
    const char *name;
    unsigned actions; /* bits 1u << ACTION_x it can do */
    /* Reads the config string. ERR_CONFIG. */
    int (*open)(const char *config, struct client **ret_client, struct err *err);
    void (*close)(struct client *client);
    /* Where to connect; NULL for a storage without a network. timeout_ns: of a whole operation. */
    const struct transport *(*transport)(const struct client *client);
    size_t lane_bytes;
    void (*lane_init)(void *lane, const struct client *client);
    size_t session_bytes; /* zeroed before first use */
    void (*session_release)(void *session);
    /* Bytes a head can need for names of so many bytes. */
    size_t (*head_bytes)(const struct client *client, size_t container_len, size_t object_len);
    /* The exchange number `step` (from 0) of the task. False: the head did not fit (our bug). */
    bool (*build)(const struct site *site, const struct task *task, int step,
                  struct exchange *exchange);
    /* bytes: what the operation counts, set with VERDICT_GOOD. answer is NULL after EXCHANGE_TIMER.
     */
    enum verdict (*judge)(const struct site *site, const struct task *task, int step,
                          const struct answer *answer, int64_t *ret_bytes, struct failure *failure);
};

/* How the engine reaches the store. Strings belong to the client. */
struct transport {
    struct endpoint endpoint; /* what to connect to: the store, or its proxy */
    bool verify;              /* TLS */
    const char *ca_file;
    int64_t timeout_ns;
    bool wants_payload_hash;
};

const struct adaptor *adaptor_find(const char *name);

extern const struct adaptor adaptor_none;
extern const struct adaptor adaptor_mock;
extern const struct adaptor adaptor_s3;

#endif
