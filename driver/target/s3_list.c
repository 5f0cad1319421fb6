/* s3_list.c -- ListObjects, version 1 and 2, and ListObjectVersions of buckets without versions.
 *
 * A continuation token is the base64 of the last key or common prefix given. */
#include "driver/target/routes.h"
#include "driver/target/xml_out.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <stdlib.h>

#define LIST_MAX 1000

/* One page while it is written. */
struct page {
    struct strbuf *out;
    bool url;          /* encoding-type=url */
    bool owner;        /* objects with their owner */
    bool versions;     /* objects as <Version> */
    struct slice last; /* the last entry given, in last_text */
    char last_text[OBJECT_KEY_MAX];
};

/* A name as the client wants it. */
static void put_name(struct page *page, const char *element, struct slice name)
{
    char encoded[3 * OBJECT_KEY_MAX];
    if (!page->url || name.len > OBJECT_KEY_MAX) {
        xml_put_element(page->out, element, name);
        return;
    }
    const char *end = percent_encode(name, false, encoded);
    xml_put_element(page->out, element, (struct slice){encoded, (size_t)(end - encoded)});
}

#define OWNER "<Owner><ID>loadstone</ID><DisplayName>loadstone</DisplayName></Owner>"

static void put_object(struct page *page, struct slice key, const struct object *object)
{
    char etag[OBJECT_ETAG_MAX];
    const char *end = object_format_etag(object, etag);
    struct strbuf *out = page->out;
    strbuf_adds(out, page->versions ? "<Version>" : "<Contents>");
    put_name(page, "Key", key);
    if (page->versions)
        strbuf_adds(out, "<VersionId>null</VersionId><IsLatest>true</IsLatest>");
    xml_put_time(out, "LastModified", object->modified_ms);
    strbuf_adds(out, "<ETag>&quot;"); /* the rest of an ETag needs no escape */
    strbuf_add(out, etag + 1, (size_t)(end - etag) - 2);
    strbuf_adds(out, "&quot;</ETag>");
    xml_put_number(out, "Size", object->size);
    if (page->owner)
        strbuf_adds(out, OWNER);
    strbuf_adds(out, "<StorageClass>STANDARD</StorageClass>");
    strbuf_adds(out, page->versions ? "</Version>" : "</Contents>");
}

static void on_entry(void *arg, struct slice key, const struct object *object)
{
    struct page *page = arg;
    if (object) {
        put_object(page, key, object);
    } else {
        strbuf_adds(page->out, "<CommonPrefixes>");
        put_name(page, "Prefix", key);
        strbuf_adds(page->out, "</CommonPrefixes>");
    }
    memcpy(page->last_text, key.p, key.len);
    page->last = (struct slice){page->last_text, key.len};
}

static enum s3_error read_max_keys(const struct query *query, size_t *ret_max)
{
    struct slice text = query_get(query, SLICE("max-keys"));
    *ret_max = LIST_MAX;
    if (!text.len)
        return S3_OK;
    int64_t max = http_parse_number(text);
    if (max < 0)
        return S3_INVALID_ARGUMENT;
    *ret_max = (size_t)MIN(max, LIST_MAX);
    return S3_OK;
}

static enum s3_error read_encoding(const struct query *query, bool *ret_url)
{
    struct slice text = query_get(query, SLICE("encoding-type"));
    *ret_url = slice_is(text, SLICE("url"));
    return text.p && !*ret_url ? S3_INVALID_ARGUMENT : S3_OK;
}

static void put_token(struct strbuf *out, struct slice last)
{
    AUTO(freep) char *token = base64_encode(last.p, last.len);
    xml_put_element(out, "NextContinuationToken", slice_of(token));
}

/* What the parameters ask for. */
struct list_params {
    bool v2;
    struct slice prefix, delimiter, after;
    struct slice token;
    size_t max;
    uint8_t *token_text; /* owned */
};

static enum s3_error read_params(struct exchange *ex, struct list_params *params)
{
    const struct query *query = &ex->query;
    size_t len = 0;
    params->v2 = slice_is(query_get(query, SLICE("list-type")), SLICE("2"));
    params->prefix = query_get(query, SLICE("prefix"));
    params->delimiter = query_get(query, SLICE("delimiter"));
    params->after = query_get(query, params->v2 ? SLICE("start-after") : SLICE("marker"));
    params->token = query_get(query, SLICE("continuation-token"));
    enum s3_error error = read_max_keys(query, &params->max);
    if (error || !params->v2 || !params->token.p)
        return error;
    if (base64_decode(params->token.p, params->token.len, &params->token_text, &len) < 0 || !len)
        return S3_INVALID_ARGUMENT;
    params->after = (struct slice){(const char *)params->token_text, len};
    return S3_OK;
}

static void put_head(struct exchange *ex, struct page *page, const struct list_params *params)
{
    struct strbuf *out = page->out;
    strbuf_adds(out, "<ListBucketResult" XML_NAMESPACE ">");
    xml_put_element(out, "Name", ex->bucket);
    put_name(page, "Prefix", params->prefix);
    if (params->delimiter.len)
        put_name(page, "Delimiter", params->delimiter);
    xml_put_number(out, "MaxKeys", (int64_t)params->max);
    if (page->url)
        strbuf_adds(out, "<EncodingType>url</EncodingType>");
    if (!params->v2)
        put_name(page, "Marker", params->after);
    else if (params->token.p)
        xml_put_element(out, "ContinuationToken", params->token);
    else if (params->after.len)
        put_name(page, "StartAfter", params->after);
}

static enum s3_error list_objects(struct exchange *ex, const struct list_params *params)
{
    struct page page = {.out = NULL, .owner = !params->v2};
    bool more = false;
    size_t count = 0;
    enum s3_error error = read_encoding(&ex->query, &page.url);
    if (error)
        return error;
    if (params->v2)
        page.owner = slice_is(query_get(&ex->query, SLICE("fetch-owner")), SLICE("true"));
    page.out = exchange_start_xml(ex);
    put_head(ex, &page, params);
    struct list_query list = {params->prefix, params->delimiter, params->after,
                              params->max,    on_entry,          &page};
    if (params->max)
        count = bucket_list(ex->found, &list, &more);
    if (params->v2)
        xml_put_number(page.out, "KeyCount", (int64_t)count);
    xml_put_element(page.out, "IsTruncated", more ? SLICE("true") : SLICE("false"));
    if (more && params->v2)
        put_token(page.out, page.last);
    else if (more)
        put_name(&page, "NextMarker", page.last);
    strbuf_adds(page.out, "</ListBucketResult>");
    return exchange_end_xml(ex);
}

enum s3_error s3_list_objects(struct exchange *ex)
{
    struct list_params params = {0};
    enum s3_error error = exchange_find_bucket(ex);
    if (!error)
        error = read_params(ex, &params);
    if (!error)
        error = list_objects(ex, &params);
    free(params.token_text);
    return error;
}

enum s3_error s3_list_versions(struct exchange *ex)
{
    struct page page = {.owner = true, .versions = true};
    size_t max;
    bool more = false;
    enum s3_error error = exchange_find_bucket(ex);
    if (!error)
        error = read_max_keys(&ex->query, &max);
    if (!error)
        error = read_encoding(&ex->query, &page.url);
    if (error)
        return error;
    struct slice prefix = query_get(&ex->query, SLICE("prefix"));
    struct slice delimiter = query_get(&ex->query, SLICE("delimiter"));
    struct slice after = query_get(&ex->query, SLICE("key-marker"));
    page.out = exchange_start_xml(ex);
    strbuf_adds(page.out, "<ListVersionsResult" XML_NAMESPACE ">");
    xml_put_element(page.out, "Name", ex->bucket);
    put_name(&page, "Prefix", prefix);
    put_name(&page, "KeyMarker", after);
    strbuf_adds(page.out, "<VersionIdMarker></VersionIdMarker>");
    if (delimiter.len)
        put_name(&page, "Delimiter", delimiter);
    xml_put_number(page.out, "MaxKeys", (int64_t)max);
    if (page.url)
        strbuf_adds(page.out, "<EncodingType>url</EncodingType>");
    struct list_query list = {prefix, delimiter, after, max, on_entry, &page};
    if (max)
        bucket_list(ex->found, &list, &more);
    xml_put_element(page.out, "IsTruncated", more ? SLICE("true") : SLICE("false"));
    if (more) {
        put_name(&page, "NextKeyMarker", page.last);
        strbuf_adds(page.out, "<NextVersionIdMarker>null</NextVersionIdMarker>");
    }
    strbuf_adds(page.out, "</ListVersionsResult>");
    return exchange_end_xml(ex);
}
