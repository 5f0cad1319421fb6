/* response.c -- see response.h. */
#include "driver/http1/response.h"

#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK_DIGITS_MAX  15
#define TRAILER_MAX_BYTES HTTP_HEAD_MAX_BYTES

void response_begin(struct response *response, bool no_body)
{
    response->state = RESPONSE_HEAD;
    response->status = 0;
    response->keep_alive = false;
    response->no_body = no_body;
    response->content_length = -1;
    response->left = 0;
    response->body_bytes = 0;
    response->problem = NULL;
    response->chunk_digits = 0;
    response->trailer_bytes = 0;
    response->head_len = 0;
}

void response_release(struct response *response)
{
    free(response->head);
    response->head = NULL;
    response->head_len = response->head_cap = 0;
}

static enum response_event bad(struct response *response, const char *problem)
{
    response->state = RESPONSE_BAD;
    response->problem = problem;
    return RESPONSE_EVENT_BAD;
}

static struct span trim(const char *from, const char *to)
{
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    return (struct span){from, (size_t)(to - from)};
}

static bool span_is(struct span span, const char *text)
{
    return span.len == strlen(text) && strncasecmp(span.data, text, span.len) == 0;
}

/* True when a comma list holds the word. */
static bool list_has(struct span list, const char *word)
{
    const char *end = list.data + list.len;
    for (const char *at = list.data; at <= end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma ? comma : end;
        if (span_is(trim(at, stop), word))
            return true;
        at = stop + 1;
    }
    return false;
}

static int64_t parse_length(struct span value)
{
    int64_t number = 0;
    if (value.len == 0 || value.len > 18)
        return -1;
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return -1;
        number = number * 10 + (value.data[i] - '0');
    }
    return number;
}

struct head_facts {
    bool chunked, close, keep, encoded;
};

/* One field line; false (with problem set) when it can't be. */
static bool read_field(struct response *response, struct head_facts *facts, const char *line,
                       const char *end)
{
    /* The three that matter have 10, 14 and 17 letters: one look at the colon's place sorts out the
     * rest. */
    const char *colon = memchr(line, ':', (size_t)(end - line));
    if (!colon || colon == line || *line == ' ' || *line == '\t') {
        bad(response, "a header line is not NAME: VALUE");
        return false;
    }
    size_t name_len = (size_t)(colon - line);
    if (name_len == 14 && strncasecmp(line, "content-length", 14) == 0) {
        int64_t length = parse_length(trim(colon + 1, end));
        if (length < 0 || (response->content_length >= 0 && response->content_length != length)) {
            bad(response, "Content-Length is not one number");
            return false;
        }
        response->content_length = length;
    } else if (name_len == 17 && strncasecmp(line, "transfer-encoding", 17) == 0) {
        struct span value = trim(colon + 1, end);
        facts->encoded = true;
        if (span_is(value, "chunked") && !facts->chunked)
            facts->chunked = true;
        else {
            bad(response, "Transfer-Encoding is not chunked");
            return false;
        }
    } else if (name_len == 10 && strncasecmp(line, "connection", 10) == 0) {
        struct span value = trim(colon + 1, end);
        facts->close |= list_has(value, "close");
        facts->keep |= list_has(value, "keep-alive");
    }
    return true;
}

/* "HTTP/1.1 200 OK" */
static bool read_status_line(struct response *response, const char *line, const char *end,
                             int *ret_minor)
{
    if (end - line < 12 || memcmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') ||
        line[8] != ' ' || (end - line > 12 && line[12] != ' '))
        return false;
    int status = 0;
    for (int i = 9; i < 12; i++) {
        if (line[i] < '0' || line[i] > '9')
            return false;
        status = status * 10 + (line[i] - '0');
    }
    if (status < 100)
        return false;
    response->status = status;
    *ret_minor = line[7] - '0';
    return true;
}

/* A whole head, its empty line included. */
static enum response_event read_head(struct response *response, struct span head)
{
    const char *end = head.data + head.len - 2; /* at the empty line */
    const char *line_end = memchr(head.data, '\n', head.len);
    int minor = 0;
    struct head_facts facts = {false};

    response->content_length = -1;
    if (line_end == head.data || line_end[-1] != '\r' ||
        !read_status_line(response, head.data, line_end - 1, &minor))
        return bad(response, "the status line is not HTTP/1.x");
    for (const char *line = line_end + 1; line < end; line = line_end + 1) {
        line_end = memchr(line, '\n', (size_t)(end - line));
        if (!line_end || line_end == line || line_end[-1] != '\r')
            return bad(response, "a header line does not end with CR LF");
        if (!read_field(response, &facts, line, line_end - 1))
            return RESPONSE_EVENT_BAD;
    }
    if (facts.encoded && response->content_length >= 0)
        return bad(response, "both Content-Length and Transfer-Encoding");

    response->keep_alive = !facts.close && (minor == 1 || facts.keep);
    if (response->no_body || response->status < 200 || response->status == 204 ||
        response->status == 304) {
        response->left = 0;
        response->state = RESPONSE_FIXED;
    } else if (facts.chunked) {
        response->state = RESPONSE_CHUNK_SIZE;
        response->left = 0;
        response->chunk_digits = 0;
    } else if (response->content_length >= 0) {
        response->left = response->content_length;
        response->state = RESPONSE_FIXED;
    } else {
        response->keep_alive = false;
        response->state = RESPONSE_UNTIL_CLOSE;
    }
    return RESPONSE_EVENT_HEAD;
}

/* The end of the head in text (just behind CR LF CR LF), looking from `from` on; NULL when not
 * there. */
static const char *find_head_end(const char *text, size_t len, size_t from)
{
    const char *found = len > from ? memmem(text + from, len - from, "\r\n\r\n", 4) : NULL;
    return found ? found + 4 : NULL;
}

static enum response_event keep_piece(struct response *response, struct span *input)
{
    size_t room = HTTP_HEAD_MAX_BYTES - response->head_len;
    size_t take = MIN(room, input->len);
    if (response->head_len + take > response->head_cap) {
        response->head_cap = MAX(response->head_len + take, (size_t)1024);
        response->head = xrealloc(response->head, response->head_cap);
    }
    memcpy(response->head + response->head_len, input->data, take);
    response->head_len += take;
    input->data += take;
    input->len -= take;
    if (response->head_len == HTTP_HEAD_MAX_BYTES)
        return bad(response, "the answer's head is too long");
    return RESPONSE_EVENT_MORE;
}

static enum response_event feed_head(struct response *response, struct span *input,
                                     struct span *ret_span)
{
    struct span head;
    if (response->head_len == 0) {
        const char *end = find_head_end(input->data, input->len, 0);
        if (!end) {
            /* Garbage is refused at its first bytes, not when a ceiling is reached. */
            if (memcmp(input->data, "HTTP/1.", MIN(input->len, (size_t)7)) != 0)
                return bad(response, "the answer is not HTTP/1.x");
            return keep_piece(response, input);
        }
        head = (struct span){input->data, (size_t)(end - input->data)};
        if (head.len > HTTP_HEAD_MAX_BYTES)
            return bad(response, "the answer's head is too long");
        input->data += head.len;
        input->len -= head.len;
    } else {
        size_t before = response->head_len;
        struct span rest = *input;
        enum response_event event = keep_piece(response, input);
        const char *end =
            find_head_end(response->head, response->head_len, before < 3 ? 0 : before - 3);
        if (!end)
            return event;
        head = (struct span){response->head, (size_t)(end - response->head)};
        size_t used = head.len - before;
        *input = (struct span){rest.data + used, rest.len - used};
    }
    response->head_len = 0;
    enum response_event event = read_head(response, head);
    if (event == RESPONSE_EVENT_HEAD && response->status < 200) {
        if (response->status == 101)
            return bad(response, "101 Switching Protocols was not asked for");
        response->state = RESPONSE_HEAD;
        response->status = 0;
        return input->len ? response_feed(response, input, ret_span) : RESPONSE_EVENT_MORE;
    }
    *ret_span = head;
    return event;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/* One byte of a chunked body's framing; false when it can't stand there. */
static bool chunk_byte(struct response *response, char c)
{
    switch (response->state) {
    case RESPONSE_CHUNK_SIZE: {
        int digit = hex_digit(c);
        if (digit >= 0) {
            response->left = response->left * 16 + digit;
            return ++response->chunk_digits <= CHUNK_DIGITS_MAX;
        }
        if (response->chunk_digits == 0)
            return false;
        response->trailer_bytes = 0;
        response->state = c == '\r' ? RESPONSE_CHUNK_SIZE_LF : RESPONSE_CHUNK_EXT;
        return c == '\r' || c == ';' || c == ' ' || c == '\t';
    }
    case RESPONSE_CHUNK_EXT:
        if (c == '\r')
            response->state = RESPONSE_CHUNK_SIZE_LF;
        return c != '\n' && ++response->trailer_bytes <= TRAILER_MAX_BYTES;
    case RESPONSE_CHUNK_SIZE_LF:
        response->state = response->left ? RESPONSE_CHUNK_DATA : RESPONSE_TRAILER;
        response->trailer_bytes = 0;
        return c == '\n';
    case RESPONSE_CHUNK_CR:
        response->state = RESPONSE_CHUNK_LF;
        return c == '\r';
    case RESPONSE_CHUNK_LF:
        response->state = RESPONSE_CHUNK_SIZE;
        response->left = 0;
        response->chunk_digits = 0;
        return c == '\n';
    case RESPONSE_TRAILER:
        response->state = c == '\r' ? RESPONSE_TRAILER_LF : RESPONSE_TRAILER_LINE;
        return c != '\n';
    case RESPONSE_TRAILER_LINE:
        if (c == '\n')
            response->state = RESPONSE_TRAILER;
        return ++response->trailer_bytes <= TRAILER_MAX_BYTES;
    case RESPONSE_TRAILER_LF:
        response->state = RESPONSE_DONE;
        return c == '\n';
    default:
        return false;
    }
}

static enum response_event feed_body(struct response *response, struct span *input,
                                     struct span *ret_span)
{
    size_t len = input->len;
    if (response->state != RESPONSE_UNTIL_CLOSE)
        len = (size_t)MIN((int64_t)len, response->left);
    *ret_span = (struct span){input->data, len};
    input->data += len;
    input->len -= len;
    response->body_bytes += (int64_t)len;
    if (response->state != RESPONSE_UNTIL_CLOSE) {
        response->left -= (int64_t)len;
        if (response->left == 0 && response->state == RESPONSE_CHUNK_DATA)
            response->state = RESPONSE_CHUNK_CR;
    }
    return RESPONSE_EVENT_BODY;
}

enum response_event response_feed(struct response *response, struct span *input,
                                  struct span *ret_span)
{
    for (;;) {
        if (response->state == RESPONSE_FIXED && response->left == 0)
            response->state = RESPONSE_DONE;
        if (response->state == RESPONSE_DONE)
            return RESPONSE_EVENT_DONE;
        if (response->state == RESPONSE_BAD)
            return RESPONSE_EVENT_BAD;
        if (input->len == 0)
            return RESPONSE_EVENT_MORE;
        switch (response->state) {
        case RESPONSE_HEAD:
            return feed_head(response, input, ret_span);
        case RESPONSE_FIXED:
        case RESPONSE_UNTIL_CLOSE:
        case RESPONSE_CHUNK_DATA:
            return feed_body(response, input, ret_span);
        default:
            if (!chunk_byte(response, *input->data))
                return bad(response, "the chunked body is not well-formed");
            input->data++;
            input->len--;
        }
    }
}

enum response_event response_close(struct response *response)
{
    if (response->state == RESPONSE_UNTIL_CLOSE ||
        (response->state == RESPONSE_FIXED && response->left == 0))
        response->state = RESPONSE_DONE;
    if (response->state == RESPONSE_DONE)
        return RESPONSE_EVENT_DONE;
    return bad(response, response->status ? "the connection closed in the middle of the body"
                                          : "the connection closed before the head was complete");
}

int64_t response_skippable(const struct response *response)
{
    if (response->state == RESPONSE_FIXED || response->state == RESPONSE_CHUNK_DATA)
        return response->left;
    return response->state == RESPONSE_UNTIL_CLOSE ? INT64_MAX : 0;
}

enum response_event response_skip(struct response *response, int64_t len)
{
    response->body_bytes += len;
    if (response->state == RESPONSE_UNTIL_CLOSE)
        return RESPONSE_EVENT_MORE;
    response->left -= len;
    if (response->left > 0)
        return RESPONSE_EVENT_MORE;
    if (response->state == RESPONSE_FIXED) {
        response->state = RESPONSE_DONE;
        return RESPONSE_EVENT_DONE;
    }
    response->state = RESPONSE_CHUNK_CR;
    return RESPONSE_EVENT_MORE;
}

bool response_header(struct span head, const char *name, struct span *ret_value)
{
    size_t name_len = strlen(name);
    const char *end = head.data + head.len;
    const char *line = memchr(head.data, '\n', head.len);
    while (line && ++line < end) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        if (!line_end || line_end <= line + 1)
            return false;
        if ((size_t)(line_end - line) > name_len && line[name_len] == ':' &&
            strncasecmp(line, name, name_len) == 0) {
            *ret_value = trim(line + name_len + 1, line_end - 1);
            return true;
        }
        line = line_end;
    }
    return false;
}
