/* worker.h -- one virtual client: a state machine, one operation at a time, on one connection.
 *
 *   IDLE --start--> CONNECT --> SEND --> RECEIVE --judged--> (next operation) CONNECT or SEND ...
 *                     TIMER for storages without a network; PAUSE after a refused connection
 *   any --limits reached, walk over, fatal error, stop--> ENDED
 *
 * Invariant: an operation that was begun is recorded exactly once, good or failed. */
#ifndef LOADSTONE_DRIVER_ENGINE_WORKER_H
#define LOADSTONE_DRIVER_ENGINE_WORKER_H

#include "common/base/strbuf.h"
#include "driver/adaptors/adaptor.h"
#include "driver/http1/conn.h"
#include "driver/ops/op.h"

struct shard;

enum worker_state {
    WORKER_IDLE,
    WORKER_CONNECT,
    WORKER_SEND,
    WORKER_RECEIVE,
    WORKER_TIMER,
    WORKER_PAUSE,
    WORKER_ENDED,
    WORKER_STATES
};

struct worker {
    struct shard *shard;
    enum worker_state state;
    struct conn conn;
    struct response response;
    struct rng rng;
    struct op_state *op_states; /* one per operation */
    void *session;              /* of the adaptor */
    uint64_t contributed;       /* bit per operation: it has a counted completion */
    int64_t index;              /* 1-based in the whole work */
    int64_t ops_left;           /* of its share of totalOps; INT64_MAX: no such limit */
    int64_t bytes_left;

    /* the operation under way */
    size_t op;
    struct task task;
    struct exchange exchange;
    struct body body;
    int step;              /* exchange number within the operation */
    int64_t start_ns;      /* 0: nothing sent yet */
    int64_t sent_ns;       /* body fully handed over */
    int64_t head_ns;       /* first byte of the current answer */
    int64_t first_byte_ns; /* first byte of the first answer */
    int64_t deadline_ns;
    int64_t body_received;  /* over all its exchanges */
    int64_t sent_bytes;     /* of head and body of this exchange */
    int64_t received_bytes; /* of this exchange's answer, head included */
    bool retried;           /* the one silent retry is used up */
    bool readable, hung_up; /* what the last wake said of the socket */
    bool is_ready;          /* waits in the shard's ready list ... */
    uint32_t pending_events; /* ... and this came meanwhile */
    bool send_waited;       /* sending took more than one wake */
    bool keeps_body;        /* the answer's body is kept for the judge */
    bool checks_body;       /* the answer's body is hashed */
    struct body_check check;
    struct strbuf kept; /* body kept for the judge */
    int pause_shift;    /* length of the next pause after a refused connection */
    struct op_names names;
    char payload_hash[65];
};

/* Takes memory for its lifetime; index is 1-based in the work. */
void worker_open(struct worker *worker, struct shard *shard, int64_t index);
void worker_close(struct worker *worker);

/* Begins its first operation. */
void worker_start(struct worker *worker, int64_t now_ns);
/* Its timer, its turn (events 0) or its socket (epoll's events) woke it. */
void worker_wake(struct worker *worker, uint32_t events, int64_t now_ns);
/* Fails the operation under way when its deadline passed. */
void worker_check_deadline(struct worker *worker, int64_t now_ns);
/* Ends it now; an operation under way is given up unrecorded (it counts as in flight). */
void worker_abort(struct worker *worker, int64_t now_ns);

#endif
