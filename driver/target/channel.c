/* channel.c -- see channel.h. */
#include "driver/target/channel.h"

#include "common/base/scope.h"

#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECORD_BYTES 16384 /* of a TLS record: a small answer goes out in one */

static int tls_error(struct err *err, const char *what, const char *path)
{
    char reason[256] = "unknown reason";
    unsigned long code = ERR_get_error();
    if (code)
        ERR_error_string_n(code, reason, sizeof(reason));
    ERR_clear_error();
    return err_set(err, ERR_CONFIG, "cannot use the %s %s: %s", what, path, reason);
}

int channel_tls_new(const char *cert_path, const char *key_path, struct ssl_ctx_st **ret_tls,
                    struct err *err)
{
    int rc = 0;
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    if (!tls)
        return tls_error(err, "library", "OpenSSL");
    SSL_CTX_set_min_proto_version(tls, TLS1_2_VERSION);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(tls, SSL_OP_NO_RENEGOTIATION | SSL_OP_ENABLE_KTLS);
    SSL_CTX_set_session_id_context(tls, (const unsigned char *)"loadstone-target", 16);
    if (SSL_CTX_use_certificate_chain_file(tls, cert_path) != 1)
        rc = tls_error(err, "certificate", cert_path);
    else if (SSL_CTX_use_PrivateKey_file(tls, key_path, SSL_FILETYPE_PEM) != 1)
        rc = tls_error(err, "key", key_path);
    else if (SSL_CTX_check_private_key(tls) != 1)
        rc = tls_error(err, "key", key_path);
    if (rc < 0) {
        SSL_CTX_free(tls);
        return rc;
    }
    *ret_tls = tls;
    return 0;
}

void channel_tls_free(struct ssl_ctx_st *tls)
{
    SSL_CTX_free(tls);
}

bool channel_open(struct channel *channel, int fd, struct ssl_ctx_st *tls)
{
    channel->fd = fd;
    channel->ssl = NULL;
    if (!tls)
        return true;
    channel->ssl = SSL_new(tls);
    if (!channel->ssl || SSL_set_fd(channel->ssl, fd) != 1) {
        channel_close(channel, false);
        return false;
    }
    SSL_set_accept_state(channel->ssl);
    return true;
}

void channel_close(struct channel *channel, bool reset)
{
    if (channel->fd < 0)
        return;
    if (channel->ssl && !reset) {
        SSL_shutdown(channel->ssl);
        ERR_clear_error();
    }
    SSL_free(channel->ssl);
    channel->ssl = NULL;
    if (reset) {
        struct linger now = {.l_onoff = 1, .l_linger = 0};
        setsockopt(channel->fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    }
    close(channel->fd);
    channel->fd = -1;
}

void channel_shutdown(struct channel *channel)
{
    if (channel->ssl) {
        SSL_shutdown(channel->ssl);
        ERR_clear_error();
    }
    shutdown(channel->fd, SHUT_WR);
}

/* What a failed SSL call means. */
static ssize_t tls_result(struct channel *channel, int rc)
{
    int reason = SSL_get_error(channel->ssl, rc);
    ERR_clear_error();
    if (reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE)
        return CHANNEL_AGAIN;
    return reason == SSL_ERROR_ZERO_RETURN ? 0 : CHANNEL_BROKEN;
}

static ssize_t system_result(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK ? CHANNEL_AGAIN : CHANNEL_BROKEN;
}

static ssize_t receive_plain(int fd, char *buf, size_t len, int flags)
{
    ssize_t n;
    do {
        n = recv(fd, buf, len, flags);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? system_result() : n;
}

ssize_t channel_receive(struct channel *channel, char *buf, size_t len)
{
    if (!channel->ssl)
        return receive_plain(channel->fd, buf, len, 0);
    int n = SSL_read(channel->ssl, buf, (int)MIN(len, 1 << 30));
    return n > 0 ? n : tls_result(channel, n);
}

ssize_t channel_discard(struct channel *channel, size_t len, char *scratch, size_t scratch_len)
{
    if (!channel->ssl)
        return receive_plain(channel->fd, NULL, len, MSG_TRUNC);
    return channel_receive(channel, scratch, MIN(len, scratch_len));
}

/* One SSL_write of the first bytes, gathered when the first piece is short. */
static ssize_t send_tls(struct channel *channel, const struct iovec *pieces, size_t count)
{
    char record[RECORD_BYTES];
    const void *data = pieces[0].iov_base;
    size_t len = MIN(pieces[0].iov_len, 1 << 30);
    if (count > 1 && len < sizeof(record)) {
        len = 0;
        for (size_t i = 0; i < count && len < sizeof(record); i++) {
            size_t take = MIN(pieces[i].iov_len, sizeof(record) - len);
            memcpy(record + len, pieces[i].iov_base, take);
            len += take;
        }
        data = record;
    }
    int n = SSL_write(channel->ssl, data, (int)len);
    if (n > 0)
        return n;
    ssize_t result = tls_result(channel, n);
    return result == 0 ? CHANNEL_BROKEN : result;
}

ssize_t channel_send(struct channel *channel, const struct iovec *pieces, size_t count)
{
    ssize_t n;
    if (channel->ssl)
        return send_tls(channel, pieces, count);
    struct msghdr message = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = count};
    do {
        n = sendmsg(channel->fd, &message, MSG_NOSIGNAL);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? system_result() : n;
}
