/* routes.c -- see routes.h. */
#include "driver/target/routes.h"

#include "common/base/scope.h"

enum scope { SCOPE_SERVICE, SCOPE_BUCKET, SCOPE_OBJECT, SCOPES };

static enum s3_error not_allowed(struct exchange *ex)
{
    (void)ex;
    return S3_METHOD_NOT_ALLOWED;
}

static enum s3_error not_implemented(struct exchange *ex)
{
    (void)ex;
    return S3_NOT_IMPLEMENTED;
}

static const struct route route_not_allowed = {"NotAllowed", NULL, not_allowed};
static const struct route route_unknown = {"NotImplemented", NULL, not_implemented};

/* Requests without a sub-resource: found by index. */
static const struct route plain[SCOPES][HTTP_METHODS] = {
    [SCOPE_SERVICE][HTTP_GET] = {"ListBuckets", NULL, s3_list_buckets},
    [SCOPE_SERVICE][HTTP_HEAD] = {"ListBuckets", NULL, s3_list_buckets},
    [SCOPE_BUCKET][HTTP_GET] = {"ListObjects", NULL, s3_list_objects},
    [SCOPE_BUCKET][HTTP_HEAD] = {"HeadBucket", NULL, s3_head_bucket},
    [SCOPE_BUCKET][HTTP_PUT] = {"CreateBucket", s3_make_bucket_begin, s3_make_bucket},
    [SCOPE_BUCKET][HTTP_DELETE] = {"DeleteBucket", NULL, s3_remove_bucket},
    [SCOPE_OBJECT][HTTP_GET] = {"GetObject", NULL, s3_get_object},
    [SCOPE_OBJECT][HTTP_HEAD] = {"HeadObject", NULL, s3_get_object},
    [SCOPE_OBJECT][HTTP_PUT] = {"PutObject", s3_put_object_begin, s3_put_object},
    [SCOPE_OBJECT][HTTP_DELETE] = {"DeleteObject", NULL, s3_delete_object},
};

static const struct route copy_object = {"CopyObject", NULL, s3_copy_object};
static const struct route copy_part = {"UploadPartCopy", NULL, s3_copy_part};

struct param_route {
    enum scope scope;
    enum http_method method;
    struct slice param;
    struct route route;
};

#define BUCKET_SETTING(param)                                                                      \
    {                                                                                              \
        SCOPE_BUCKET, HTTP_GET, SLICE(param),                                                      \
        {                                                                                          \
            "GetBucketSetting", NULL, s3_bucket_setting                                            \
        }                                                                                          \
    }

/* Requests with one: the first row whose parameter is there. */
static const struct param_route with_param[] = {
    {SCOPE_OBJECT, HTTP_PUT, SLICE("uploadId"), {"UploadPart", s3_put_part_begin, s3_put_part}},
    {SCOPE_OBJECT, HTTP_POST, SLICE("uploads"), {"CreateMultipartUpload", NULL, s3_start_upload}},
    {SCOPE_OBJECT,
     HTTP_POST,
     SLICE("uploadId"),
     {"CompleteMultipartUpload", s3_complete_begin, s3_complete_upload}},
    {SCOPE_OBJECT, HTTP_DELETE, SLICE("uploadId"), {"AbortMultipartUpload", NULL, s3_abort_upload}},
    {SCOPE_OBJECT, HTTP_GET, SLICE("uploadId"), {"ListParts", NULL, s3_list_parts}},
    {SCOPE_OBJECT, HTTP_GET, SLICE("acl"), {"GetObjectAcl", NULL, s3_object_acl}},
    {SCOPE_OBJECT, HTTP_PUT, SLICE("acl"), {"PutObjectAcl", NULL, s3_accept_setting}},
    {SCOPE_OBJECT, HTTP_GET, SLICE("tagging"), {"GetObjectTagging", NULL, s3_object_tags}},
    {SCOPE_BUCKET,
     HTTP_POST,
     SLICE("delete"),
     {"DeleteObjects", exchange_begin_text, s3_delete_objects}},
    {SCOPE_BUCKET, HTTP_GET, SLICE("uploads"), {"ListMultipartUploads", NULL, s3_list_uploads}},
    {SCOPE_BUCKET, HTTP_GET, SLICE("location"), {"GetBucketLocation", NULL, s3_bucket_location}},
    {SCOPE_BUCKET, HTTP_GET, SLICE("versions"), {"ListObjectVersions", NULL, s3_list_versions}},
    {SCOPE_BUCKET, HTTP_PUT, SLICE("acl"), {"PutBucketAcl", NULL, s3_accept_setting}},
    BUCKET_SETTING("acl"),
    BUCKET_SETTING("versioning"),
    BUCKET_SETTING("policy"),
    BUCKET_SETTING("policyStatus"),
    BUCKET_SETTING("cors"),
    BUCKET_SETTING("lifecycle"),
    BUCKET_SETTING("tagging"),
    BUCKET_SETTING("website"),
    BUCKET_SETTING("encryption"),
    BUCKET_SETTING("object-lock"),
    BUCKET_SETTING("replication"),
    BUCKET_SETTING("ownershipControls"),
    BUCKET_SETTING("publicAccessBlock"),
    BUCKET_SETTING("requestPayment"),
    BUCKET_SETTING("logging"),
    BUCKET_SETTING("notification"),
    BUCKET_SETTING("accelerate"),
};

/* Sub-resources that exist but that no row above serves with this method: 501, not the plain
 * operation, which could delete or overwrite what the client did not name. */
static const struct slice sub_resources[] = {
    SLICE("accelerate"),
    SLICE("acl"),
    SLICE("analytics"),
    SLICE("attributes"),
    SLICE("cors"),
    SLICE("delete"),
    SLICE("encryption"),
    SLICE("intelligent-tiering"),
    SLICE("inventory"),
    SLICE("legal-hold"),
    SLICE("lifecycle"),
    SLICE("location"),
    SLICE("logging"),
    SLICE("metrics"),
    SLICE("notification"),
    SLICE("object-lock"),
    SLICE("ownershipControls"),
    SLICE("policy"),
    SLICE("policyStatus"),
    SLICE("publicAccessBlock"),
    SLICE("replication"),
    SLICE("requestPayment"),
    SLICE("restore"),
    SLICE("retention"),
    SLICE("select"),
    SLICE("tagging"),
    SLICE("torrent"),
    SLICE("uploadId"),
    SLICE("uploads"),
    SLICE("versioning"),
    SLICE("versions"),
    SLICE("website"),
};

struct control_route {
    enum http_method method;
    struct slice path;
    struct route route;
};

static const struct control_route controls[] = {
    {HTTP_GET, SLICE("stats"), {"Stats", NULL, control_stats}},
    {HTTP_GET, SLICE("faults"), {"Faults", NULL, control_show_faults}},
    {HTTP_PUT, SLICE("faults"), {"Faults", control_faults_begin, control_change_faults}},
    {HTTP_DELETE, SLICE("faults"), {"Faults", NULL, control_clear_faults}},
};

static const struct route *find_control(const struct exchange *ex)
{
    for (size_t i = 0; i < ARRAY_LEN(controls); i++)
        if (controls[i].method == ex->req.method && slice_is(controls[i].path, ex->key))
            return &controls[i].route;
    return &route_not_allowed;
}

static const struct route *find_with_param(const struct exchange *ex, enum scope scope)
{
    for (size_t i = 0; i < ARRAY_LEN(with_param); i++)
        if (with_param[i].scope == scope && with_param[i].method == ex->req.method &&
            query_has(&ex->query, with_param[i].param))
            return &with_param[i].route;
    for (size_t i = 0; i < ARRAY_LEN(sub_resources); i++)
        if (query_has(&ex->query, sub_resources[i]))
            return &route_unknown;
    return NULL;
}

const struct route *route_find(const struct exchange *ex)
{
    enum scope scope = ex->key.len ? SCOPE_OBJECT : ex->bucket.len ? SCOPE_BUCKET : SCOPE_SERVICE;
    const struct route *route = NULL;
    if (ex->control)
        return find_control(ex);
    if (ex->query.count)
        route = find_with_param(ex, scope);
    if (!route)
        route = &plain[scope][ex->req.method];
    if (!route->finish)
        return &route_not_allowed;
    if (ex->req.known[KNOWN_AMZ_COPY_SOURCE].p && ex->req.method == HTTP_PUT)
        return route->finish == s3_put_object ? &copy_object
               : route->finish == s3_put_part ? &copy_part
                                              : route;
    return route;
}
