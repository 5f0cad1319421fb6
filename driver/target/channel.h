/* channel.h -- a non-blocking byte stream to a client: TCP, or TLS over it. The door to OpenSSL's
 * TLS in this program. */
#ifndef LOADSTONE_DRIVER_TARGET_CHANNEL_H
#define LOADSTONE_DRIVER_TARGET_CHANNEL_H

#include "common/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

#define CHANNEL_AGAIN  (-1) /* nothing can be moved now; the loop will tell when */
#define CHANNEL_BROKEN (-2)

struct ssl_st;
struct ssl_ctx_st;

struct channel {
    int fd;
    struct ssl_st *ssl; /* NULL: plain */
};

/* Certificate chain and key from PEM files; TLS 1.2 and up. ERR_CONFIG names the file. */
int channel_tls_new(const char *cert_path, const char *key_path, struct ssl_ctx_st **ret_tls,
                    struct err *err);
void channel_tls_free(struct ssl_ctx_st *tls);

/* Takes fd; tls may be NULL. False when memory is out (fd is closed). */
bool channel_open(struct channel *channel, int fd, struct ssl_ctx_st *tls);
/* reset: a TCP reset instead of an orderly end. */
void channel_close(struct channel *channel, bool reset);
/* No more will be sent; the client sees the end. */
void channel_shutdown(struct channel *channel);

/* Bytes received, 0 at the end, CHANNEL_AGAIN, CHANNEL_BROKEN. */
ssize_t channel_receive(struct channel *channel, char *buf, size_t len);
/* Throws away up to len bytes, without a copy where the kernel can; scratch is used otherwise. */
ssize_t channel_discard(struct channel *channel, size_t len, char *scratch, size_t scratch_len);
/* Bytes sent (maybe fewer than given), CHANNEL_AGAIN, CHANNEL_BROKEN. */
ssize_t channel_send(struct channel *channel, const struct iovec *pieces, size_t count);

#endif
