/* answer.c -- see answer.h. */
#include "driver/target/answer.h"

#include "common/base/scope.h"
#include "driver/target/target.h"

void answer_init(struct answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    answer->head = (struct strbuf)STRBUF_INIT(ANSWER_HEAD_MAX);
    answer->text = (struct strbuf)STRBUF_INIT(ANSWER_TEXT_MAX);
}

void answer_release(struct answer *answer)
{
    object_unref(answer->object);
    answer->object = NULL;
    strbuf_release(&answer->head);
    strbuf_release(&answer->text);
}

void answer_reset(struct answer *answer)
{
    object_unref(answer->object);
    answer->object = NULL;
    answer->close = answer->head_only = false;
    answer->offset = answer->body_len = 0;
    strbuf_reset(&answer->head);
    if (answer->text.cap > 65536)
        strbuf_release(&answer->text);
    strbuf_reset(&answer->text);
}

static char *put(char *out, struct slice text)
{
    memcpy(out, text.p, text.len);
    return out + text.len;
}

static char *put_hex(char *out, uint64_t value, int digits)
{
    static const char hex[] = "0123456789abcdef";
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = hex[value & 15];
        value >>= 4;
    }
    return out + digits;
}

static char *put_number(char *out, uint64_t value)
{
    char digits[20];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (n)
        *out++ = digits[--n];
    return out;
}

static char *put_status_line(char *out, int status)
{
    if (status == 200)
        return put(out, SLICE("HTTP/1.1 200 OK\r\n"));
    out = put(out, SLICE("HTTP/1.1 "));
    out = put_number(out, (uint64_t)status);
    *out++ = ' ';
    out = put(out, slice_of(http_reason(status)));
    return put(out, SLICE("\r\n"));
}

void answer_start(struct answer *answer, struct target_thread *thread, int status)
{
    strbuf_reset(&answer->head);
    answer->status = status;
    char *start = strbuf_reserve(&answer->head, 512);
    char *out = put_status_line(start, status);
    out = put(out, SLICE("Server: loadstone-target\r\nDate: "));
    out = put(out, (struct slice){thread->date, TIME_HTTP_BYTES});
    out = put(out, SLICE("\r\nx-amz-request-id: tx"));
    out = put_hex(out, thread->target->instance, 8);
    out = put_hex(out, thread->index, 4);
    out = put_hex(out, thread->requests, 12);
    out = put(out, SLICE("\r\n"));
    strbuf_commit(&answer->head, (size_t)(out - start));
}

void answer_field(struct answer *answer, struct slice name, struct slice value)
{
    char *start = strbuf_reserve(&answer->head, name.len + value.len + 4);
    if (!start)
        return;
    char *out = put(start, name);
    out = put(out, SLICE(": "));
    if (value.len)
        out = put(out, value);
    out = put(out, SLICE("\r\n"));
    strbuf_commit(&answer->head, (size_t)(out - start));
}

void answer_lines(struct answer *answer, const char *lines, size_t len)
{
    strbuf_add(&answer->head, lines, len);
}

/* Length, connection and the empty line. */
static void end_head(struct answer *answer, int64_t length)
{
    char *start = strbuf_reserve(&answer->head, 96);
    if (!start)
        return;
    char *out = start;
    if (answer->status != 204 && answer->status != 304) {
        out = put(out, SLICE("Content-Length: "));
        out = put_number(out, (uint64_t)length);
        out = put(out, SLICE("\r\n"));
    }
    if (answer->close)
        out = put(out, SLICE("Connection: close\r\n"));
    else if (answer->minor_0)
        out = put(out, SLICE("Connection: keep-alive\r\n"));
    out = put(out, SLICE("\r\n"));
    strbuf_commit(&answer->head, (size_t)(out - start));
}

void answer_end_empty(struct answer *answer)
{
    end_head(answer, 0);
    answer->body_len = 0;
}

void answer_end_text(struct answer *answer, struct slice content_type)
{
    answer_field(answer, SLICE("Content-Type"), content_type);
    end_head(answer, (int64_t)answer->text.len);
    answer->body_len = answer->head_only ? 0 : (int64_t)answer->text.len;
}

void answer_end_object(struct answer *answer, struct object *object, int64_t offset, int64_t len)
{
    end_head(answer, len);
    if (answer->head_only) {
        object_unref(object);
        answer->body_len = 0;
        return;
    }
    answer->object = object;
    answer->offset = offset;
    answer->body_len = len;
}
