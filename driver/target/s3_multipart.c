/* s3_multipart.c -- multipart uploads: start, part, list, complete, abort. */
#include "driver/target/fields.h"
#include "driver/target/routes.h"
#include "driver/target/xml_body.h"
#include "driver/target/xml_out.h"

#include "common/base/scope.h"

#include <stdlib.h>

#define LIST_MAX 1000

static struct slice upload_id(const struct exchange *ex)
{
    return query_get(&ex->query, SLICE("uploadId"));
}

static void put_names(struct exchange *ex, struct strbuf *out, struct slice id)
{
    xml_put_element(out, "Bucket", ex->bucket);
    xml_put_element(out, "Key", ex->key);
    xml_put_element(out, "UploadId", id);
}

enum s3_error s3_start_upload(struct exchange *ex)
{
    struct target *target = ex->thread->target;
    char id[UPLOAD_ID_BYTES];
    char *fields = NULL;
    size_t fields_len = 0;
    enum s3_error error = exchange_find_bucket(ex);
    if (!error && !store_is_null(target->store))
        error = fields_collect(&ex->req, &fields, &fields_len);
    if (!error)
        error = uploads_start(target->uploads, ex->bucket, ex->key, fields, fields_len,
                              ex->thread->wall_ms, id);
    if (error)
        return error;
    struct strbuf *out = exchange_start_xml(ex);
    strbuf_adds(out, "<InitiateMultipartUploadResult" XML_NAMESPACE ">");
    put_names(ex, out, (struct slice){id, sizeof(id)});
    strbuf_adds(out, "</InitiateMultipartUploadResult>");
    return exchange_end_xml(ex);
}

enum s3_error s3_put_part_begin(struct exchange *ex)
{
    struct target *target = ex->thread->target;
    int64_t number = http_parse_number(query_get(&ex->query, SLICE("partNumber")));
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    if (number < 1 || number > UPLOAD_PARTS_MAX)
        return S3_INVALID_ARGUMENT;
    ex->part_number = (int)number;
    error = uploads_check(target->uploads, ex->bucket, ex->key, upload_id(ex));
    if (error)
        return error;
    return body_start(&ex->body, store_is_null(target->store) ? BODY_SIZE : BODY_KEEP,
                      target->store, &ex->req, &ex->verdict, target->options->max_object);
}

enum s3_error s3_put_part(struct exchange *ex)
{
    char etag[OBJECT_ETAG_MAX];
    struct object *part = object_new(ex->thread->target->store, ex->body.blob ? 1 : 0);
    if (!part)
        return S3_STORE_FULL;
    part->size = ex->body.size;
    part->modified_ms = ex->thread->wall_ms;
    if (ex->body.kind == BODY_SIZE)
        object_null_etag(ex->key, part->size, part->etag);
    else
        memcpy(part->etag, ex->body.md5_value, sizeof(part->etag));
    if (ex->body.blob)
        part->segments[0] = (struct segment){TAKE(ex->body.blob), 0, (size_t)ex->body.size};
    const char *end = object_format_etag(part, etag);
    answer_start(&ex->answer, ex->thread, 200);
    answer_field(&ex->answer, SLICE("ETag"), (struct slice){etag, (size_t)(end - etag)});
    answer_end_empty(&ex->answer);
    return uploads_put(ex->thread->target->uploads, ex->bucket, ex->key, upload_id(ex),
                       ex->part_number, part);
}

enum s3_error s3_complete_begin(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    return body_start(&ex->body, BODY_TEXT, NULL, &ex->req, &ex->verdict, BODY_TEXT_MAX);
}

/* An upload that is gone and whose object is there was completed by an earlier request of the
 * same client, whose answer was lost: as S3 and RGW do, that is answered with success again. */
static enum s3_error complete(struct exchange *ex, struct upload_claims *claims,
                              struct object **ret_object)
{
    struct uploads *uploads = ex->thread->target->uploads;
    enum s3_error error = uploads_complete(uploads, ex->bucket, ex->key, upload_id(ex), claims,
                                           ex->thread->wall_ms, ret_object);
    if (!error)
        return bucket_put(ex->found, ex->key, object_ref(*ret_object));
    if (error != S3_NO_SUCH_UPLOAD)
        return error;
    *ret_object = bucket_get(ex->found, ex->key);
    if (*ret_object && (*ret_object)->parts == claims->list.len && claims->list.len)
        return S3_OK;
    object_unref(TAKE(*ret_object));
    return error;
}

enum s3_error s3_complete_upload(struct exchange *ex)
{
    struct upload_claims claims;
    struct object *object = NULL;
    char etag[OBJECT_ETAG_MAX];
    enum s3_error error = xml_read_complete(ex->body.text.buf, ex->body.text.len, &claims);
    if (!error)
        error = complete(ex, &claims, &object);
    vec_release(&claims.list);
    if (error) {
        object_unref(object);
        return error;
    }
    const char *end = object_format_etag(object, etag);
    struct strbuf *out = exchange_start_xml(ex);
    strbuf_adds(out, "<CompleteMultipartUploadResult" XML_NAMESPACE "><Location>/");
    xml_put_text(out, ex->bucket);
    strbuf_addc(out, '/');
    xml_put_text(out, ex->key);
    strbuf_adds(out, "</Location>");
    xml_put_element(out, "Bucket", ex->bucket);
    xml_put_element(out, "Key", ex->key);
    xml_put_element(out, "ETag", (struct slice){etag, (size_t)(end - etag)});
    strbuf_adds(out, "</CompleteMultipartUploadResult>");
    object_unref(object);
    return exchange_end_xml(ex);
}

enum s3_error s3_abort_upload(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (!error)
        error = uploads_abort(ex->thread->target->uploads, ex->bucket, ex->key, upload_id(ex));
    return error ? error : exchange_answer_empty(ex, 204);
}

/* A page of parts or uploads while it is written: the entries come before what is known of them. */
struct page {
    struct strbuf *out;
    int last_number;
    char last_id[UPLOAD_ID_BYTES];
    char last_key[OBJECT_KEY_MAX];
    size_t last_key_len;
};

static void on_part(void *arg, int number, const struct object *part)
{
    struct page *page = arg;
    char etag[OBJECT_ETAG_MAX];
    const char *end = object_format_etag(part, etag);
    page->last_number = number;
    strbuf_adds(page->out, "<Part>");
    xml_put_number(page->out, "PartNumber", number);
    xml_put_time(page->out, "LastModified", part->modified_ms);
    xml_put_element(page->out, "ETag", (struct slice){etag, (size_t)(end - etag)});
    xml_put_number(page->out, "Size", part->size);
    strbuf_adds(page->out, "</Part>");
}

/* A non-negative number parameter, at most max; def when absent; -1 when it is no number. */
static int64_t number_param(const struct exchange *ex, struct slice name, int64_t def, int64_t max)
{
    struct slice text = query_get(&ex->query, name);
    return text.len ? MIN(http_parse_number(text), max) : def;
}

enum s3_error s3_list_parts(struct exchange *ex)
{
    struct page page = {0};
    bool more = false;
    int64_t max = number_param(ex, SLICE("max-parts"), LIST_MAX, LIST_MAX);
    int64_t after = number_param(ex, SLICE("part-number-marker"), 0, UPLOAD_PARTS_MAX);
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    if (max < 0 || after < 0)
        return S3_INVALID_ARGUMENT;
    page.out = exchange_start_xml(ex);
    strbuf_adds(page.out, "<ListPartsResult" XML_NAMESPACE ">");
    put_names(ex, page.out, upload_id(ex));
    xml_put_number(page.out, "PartNumberMarker", after);
    xml_put_number(page.out, "MaxParts", max);
    error = uploads_list_parts(ex->thread->target->uploads, ex->bucket, ex->key, upload_id(ex),
                               (int)after, (size_t)max, on_part, &page, &more);
    if (error)
        return error;
    xml_put_number(page.out, "NextPartNumberMarker", page.last_number);
    xml_put_element(page.out, "IsTruncated", more ? SLICE("true") : SLICE("false"));
    strbuf_adds(page.out, "<StorageClass>STANDARD</StorageClass></ListPartsResult>");
    return exchange_end_xml(ex);
}

static void on_upload(void *arg, const struct upload_info *info)
{
    struct page *page = arg;
    strbuf_adds(page->out, "<Upload>");
    xml_put_element(page->out, "Key", info->key);
    xml_put_element(page->out, "UploadId", info->id);
    strbuf_adds(page->out, "<StorageClass>STANDARD</StorageClass>");
    xml_put_time(page->out, "Initiated", info->started_ms);
    strbuf_adds(page->out, "</Upload>");
    memcpy(page->last_id, info->id.p, info->id.len);
    memcpy(page->last_key, info->key.p, info->key.len);
    page->last_key_len = info->key.len;
}

enum s3_error s3_list_uploads(struct exchange *ex)
{
    struct page page = {0};
    bool more = false;
    struct slice prefix = query_get(&ex->query, SLICE("prefix"));
    struct slice key_marker = query_get(&ex->query, SLICE("key-marker"));
    struct slice id_marker = query_get(&ex->query, SLICE("upload-id-marker"));
    int64_t max = number_param(ex, SLICE("max-uploads"), LIST_MAX, LIST_MAX);
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    if (max < 0)
        return S3_INVALID_ARGUMENT;
    page.out = exchange_start_xml(ex);
    strbuf_adds(page.out, "<ListMultipartUploadsResult" XML_NAMESPACE ">");
    xml_put_element(page.out, "Bucket", ex->bucket);
    xml_put_element(page.out, "Prefix", prefix);
    xml_put_element(page.out, "KeyMarker", key_marker);
    xml_put_element(page.out, "UploadIdMarker", id_marker);
    xml_put_number(page.out, "MaxUploads", max);
    uploads_list(ex->thread->target->uploads, ex->bucket, prefix, key_marker, id_marker,
                 (size_t)max, on_upload, &page, &more);
    if (more && max) {
        xml_put_element(page.out, "NextKeyMarker",
                        (struct slice){page.last_key, page.last_key_len});
        xml_put_element(page.out, "NextUploadIdMarker",
                        (struct slice){page.last_id, UPLOAD_ID_BYTES});
    }
    xml_put_element(page.out, "IsTruncated", more && max ? SLICE("true") : SLICE("false"));
    strbuf_adds(page.out, "</ListMultipartUploadsResult>");
    return exchange_end_xml(ex);
}
