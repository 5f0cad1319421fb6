/* routes.h -- which operation a request asks for: one table over bucket, key, method and
 * sub-resource. Source: Amazon S3 API reference, "Actions". */
#ifndef LOADSTONE_DRIVER_TARGET_ROUTES_H
#define LOADSTONE_DRIVER_TARGET_ROUTES_H

#include "driver/target/exchange.h"

/* The request's route (ex->req, bucket, key and query are set), never NULL: what the server
 * does not know leads to MethodNotAllowed or NotImplemented. */
const struct route *route_find(const struct exchange *ex);

/* s3_service.c, s3_bucket.c */
enum s3_error s3_list_buckets(struct exchange *ex);
enum s3_error s3_make_bucket_begin(struct exchange *ex);
enum s3_error s3_make_bucket(struct exchange *ex);
enum s3_error s3_head_bucket(struct exchange *ex);
enum s3_error s3_remove_bucket(struct exchange *ex);
enum s3_error s3_bucket_location(struct exchange *ex);
enum s3_error s3_bucket_setting(struct exchange *ex);
enum s3_error s3_accept_setting(struct exchange *ex);

/* s3_list.c */
enum s3_error s3_list_objects(struct exchange *ex);
enum s3_error s3_list_versions(struct exchange *ex);

/* s3_object.c */
enum s3_error s3_get_object(struct exchange *ex);
enum s3_error s3_put_object_begin(struct exchange *ex);
enum s3_error s3_put_object(struct exchange *ex);
enum s3_error s3_copy_object(struct exchange *ex);
enum s3_error s3_delete_object(struct exchange *ex);
enum s3_error s3_object_acl(struct exchange *ex);
enum s3_error s3_object_tags(struct exchange *ex);
enum s3_error s3_delete_objects(struct exchange *ex);

/* s3_multipart.c */
enum s3_error s3_start_upload(struct exchange *ex);
enum s3_error s3_put_part_begin(struct exchange *ex);
enum s3_error s3_put_part(struct exchange *ex);
enum s3_error s3_copy_part(struct exchange *ex);
enum s3_error s3_complete_begin(struct exchange *ex);
enum s3_error s3_complete_upload(struct exchange *ex);
enum s3_error s3_abort_upload(struct exchange *ex);
enum s3_error s3_list_parts(struct exchange *ex);
enum s3_error s3_list_uploads(struct exchange *ex);

/* control.c: /_loadstone/ */
enum s3_error control_faults_begin(struct exchange *ex);
enum s3_error control_change_faults(struct exchange *ex);
enum s3_error control_show_faults(struct exchange *ex);
enum s3_error control_clear_faults(struct exchange *ex);
enum s3_error control_stats(struct exchange *ex);

#endif
