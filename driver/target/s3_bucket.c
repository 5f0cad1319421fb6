/* s3_bucket.c -- operations on buckets, and what clients ask about their settings. */
#include "driver/target/routes.h"
#include "driver/target/xml_body.h"
#include "driver/target/xml_out.h"

#include "common/base/scope.h"

#include <stdlib.h>

#define OWNER_ID "loadstone"

static void put_owner(struct strbuf *out)
{
    strbuf_adds(out, "<Owner><ID>" OWNER_ID "</ID><DisplayName>" OWNER_ID "</DisplayName></Owner>");
}

enum s3_error s3_list_buckets(struct exchange *ex)
{
    struct bucket **buckets = NULL;
    struct strbuf *out = exchange_start_xml(ex);
    size_t count = store_buckets(ex->thread->target->store, &buckets);
    strbuf_adds(out, "<ListAllMyBucketsResult" XML_NAMESPACE ">");
    put_owner(out);
    strbuf_adds(out, "<Buckets>");
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(out, "<Bucket>");
        xml_put_element(out, "Name", bucket_name(buckets[i]));
        xml_put_time(out, "CreationDate", bucket_created_ms(buckets[i]));
        strbuf_adds(out, "</Bucket>");
    }
    strbuf_adds(out, "</Buckets></ListAllMyBucketsResult>");
    free(buckets);
    return exchange_end_xml(ex);
}

enum s3_error s3_make_bucket_begin(struct exchange *ex)
{
    if (ex->req.content_length < 0) { /* a PUT without body may leave the length out */
        body_drop(&ex->body, 0);
        return ex->req.chunked ? S3_MISSING_LENGTH : S3_OK;
    }
    return body_start(&ex->body, BODY_TEXT, NULL, &ex->req, &ex->verdict, BODY_TEXT_MAX);
}

enum s3_error s3_make_bucket(struct exchange *ex)
{
    bool made = false;
    const struct strbuf *text = &ex->body.text;
    enum s3_error error = text->len ? xml_read_bucket_configuration(text->buf, text->len) : S3_OK;
    if (!error)
        error =
            store_bucket_make(ex->thread->target->store, ex->bucket, ex->thread->wall_ms, &made);
    if (error)
        return error;
    answer_start(&ex->answer, ex->thread, 200);
    char location[BUCKET_NAME_MAX + 1] = "/";
    memcpy(location + 1, ex->bucket.p, ex->bucket.len);
    answer_field(&ex->answer, SLICE("Location"), (struct slice){location, ex->bucket.len + 1});
    answer_end_empty(&ex->answer);
    return S3_OK;
}

enum s3_error s3_head_bucket(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    answer_start(&ex->answer, ex->thread, 200);
    answer_field(&ex->answer, SLICE("x-amz-bucket-region"),
                 slice_of(ex->thread->target->options->region));
    answer_end_empty(&ex->answer);
    return S3_OK;
}

enum s3_error s3_remove_bucket(struct exchange *ex)
{
    struct target *target = ex->thread->target;
    enum s3_error error = store_bucket_remove(target->store, ex->bucket);
    if (error)
        return error;
    uploads_drop_bucket(target->uploads, ex->bucket);
    return exchange_answer_empty(ex, 204);
}

enum s3_error s3_bucket_location(struct exchange *ex)
{
    const char *region = ex->thread->target->options->region;
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    struct strbuf *out = exchange_start_xml(ex);
    strbuf_adds(out, "<LocationConstraint" XML_NAMESPACE ">");
    if (strcmp(region, "us-east-1") != 0) /* whose name S3 leaves out */
        xml_put_text(out, slice_of(region));
    strbuf_adds(out, "</LocationConstraint>");
    return exchange_end_xml(ex);
}

#define GRANT                                                                                      \
    "<AccessControlList><Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "  \
    "xsi:type=\"CanonicalUser\"><ID>" OWNER_ID "</ID><DisplayName>" OWNER_ID "</DisplayName>"      \
    "</Grantee><Permission>FULL_CONTROL</Permission></Grant></AccessControlList>"

static enum s3_error answer_acl(struct exchange *ex)
{
    struct strbuf *out = exchange_start_xml(ex);
    strbuf_adds(out, "<AccessControlPolicy" XML_NAMESPACE ">");
    put_owner(out);
    strbuf_adds(out, GRANT "</AccessControlPolicy>");
    return exchange_end_xml(ex);
}

/* A bucket here has no settings: either the document of one that has none, or S3's 404. */
static const struct {
    struct slice param;
    enum s3_error missing; /* or S3_OK and the document */
    const char *document;
} settings[] = {
    {SLICE("versioning"), S3_OK, "<VersioningConfiguration" XML_NAMESPACE "/>"},
    {SLICE("requestPayment"), S3_OK,
     "<RequestPaymentConfiguration" XML_NAMESPACE
     "><Payer>BucketOwner</Payer></RequestPaymentConfiguration>"},
    {SLICE("logging"), S3_OK, "<BucketLoggingStatus" XML_NAMESPACE "/>"},
    {SLICE("notification"), S3_OK, "<NotificationConfiguration" XML_NAMESPACE "/>"},
    {SLICE("accelerate"), S3_OK, "<AccelerateConfiguration" XML_NAMESPACE "/>"},
    {SLICE("policy"), S3_NO_SUCH_POLICY, NULL},
    {SLICE("policyStatus"), S3_NO_SUCH_POLICY, NULL},
    {SLICE("cors"), S3_NO_SUCH_CORS, NULL},
    {SLICE("lifecycle"), S3_NO_SUCH_LIFECYCLE, NULL},
    {SLICE("tagging"), S3_NO_SUCH_TAGS, NULL},
    {SLICE("website"), S3_NO_SUCH_WEBSITE, NULL},
    {SLICE("encryption"), S3_NO_ENCRYPTION, NULL},
    {SLICE("object-lock"), S3_NO_OBJECT_LOCK, NULL},
    {SLICE("replication"), S3_NO_REPLICATION, NULL},
    {SLICE("ownershipControls"), S3_NO_OWNERSHIP, NULL},
    {SLICE("publicAccessBlock"), S3_NO_PUBLIC_ACCESS_BLOCK, NULL},
};

enum s3_error s3_bucket_setting(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    if (query_has(&ex->query, SLICE("acl")))
        return answer_acl(ex);
    for (size_t i = 0; i < ARRAY_LEN(settings); i++) {
        if (!query_has(&ex->query, settings[i].param))
            continue;
        if (settings[i].missing)
            return settings[i].missing;
        strbuf_adds(exchange_start_xml(ex), settings[i].document);
        return exchange_end_xml(ex);
    }
    return S3_NOT_IMPLEMENTED;
}

/* Takes an ACL for what it names, and changes nothing: every user may do everything here. */
enum s3_error s3_accept_setting(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (!error && ex->key.len) {
        struct object *object = bucket_get(ex->found, ex->key);
        if (!object)
            error = S3_NO_SUCH_KEY;
        object_unref(object);
    }
    return error ? error : exchange_answer_empty(ex, 200);
}

enum s3_error s3_object_acl(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    struct object *object = bucket_get(ex->found, ex->key);
    if (!object)
        return S3_NO_SUCH_KEY;
    object_unref(object);
    return answer_acl(ex);
}

enum s3_error s3_object_tags(struct exchange *ex)
{
    enum s3_error error = exchange_find_bucket(ex);
    if (error)
        return error;
    struct object *object = bucket_get(ex->found, ex->key);
    if (!object)
        return S3_NO_SUCH_KEY;
    object_unref(object);
    strbuf_adds(exchange_start_xml(ex), "<Tagging" XML_NAMESPACE "><TagSet/></Tagging>");
    return exchange_end_xml(ex);
}
