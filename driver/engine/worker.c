/* worker.c -- see worker.h. One small function per state, in a table by state; each says whether
 * the worker goes on at once or waits for its next wake. */
#include "driver/engine/worker.h"

#include "common/base/clock.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "driver/engine/shard.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#define COPY_MAX_BYTES   (32 << 10) /* smaller bodies go out with their head in one call */
#define DROP_MIN_BYTES   (16 << 10) /* larger rests of an answer are dropped in the kernel */
#define DROP_MAX_BYTES   (16 << 20)
#define SEND_MAX_BYTES   (1 << 20) /* of one sendfile call */
#define ERROR_KEEP_BYTES (8 << 10) /* of an error's body */
#define TURN_MAX_STEPS   64        /* calls a worker may make before others get their turn */
#define PAUSE_MIN_NS     (10 * MS) /* after a refused connection; doubles up to ... */
#define PAUSE_SHIFT_MAX  6         /* ... 640 ms */

enum step { STEP_NEXT, STEP_WAIT };

static enum step begin_next(struct worker *w, int64_t now_ns);
static enum step build_exchange(struct worker *w, int64_t now_ns);

void worker_open(struct worker *w, struct shard *shard, int64_t index)
{
    const struct engine *engine = shard->engine;
    w->shard = shard;
    w->index = index;
    w->state = WORKER_IDLE;
    w->kept = (struct strbuf)STRBUF_INIT(HTTP_BODY_KEEP_BYTES);
    conn_init(&w->conn, engine->tls.context ? &engine->tls : NULL);
    rng_seed(&w->rng, engine->mission->seed ^ (uint64_t)engine->mission->work_index << 32,
             (uint64_t)index);
    for (size_t i = 0; i < engine->op_count; i++)
        op_state_init(&w->op_states[i], &engine->ops[i], index, engine->mission->workers_total);
}

void worker_close(struct worker *w)
{
    conn_close(&w->conn);
    response_release(&w->response);
    strbuf_release(&w->kept);
    if (w->session && w->shard->engine->adaptor->session_release)
        w->shard->engine->adaptor->session_release(w->session);
}

static const struct op *current_op(const struct worker *w)
{
    return &w->shard->engine->ops[w->op];
}

static struct site site_of(struct worker *w)
{
    return (struct site){
        .client = w->shard->engine->client,
        .lane = w->shard->lane,
        .session = w->session,
        .rng = &w->rng,
        .wall_s = w->shard->wall_s,
    };
}

static enum step end_worker(struct worker *w)
{
    if (w->state == WORKER_ENDED)
        return STEP_WAIT;
    w->state = WORKER_ENDED;
    conn_close(&w->conn);
    w->shard->running--;
    atomic_fetch_sub_explicit(&w->shard->engine->running, 1, memory_order_relaxed);
    return STEP_WAIT;
}

/* ---- recording */

static struct completion completion_of(const struct worker *w, int64_t now_ns)
{
    int64_t start_ns = w->start_ns ? w->start_ns : now_ns;
    return (struct completion){
        .op = w->op,
        .start_ns = start_ns,
        .first_byte_ns = w->first_byte_ns ? w->first_byte_ns : now_ns,
        .end_ns = now_ns,
    };
}

static void count_down(struct worker *w, const struct completion *completion)
{
    if (w->ops_left != INT64_MAX)
        w->ops_left--;
    if (w->bytes_left != INT64_MAX)
        w->bytes_left -= completion->bytes;
    uint64_t bit = UINT64_C(1) << (w->op & 63);
    if (!(w->contributed & bit)) {
        w->contributed |= bit;
        w->shard->recorder.report.tallies[w->op].workers++;
    }
}

static enum step record_good(struct worker *w, int64_t bytes, int64_t now_ns)
{
    struct completion completion = completion_of(w, now_ns);
    completion.bytes = bytes;
    if (w->task.action == ACTION_WRITE)
        completion.transfer_ns = w->sent_ns - completion.start_ns;
    else if (w->head_ns)
        completion.transfer_ns = now_ns - w->head_ns;
    if (recorder_good(&w->shard->recorder, &completion))
        count_down(w, &completion);
    w->pause_shift = 0;
    return begin_next(w, now_ns);
}

/* "GET /c1/o1: 503 SlowDown: Please reduce ..." */
static void write_example(const struct worker *w, const struct failure *failure, char *out,
                          size_t out_len)
{
    const char *head = w->exchange.head_len ? w->exchange.head : "";
    const char *version = memmem(head, w->exchange.head_len, " HTTP/", 6);
    int line_len = version ? (int)MIN(version - head, 120) : 0;
    int len = snprintf(out, out_len, "%.*s%s%s%s%s", line_len, head, line_len ? ": " : "",
                       failure->message, *failure->detail ? ": " : "", failure->detail);
    if (len < 0) /* more than out holds is cut, which is meant */
        out[0] = '\0';
}

/* A failed container action ends the worker, and with it the mission (spec: execution.md, Errors in
 * a worker). */
static bool is_fatal(const struct worker *w)
{
    return w->task.action == ACTION_CREATE || w->task.action == ACTION_REMOVE;
}

static void record_failure(struct worker *w, const struct failure *failure, int64_t now_ns)
{
    char example[ERROR_EXAMPLE_BYTES];
    struct completion completion = completion_of(w, now_ns);
    write_example(w, failure, example, sizeof(example));
    if (recorder_failed(&w->shard->recorder, &completion, failure->cause, failure->message,
                        example))
        count_down(w, &completion);
    if (is_fatal(w))
        w->shard->engine->on_fatal(w->shard->engine, example);
}

static enum step fail_operation(struct worker *w, const struct failure *failure, int64_t now_ns)
{
    record_failure(w, failure, now_ns);
    return is_fatal(w) ? end_worker(w) : begin_next(w, now_ns);
}

static enum step fail_simply(struct worker *w, const char *cause, const char *detail,
                             int64_t now_ns)
{
    struct failure failure = {.is_auth = false};
    snprintf(failure.cause, sizeof(failure.cause), "%s", cause);
    snprintf(failure.message, sizeof(failure.message), "%s", cause);
    snprintf(failure.detail, sizeof(failure.detail), "%s", detail);
    return fail_operation(w, &failure, now_ns);
}

/* ---- beginning */

static bool may_begin(const struct worker *w, int64_t now_ns)
{
    const struct engine *engine = w->shard->engine;
    return now_ns < engine->stop_ns && w->ops_left > 0 && w->bytes_left > 0 &&
           !atomic_load_explicit(&engine->stop, memory_order_relaxed);
}

/* Draws an operation that the worker has a part of. */
static bool choose_operation(struct worker *w)
{
    const struct engine *engine = w->shard->engine;
    w->op = mix_draw(&engine->mix, &w->rng);
    for (size_t i = 0; i < engine->op_count; i++) {
        if (!op_state_is_empty(&w->op_states[w->op], current_op(w)))
            return true;
        w->op = (w->op + 1) % engine->op_count;
    }
    return false;
}

static void choose_body(struct worker *w)
{
    const struct engine *engine = w->shard->engine;
    const struct op_conf *conf = &current_op(w)->conf;
    body_choose(&w->body, conf->content == CONTENT_ZERO ? engine->zero_pool : engine->random_pool,
                w->task.size_bytes, conf->hash_check, &w->rng);
    if (engine->transport && engine->transport->wants_payload_hash) {
        body_sha256(&w->body, w->payload_hash);
        w->task.payload_hash = w->payload_hash;
    }
}

static enum step begin_next(struct worker *w, int64_t now_ns)
{
    if (!may_begin(w, now_ns) || !choose_operation(w) ||
        !op_next(current_op(w), &w->op_states[w->op], &w->rng, &w->names, &w->task))
        return end_worker(w);
    if (w->task.action == ACTION_WRITE)
        choose_body(w);
    w->step = 0;
    w->start_ns = w->sent_ns = w->first_byte_ns = 0;
    w->body_received = 0;
    w->retried = false;
    return build_exchange(w, now_ns);
}

static void rewind_exchange(struct worker *w)
{
    response_begin(&w->response, w->exchange.is_head);
    w->sent_bytes = w->received_bytes = 0;
    w->head_ns = 0;
    w->send_waited = w->keeps_body = w->checks_body = false;
    strbuf_reset(&w->kept);
}

static enum step end_by_our_fault(struct worker *w, int64_t now_ns)
{
    struct failure failure = {.cause = "internal", .message = "internal"};
    snprintf(failure.detail, sizeof(failure.detail), "the request head does not fit its buffer");
    w->exchange.head_len = 0;
    record_failure(w, &failure, now_ns);
    w->shard->engine->on_fatal(w->shard->engine, failure.detail);
    return end_worker(w);
}

static enum step build_exchange(struct worker *w, int64_t now_ns)
{
    const struct transport *transport = w->shard->engine->transport;
    struct site site = site_of(w);
    w->exchange.head_len = 0;
    w->exchange.is_head = w->exchange.keep_answer = false;
    w->exchange.body = EXCHANGE_NO_BODY;
    w->exchange.delay_ns = 0;
    rewind_exchange(w);
    w->deadline_ns = transport ? now_ns + transport->timeout_ns : INT64_MAX;
    if (!w->shard->engine->adaptor->build(&site, &w->task, w->step, &w->exchange))
        return end_by_our_fault(w, now_ns);
    if (w->exchange.kind == EXCHANGE_TIMER) {
        w->state = WORKER_TIMER;
        w->start_ns = w->sent_ns = clock_mono_ns();
        if (w->exchange.delay_ns == 0)
            return STEP_NEXT;
        timers_add(&w->shard->timers, w->start_ns + w->exchange.delay_ns, w);
        return STEP_WAIT;
    }
    w->state = w->conn.state == CONN_OPEN ? WORKER_SEND : WORKER_CONNECT;
    return STEP_NEXT;
}

/* ---- connecting */

static enum step connect_trouble(struct worker *w, int64_t now_ns)
{
    static const char *const causes[] = {
        [TROUBLE_NONE] = "connect_failed",
        [TROUBLE_REFUSED] = "connect_refused",
        [TROUBLE_CONNECT] = "connect_failed",
        [TROUBLE_CONNECT_TIMEOUT] = "connect_timeout",
        [TROUBLE_TLS] = "tls",
        [TROUBLE_RESET] = "reset",
        [TROUBLE_CLOSED] = "closed",
    };
    struct failure failure = {.is_auth = false};
    const char *cause = causes[w->conn.trouble];
    snprintf(failure.cause, sizeof(failure.cause), "%s", cause);
    snprintf(failure.message, sizeof(failure.message), "%s", cause);
    if (w->conn.trouble == TROUBLE_TLS && w->conn.ssl)
        tls_describe(w->conn.ssl, failure.detail, sizeof(failure.detail));
    else if (w->conn.error_number)
        snprintf(failure.detail, sizeof(failure.detail), "%s",
                 strerrordesc_np(w->conn.error_number));
    conn_close(&w->conn);
    record_failure(w, &failure, now_ns);
    if (is_fatal(w) || !may_begin(w, now_ns))
        return end_worker(w);
    /* Nobody there: a short pause, so that the failures that are counted do not drown the machine.
     */
    timers_add(&w->shard->timers, now_ns + (PAUSE_MIN_NS << w->pause_shift), w);
    w->pause_shift = MIN(w->pause_shift + 1, PAUSE_SHIFT_MAX);
    w->state = WORKER_PAUSE;
    return STEP_WAIT;
}

static enum step step_connect(struct worker *w, int64_t now_ns)
{
    struct engine *engine = w->shard->engine;
    struct report *report = &w->shard->recorder.report;
    enum io io = IO_DONE;
    if (w->conn.state == CONN_CLOSED) {
        size_t at = (size_t)w->index % engine->addresses.list.len;
        io = conn_start(&w->conn, &engine->addresses.list.items[at], w->shard->epoll_fd, w,
                        clock_mono_ns());
    }
    if (io == IO_DONE)
        io = conn_continue(&w->conn, w->shard->tls_session);
    if (io == IO_AGAIN)
        return STEP_WAIT;
    if (io == IO_FAILED)
        return connect_trouble(w, now_ns);
    report->connections++;
    report->tls_handshakes += w->conn.ssl != NULL;
    report->connect_sum_ns += clock_mono_ns() - w->conn.opened_ns;
    w->state = WORKER_SEND;
    return STEP_NEXT;
}

/* ---- sending */

static int64_t body_len(const struct worker *w)
{
    return w->exchange.body == EXCHANGE_OBJECT ? w->body.len : 0;
}

/* Head and, when small, the body with it. */
static enum io send_head(struct worker *w, size_t *ret_len)
{
    struct iovec pieces[4];
    int count = 0;
    int64_t left = body_len(w);
    pieces[count++] = (struct iovec){w->exchange.head + w->sent_bytes,
                                     w->exchange.head_len - (size_t)w->sent_bytes};
    if (left > 0 && left <= COPY_MAX_BYTES) {
        for (int64_t at = 0; at < w->body.len && count < 4; count++) {
            const char *data;
            int64_t offset;
            size_t len = body_stretch(&w->body, at, &data, &offset);
            pieces[count] = (struct iovec){(char *)data, len};
            at += (int64_t)len;
        }
        left = 0;
    }
    return conn_send(&w->conn, pieces, count, left > 0, ret_len);
}

static enum io send_body(struct worker *w, size_t *ret_len)
{
    const char *data;
    int64_t offset;
    size_t len =
        body_stretch(&w->body, w->sent_bytes - (int64_t)w->exchange.head_len, &data, &offset);
    if (offset < 0) {
        struct iovec piece = {(char *)data, len};
        return conn_send(&w->conn, &piece, 1, false, ret_len);
    }
    return conn_send_file(&w->conn, w->body.pool->fd, w->body.pool->map, offset,
                          MIN(len, (size_t)SEND_MAX_BYTES), ret_len);
}

static enum step retry_or_fail(struct worker *w, const char *cause, const char *detail,
                               int64_t now_ns)
{
    bool stale = w->conn.used && w->received_bytes == 0 && !w->retried;
    conn_close(&w->conn);
    if (!stale)
        return fail_simply(w, cause, detail, now_ns);
    /* The store closed an idle connection: not a failure of the operation, tried once more on a
     * fresh one. */
    w->retried = true;
    w->shard->recorder.report.retries++;
    rewind_exchange(w);
    w->state = WORKER_CONNECT;
    return STEP_NEXT;
}

static enum step step_send(struct worker *w, int64_t now_ns)
{
    int64_t head_len = (int64_t)w->exchange.head_len;
    int64_t total = head_len + body_len(w);
    if (w->start_ns == 0)
        w->start_ns = clock_mono_ns();
    while (w->sent_bytes < total) {
        size_t len = 0;
        enum io io = w->sent_bytes < head_len ? send_head(w, &len) : send_body(w, &len);
        if (io == IO_AGAIN) {
            w->send_waited = true;
            if (!w->readable)
                return STEP_WAIT;
            break; /* an early answer: read it before going on */
        }
        if (io == IO_FAILED && w->conn.trouble != TROUBLE_TLS)
            break; /* the reason may lie in what the store answered before it closed */
        if (io == IO_FAILED)
            return retry_or_fail(w, "tls", "the TLS connection failed while sending", now_ns);
        w->sent_bytes += (int64_t)len;
    }
    bool complete = w->sent_bytes == total;
    if (complete)
        w->sent_ns = body_len(w) ? clock_mono_ns() : w->start_ns;
    w->state = WORKER_RECEIVE;
    return complete && !w->send_waited ? STEP_WAIT : STEP_NEXT;
}

/* ---- receiving */

static void look_at_head(struct worker *w)
{
    int status = w->response.status;
    w->keeps_body = w->exchange.keep_answer || status >= 300;
    w->kept.max = status >= 300 ? ERROR_KEEP_BYTES : HTTP_BODY_KEEP_BYTES;
    w->checks_body =
        w->task.action == ACTION_READ && status < 300 && current_op(w)->conf.hash_check;
    if (w->checks_body)
        body_check_begin(&w->check);
}

static enum step judge(struct worker *w, int64_t now_ns)
{
    struct site site = site_of(w);
    struct failure failure = {.is_auth = false};
    int64_t bytes = 0;
    struct answer answer = {
        .status = w->response.status,
        .body = {w->kept.buf, w->kept.len},
        .body_bytes = w->response.body_bytes,
    };
    bool http = w->exchange.kind == EXCHANGE_HTTP;
    switch (w->shard->engine->adaptor->judge(&site, &w->task, w->step, http ? &answer : NULL,
                                             &bytes, &failure)) {
    case VERDICT_GOOD:
        if (w->checks_body && body_check_end(&w->check) == BODY_DAMAGED)
            return fail_simply(w, "integrity", "the content does not match its checksum", now_ns);
        return record_good(w, bytes, now_ns);
    case VERDICT_NEXT:
        w->step++;
        return build_exchange(w, now_ns);
    case VERDICT_FAILED:
        break;
    }
    return fail_operation(w, &failure, now_ns);
}

static enum step answer_complete(struct worker *w, bool leftover, int64_t now_ns)
{
    bool sent_all = w->sent_bytes == (int64_t)w->exchange.head_len + body_len(w);
    if (w->conn.ssl && !w->conn.used) {
        SSL_SESSION_free(w->shard->tls_session);
        w->shard->tls_session = SSL_get1_session(w->conn.ssl);
    }
    w->conn.used = true;
    if (!sent_all || leftover || !w->response.keep_alive)
        conn_close(&w->conn);
    if (w->sent_ns == 0)
        w->sent_ns = now_ns;
    return judge(w, now_ns);
}

static enum step bad_answer(struct worker *w, int64_t now_ns)
{
    const char *problem = w->response.problem;
    conn_close(&w->conn);
    return fail_simply(w, "bad_response", problem, now_ns);
}

/* Gives what arrived to the parser. STEP_NEXT: the answer is not complete yet. */
static enum step take_input(struct worker *w, struct span input, bool *ret_complete, int64_t now_ns)
{
    struct span piece;
    for (;;) {
        switch (response_feed(&w->response, &input, &piece)) {
        case RESPONSE_EVENT_HEAD:
            look_at_head(w);
            break;
        case RESPONSE_EVENT_BODY:
            if (w->keeps_body)
                strbuf_add(&w->kept, piece.data, MIN(piece.len, w->kept.max - w->kept.len));
            if (w->checks_body)
                body_check_add(&w->check, piece.data, piece.len);
            break;
        case RESPONSE_EVENT_MORE:
            return STEP_NEXT;
        case RESPONSE_EVENT_DONE:
            *ret_complete = true;
            return answer_complete(w, input.len > 0, now_ns);
        case RESPONSE_EVENT_BAD:
            *ret_complete = true;
            return bad_answer(w, now_ns);
        }
    }
}

static enum step connection_ended(struct worker *w, enum io io, int64_t now_ns)
{
    if (io == IO_CLOSED && w->response.status &&
        response_close(&w->response) == RESPONSE_EVENT_DONE)
        return answer_complete(w, false, now_ns);
    if (io == IO_FAILED && w->conn.trouble == TROUBLE_TLS)
        return retry_or_fail(w, "tls", "the TLS connection failed while receiving", now_ns);
    if (w->response.status || w->received_bytes)
        return retry_or_fail(w, io == IO_FAILED ? "reset" : "truncated",
                             "the connection ended in the middle of the answer", now_ns);
    return retry_or_fail(w, io == IO_FAILED ? "reset" : "closed",
                         "the connection ended before an answer", now_ns);
}

static bool drops_body(const struct worker *w)
{
    return !w->keeps_body && !w->checks_body && conn_can_discard(&w->conn) &&
           response_skippable(&w->response) > DROP_MIN_BYTES;
}

static enum step step_receive(struct worker *w, int64_t now_ns)
{
    for (int i = 0; i < TURN_MAX_STEPS; i++) {
        bool drop = drops_body(w);
        size_t want = drop ? (size_t)MIN(response_skippable(&w->response), (int64_t)DROP_MAX_BYTES)
                           : SHARD_BUFFER_BYTES;
        size_t len = 0;
        enum io io = drop ? conn_discard(&w->conn, want, &len)
                          : conn_receive(&w->conn, w->shard->buffer, want, &len);
        if (io == IO_AGAIN) {
            bool sending = w->sent_bytes < (int64_t)w->exchange.head_len + body_len(w);
            w->readable = false;
            if (sending)
                w->state = WORKER_SEND;
            return STEP_WAIT;
        }
        now_ns = clock_mono_ns();
        if (io != IO_DONE)
            return connection_ended(w, io, now_ns);
        if (w->head_ns == 0)
            w->head_ns = now_ns;
        if (w->first_byte_ns == 0)
            w->first_byte_ns = now_ns;
        w->received_bytes += (int64_t)len;

        if (drop) {
            if (response_skip(&w->response, (int64_t)len) == RESPONSE_EVENT_DONE)
                return answer_complete(w, false, now_ns);
        } else {
            bool complete = false;
            enum step step = take_input(w, (struct span){w->shard->buffer, len}, &complete, now_ns);
            if (complete)
                return step;
        }
        /* A short read drained a plain socket: the next edge tells of more. */
        if (len < want && !w->conn.ssl && !w->hung_up &&
            w->sent_bytes >= (int64_t)w->exchange.head_len + body_len(w))
            return STEP_WAIT;
    }
    shard_make_ready(w->shard, w);
    return STEP_WAIT;
}

/* ---- waiting for time */

static enum step step_timer(struct worker *w, int64_t now_ns)
{
    now_ns = clock_mono_ns();
    return judge(w, now_ns);
}

static enum step step_pause(struct worker *w, int64_t now_ns)
{
    return begin_next(w, now_ns);
}

static enum step step_nothing(struct worker *w, int64_t now_ns)
{
    (void)w;
    (void)now_ns;
    return STEP_WAIT;
}

static enum step (*const steps[WORKER_STATES])(struct worker *w, int64_t now_ns) = {
    [WORKER_IDLE] = step_nothing,    [WORKER_CONNECT] = step_connect, [WORKER_SEND] = step_send,
    [WORKER_RECEIVE] = step_receive, [WORKER_TIMER] = step_timer,     [WORKER_PAUSE] = step_pause,
    [WORKER_ENDED] = step_nothing,
};

static void run(struct worker *w, int64_t now_ns)
{
    for (int i = 0; i < TURN_MAX_STEPS; i++)
        if (steps[w->state](w, now_ns) == STEP_WAIT)
            return;
    shard_make_ready(w->shard, w);
}

void worker_start(struct worker *w, int64_t now_ns)
{
    if (!choose_operation(w))
        w->shard->recorder.report.workers_idle++;
    if (begin_next(w, now_ns) == STEP_NEXT)
        run(w, now_ns);
}

void worker_wake(struct worker *w, uint32_t events, int64_t now_ns)
{
    if (w->is_ready) {
        w->pending_events |= events; /* its turn comes by itself */
        return;
    }
    w->readable = events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    w->hung_up = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    if (events && (w->state == WORKER_TIMER || w->state == WORKER_PAUSE))
        return; /* an idle connection's event: looked at when it is used again */
    run(w, now_ns);
}

void worker_check_deadline(struct worker *w, int64_t now_ns)
{
    if (now_ns < w->deadline_ns)
        return;
    enum step step = STEP_WAIT;
    if (w->state == WORKER_CONNECT) {
        conn_close(&w->conn);
        step = fail_simply(w, "connect_timeout", "not connected within the timeout", now_ns);
    } else if (w->state == WORKER_SEND || w->state == WORKER_RECEIVE) {
        conn_close(&w->conn);
        step = fail_simply(w, "timeout", "not answered within the timeout", now_ns);
    }
    if (step == STEP_NEXT)
        run(w, now_ns);
}

void worker_abort(struct worker *w, int64_t now_ns)
{
    struct recorder *recorder = &w->shard->recorder;
    if (w->start_ns && w->start_ns >= recorder->begin_ns && w->start_ns < recorder->finish_ns &&
        w->state != WORKER_PAUSE && w->state != WORKER_ENDED && w->start_ns <= now_ns)
        recorder->report.in_flight_ops++;
    end_worker(w);
}
