/* xml_body.c -- see xml_body.h: three fixed shapes read off a bounded tree. */
#include "driver/target/xml_body.h"

#include "common/base/xalloc.h"
#include "common/base/xml.h"
#include "driver/target/http_request.h"

#include <stdlib.h>
#include <string.h>

static const struct xml_limits limits = {
    .max_bytes = 4 << 20,
    .max_depth = 8,
    .max_elements = 100000, /* 10,000 parts with a checksum or two */
};

/* The name without a namespace prefix. */
static bool is_named(const struct xml_element *element, const char *name)
{
    const char *colon = strchr(element->name, ':');
    return strcmp(colon ? colon + 1 : element->name, name) == 0;
}

/* The first child of that name, or NULL. */
static const struct xml_element *find_child(const struct xml_element *element, const char *name)
{
    VEC_EACH (child, &element->children)
        if (is_named(*child, name))
            return *child;
    return NULL;
}

static enum s3_error parse(const char *text, size_t len, const char *root,
                           struct xml_document **ret_document)
{
    struct xml_place place;
    struct err err;
    AUTO(xml_document_freep) struct xml_document *document = NULL;
    if (xml_parse(text, len, &limits, &document, &place, &err) < 0)
        return S3_MALFORMED_XML;
    if (!is_named(document->root, root))
        return S3_MALFORMED_XML;
    *ret_document = TAKE(document);
    return S3_OK;
}

enum s3_error xml_read_delete(const char *text, size_t len, struct delete_list *list)
{
    AUTO(xml_document_freep) struct xml_document *document = NULL;
    memset(list, 0, sizeof(*list));
    enum s3_error error = parse(text, len, "Delete", &document);
    if (error)
        return error;
    VEC_EACH (child, &document->root->children) {
        if (is_named(*child, "Quiet"))
            list->quiet = slice_is(slice_trim(slice_of((*child)->text)), SLICE("true"));
        if (!is_named(*child, "Object"))
            continue;
        const struct xml_element *key = find_child(*child, "Key");
        if (!key || !key->text[0] || list->keys.len == DELETE_KEYS_MAX)
            return S3_MALFORMED_XML;
        vec_push(&list->keys, xstrdup(key->text));
    }
    return list->keys.len ? S3_OK : S3_MALFORMED_XML;
}

void delete_list_release(struct delete_list *list)
{
    VEC_EACH (key, &list->keys)
        free(*key);
    vec_release(&list->keys);
}

/* Without blanks and quotes. What is too long for any ETag of ours is cut: it will not match. */
static void copy_etag(struct slice text, char etag[OBJECT_ETAG_MAX])
{
    text = slice_trim(text);
    if (text.len >= 2 && text.p[0] == '"' && text.p[text.len - 1] == '"')
        text = (struct slice){text.p + 1, text.len - 2};
    size_t len = MIN(text.len, OBJECT_ETAG_MAX - 1);
    memcpy(etag, text.p, len);
    etag[len] = 0;
}

static enum s3_error read_part(const struct xml_element *part, struct upload_claim *claim)
{
    const struct xml_element *number = find_child(part, "PartNumber");
    const struct xml_element *etag = find_child(part, "ETag");
    if (!number || !etag)
        return S3_MALFORMED_XML;
    int64_t value = http_parse_number(slice_trim(slice_of(number->text)));
    if (value < 1 || value > UPLOAD_PARTS_MAX)
        return S3_MALFORMED_XML;
    claim->number = (int)value;
    copy_etag(slice_of(etag->text), claim->etag);
    return S3_OK;
}

enum s3_error xml_read_complete(const char *text, size_t len, struct upload_claims *claims)
{
    AUTO(xml_document_freep) struct xml_document *document = NULL;
    memset(claims, 0, sizeof(*claims));
    enum s3_error error = parse(text, len, "CompleteMultipartUpload", &document);
    if (error)
        return error;
    VEC_EACH (child, &document->root->children) {
        struct upload_claim claim;
        if (!is_named(*child, "Part"))
            continue;
        if (claims->list.len == UPLOAD_PARTS_MAX || read_part(*child, &claim) != S3_OK)
            return S3_MALFORMED_XML;
        vec_push(&claims->list, claim);
    }
    return S3_OK;
}

enum s3_error xml_read_bucket_configuration(const char *text, size_t len)
{
    AUTO(xml_document_freep) struct xml_document *document = NULL;
    return parse(text, len, "CreateBucketConfiguration", &document);
}
