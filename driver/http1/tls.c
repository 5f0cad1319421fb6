/* tls.c -- see tls.h. */
#include "driver/http1/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

int tls_open(const struct tls_options *options, struct tls *ret_tls, struct err *err)
{
    unsigned char address[16];
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (!context)
        return err_set(err, ERR_SYSTEM, "TLS could not be set up");
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context,
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    if (options->verify) {
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
        bool given = options->ca_file && *options->ca_file;
        int ok = given ? SSL_CTX_load_verify_locations(context, options->ca_file, NULL)
                       : SSL_CTX_set_default_verify_paths(context);
        if (!ok) {
            SSL_CTX_free(context);
            return err_set(err, ERR_CONFIG, "ca_file \"%s\" cannot be read as PEM certificates",
                           given ? options->ca_file : "");
        }
    }
    ret_tls->context = context;
    ret_tls->verify = options->verify;
    snprintf(ret_tls->host, sizeof(ret_tls->host), "%s", options->host);
    ret_tls->host_is_address = inet_pton(AF_INET, options->host, address) == 1 ||
                               inet_pton(AF_INET6, options->host, address) == 1;
    return 0;
}

void tls_close(struct tls *tls)
{
    SSL_CTX_free(tls->context);
    tls->context = NULL;
}

SSL *tls_connect(const struct tls *tls, int fd, SSL_SESSION *session)
{
    SSL *ssl = SSL_new(tls->context);
    if (!ssl)
        return NULL;
    if (!SSL_set_fd(ssl, fd)) {
        SSL_free(ssl);
        return NULL;
    }
    if (!tls->host_is_address)
        SSL_set_tlsext_host_name(ssl, tls->host);
    if (tls->verify) {
        X509_VERIFY_PARAM *param = SSL_get0_param(ssl);
        if (tls->host_is_address)
            X509_VERIFY_PARAM_set1_ip_asc(param, tls->host);
        else
            X509_VERIFY_PARAM_set1_host(param, tls->host, 0);
    }
    if (session)
        SSL_set_session(ssl, session);
    SSL_set_connect_state(ssl);
    return ssl;
}

void tls_describe(SSL *ssl, char *out, size_t out_len)
{
    long verified = SSL_get_verify_result(ssl);
    unsigned long code = ERR_peek_last_error();
    const char *reason = ERR_reason_error_string(code);
    if (verified != X509_V_OK)
        snprintf(out, out_len,
                 "certificate refused: %s (add ca_file=FILE, or ssl_verify=false to accept any)",
                 X509_verify_cert_error_string(verified));
    else
        snprintf(out, out_len, "%s", reason ? reason : "the connection ended in the handshake");
    ERR_clear_error();
}
