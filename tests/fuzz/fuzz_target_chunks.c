/* fuzz_target_chunks.c -- aws-chunked bodies. The first byte chooses: bit 0 signed chunks, bit 1
 * trailers, the rest the size of the steps. The content must not depend on the steps. */
#include "driver/target/aws_chunks.h"

#include "common/base/scope.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct digest feed(struct aws_chunks *chunks, const char *data, size_t len, size_t step,
                          enum s3_error *error)
{
    struct digest md5;
    md5_start(&md5);
    *error = S3_OK;
    for (size_t at = 0; at < len && !*error; at += step) {
        struct slice input = {data + at, MIN(step, len - at)};
        struct slice content;
        while (input.len && !*error) {
            *error = aws_chunks_next(chunks, &input, &content);
            if (!*error && content.len)
                md5_add(&md5, content.p, content.len);
        }
    }
    return md5;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct hmac_key key;
    static struct aws_chunks chunks;
    if (size < 1)
        return 0;
    hmac_sha256_key(&key, "secret", 6);
    struct verdict verdict = {
        .payload = data[0] & 1 ? PAYLOAD_CHUNKS_SIGNED : PAYLOAD_CHUNKS,
        .payload_trailer = data[0] & 2,
        .key = &key,
        .signature = SLICE("0000000000000000000000000000000000000000000000000000000000000000"),
        .scope = SLICE("20130524/us-east-1/s3/aws4_request"),
        .amz_date = SLICE("20130524T000000Z"),
    };
    const char *body = (const char *)data + 1;
    enum s3_error whole_error, step_error;
    uint8_t whole[MD5_BYTES], stepped[MD5_BYTES];
    aws_chunks_init(&chunks, &verdict);
    struct digest md5 = feed(&chunks, body, size - 1, size, &whole_error);
    bool done = aws_chunks_done(&chunks);
    md5_end(&md5, whole);
    aws_chunks_init(&chunks, &verdict);
    md5 = feed(&chunks, body, size - 1, 1 + (data[0] >> 2), &step_error);
    md5_end(&md5, stepped);
    if (whole_error != step_error || done != aws_chunks_done(&chunks) ||
        memcmp(whole, stepped, sizeof(whole)) != 0)
        abort();
    return 0;
}
