/* connection.h -- one client's connection: bytes in, exchanges, bytes out, as a state machine.
 *
 *   HEAD --head--> BODY --last byte--> DELAY --due--> SEND --sent--> HEAD
 *                                                       `--close--> LINGER --end--> closed
 *
 * One request at a time; what a client sends ahead waits in the buffer. Owned by one loop. */
#ifndef LOADSTONE_DRIVER_TARGET_CONNECTION_H
#define LOADSTONE_DRIVER_TARGET_CONNECTION_H

#include "driver/target/channel.h"
#include "driver/target/exchange.h"
#include "driver/target/wakeups.h"

enum connection_state {
    CONNECTION_HEAD,
    CONNECTION_BODY,
    CONNECTION_DELAY,
    CONNECTION_SEND,
    CONNECTION_LINGER,
};

enum connection_result {
    CONNECTION_WAIT,  /* for an event, or the wake-up */
    CONNECTION_READY, /* there is more to do: call again after others had their turn */
    CONNECTION_CLOSE, /* over: connection_free() it */
};

struct connection {
    struct connection *next, *prev; /* the loop's list of all */
    struct connection *next_ready;  /* the loop's list of those that are READY */
    bool queued;                    /* in that list */
    enum connection_state state;
    struct channel channel;
    struct target_thread *thread;
    struct wakeups *wakeups;
    struct wakeup wakeup;
    int64_t active_ns;     /* when a byte last moved */
    int64_t head_since_ns; /* when the first byte of the head came; 0: none yet */
    bool readable;         /* the kernel may have bytes for us */
    bool hang_up;          /* the peer has ended its side, or is gone */
    bool reset;            /* close with a TCP reset */
    bool continue_sent;
    char *in; /* [start, end) is not used up */
    size_t in_cap, in_start, in_end;
    size_t scanned;              /* of the head, see http_request_head_length() */
    size_t head_len;             /* of the current request, still at in + in_start */
    int64_t out_done, out_total; /* bytes of head and body */
    int64_t out_end;             /* where a fault ends the answer; out_total otherwise */
    int64_t pace_until;          /* slow body: may be sent up to here now */
    struct exchange exchange;
};

/* Takes the open channel. */
struct connection *connection_new(struct target_thread *thread, struct wakeups *wakeups,
                                  const struct channel *channel, bool loopback);
void connection_free(struct connection *connection);

/* Does all that can be done now. */
enum connection_result connection_run(struct connection *connection);
/* Looks at its clocks: CLOSE when it was idle for too long. */
enum connection_result connection_check_idle(struct connection *connection, int64_t timeout_ns);

#endif
