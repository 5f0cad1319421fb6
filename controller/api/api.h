/* api.h -- the controller's face on HTTP: JSON, COSBench's addresses, metrics and the page.
 *
 * All answers are those of docs/protocol.md. The API owns the HTTP server; what it says it asks
 * of the controller. */
#ifndef LOADSTONE_CONTROLLER_API_API_H
#define LOADSTONE_CONTROLLER_API_API_H

#include "common/base/err.h"
#include "common/base/scope.h"

struct api;
struct controller;

/* A text that is NULL or empty is not given. */
struct api_options {
    const char *bind; /* address; NULL: 127.0.0.1 */
    int port;         /* 0: a free one, see api_port() */
    int threads;      /* 0: 4 */
    const char
        *token; /* what changes something needs "Authorization: Bearer TOKEN"; NULL: nothing */
    const char *web_root;           /* folder of the page's files; NULL: no page */
    const char *tls_cert, *tls_key; /* PEM files; both or neither */
};

/* Starts to serve. All options are copied. The controller must outlive the API. ERR_SYSTEM when the
 * port is taken, ERR_CONFIG for a bad address or certificate. */
int api_open(struct controller *controller, const struct api_options *options, struct api **ret_api,
             struct err *err);
int api_port(const struct api *api);
/* Stops to serve; running requests end first. NULL is fine. */
void api_close(struct api *api);

#endif
