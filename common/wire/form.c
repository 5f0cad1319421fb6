/* form.c -- see form.h. */
#include "common/wire/form.h"

#include "common/base/scope.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

#define BOUNDARY_MAX 70 /* RFC 2046, section 5.1.1 */

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

size_t form_percent_decode(const char *text, size_t len, int plus, char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        int high = text[i] == '%' && i + 2 < len ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low >= 0) {
            out[n++] = (char)(high * 16 + low);
            i += 2;
        } else {
            out[n++] = plus && text[i] == '+' ? ' ' : text[i];
        }
    }
    out[n] = '\0';
    return n;
}

static int add_field(struct form *form, char *name, char *value, size_t len, struct err *err)
{
    if (form->fields.len >= FORM_FIELDS_MAX) {
        free(name);
        free(value);
        return err_set(err, ERR_LIMIT, "more than %d fields", FORM_FIELDS_MAX);
    }
    vec_push(&form->fields, (struct form_field){name, value, len});
    return 0;
}

int form_parse_urlencoded(const char *text, size_t len, struct form *form, struct err *err)
{
    const char *end = text + len;
    while (text < end) {
        const char *stop = memchr(text, '&', (size_t)(end - text));
        if (!stop)
            stop = end;
        if (stop > text) {
            const char *equals = memchr(text, '=', (size_t)(stop - text));
            const char *name_end = equals ? equals : stop;
            const char *value_at = equals ? equals + 1 : stop;
            char *name = xmalloc((size_t)(name_end - text) + 1);
            char *value = xmalloc((size_t)(stop - value_at) + 1);
            form_percent_decode(text, (size_t)(name_end - text), 1, name);
            size_t value_len = form_percent_decode(value_at, (size_t)(stop - value_at), 1, value);
            int rc = add_field(form, name, value, value_len, err);
            if (rc < 0)
                return rc;
        }
        text = stop + 1;
    }
    return 0;
}

/* The value of a parameter (name=value or name="value") of a header, or NULL. In a quoted value
 * "\" takes the next character as it is. The caller owns it. */
static char *header_parameter(const char *header, size_t len, const char *name)
{
    const char *end = header + len;
    size_t name_len = strlen(name);
    const char *at = memchr(header, ';', len);
    while (at && at < end) {
        at++;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        bool wanted = (size_t)(end - at) > name_len && strncasecmp(at, name, name_len) == 0 &&
                      at[name_len] == '=';
        while (at < end && *at != '=' && *at != ';')
            at++;
        if (at == end || *at == ';')
            continue;
        at++;
        char *value = xmalloc((size_t)(end - at) + 1);
        size_t n = 0;
        if (at < end && *at == '"') {
            for (at++; at < end && *at != '"'; at++) {
                if (*at == '\\' && at + 1 < end)
                    at++;
                value[n++] = *at;
            }
        } else {
            while (at < end && *at != ';' && *at != ' ')
                value[n++] = *at++;
        }
        value[n] = '\0';
        if (wanted)
            return value;
        free(value);
        at = at < end ? memchr(at, ';', (size_t)(end - at)) : NULL;
    }
    return NULL;
}

/* The name that a part's head gives it, or NULL. */
static char *part_name(const char *head, size_t len)
{
    static const char wanted[] = "content-disposition:";
    const char *end = head + len;
    while (head < end) {
        const char *stop = memchr(head, '\n', (size_t)(end - head));
        if (!stop)
            stop = end;
        if ((size_t)(stop - head) >= sizeof(wanted) - 1 &&
            strncasecmp(head, wanted, sizeof(wanted) - 1) == 0) {
            size_t line_len = (size_t)(stop - head);
            if (line_len > 0 && head[line_len - 1] == '\r')
                line_len--;
            return header_parameter(head, line_len, "name");
        }
        head = stop + 1;
    }
    return NULL;
}

/* One part: its head, an empty line, its content. */
static int add_part(const char *part, size_t len, struct form *form, struct err *err)
{
    const char *content = memmem(part, len, "\r\n\r\n", 4);
    if (!content)
        return err_set(err, ERR_PROTOCOL, "multipart: a part has no end of its header");
    char *name = part_name(part, (size_t)(content - part));
    if (!name)
        return err_set(err, ERR_PROTOCOL, "multipart: a part has no name");
    content += 4;
    size_t content_len = len - (size_t)(content - part);
    char *value = xmalloc(content_len + 1);
    memcpy(value, content, content_len);
    value[content_len] = '\0';
    return add_field(form, name, value, content_len, err);
}

int form_parse_multipart(const char *content_type, const char *body, size_t len, struct form *form,
                         struct err *err)
{
    AUTO(freep) char *boundary = header_parameter(content_type, strlen(content_type), "boundary");
    if (!boundary || !*boundary || strlen(boundary) > BOUNDARY_MAX)
        return err_set(err, ERR_PROTOCOL, "multipart: no usable boundary in Content-Type");

    /* A delimiter is CRLF "--" BOUNDARY; the first may stand at the very start. */
    char delimiter[BOUNDARY_MAX + 5];
    size_t delimiter_len = (size_t)snprintf(delimiter, sizeof(delimiter), "\r\n--%s", boundary);
    const char *end = body + len;
    const char *at;
    if (len >= delimiter_len - 2 && memcmp(body, delimiter + 2, delimiter_len - 2) == 0)
        at = body + delimiter_len - 2;
    else {
        at = memmem(body, len, delimiter, delimiter_len);
        if (!at)
            return err_set(err, ERR_PROTOCOL, "multipart: the boundary is not in the body");
        at += delimiter_len;
    }
    for (;;) {
        if (end - at >= 2 && memcmp(at, "--", 2) == 0)
            return 0;
        const char *line_end = memmem(at, (size_t)(end - at), "\r\n", 2);
        const char *next =
            line_end ? memmem(line_end, (size_t)(end - line_end), delimiter, delimiter_len) : NULL;
        if (!next)
            return err_set(err, ERR_PROTOCOL, "multipart: the last boundary is missing");
        /* The head may be empty, so the search for its end starts at this line's CRLF. */
        int rc = add_part(line_end, (size_t)(next - line_end), form, err);
        if (rc < 0)
            return rc;
        at = next + delimiter_len;
    }
}

void form_release(struct form *form)
{
    VEC_EACH (field, &form->fields) {
        free(field->name);
        free(field->value);
    }
    vec_release(&form->fields);
}

const struct form_field *form_find(const struct form *form, const char *name)
{
    VEC_EACH (field, &form->fields) {
        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}
