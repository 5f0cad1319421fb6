/* server.c -- see server.h.
 *
 *   listener --any loop accepts--> inbox of the next loop in turn --> its epoll set, for good
 *
 * Sockets are edge-triggered and registered once, for both directions: no epoll_ctl per request.
 * Connections are dealt out in turn, so that 32 of them on 2 threads are 16 and 16. */
#include "driver/target/server.h"

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "driver/target/connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define EVENTS       256
#define BACKLOG      4096
#define ACCEPT_BATCH 16
#define IDLE_SCAN_NS (1 * SEC)

struct arrival {
    int fd;
    bool loopback;
};

struct loop {
    struct server *server;
    struct target_thread *thread;
    pthread_t id;
    int epoll_fd, wake_fd;
    int spare_fd; /* given up to accept, and close, a client when descriptors run out */
    struct connection *connections;
    struct connection *ready;
    struct wakeups wakeups;
    int64_t next_scan_ns;
    pthread_mutex_t lock; /* of the inbox */
    VEC(struct arrival) inbox;
};

struct server {
    struct target *target;
    struct ssl_ctx_st *tls;
    int listen_fd;
    atomic_bool stop;
    atomic_size_t next_loop;
    atomic_llong open_connections;
    size_t loop_count;
    struct loop *loops;
    char *url;
};

/* ---- connections of a loop ---- */

static void drop_connection(struct loop *loop, struct connection *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        loop->connections = c->next;
    if (c->next)
        c->next->prev = c->prev;
    atomic_fetch_sub(&loop->server->open_connections, 1);
    connection_free(c);
}

/* One that is queued has its turn in run_ready(), and may be freed there: not here. */
static void run_connection(struct loop *loop, struct connection *c)
{
    if (c->queued)
        return;
    switch (connection_run(c)) {
    case CONNECTION_WAIT:
        break;
    case CONNECTION_READY:
        c->queued = true;
        c->next_ready = loop->ready;
        loop->ready = c;
        break;
    case CONNECTION_CLOSE:
        drop_connection(loop, c);
        break;
    }
}

static void run_ready(struct loop *loop)
{
    struct connection *c = loop->ready;
    loop->ready = NULL;
    while (c) {
        struct connection *next = c->next_ready;
        c->queued = false;
        run_connection(loop, c);
        c = next;
    }
}

static void add_connection(struct loop *loop, const struct arrival *arrival)
{
    struct server *server = loop->server;
    struct channel channel;
    int on = 1;
    setsockopt(arrival->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (!channel_open(&channel, arrival->fd, server->tls)) {
        atomic_fetch_sub(&server->open_connections, 1);
        return;
    }
    struct connection *c =
        connection_new(loop->thread, &loop->wakeups, &channel, arrival->loopback);
    c->next = loop->connections;
    if (c->next)
        c->next->prev = c;
    loop->connections = c;
    struct epoll_event event = {
        .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
        .data.ptr = c,
    };
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, arrival->fd, &event) < 0) {
        log_error("cannot watch a connection: %s", strerror(errno));
        drop_connection(loop, c);
    }
}

static void empty_inbox(struct loop *loop)
{
    uint64_t count;
    if (read(loop->wake_fd, &count, sizeof(count)) < 0 && errno != EAGAIN)
        log_error("cannot read a wake-up: %s", strerror(errno));
    for (;;) {
        struct arrival arrival;
        pthread_mutex_lock(&loop->lock);
        bool any = loop->inbox.len > 0;
        if (any)
            arrival = loop->inbox.items[--loop->inbox.len];
        pthread_mutex_unlock(&loop->lock);
        if (!any)
            return;
        add_connection(loop, &arrival);
    }
}

static void wake(struct loop *loop)
{
    uint64_t one = 1;
    if (write(loop->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
        log_error("cannot wake a thread: %s", strerror(errno));
}

/* ---- accepting ---- */

static bool is_loopback(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->ss_family != AF_INET6)
        return false;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
}

static void deal_out(struct loop *self, const struct arrival *arrival)
{
    struct server *server = self->server;
    size_t turn = atomic_fetch_add_explicit(&server->next_loop, 1, memory_order_relaxed);
    struct loop *loop = &server->loops[turn % server->loop_count];
    if (atomic_fetch_add(&server->open_connections, 1) >=
        server->target->options->max_connections) {
        atomic_fetch_sub(&server->open_connections, 1);
        close(arrival->fd);
        return;
    }
    if (loop == self) {
        add_connection(loop, arrival);
        return;
    }
    pthread_mutex_lock(&loop->lock);
    vec_push(&loop->inbox, *arrival);
    pthread_mutex_unlock(&loop->lock);
    wake(loop);
}

/* No descriptor left: use the spare one to turn the next client away, or it would wait for ever
 * and the listener would never stop being ready. */
static void turn_away(struct loop *loop)
{
    close(loop->spare_fd);
    int fd = accept4(loop->server->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    loop->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void accept_some(struct loop *loop)
{
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        struct sockaddr_storage address;
        socklen_t len = sizeof(address);
        int fd = accept4(loop->server->listen_fd, (struct sockaddr *)&address, &len,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (errno == EMFILE || errno == ENFILE)
                turn_away(loop);
            return;
        }
        struct arrival arrival = {fd, is_loopback(&address)};
        deal_out(loop, &arrival);
    }
}

/* ---- the loop ---- */

static void run_wakeups(struct loop *loop)
{
    for (;;) {
        struct wakeup *first = wakeups_first(&loop->wakeups);
        if (!first || first->at_ns > loop->thread->now_ns)
            return;
        int64_t at_ns = first->at_ns;
        wakeups_cancel(&loop->wakeups, first);
        first->at_ns = at_ns;
        run_connection(loop, container_of(first, struct connection, wakeup));
    }
}

static void scan_idle(struct loop *loop)
{
    int64_t timeout_ns = loop->server->target->options->idle_timeout_ns;
    if (loop->thread->now_ns < loop->next_scan_ns)
        return;
    loop->next_scan_ns = loop->thread->now_ns + MIN(IDLE_SCAN_NS, MAX(MS, timeout_ns / 4));
    for (struct connection *c = loop->connections, *next; c; c = next) {
        next = c->next;
        if (!c->queued && connection_check_idle(c, timeout_ns) == CONNECTION_CLOSE)
            drop_connection(loop, c);
    }
}

/* A stall: nothing at all is done until it is over, or the server stops. */
static void sit_out_stall(struct loop *loop)
{
    struct target_thread *thread = loop->thread;
    for (;;) {
        int64_t left_ns =
            fault_stall_left(&thread->faults, thread->faults.since_ns, thread->now_ns);
        if (!left_ns || atomic_load(&loop->server->stop))
            return;
        clock_sleep_ns(MIN(left_ns, 20 * MS));
        target_thread_tick(thread);
    }
}

static struct timespec wait_time(const struct loop *loop)
{
    const struct wakeup *first = wakeups_first(&loop->wakeups);
    int64_t until_ns = loop->next_scan_ns;
    if (first && first->at_ns < until_ns)
        until_ns = first->at_ns;
    int64_t wait_ns = loop->ready ? 0 : MAX(0, until_ns - loop->thread->now_ns);
    return (struct timespec){wait_ns / SEC, wait_ns % SEC};
}

static void handle_event(struct loop *loop, const struct epoll_event *event)
{
    if (event->data.ptr == loop) {
        empty_inbox(loop);
    } else if (event->data.ptr == loop->server) {
        accept_some(loop);
    } else {
        struct connection *c = event->data.ptr;
        /* TLS may need to write before it can read, and the other way round. */
        if (c->channel.ssl || event->events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            c->readable = true;
        if (event->events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR))
            c->hang_up = true;
        run_connection(loop, c);
    }
}

static void *loop_main(void *arg)
{
    struct loop *loop = arg;
    struct epoll_event events[EVENTS];
    while (!atomic_load_explicit(&loop->server->stop, memory_order_relaxed)) {
        struct timespec wait = wait_time(loop);
        int count = epoll_pwait2(loop->epoll_fd, events, EVENTS, &wait, NULL);
        target_thread_tick(loop->thread);
        if (loop->thread->faults.stall_ns)
            sit_out_stall(loop);
        for (int i = 0; i < count; i++)
            handle_event(loop, &events[i]);
        run_ready(loop);
        run_wakeups(loop);
        scan_idle(loop);
        if (loop->thread->log.len)
            target_thread_flush_log(loop->thread);
    }
    return NULL;
}

/* ---- start and stop ---- */

static int watch(struct loop *loop, int fd, uint32_t events, void *tag, struct err *err)
{
    struct epoll_event event = {.events = events, .data.ptr = tag};
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
        return err_errno(err, "cannot watch a descriptor");
    return 0;
}

static int loop_open(struct loop *loop, struct server *server, size_t index, struct err *err)
{
    loop->server = server;
    loop->thread = &server->target->threads[index];
    pthread_mutex_init(&loop->lock, NULL);
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    loop->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (loop->epoll_fd < 0 || loop->wake_fd < 0)
        return err_errno(err, "cannot make an event loop");
    int rc = watch(loop, loop->wake_fd, EPOLLIN, loop, err);
    if (rc == 0)
        rc = watch(loop, server->listen_fd, EPOLLIN | EPOLLEXCLUSIVE, server, err);
    return rc;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void loop_close(struct loop *loop)
{
    if (!loop->server)
        return;
    while (loop->connections)
        drop_connection(loop, loop->connections);
    VEC_EACH (arrival, &loop->inbox)
        close(arrival->fd);
    vec_release(&loop->inbox);
    wakeups_release(&loop->wakeups);
    close_if_open(loop->epoll_fd);
    close_if_open(loop->wake_fd);
    close_if_open(loop->spare_fd);
    pthread_mutex_destroy(&loop->lock);
}

static int listen_on(const struct options *options, int *ret_fd, struct err *err)
{
    char port[16];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST};
    struct addrinfo *info = NULL;
    int on = 1;
    snprintf(port, sizeof(port), "%d", (int)options->port);
    int rc = getaddrinfo(options->bind, port, &hints, &info);
    if (rc)
        return err_set(err, ERR_CONFIG, "--bind: '%s' is no address: %s", options->bind,
                       gai_strerror(rc));
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        freeaddrinfo(info);
        return err_errno(err, "cannot make a socket");
    }
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    rc = bind(fd, info->ai_addr, info->ai_addrlen);
    freeaddrinfo(info);
    if (rc < 0 || listen(fd, BACKLOG) < 0) {
        rc = err_errno(err, "cannot listen on %s port %s", options->bind, port);
        close(fd);
        return rc;
    }
    *ret_fd = fd;
    return 0;
}

static char *url_of(int fd, bool tls)
{
    struct sockaddr_storage address;
    socklen_t len = sizeof(address);
    char host[64] = "?";
    char port[16] = "?";
    getsockname(fd, (struct sockaddr *)&address, &len);
    getnameinfo((struct sockaddr *)&address, len, host, sizeof(host), port, sizeof(port),
                NI_NUMERICHOST | NI_NUMERICSERV);
    bool v6 = address.ss_family == AF_INET6;
    return xasprintf("%s://%s%s%s:%s", tls ? "https" : "http", v6 ? "[" : "", host, v6 ? "]" : "",
                     port);
}

static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int start_threads(struct server *server, struct err *err)
{
    for (; server->loop_count < server->target->thread_count; server->loop_count++) {
        int rc = loop_open(&server->loops[server->loop_count], server, server->loop_count, err);
        if (rc < 0) {
            loop_close(&server->loops[server->loop_count]);
            return rc;
        }
    }
    for (size_t i = 0; i < server->loop_count; i++) {
        struct loop *loop = &server->loops[i];
        errno = pthread_create(&loop->id, NULL, loop_main, loop);
        if (errno) {
            loop->id = 0;
            return err_errno(err, "cannot start a thread");
        }
    }
    return 0;
}

int server_start(struct target *target, struct server **ret_server, struct err *err)
{
    const struct options *options = target->options;
    struct server *server = xcalloc(1, sizeof(*server));
    int rc = 0;
    server->target = target;
    server->listen_fd = -1;
    server->loops = xcalloc(target->thread_count, sizeof(*server->loops));
    raise_descriptor_limit();
    if (options->tls_cert)
        rc = channel_tls_new(options->tls_cert, options->tls_key, &server->tls, err);
    if (rc == 0)
        rc = listen_on(options, &server->listen_fd, err);
    if (rc == 0) {
        server->url = url_of(server->listen_fd, server->tls != NULL);
        rc = start_threads(server, err);
    }
    if (rc < 0) {
        server_stop(server);
        return rc;
    }
    *ret_server = server;
    return 0;
}

const char *server_url(const struct server *server)
{
    return server->url;
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    atomic_store(&server->stop, true);
    for (size_t i = 0; i < server->loop_count; i++) {
        if (server->loops[i].id) {
            wake(&server->loops[i]);
            pthread_join(server->loops[i].id, NULL);
        }
    }
    for (size_t i = 0; i < server->loop_count; i++)
        loop_close(&server->loops[i]);
    close_if_open(server->listen_fd);
    channel_tls_free(server->tls);
    free(server->loops);
    free(server->url);
    free(server);
}
