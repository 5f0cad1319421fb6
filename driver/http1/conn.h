/* conn.h -- one client connection, plain or TLS, never blocking.
 *
 *   CLOSED --conn_start--> CONNECTING --> HANDSHAKE (TLS only) --> OPEN --conn_close--> CLOSED
 *
 * The socket is registered edge-triggered with the epoll descriptor given, with the caller's
 * pointer as data: after IO_AGAIN the next edge wakes the caller. No call logs, allocates (TLS
 * set-up apart) or waits. */
#ifndef LOADSTONE_DRIVER_HTTP1_CONN_H
#define LOADSTONE_DRIVER_HTTP1_CONN_H

#include "driver/http1/resolve.h"
#include "driver/http1/tls.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum conn_state { CONN_CLOSED, CONN_CONNECTING, CONN_HANDSHAKE, CONN_OPEN };

enum conn_trouble {
    TROUBLE_NONE,
    TROUBLE_REFUSED,         /* nobody listens */
    TROUBLE_CONNECT,         /* no route, no buffer, no descriptor, ... */
    TROUBLE_CONNECT_TIMEOUT, /* the kernel gave up */
    TROUBLE_TLS,             /* handshake or record layer */
    TROUBLE_RESET,           /* the peer reset it */
    TROUBLE_CLOSED,          /* the peer closed it */
};

struct conn {
    int fd;
    enum conn_state state;
    enum conn_trouble trouble; /* why the last call gave IO_FAILED */
    bool used;                 /* has served an answer: the peer may close it while idle */
    int error_number;          /* errno beside trouble, or 0 */
    SSL *ssl;
    const struct tls *tls; /* NULL: plain; borrowed */
    int64_t opened_ns;     /* when conn_start() was called */
};

enum io {
    IO_DONE,   /* progress: *ret_len bytes, or the step is complete */
    IO_AGAIN,  /* wait for the next edge */
    IO_CLOSED, /* the peer closed its side (receiving only) */
    IO_FAILED, /* see trouble; the caller closes */
};

void conn_init(struct conn *conn, const struct tls *tls);
enum io conn_start(struct conn *conn, const struct address *address, int epoll_fd, void *data,
                   int64_t now_ns);
/* Goes on with connecting and the handshake: IO_DONE once OPEN. session (may be NULL) is resumed.
 */
enum io conn_continue(struct conn *conn, SSL_SESSION *session);
void conn_close(struct conn *conn);

/* Sends from the pieces; *ret_len is what was taken, more than 0 with IO_DONE. more: further data
 * follows at once. */
enum io conn_send(struct conn *conn, struct iovec *pieces, int count, bool more, size_t *ret_len);
/* Sends len bytes of file_fd (whose bytes are also mapped at map) from offset on: sendfile() on a
 * plain connection, else from the map. */
enum io conn_send_file(struct conn *conn, int file_fd, const char *map, off_t offset, size_t len,
                       size_t *ret_len);
enum io conn_receive(struct conn *conn, char *buffer, size_t len, size_t *ret_len);
/* Drops up to len bytes in the kernel without copying them. Plain connections only. */
enum io conn_discard(struct conn *conn, size_t len, size_t *ret_len);
static inline bool conn_can_discard(const struct conn *conn)
{
    return conn->ssl == NULL;
}

#endif
