/* conn.c -- see conn.h. */
#include "driver/http1/conn.h"

#include "common/base/scope.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/epoll.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#define TLS_PIECE_BYTES 16384 /* one record */

void conn_init(struct conn *conn, const struct tls *tls)
{
    *conn = (struct conn){.fd = -1, .state = CONN_CLOSED, .tls = tls};
}

static enum io failed(struct conn *conn, enum conn_trouble trouble, int error_number)
{
    conn->trouble = trouble;
    conn->error_number = error_number;
    return IO_FAILED;
}

static enum io connect_failed(struct conn *conn, int error_number)
{
    enum conn_trouble trouble = error_number == ECONNREFUSED ? TROUBLE_REFUSED
                                : error_number == ETIMEDOUT  ? TROUBLE_CONNECT_TIMEOUT
                                                             : TROUBLE_CONNECT;
    return failed(conn, trouble, error_number);
}

static enum io io_failed(struct conn *conn, int error_number)
{
    bool closed = error_number == EPIPE;
    return failed(conn, closed ? TROUBLE_CLOSED : TROUBLE_RESET, error_number);
}

enum io conn_start(struct conn *conn, const struct address *address, int epoll_fd, void *data,
                   int64_t now_ns)
{
    int on = 1;
    conn->trouble = TROUBLE_NONE;
    conn->used = false;
    conn->opened_ns = now_ns;
    conn->fd = socket(address->sockaddr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (conn->fd < 0)
        return connect_failed(conn, errno);
    setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
                                .data.ptr = data};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, conn->fd, &event) < 0)
        return connect_failed(conn, errno);
    conn->state = CONN_CONNECTING;
    if (connect(conn->fd, (const struct sockaddr *)&address->sockaddr, address->len) < 0) {
        if (errno == EINPROGRESS)
            return IO_AGAIN;
        return connect_failed(conn, errno);
    }
    return IO_DONE;
}

static enum io finish_connect(struct conn *conn, SSL_SESSION *session)
{
    int error_number = 0;
    socklen_t len = sizeof(error_number);
    if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error_number, &len) < 0 || error_number)
        return connect_failed(conn, error_number ? error_number : errno);
    struct sockaddr_storage peer;
    len = sizeof(peer);
    if (getpeername(conn->fd, (struct sockaddr *)&peer, &len) < 0)
        return errno == ENOTCONN ? IO_AGAIN : connect_failed(conn, errno);
    if (!conn->tls) {
        conn->state = CONN_OPEN;
        return IO_DONE;
    }
    conn->ssl = tls_connect(conn->tls, conn->fd, session);
    if (!conn->ssl)
        return failed(conn, TROUBLE_TLS, ENOMEM);
    conn->state = CONN_HANDSHAKE;
    return IO_DONE;
}

/* What an SSL call that did not succeed means. */
static enum io tls_outcome(struct conn *conn, int rc)
{
    switch (SSL_get_error(conn->ssl, rc)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return IO_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return IO_CLOSED;
    case SSL_ERROR_SYSCALL:
        if (conn->state == CONN_OPEN)
            return io_failed(conn, errno ? errno : EPIPE);
        return failed(conn, TROUBLE_TLS, errno);
    default:
        if (conn->state == CONN_OPEN &&
            ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
            ERR_clear_error();
            return IO_CLOSED; /* many servers close without an alert; lengths tell a torn body */
        }
        return failed(conn, TROUBLE_TLS, 0);
    }
}

enum io conn_continue(struct conn *conn, SSL_SESSION *session)
{
    if (conn->state == CONN_CONNECTING) {
        enum io io = finish_connect(conn, session);
        if (io != IO_DONE)
            return io;
    }
    if (conn->state == CONN_HANDSHAKE) {
        ERR_clear_error();
        int rc = SSL_do_handshake(conn->ssl);
        if (rc != 1) {
            enum io io = tls_outcome(conn, rc);
            return io == IO_CLOSED ? failed(conn, TROUBLE_TLS, 0) : io;
        }
        conn->state = CONN_OPEN;
    }
    return IO_DONE;
}

void conn_close(struct conn *conn)
{
    if (conn->ssl) {
        SSL_set_quiet_shutdown(conn->ssl, 1);
        SSL_shutdown(conn->ssl); /* keeps the session resumable; sends nothing */
        SSL_free(conn->ssl);
    }
    conn->ssl = NULL;
    if (conn->fd >= 0)
        close(conn->fd);
    conn->fd = -1;
    conn->state = CONN_CLOSED;
}

static enum io tls_send(struct conn *conn, const void *data, size_t len, size_t *ret_len)
{
    ERR_clear_error();
    errno = 0;
    int rc = SSL_write_ex(conn->ssl, data, MIN(len, (size_t)TLS_PIECE_BYTES), ret_len);
    if (rc == 1)
        return IO_DONE;
    enum io io = tls_outcome(conn, rc);
    return io == IO_CLOSED ? io_failed(conn, EPIPE) : io;
}

enum io conn_send(struct conn *conn, struct iovec *pieces, int count, bool more, size_t *ret_len)
{
    if (conn->ssl)
        return tls_send(conn, pieces[0].iov_base, pieces[0].iov_len, ret_len);
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = (size_t)count};
    ssize_t n;
    do
        n = sendmsg(conn->fd, &message, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? IO_AGAIN : io_failed(conn, errno);
    *ret_len = (size_t)n;
    return IO_DONE;
}

enum io conn_send_file(struct conn *conn, int file_fd, const char *map, off_t offset, size_t len,
                       size_t *ret_len)
{
    if (conn->ssl)
        return tls_send(conn, map + offset, len, ret_len);
    ssize_t n;
    do
        n = sendfile(conn->fd, file_fd, &offset, len);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EAGAIN ? IO_AGAIN : io_failed(conn, errno);
    *ret_len = (size_t)n;
    return IO_DONE;
}

enum io conn_receive(struct conn *conn, char *buffer, size_t len, size_t *ret_len)
{
    if (conn->ssl) {
        ERR_clear_error();
        errno = 0;
        int rc = SSL_read_ex(conn->ssl, buffer, len, ret_len);
        return rc == 1 ? IO_DONE : tls_outcome(conn, rc);
    }
    ssize_t n;
    do
        n = recv(conn->fd, buffer, len, 0);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return IO_CLOSED;
    if (n < 0)
        return errno == EAGAIN ? IO_AGAIN : io_failed(conn, errno);
    *ret_len = (size_t)n;
    return IO_DONE;
}

enum io conn_discard(struct conn *conn, size_t len, size_t *ret_len)
{
    ssize_t n;
    do
        n = recv(conn->fd, NULL, len, MSG_TRUNC);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return IO_CLOSED;
    if (n < 0)
        return errno == EAGAIN ? IO_AGAIN : io_failed(conn, errno);
    *ret_len = (size_t)n;
    return IO_DONE;
}
