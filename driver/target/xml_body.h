/* xml_body.h -- the XML documents clients send: bounded, no network, no entities, no DTD.
 * Element names count, namespaces do not. Source: Amazon S3 API reference, DeleteObjects and
 * CompleteMultipartUpload. */
#ifndef LOADSTONE_DRIVER_TARGET_XML_BODY_H
#define LOADSTONE_DRIVER_TARGET_XML_BODY_H

#include "driver/target/uploads.h"

#define DELETE_KEYS_MAX 1000

struct delete_list {
    bool quiet;
    VEC(char *) keys; /* NUL-terminated, owned */
};

/* <Delete><Quiet>true</Quiet><Object><Key>a</Key></Object>...</Delete>. S3_MALFORMED_XML also for
 * none or more than DELETE_KEYS_MAX keys. Release in either case. */
enum s3_error xml_read_delete(const char *text, size_t len, struct delete_list *list);
void delete_list_release(struct delete_list *list);

/* <CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"..."</ETag></Part>...; quotes of
 * the ETags are taken off. S3_MALFORMED_XML. Release claims->list in either case. */
enum s3_error xml_read_complete(const char *text, size_t len, struct upload_claims *claims);

/* <CreateBucketConfiguration>...: S3_OK when it is one, whatever it asks for. */
enum s3_error xml_read_bucket_configuration(const char *text, size_t len);

#endif
