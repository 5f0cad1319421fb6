/* aws_chunks.h -- takes the aws-chunked framing off a body, checking each chunk's signature.
 *
 *   SIZE-HEX[;chunk-signature=64-HEX]\r\n BYTES \r\n ... 0[;chunk-signature=...]\r\n
 *   [name:value\r\n ...] \r\n
 *
 * Pure, fed in pieces of any size. Source: Amazon S3 API reference, "Signature calculations
 * for the Authorization header: transferring payload in multiple chunks", and the page on
 * trailing headers. */
#ifndef LOADSTONE_DRIVER_TARGET_AWS_CHUNKS_H
#define LOADSTONE_DRIVER_TARGET_AWS_CHUNKS_H

#include "driver/target/verify.h"

#define AWS_CHUNK_LINE_MAX    512
#define AWS_CHUNK_TRAILER_MAX 4096

struct aws_chunks {
    int state;
    bool is_signed;
    bool trailer; /* trailing fields are allowed */
    int64_t left; /* bytes of the current chunk to come */
    size_t line_len;
    size_t trailer_len;
    struct hmac_key key;
    struct digest sha;
    char signature[64]; /* of the chunk before: each signs the one before it */
    char claimed[64];
    char amz_date[16];
    size_t scope_len;
    char scope[VERIFY_SCOPE_MAX];
    char line[AWS_CHUNK_LINE_MAX];
    char trailers[AWS_CHUNK_TRAILER_MAX]; /* "name:value\n" each, as they are signed */
};

/* Copies what it needs of the verdict (payload must be one of the PAYLOAD_CHUNKS kinds). */
void aws_chunks_init(struct aws_chunks *chunks, const struct verdict *verdict);

/* Takes bytes off *input. With content among them: *ret_content points to it (p is NULL when
 * there was none) and the call is to be repeated until *input is empty. S3_INCOMPLETE_BODY for
 * bad framing, S3_SIGNATURE_MISMATCH for a chunk that is not signed right. */
enum s3_error aws_chunks_next(struct aws_chunks *chunks, struct slice *input,
                              struct slice *ret_content);

/* The last chunk and its trailers have been read. */
bool aws_chunks_done(const struct aws_chunks *chunks);
/* Value of a trailing field (lower-case name); p is NULL when absent. */
struct slice aws_chunks_trailer(const struct aws_chunks *chunks, struct slice name);

#endif
