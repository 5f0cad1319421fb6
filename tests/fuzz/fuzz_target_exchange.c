/* fuzz_target_exchange.c -- what a client may send to the target: heads, names, signatures, bodies
 * and operations, without a socket. The first byte chooses: bit 0 checks signatures, bit 1 null
 * mode, bit 2 feeds bodies byte by byte. Every input starts with bucket "bkt" and object "bkt/k".
 */
#include "driver/target/exchange.h"

#include "common/base/scope.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            abort();                                                                               \
    } while (0)

struct world {
    struct options options;
    struct target target;
    struct exchange exchange;
};

static struct world *world_new(bool null_mode)
{
    static const char *argv[] = {"target", "--max-memory", "16MiB", "--threads", "1", "--null"};
    struct world *world = calloc(1, sizeof(*world));
    CHECK(options_parse(&world->options, null_mode ? 6 : 5, (char **)argv, NULL) == 0);
    CHECK(target_init(&world->target, &world->options, NULL) == 0);
    exchange_init(&world->exchange, &world->target.threads[0]);
    world->exchange.loopback = true;
    return world;
}

/* An empty store but for one bucket and one object. */
static void world_reset(struct world *world)
{
    struct target *target = &world->target;
    bool made;
    uploads_free(target->uploads);
    store_free(target->store);
    target->store = store_new(world->options.null_mode, world->options.max_memory);
    target->uploads = uploads_new(target->store);
    CHECK(store_bucket_make(target->store, SLICE("bkt"), 1, &made) == S3_OK);
    CHECK(bucket_put_size(store_bucket(target->store, SLICE("bkt")), SLICE("k"), 0, 1) == S3_OK);
}

static size_t feed_body(struct body *body, const char *data, size_t len, bool bytewise)
{
    size_t done = 0;
    while (body->wire_left && done < len) {
        size_t take = (size_t)MIN((int64_t)(len - done), body->wire_left);
        size_t room = 0;
        char *space = body_space(body, &room);
        if (bytewise)
            take = 1;
        if (space) {
            take = MIN(take, room);
            CHECK(take > 0);
            memcpy(space, data + done, take);
            body_add(body, space, take);
        } else {
            body_add(body, data + done, take);
        }
        done += take;
    }
    return done;
}

static void check_answer(const struct exchange *ex)
{
    const struct answer *answer = &ex->answer;
    CHECK(answer->status >= 200 && answer->status < 600);
    CHECK(answer->head.len > 4);
    CHECK(memcmp(answer->head.buf + answer->head.len - 4, "\r\n\r\n", 4) == 0);
    if (answer->object)
        CHECK(answer->offset >= 0 && answer->offset + answer->body_len <= answer->object->size);
    else
        CHECK(answer->body_len <= (int64_t)answer->text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world *worlds[2];
    if (size < 1)
        return 0;
    if (!worlds[0]) {
        worlds[0] = world_new(false);
        worlds[1] = world_new(true);
    }
    struct world *world = worlds[data[0] >> 1 & 1];
    struct exchange *ex = &world->exchange;
    bool bytewise = data[0] & 4;
    world->target.policy.anonymous = !(data[0] & 1);
    world_reset(world);
    char *copy = malloc(size - 1 ? size - 1 : 1);
    memcpy(copy, data + 1, size - 1);
    for (size_t at = 0; at < size - 1;) {
        size_t scanned = 0;
        size_t len = http_request_head_length(copy + at, size - 1 - at, &scanned);
        if (!len || len > REQUEST_HEAD_MAX)
            break;
        bool go_on = exchange_start(ex, copy + at, len);
        at += len;
        if (go_on) {
            at += feed_body(&ex->body, copy + at, size - 1 - at, bytewise);
            if (ex->body.wire_left)
                break;
            exchange_finish(ex);
        }
        check_answer(ex);
        bool close = ex->answer.close;
        exchange_end(ex);
        if (close)
            break;
    }
    exchange_end(ex);
    body_drop(&ex->body, 0);
    free(copy);
    return 0;
}
