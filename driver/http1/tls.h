/* tls.h -- TLS settings shared by the connections of a mission: the door to OpenSSL's SSL. */
#ifndef LOADSTONE_DRIVER_HTTP1_TLS_H
#define LOADSTONE_DRIVER_HTTP1_TLS_H

#include "common/base/err.h"

#include <openssl/ssl.h>
#include <stdbool.h>

struct tls_options {
    const char *host;    /* for SNI and the certificate's name */
    bool verify;         /* check chain and name */
    const char *ca_file; /* PEM; NULL or "" = the system's */
};

struct tls {
    SSL_CTX *context;
    char host[256];
    bool host_is_address; /* no SNI then */
    bool verify;
};

/* TLS 1.2 or newer. ERR_CONFIG when the CA file cannot be read. */
int tls_open(const struct tls_options *options, struct tls *ret_tls, struct err *err);
void tls_close(struct tls *tls);

/* A client session on a connected socket, resuming *session when there is one. NULL when out of
 * memory. */
SSL *tls_connect(const struct tls *tls, int fd, SSL_SESSION *session);

/* Says why the last TLS call on ssl failed, with the key to set where a certificate was refused. */
void tls_describe(SSL *ssl, char *out, size_t out_len);

#endif
