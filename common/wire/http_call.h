/* http_call.h -- one HTTP call with one deadline: the door to libcurl.
 *
 * For everything that is not the measured load. Redirects are not followed; proxies
 * of the environment are not used; the scheme must be http or https. */
#ifndef LOADSTONE_COMMON_WIRE_HTTP_CALL_H
#define LOADSTONE_COMMON_WIRE_HTTP_CALL_H

#include "common/base/err.h"
#include "common/base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

struct http_call {
    /* what to ask; all borrowed */
    const char *method; /* "GET" when NULL */
    const char *url;
    const char *body; /* may be NULL */
    size_t body_len;
    const char *content_type; /* of the body; "application/json" when NULL */
    const char *bearer;       /* token, or NULL */
    const char *userpwd;      /* "user:password" for Basic, or NULL */
    const char *ca_file;      /* PEM, or NULL for the system's */
    int64_t timeout_ns;       /* whole call; 0: 10 s */
    /* what came back */
    int status;          /* HTTP status; 0 when there was no answer */
    struct strbuf reply; /* initialise with STRBUF_INIT(ceiling); release it yourself */
    int rc;              /* 0, ERR_NETWORK, ERR_TIMEOUT or ERR_LIMIT */
    struct err err;      /* the sentence, naming the URL without its query */
};

/* Call once at the start of main(), before threads. */
void http_call_setup(void);

/* Runs one call: 0 when an answer came, whatever its status. Any thread. Returns call->rc. */
int http_call_run(struct http_call *call);
/* Runs all at the same time and returns when each has ended. Any thread. */
void http_call_run_all(struct http_call *calls, size_t count);

#endif
