/* connection.c -- see connection.h. */
#include "driver/target/connection.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

#define IN_BYTES      (16 << 10)             /* holds most requests whole */
#define IN_MAX_BYTES  (REQUEST_HEAD_MAX + 1) /* one more than a head may have */
#define PIECES_MAX    16
#define TURN_REQUESTS 32 /* before others have their turn */
#define TURN_BYTES    (INT64_C(2) << 20)
#define LINGER_NS     (2 * SEC)
#define PACE_NS       (50 * MS)

enum io { IO_DONE, IO_AGAIN, IO_OVER };

struct connection *connection_new(struct target_thread *thread, struct wakeups *wakeups,
                                  const struct channel *channel, bool loopback)
{
    struct connection *c = xcalloc(1, sizeof(*c));
    c->channel = *channel;
    c->thread = thread;
    c->wakeups = wakeups;
    c->active_ns = thread->now_ns;
    c->readable = true;
    c->in_cap = IN_BYTES;
    c->in = xmalloc(c->in_cap);
    exchange_init(&c->exchange, thread);
    c->exchange.loopback = loopback;
    stats_add(&thread->stats.accepted, 1);
    return c;
}

void connection_free(struct connection *c)
{
    if (!c)
        return;
    exchange_end(&c->exchange);
    wakeups_cancel(c->wakeups, &c->wakeup);
    channel_close(&c->channel, c->reset);
    stats_add(&c->thread->stats.closed, 1);
    exchange_release(&c->exchange);
    free(c->in);
    free(c);
}

/* ---- receiving ---- */

/* After a receive of up to `room` bytes that gave n. A short one has emptied the socket: the next
 * byte will be a new edge, so the call that would only say EAGAIN is saved. */
static enum io received(struct connection *c, ssize_t n, size_t room)
{
    if (n == CHANNEL_AGAIN) {
        c->readable = false;
        return IO_AGAIN;
    }
    if (n <= 0)
        return IO_OVER;
    if ((size_t)n < room && !c->channel.ssl && !c->hang_up)
        c->readable = false;
    c->active_ns = c->thread->now_ns;
    return IO_DONE;
}

/* More bytes of a head into the buffer, which has room for them. */
static enum io fill_buffer(struct connection *c)
{
    size_t used = c->in_end - c->in_start;
    if (!c->readable)
        return IO_AGAIN;
    if (c->in_start == c->in_end) {
        c->in_start = c->in_end = 0;
    } else if (c->in_end == c->in_cap) {
        if (c->in_start) {
            memmove(c->in, c->in + c->in_start, used);
        } else {
            c->in_cap = MIN(c->in_cap * 2, IN_MAX_BYTES);
            c->in = xrealloc(c->in, c->in_cap);
        }
        c->in_start = 0;
        c->in_end = used;
    }
    size_t room = c->in_cap - c->in_end;
    ssize_t n = channel_receive(&c->channel, c->in + c->in_end, room);
    enum io io = received(c, n, room);
    if (io == IO_DONE)
        c->in_end += (size_t)n;
    return io;
}

/* Body bytes that came with the head. */
static void take_buffered_body(struct connection *c)
{
    struct body *body = &c->exchange.body;
    size_t at = c->in_start + c->head_len;
    size_t len = (size_t)MIN((int64_t)(c->in_end - at), body->wire_left);
    if (!len)
        return;
    body_add(body, c->in + at, len);
    if (at + len == c->in_end) {
        c->in_end = at; /* the head stays: the answer may need it */
    } else {
        memmove(c->in + at, c->in + at + len, c->in_end - at - len);
        c->in_end -= len;
    }
}

static enum io receive_body_piece(struct connection *c)
{
    struct body *body = &c->exchange.body;
    size_t room = 0;
    ssize_t n;
    if (body_ignores(body)) {
        room = (size_t)MIN(body->wire_left, TURN_BYTES);
        n = channel_discard(&c->channel, room, c->thread->scratch, TARGET_SCRATCH_BYTES);
        enum io io = received(c, n, c->channel.ssl ? 0 : room);
        if (io == IO_DONE)
            body_skip(body, n);
        return io;
    }
    char *space = body_space(body, &room);
    if (!space) {
        space = c->thread->scratch;
        room = TARGET_SCRATCH_BYTES;
    }
    /* In steps that stay in the cache until they are hashed. */
    room = MIN(room, TARGET_SCRATCH_BYTES);
    room = (size_t)MIN((int64_t)room, body->wire_left);
    n = channel_receive(&c->channel, space, room);
    enum io io = received(c, n, room);
    if (io == IO_DONE)
        body_add(body, space, (size_t)n);
    return io;
}

/* ---- sending ---- */

static size_t pattern_pieces(const struct connection *c, int64_t offset, int64_t len,
                             struct iovec *pieces, size_t max)
{
    size_t count = 0;
    while (len > 0 && count < max) {
        size_t at = (size_t)(offset % TARGET_PATTERN_BYTES);
        size_t take = (size_t)MIN(len, (int64_t)(TARGET_PATTERN_BYTES - at));
        pieces[count++] = (struct iovec){c->thread->target->pattern + at, take};
        offset += (int64_t)take;
        len -= (int64_t)take;
    }
    return count;
}

static size_t object_pieces(const struct object *object, int64_t offset, int64_t len,
                            struct iovec *pieces, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < object->segment_count && len > 0 && count < max; i++) {
        const struct segment *segment = &object->segments[i];
        if (offset >= (int64_t)segment->len) {
            offset -= (int64_t)segment->len;
            continue;
        }
        size_t take = (size_t)MIN(len, (int64_t)segment->len - offset);
        pieces[count++] = (struct iovec){segment->blob->data + segment->offset + offset, take};
        len -= (int64_t)take;
        offset = 0;
    }
    return count;
}

/* What is to be sent next, up to byte `until` of the answer. */
static size_t next_pieces(const struct connection *c, int64_t until, struct iovec *pieces)
{
    const struct answer *answer = &c->exchange.answer;
    int64_t head_len = (int64_t)answer->head.len;
    int64_t from = c->out_done;
    size_t count = 0;
    if (from < head_len) {
        pieces[count++] =
            (struct iovec){answer->head.buf + from, (size_t)(MIN(head_len, until) - from)};
        from = head_len;
    }
    int64_t left = until - from;
    int64_t at = from - head_len;
    if (left <= 0)
        return count;
    if (!answer->object) {
        pieces[count++] = (struct iovec){answer->text.buf + at, (size_t)left};
        return count;
    }
    at += answer->offset;
    if (c->thread->target->pattern)
        return count + pattern_pieces(c, at, left, pieces + count, PIECES_MAX - count);
    return count + object_pieces(answer->object, at, left, pieces + count, PIECES_MAX - count);
}

static enum io send_answer(struct connection *c)
{
    struct iovec pieces[PIECES_MAX];
    int64_t sent = 0;
    while (c->out_done < c->out_end) {
        int64_t until = MIN(c->out_end, c->pace_until);
        if (c->out_done >= until)
            return IO_AGAIN;
        size_t count = next_pieces(c, until, pieces);
        ssize_t n = channel_send(&c->channel, pieces, count);
        if (n < 0)
            return n == CHANNEL_AGAIN ? IO_AGAIN : IO_OVER;
        c->active_ns = c->thread->now_ns;
        c->out_done += n;
        sent += n;
        int64_t body = c->out_done - (int64_t)c->exchange.answer.head.len;
        c->exchange.sent = MAX(body, 0);
        if (sent > TURN_BYTES && c->out_done < c->out_end)
            return IO_DONE;
    }
    return IO_DONE;
}

/* ---- faults ---- */

static void make_garbage(struct answer *answer)
{
    strbuf_reset(&answer->head);
    for (int i = 0; i < 8; i++)
        strbuf_adds(&answer->head, "\x16\x03\xff this is not HTTP \x80\xfe\r\n");
    object_unref(answer->object);
    answer->object = NULL;
    answer->body_len = 0;
    answer->close = true;
}

/* Where the answer ends and how it starts, with the faults drawn for this request. */
static void plan_answer(struct connection *c)
{
    struct answer *answer = &c->exchange.answer;
    const struct fault_plan *plan = &c->exchange.plan;
    if (plan->garbage)
        make_garbage(answer);
    int64_t head_len = (int64_t)answer->head.len;
    c->out_done = 0;
    c->out_total = c->out_end = head_len + answer->body_len;
    c->pace_until = INT64_MAX;
    if (plan->reset)
        c->out_end = answer->body_len ? head_len + answer->body_len / 2 : head_len / 2;
    else if (plan->truncate && answer->body_len)
        c->out_end = head_len + answer->body_len / 2;
    if (plan->bytes_per_s && answer->body_len)
        c->pace_until = head_len;
    if (plan->status || plan->delay_ns || plan->reset || plan->truncate || plan->garbage ||
        plan->close || plan->bytes_per_s)
        stats_add(&c->thread->stats.faults, 1);
}

/* A slow body: lets another step out and sets the wake-up for the next. */
static void pace(struct connection *c)
{
    int64_t rate = c->exchange.plan.bytes_per_s;
    int64_t step = MAX(1, rate / (SEC / PACE_NS));
    int64_t wait_ns = MAX(1, step * SEC / rate);
    c->pace_until = c->out_done + step;
    wakeups_set(c->wakeups, &c->wakeup, c->thread->now_ns + wait_ns);
}

/* ---- the states ---- */

/* What a state's function says: go on in c->state, or leave with a result. */
enum step { STEP_NEXT, STEP_WAIT, STEP_READY, STEP_CLOSE };

static void start_answer(struct connection *c)
{
    c->state = CONNECTION_SEND;
    plan_answer(c);
}

static enum step refuse(struct connection *c, int status)
{
    c->head_len = 0;
    exchange_refuse(&c->exchange, status);
    start_answer(c);
    return STEP_NEXT;
}

static enum step run_head(struct connection *c)
{
    while (c->in_start < c->in_end && (c->in[c->in_start] == '\r' || c->in[c->in_start] == '\n')) {
        c->in_start++; /* blank lines between requests (RFC 9112 2.2) */
        c->scanned = 0;
    }
    size_t len = c->in_end - c->in_start;
    if (len && !c->head_since_ns)
        c->head_since_ns = c->thread->now_ns;
    c->head_len = http_request_head_length(c->in + c->in_start, len, &c->scanned);
    if (c->head_len > REQUEST_HEAD_MAX || (!c->head_len && len > REQUEST_HEAD_MAX))
        return refuse(c, 431);
    if (!c->head_len) {
        enum io io = fill_buffer(c);
        return io == IO_DONE ? STEP_NEXT : io == IO_AGAIN ? STEP_WAIT : STEP_CLOSE;
    }
    c->head_since_ns = 0;
    c->continue_sent = false;
    if (exchange_start(&c->exchange, c->in + c->in_start, c->head_len))
        c->state = CONNECTION_BODY;
    else
        start_answer(c);
    return STEP_NEXT;
}

/* "100 Continue", unless the body has begun to arrive anyway. */
static bool send_continue(struct connection *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    struct iovec piece = {(char *)text, sizeof(text) - 1};
    c->continue_sent = true;
    if (c->in_end > c->in_start + c->head_len || !exchange_wants_continue(&c->exchange))
        return true;
    return channel_send(&c->channel, &piece, 1) == (ssize_t)piece.iov_len;
}

static enum step run_body(struct connection *c)
{
    struct body *body = &c->exchange.body;
    int64_t before = body->wire_left;
    if (!c->continue_sent && body->wire_left && !send_continue(c))
        return STEP_CLOSE;
    if (body->wire_left)
        take_buffered_body(c);
    while (body->wire_left) {
        if (!c->readable)
            return STEP_WAIT;
        if (before - body->wire_left > TURN_BYTES)
            return STEP_READY;
        enum io io = receive_body_piece(c);
        if (io != IO_DONE)
            return io == IO_AGAIN ? STEP_WAIT : STEP_CLOSE;
    }
    exchange_finish(&c->exchange);
    start_answer(c);
    if (c->exchange.plan.delay_ns) {
        c->state = CONNECTION_DELAY;
        wakeups_set(c->wakeups, &c->wakeup, c->thread->now_ns + c->exchange.plan.delay_ns);
    }
    return STEP_NEXT;
}

static enum step run_delay(struct connection *c)
{
    if (c->thread->now_ns < c->wakeup.at_ns)
        return STEP_WAIT;
    wakeups_cancel(c->wakeups, &c->wakeup);
    c->active_ns = c->thread->now_ns;
    c->state = CONNECTION_SEND;
    return STEP_NEXT;
}

/* The answer is out: on to the next request, or the end. */
static enum step answer_sent(struct connection *c)
{
    bool close = c->exchange.answer.close;
    bool cut = c->out_end < c->out_total || c->exchange.plan.close;
    c->reset = c->exchange.plan.reset;
    wakeups_cancel(c->wakeups, &c->wakeup);
    exchange_end(&c->exchange);
    c->in_start += c->head_len;
    c->head_len = c->scanned = 0;
    if (cut || c->reset)
        return STEP_CLOSE;
    if (!close) {
        c->state = CONNECTION_HEAD;
        return STEP_NEXT;
    }
    /* Bytes that are still unread would turn our close into a reset that can overtake the answer:
     * end our side and read on for a moment. */
    channel_shutdown(&c->channel);
    c->state = CONNECTION_LINGER;
    return STEP_NEXT;
}

static enum step run_send(struct connection *c)
{
    bool paced = c->pace_until != INT64_MAX;
    if (paced && c->out_done >= c->pace_until && c->thread->now_ns >= c->wakeup.at_ns)
        pace(c);
    enum io io = send_answer(c);
    if (io == IO_OVER)
        return STEP_CLOSE;
    if (c->out_done >= c->out_end)
        return answer_sent(c);
    if (io == IO_DONE)
        return STEP_READY;
    if (paced && c->out_done >= c->pace_until && !c->wakeup.place)
        pace(c);
    return STEP_WAIT;
}

static enum step run_linger(struct connection *c)
{
    for (int i = 0; i < TURN_REQUESTS; i++) {
        ssize_t n = channel_discard(&c->channel, TARGET_SCRATCH_BYTES, c->thread->scratch,
                                    TARGET_SCRATCH_BYTES);
        if (n == CHANNEL_AGAIN)
            return STEP_WAIT;
        if (n <= 0)
            return STEP_CLOSE;
    }
    return STEP_READY;
}

typedef enum step (*state_fn)(struct connection *c);

enum connection_result connection_run(struct connection *c)
{
    static const state_fn states[] = {
        [CONNECTION_HEAD] = run_head,     [CONNECTION_BODY] = run_body,
        [CONNECTION_DELAY] = run_delay,   [CONNECTION_SEND] = run_send,
        [CONNECTION_LINGER] = run_linger,
    };
    int requests = 0;
    for (;;) {
        enum connection_state was = c->state;
        switch (states[c->state](c)) {
        case STEP_WAIT:
            return CONNECTION_WAIT;
        case STEP_READY:
            return CONNECTION_READY;
        case STEP_CLOSE:
            return CONNECTION_CLOSE;
        case STEP_NEXT:
            break;
        }
        if (was == CONNECTION_SEND && ++requests == TURN_REQUESTS)
            return CONNECTION_READY;
    }
}

enum connection_result connection_check_idle(struct connection *c, int64_t timeout_ns)
{
    int64_t now_ns = c->thread->now_ns;
    if (c->state == CONNECTION_LINGER)
        return now_ns - c->active_ns > LINGER_NS ? CONNECTION_CLOSE : CONNECTION_WAIT;
    if (c->wakeup.place)
        return CONNECTION_WAIT; /* we are the slow ones */
    if (c->state == CONNECTION_HEAD && c->head_since_ns && now_ns - c->head_since_ns > timeout_ns) {
        c->in_start = c->in_end = 0;
        c->head_since_ns = 0;
        refuse(c, 408);
        return connection_run(c);
    }
    return now_ns - c->active_ns > timeout_ns ? CONNECTION_CLOSE : CONNECTION_WAIT;
}
