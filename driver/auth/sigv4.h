/* sigv4.h -- AWS Signature Version 4 in headers, fast enough to sign every request of a load.
 *
 * Source: AWS General Reference, "Signature Version 4 signing process"; Amazon S3 API Reference,
 * "Authenticating Requests: Using the Authorization Header". The signing key is derived once a day,
 * its HMAC state is kept, dates are formatted once a second; a signature is then one SHA-256 of the
 * canonical request and one HMAC. One signer per thread. */
#ifndef LOADSTONE_DRIVER_AUTH_SIGV4_H
#define LOADSTONE_DRIVER_AUTH_SIGV4_H

#include "common/base/digest.h"
#include "driver/http1/request.h"

#include <stddef.h>
#include <stdint.h>

#define SIGV4_UNSIGNED   "UNSIGNED-PAYLOAD"
#define SIGV4_EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

struct sigv4 {
    const char *access_key; /* borrowed, as the others */
    const char *secret_key;
    const char *region;
    const char *service;
    int64_t second;  /* dates are of this one */
    int64_t day;     /* the key is of this one */
    char date[17];   /* 20261130T210259Z */
    char scope[192]; /* 20261130/REGION/SERVICE/aws4_request */
    size_t scope_len;
    struct hmac_key key;
    struct digest string_prefix; /* inner HMAC state after "AWS4-HMAC-SHA256\nDATE\nSCOPE\n" */
};

/* Strings are borrowed. region and service together are at most 128 bytes. */
void sigv4_init(struct sigv4 *signer, const char *access_key, const char *secret_key,
                const char *region, const char *service);

/* Makes dates and key those of wall_s (seconds since 1970). Cheap when nothing changed. */
void sigv4_set_time(struct sigv4 *signer, int64_t wall_s);

/* The signature of a canonical request, as 64 hex digits without NUL. */
void sigv4_sign(const struct sigv4 *signer, const char *canonical, size_t len, char out[64]);

/* What a request says of itself, each part in its canonical form. */
struct sigv4_request {
    const char *method;
    struct span_text {
        const char *data;
        size_t len;
    } path;                    /* percent-encoded, begins with '/' */
    struct span_text query;    /* canonical (sorted, encoded) query, may be empty */
    const char *host;          /* Host header */
    const char *payload_hash;  /* 64 hex digits, or SIGV4_UNSIGNED */
    const char *extra_headers; /* further x-amz- lines "name:value\n", sorted, all after x-amz-date;
                                  or NULL */
    const char *extra_names;   /* their names, each with ';' before it; or NULL */
};

/* Writes the lines x-amz-content-sha256, x-amz-date and Authorization. scratch holds the canonical
 * request (scratch_len at least the sum of the parts and 512); false when it did not fit. */
bool sigv4_write_headers(const struct sigv4 *signer, const struct sigv4_request *request,
                         char *scratch, size_t scratch_len, struct writer *writer);

#endif
