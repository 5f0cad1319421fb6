/* fields.c -- see fields.h. */
#include "driver/target/fields.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

/* Kept under these names, whatever case the client wrote. */
static const struct slice kept[] = {
    SLICE("Content-Type"),
    SLICE("Cache-Control"),
    SLICE("Content-Disposition"),
    SLICE("Content-Encoding"),
    SLICE("Content-Language"),
    SLICE("Expires"),
    SLICE("x-amz-website-redirect-location"),
};

static const struct slice meta = SLICE("x-amz-meta-");

/* The name to keep it under (metadata as sent), or nothing. */
static struct slice kept_name(struct slice name)
{
    if (name.len > meta.len && strncasecmp(name.p, meta.p, meta.len) == 0)
        return name;
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (slice_is_nocase(name, kept[i]))
            return kept[i];
    return (struct slice){NULL, 0};
}

/* Content-Encoding without aws-chunked, which frames the request and is no part of the object. */
static struct slice kept_value(struct slice name, struct slice value)
{
    static const struct slice chunked = SLICE("aws-chunked");
    if (!slice_is(name, SLICE("Content-Encoding")))
        return value;
    struct slice rest = value;
    struct slice first = slice_trim(slice_cut(&rest, ','));
    return slice_is_nocase(first, chunked) ? slice_trim(rest) : value;
}

static char *put(char *out, struct slice text)
{
    memcpy(out, text.p, text.len);
    return out + text.len;
}

enum s3_error fields_collect(const struct http_request *req, char **ret_lines, size_t *ret_len)
{
    char lines[FIELDS_MAX_BYTES];
    char *out = lines;
    for (size_t i = 0; i < req->field_count; i++) {
        struct slice name = kept_name(req->fields[i].name);
        if (!name.len)
            continue;
        struct slice value = kept_value(name, req->fields[i].value);
        if (!value.len && name.p != req->fields[i].name.p)
            continue;
        if (name.len + value.len + 4 > (size_t)(lines + sizeof(lines) - out))
            return S3_METADATA_TOO_LARGE;
        out = put(out, name);
        out = put(out, SLICE(": "));
        if (value.len)
            out = put(out, value);
        out = put(out, SLICE("\r\n"));
    }
    *ret_len = (size_t)(out - lines);
    *ret_lines = NULL;
    if (out != lines) {
        *ret_lines = xmalloc(*ret_len);
        memcpy(*ret_lines, lines, *ret_len);
    }
    return S3_OK;
}
