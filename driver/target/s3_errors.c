/* s3_errors.c -- see s3_errors.h. */
#include "driver/target/s3_errors.h"

#include "common/base/scope.h"

static const struct s3_error_info infos[S3_ERRORS] = {
    [S3_OK] = {"OK", 200, ""},
    [S3_ACCESS_DENIED] = {"AccessDenied", 403, "Access denied."},
    [S3_AUTHORIZATION_MALFORMED] = {"AuthorizationHeaderMalformed", 400,
                                    "The Authorization header cannot be understood, or its "
                                    "credential scope names another date, region or service."},
    [S3_AUTHORIZATION_QUERY_MALFORMED] = {"AuthorizationQueryParametersError", 400,
                                          "The query parameters of the signature are wrong."},
    [S3_BAD_DIGEST] = {"BadDigest", 400,
                       "The body does not have the Content-MD5 or checksum sent."},
    [S3_BUCKET_NOT_EMPTY] = {"BucketNotEmpty", 409, "The bucket still holds objects."},
    [S3_ENTITY_TOO_LARGE] = {"EntityTooLarge", 400, "The body is larger than is allowed."},
    [S3_ENTITY_TOO_SMALL] = {"EntityTooSmall", 400,
                             "A part other than the last is smaller than 5 MiB."},
    [S3_EXPIRED_PRESIGNED] = {"AccessDenied", 403, "Request has expired."},
    [S3_INCOMPLETE_BODY] = {"IncompleteBody", 400,
                            "The body does not have the length or the chunks it declares."},
    [S3_INTERNAL] = {"InternalError", 500, "The server failed."},
    [S3_INVALID_ACCESS_KEY] = {"InvalidAccessKeyId", 403, "No user has this access key."},
    [S3_INVALID_ARGUMENT] = {"InvalidArgument", 400, "A parameter has a value it cannot have."},
    [S3_INVALID_BUCKET_NAME] = {"InvalidBucketName", 400, "This is no valid bucket name."},
    [S3_INVALID_DIGEST] = {"InvalidDigest", 400, "Content-MD5 is not the base64 of an MD5."},
    [S3_INVALID_OBJECT_NAME] = {"InvalidObjectName", 400, "This is no valid object name."},
    [S3_INVALID_PART] = {"InvalidPart", 400, "A part was not uploaded, or its ETag differs."},
    [S3_INVALID_PART_ORDER] = {"InvalidPartOrder", 400, "The parts are not in ascending order."},
    [S3_INVALID_RANGE] = {"InvalidRange", 416, "The range lies outside the object."},
    [S3_INVALID_REQUEST] = {"InvalidRequest", 400, "The request contradicts itself."},
    [S3_INVALID_URI] = {"InvalidURI", 400, "The request target cannot be decoded."},
    [S3_KEY_TOO_LONG] = {"KeyTooLongError", 400, "The key is longer than 1,024 bytes."},
    [S3_MALFORMED_XML] = {"MalformedXML", 400, "The XML in the body is malformed or unexpected."},
    [S3_METADATA_TOO_LARGE] = {"MetadataTooLarge", 400, "The metadata is larger than 8 KiB."},
    [S3_METHOD_NOT_ALLOWED] = {"MethodNotAllowed", 405,
                               "The method does not apply to this resource."},
    [S3_MISSING_LENGTH] = {"MissingContentLength", 411, "Content-Length is required."},
    [S3_MISSING_SHA256] = {"InvalidRequest", 400, "x-amz-content-sha256 is required."},
    [S3_NO_SUCH_BUCKET] = {"NoSuchBucket", 404, "The bucket does not exist."},
    [S3_NO_SUCH_KEY] = {"NoSuchKey", 404, "The key does not exist."},
    [S3_NO_SUCH_UPLOAD] = {"NoSuchUpload", 404, "The multipart upload does not exist."},
    [S3_NO_SUCH_POLICY] = {"NoSuchBucketPolicy", 404, "The bucket has no policy."},
    [S3_NO_SUCH_CORS] = {"NoSuchCORSConfiguration", 404, "The bucket has no CORS configuration."},
    [S3_NO_SUCH_LIFECYCLE] = {"NoSuchLifecycleConfiguration", 404,
                              "The bucket has no lifecycle configuration."},
    [S3_NO_SUCH_TAGS] = {"NoSuchTagSet", 404, "There are no tags."},
    [S3_NO_SUCH_WEBSITE] = {"NoSuchWebsiteConfiguration", 404,
                            "The bucket has no website configuration."},
    [S3_NO_ENCRYPTION] = {"ServerSideEncryptionConfigurationNotFoundError", 404,
                          "The bucket has no encryption configuration."},
    [S3_NO_OBJECT_LOCK] = {"ObjectLockConfigurationNotFoundError", 404,
                           "The bucket has no object lock configuration."},
    [S3_NO_REPLICATION] = {"ReplicationConfigurationNotFoundError", 404,
                           "The bucket has no replication configuration."},
    [S3_NO_OWNERSHIP] = {"OwnershipControlsNotFoundError", 404,
                         "The bucket has no ownership controls."},
    [S3_NO_PUBLIC_ACCESS_BLOCK] = {"NoSuchPublicAccessBlockConfiguration", 404,
                                   "The bucket has no public access block."},
    [S3_NOT_IMPLEMENTED] = {"NotImplemented", 501, "This server does not implement that."},
    [S3_PRECONDITION_FAILED] = {"PreconditionFailed", 412, "A condition of the request fails."},
    [S3_REQUEST_TIMEOUT] = {"RequestTimeout", 408, "The request did not arrive in time."},
    [S3_SHA256_MISMATCH] = {"XAmzContentSHA256Mismatch", 400,
                            "The body does not have the SHA-256 in x-amz-content-sha256."},
    [S3_SIGNATURE_MISMATCH] = {"SignatureDoesNotMatch", 403,
                               "The signature is not the one the server computes. Check the "
                               "secret key and the signing method."},
    [S3_SLOW_DOWN] = {"SlowDown", 503, "Please reduce your request rate."},
    [S3_STORE_FULL] = {"InsufficientCapacity", 507,
                       "The memory for objects (--max-memory) is full."},
    [S3_TIME_SKEWED] = {"RequestTimeTooSkewed", 403,
                        "The time of the request and the server's differ by more than 15 minutes."},
    [S3_TOO_MANY_BUCKETS] = {"TooManyBuckets", 400, "The server holds as many buckets as it can."},
    [S3_UNAUTHORIZED_TARGET] = {"AccessDenied", 403, "Only clients on this host may do that."},
};

const struct s3_error_info *s3_error_info(enum s3_error error)
{
    return &infos[error];
}

const char *http_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {200, "OK"},
        {204, "No Content"},
        {206, "Partial Content"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {416, "Range Not Satisfiable"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Status";
}
