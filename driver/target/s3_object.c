/* s3_object.c -- operations on one object, and DeleteObjects. */
#include "driver/target/fields.h"
#include "driver/target/routes.h"
#include "driver/target/xml_body.h"
#include "driver/target/xml_out.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

static const struct slice default_type = SLICE("Content-Type: binary/octet-stream\r\n");

/* ---- GET and HEAD ---- */

/* "bytes=a-b", "bytes=a-", "bytes=-n"; of several ranges the first (as RGW does). Anything else is
 * no range: the whole object. S3_INVALID_RANGE when it lies outside. */
static enum s3_error read_range(struct slice text, int64_t size, int64_t *offset, int64_t *len,
                                bool *is_range)
{
    *offset = 0;
    *len = size;
    *is_range = false;
    if (!slice_starts(text, SLICE("bytes=")))
        return S3_OK;
    struct slice rest = {text.p + 6, text.len - 6};
    struct slice last = slice_trim(slice_cut(&rest, ','));
    struct slice first = slice_cut(&last, '-');
    if (!last.p)
        return S3_OK;
    int64_t a = http_parse_number(first);
    int64_t b = http_parse_number(last);
    if ((first.len && a < 0) || (last.len && b < 0) || (!first.len && !last.len))
        return S3_OK;
    if (!first.len) { /* the last b bytes */
        if (b == 0 || size == 0)
            return S3_INVALID_RANGE;
        a = MAX(0, size - b);
        b = size - 1;
    } else if (!last.len || b >= size) {
        b = size - 1;
    }
    if (a >= size || a > b)
        return S3_INVALID_RANGE;
    *offset = a;
    *len = b - a + 1;
    *is_range = true;
    return S3_OK;
}

/* True when one of the comma-separated ETags, or "*", is the object's. */
static bool etag_listed(struct slice list, struct slice etag)
{
    struct slice bare = {etag.p + 1, etag.len - 2};
    while (list.len) {
        struct slice item = slice_trim(slice_cut(&list, ','));
        if (slice_starts(item, SLICE("W/")))
            item = (struct slice){item.p + 2, item.len - 2};
        if (slice_is(item, SLICE("*")) || slice_is(item, etag) || slice_is(item, bare))
            return true;
    }
    return false;
}

/* RFC 9110 13.2.2. 0 to go on, else 304 or 412. */
static int check_conditions(const struct http_request *req, const struct object *object,
                            struct slice etag)
{
    int64_t modified_s = object->modified_ms / 1000;
    const struct slice *known = req->known;
    if (known[KNOWN_IF_MATCH].p) {
        if (!etag_listed(known[KNOWN_IF_MATCH], etag))
            return 412;
    } else if (known[KNOWN_IF_UNMODIFIED_SINCE].p) {
        int64_t since_s = time_parse_http(known[KNOWN_IF_UNMODIFIED_SINCE]);
        if (since_s >= 0 && modified_s > since_s)
            return 412;
    }
    if (known[KNOWN_IF_NONE_MATCH].p)
        return etag_listed(known[KNOWN_IF_NONE_MATCH], etag) ? 304 : 0;
    if (known[KNOWN_IF_MODIFIED_SINCE].p) {
        int64_t since_s = time_parse_http(known[KNOWN_IF_MODIFIED_SINCE]);
        if (since_s >= 0 && modified_s <= since_s)
            return 304;
    }
    return 0;
}

/* The request's response-content-type and friends, instead of what the object has. */
static void put_overrides(struct exchange *ex)
{
    static const struct {
        struct slice param, name;
    } overrides[] = {
        {SLICE("response-content-type"), SLICE("Content-Type")},
        {SLICE("response-cache-control"), SLICE("Cache-Control")},
        {SLICE("response-content-disposition"), SLICE("Content-Disposition")},
        {SLICE("response-content-encoding"), SLICE("Content-Encoding")},
        {SLICE("response-content-language"), SLICE("Content-Language")},
        {SLICE("response-expires"), SLICE("Expires")},
    };
    for (size_t i = 0; i < ARRAY_LEN(overrides); i++) {
        struct slice value = query_get(&ex->query, overrides[i].param);
        bool clean = value.len > 0;
        for (size_t c = 0; c < value.len; c++)
            clean = clean && (unsigned char)value.p[c] >= ' ' && value.p[c] != 0x7f;
        if (clean)
            answer_field(&ex->answer, overrides[i].name, value);
    }
}

static bool has_override(const struct query *query, struct slice line)
{
    char param[64] = "response-";
    struct slice name = slice_cut(&line, ':');
    if (!query->count || name.len > 40)
        return false;
    for (size_t i = 0; i < name.len; i++)
        param[9 + i] = (char)(name.p[i] | 0x20);
    return query_has(query, (struct slice){param, 9 + name.len});
}

/* The object's own lines, without those that the query overrides. */
static void put_object_lines(struct exchange *ex, const struct object *object)
{
    struct slice lines = {object->fields, object->fields_len};
    bool typed = false;
    if (!ex->query.count && lines.len)
        answer_lines(&ex->answer, lines.p, lines.len);
    for (struct slice rest = lines; rest.len;) {
        struct slice line = slice_cut(&rest, '\n');
        typed = typed || slice_starts(line, SLICE("Content-Type:"));
        if (ex->query.count && !has_override(&ex->query, line))
            answer_lines(&ex->answer, line.p, line.len + 1);
    }
    if (ex->query.count)
        put_overrides(ex);
    if (!typed && !(ex->query.count && query_has(&ex->query, SLICE("response-content-type"))))
        answer_lines(&ex->answer, default_type.p, default_type.len);
}

static void put_validators(struct answer *answer, const struct object *object, struct slice etag)
{
    char *start = strbuf_reserve(&answer->head, 160);
    char *out = start;
    memcpy(out, "ETag: ", 6);
    memcpy(out + 6, etag.p, etag.len);
    out += 6 + etag.len;
    memcpy(out, "\r\nLast-Modified: ", 17);
    out = time_format_http(object->modified_ms / 1000, out + 17);
    memcpy(out, "\r\nAccept-Ranges: bytes\r\n", 24);
    strbuf_commit(&answer->head, (size_t)(out + 24 - start));
}

static enum s3_error answer_object(struct exchange *ex, struct object *object, struct slice etag)
{
    int64_t offset, len;
    bool is_range;
    struct slice range = ex->req.known[KNOWN_RANGE];
    enum s3_error error = read_range(range, object->size, &offset, &len, &is_range);
    if (error) {
        object_unref(object);
        return error;
    }
    answer_start(&ex->answer, ex->thread, is_range ? 206 : 200);
    put_validators(&ex->answer, object, etag);
    put_object_lines(ex, object);
    if (is_range) {
        char text[80];
        int n = snprintf(text, sizeof(text), "bytes %lld-%lld/%lld", (long long)offset,
                         (long long)(offset + len - 1), (long long)object->size);
        answer_field(&ex->answer, SLICE("Content-Range"), (struct slice){text, (size_t)n});
    }
    answer_end_object(&ex->answer, object, offset, len);
    return S3_OK;
}

enum s3_error s3_get_object(struct exchange *ex)
{
    char etag_text[OBJECT_ETAG_MAX];
    const struct slice *known = ex->req.known;
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    struct object *object = bucket_get(ex->found, ex->key);
    if (!object)
        return S3_NO_SUCH_KEY;
    struct slice etag = {etag_text, (size_t)(object_format_etag(object, etag_text) - etag_text)};
    if (known[KNOWN_IF_MATCH].p || known[KNOWN_IF_NONE_MATCH].p ||
        known[KNOWN_IF_MODIFIED_SINCE].p || known[KNOWN_IF_UNMODIFIED_SINCE].p) {
        int status = check_conditions(&ex->req, object, etag);
        if (status == 304) {
            answer_start(&ex->answer, ex->thread, 304);
            put_validators(&ex->answer, object, etag);
            answer_end_empty(&ex->answer);
            object_unref(object);
            return S3_OK;
        }
        if (status) {
            object_unref(object);
            return S3_PRECONDITION_FAILED;
        }
    }
    return answer_object(ex, object, etag);
}

/* ---- PUT ---- */

enum s3_error s3_put_object_begin(struct exchange *ex)
{
    struct target *target = ex->thread->target;
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    return body_start(&ex->body, store_is_null(target->store) ? BODY_SIZE : BODY_KEEP,
                      target->store, &ex->req, &ex->verdict, target->options->max_object);
}

static enum s3_error answer_etag(struct exchange *ex, const struct object *object)
{
    char etag[OBJECT_ETAG_MAX];
    const char *end = object_format_etag(object, etag);
    answer_start(&ex->answer, ex->thread, 200);
    answer_field(&ex->answer, SLICE("ETag"), (struct slice){etag, (size_t)(end - etag)});
    answer_end_empty(&ex->answer);
    return S3_OK;
}

static enum s3_error put_null(struct exchange *ex)
{
    struct object shape = {.size = ex->body.size};
    enum s3_error error = bucket_put_size(ex->found, ex->key, ex->body.size, ex->thread->wall_ms);
    if (error)
        return error;
    object_null_etag(ex->key, ex->body.size, shape.etag);
    return answer_etag(ex, &shape);
}

/* An object of the body that was received; its blob moves over. NULL when memory is out. */
static struct object *object_of_body(struct exchange *ex)
{
    struct object *object = object_new(ex->thread->target->store, ex->body.blob ? 1 : 0);
    if (!object)
        return NULL;
    object->size = ex->body.size;
    object->modified_ms = ex->thread->wall_ms;
    memcpy(object->etag, ex->body.md5_value, sizeof(object->etag));
    if (ex->body.blob)
        object->segments[0] = (struct segment){TAKE(ex->body.blob), 0, (size_t)ex->body.size};
    return object;
}

/* The request's own fields go to the object. */
static enum s3_error keep_fields(struct exchange *ex, struct object *object)
{
    char *fields = NULL;
    size_t len = 0;
    enum s3_error error = fields_collect(&ex->req, &fields, &len);
    if (error)
        return error;
    return object_set_fields(object, fields, len) ? S3_OK : S3_STORE_FULL;
}

/* If-None-Match: * (do not overwrite) and If-Match, as S3 has them on PUT. */
static enum s3_error check_put_conditions(struct exchange *ex)
{
    struct slice none = ex->req.known[KNOWN_IF_NONE_MATCH];
    struct slice match = ex->req.known[KNOWN_IF_MATCH];
    char etag_text[OBJECT_ETAG_MAX];
    bool good = true;
    if (!none.p && !match.p)
        return S3_OK;
    struct object *object = bucket_get(ex->found, ex->key);
    if (object) {
        struct slice etag = {etag_text,
                             (size_t)(object_format_etag(object, etag_text) - etag_text)};
        good = (!none.p || !etag_listed(none, etag)) && (!match.p || etag_listed(match, etag));
    } else if (match.p) {
        return S3_NO_SUCH_KEY;
    }
    object_unref(object);
    return good ? S3_OK : S3_PRECONDITION_FAILED;
}

enum s3_error s3_put_object(struct exchange *ex)
{
    enum s3_error error = check_put_conditions(ex);
    if (error)
        return error;
    if (ex->body.kind == BODY_SIZE)
        return put_null(ex);
    struct object *object = object_of_body(ex);
    if (!object)
        return S3_STORE_FULL;
    error = keep_fields(ex, object);
    if (error) {
        object_unref(object);
        return error;
    }
    answer_etag(ex, object);
    return bucket_put(ex->found, ex->key, object);
}

/* ---- copy ---- */

/* The object that x-amz-copy-source names, "[/]bucket/key[?versionId=...]", or an error. */
static enum s3_error find_source(struct exchange *ex, struct object **ret_object)
{
    struct slice source = ex->req.known[KNOWN_AMZ_COPY_SOURCE];
    char *decoded = ex->thread->scratch;
    struct slice key = slice_cut(&source, '?');
    long len = percent_decode(key, false, decoded);
    if (len < 0)
        return S3_INVALID_ARGUMENT;
    key = (struct slice){decoded, (size_t)len};
    if (key.len && key.p[0] == '/')
        key = (struct slice){key.p + 1, key.len - 1};
    struct slice name = slice_cut(&key, '/');
    if (!name.len || !key.len)
        return S3_INVALID_ARGUMENT;
    struct bucket *bucket = store_bucket(ex->thread->target->store, name);
    if (!bucket)
        return S3_NO_SUCH_BUCKET;
    *ret_object = bucket_get(bucket, key);
    return *ret_object ? S3_OK : S3_NO_SUCH_KEY;
}

static enum s3_error copy_fields(struct exchange *ex, const struct object *source,
                                 struct object *copy)
{
    struct slice directive = ex->req.known[KNOWN_AMZ_METADATA_DIRECTIVE];
    if (slice_is_nocase(directive, SLICE("REPLACE")))
        return store_is_null(source->store) ? S3_OK : keep_fields(ex, copy);
    if (!source->fields)
        return S3_OK;
    char *fields = xmalloc(source->fields_len);
    memcpy(fields, source->fields, source->fields_len);
    return object_set_fields(copy, fields, source->fields_len) ? S3_OK : S3_STORE_FULL;
}

static void answer_copy(struct exchange *ex, const char *root, const struct object *copy)
{
    char etag[OBJECT_ETAG_MAX];
    const char *end = object_format_etag(copy, etag);
    struct strbuf *out = exchange_start_xml(ex);
    strbuf_addf(out, "<%s" XML_NAMESPACE ">", root);
    xml_put_time(out, "LastModified", copy->modified_ms);
    xml_put_element(out, "ETag", (struct slice){etag, (size_t)(end - etag)});
    strbuf_addf(out, "</%s>", root);
    exchange_end_xml(ex);
}

/* A new object of [offset, offset+len) of source; the bytes are shared. */
static struct object *object_slice(struct exchange *ex, const struct object *source, int64_t offset,
                                   int64_t len)
{
    struct object *copy = object_new(source->store, object_share(NULL, 0, source, offset, len));
    if (!copy)
        return NULL;
    object_share(copy, 0, source, offset, len);
    copy->size = len;
    copy->modified_ms = ex->thread->wall_ms;
    return copy;
}

enum s3_error s3_copy_object(struct exchange *ex)
{
    struct object *source = NULL;
    enum s3_error error = exchange_find_bucket(ex);
    if (!error)
        error = find_source(ex, &source);
    if (error)
        return error;
    struct object *copy = object_slice(ex, source, 0, source->size);
    error = copy ? copy_fields(ex, source, copy) : S3_STORE_FULL;
    if (!error) {
        copy->parts = source->parts;
        memcpy(copy->etag, source->etag, sizeof(copy->etag));
        answer_copy(ex, "CopyObjectResult", copy);
        error = bucket_put(ex->found, ex->key, object_ref(copy));
    }
    object_unref(copy);
    object_unref(source);
    return error;
}

/* "bytes=a-b" of x-amz-copy-source-range, both ends there and inside; absent: all. */
static enum s3_error copy_range(struct exchange *ex, const struct object *source, int64_t *offset,
                                int64_t *len)
{
    struct slice text = ex->req.known[KNOWN_AMZ_COPY_SOURCE_RANGE];
    bool is_range;
    enum s3_error error = read_range(text, source->size, offset, len, &is_range);
    return !error && text.p && !is_range ? S3_INVALID_ARGUMENT : error;
}

/* MD5 of an object's bytes, as a part's ETag needs it. */
static void md5_of_object(const struct object *object, uint8_t out[MD5_BYTES])
{
    struct digest md5;
    md5_start(&md5);
    for (size_t i = 0; i < object->segment_count; i++)
        md5_add(&md5, object->segments[i].blob->data + object->segments[i].offset,
                object->segments[i].len);
    md5_end(&md5, out);
}

enum s3_error s3_copy_part(struct exchange *ex)
{
    struct target *target = ex->thread->target;
    struct slice id = query_get(&ex->query, SLICE("uploadId"));
    int64_t number = http_parse_number(query_get(&ex->query, SLICE("partNumber")));
    struct object *source = NULL;
    struct object *part = NULL;
    int64_t offset, len;
    if (number < 1 || number > UPLOAD_PARTS_MAX)
        return S3_INVALID_ARGUMENT;
    enum s3_error error = uploads_check(target->uploads, ex->bucket, ex->key, id);
    if (!error)
        error = find_source(ex, &source);
    if (!error)
        error = copy_range(ex, source, &offset, &len);
    if (!error) {
        part = object_slice(ex, source, offset, len);
        error = part ? S3_OK : S3_STORE_FULL;
    }
    if (!error) {
        if (store_is_null(target->store))
            object_null_etag(ex->key, len, part->etag);
        else
            md5_of_object(part, part->etag);
        answer_copy(ex, "CopyPartResult", part);
        error =
            uploads_put(target->uploads, ex->bucket, ex->key, id, (int)number, object_ref(part));
    }
    object_unref(part);
    object_unref(source);
    return error;
}

/* ---- DELETE ---- */

enum s3_error s3_delete_object(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    bucket_delete(ex->found, ex->key);
    return exchange_answer_empty(ex, 204);
}

enum s3_error s3_delete_objects(struct exchange *ex)
{
    AUTO(delete_list_release) struct delete_list list;
    enum s3_error error = xml_read_delete(ex->body.text.buf, ex->body.text.len, &list);
    if (error)
        return error;
    struct strbuf *out = exchange_start_xml(ex);
    strbuf_adds(out, "<DeleteResult" XML_NAMESPACE ">");
    VEC_EACH (key, &list.keys) {
        bucket_delete(ex->found, slice_of(*key));
        if (list.quiet)
            continue;
        strbuf_adds(out, "<Deleted>");
        xml_put_element(out, "Key", slice_of(*key));
        strbuf_adds(out, "</Deleted>");
    }
    strbuf_adds(out, "</DeleteResult>");
    return exchange_end_xml(ex);
}
