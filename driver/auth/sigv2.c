/* sigv2.c -- see sigv2.h. */
#include "driver/auth/sigv2.h"

#include "common/base/digest.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <time.h>

void sigv2_write_headers(const char *access_key, const char *secret_key, int64_t wall_s,
                         const char *method, const char *content_type, const char *amz_headers,
                         const char *resource, size_t resource_len, struct writer *writer)
{
    char text[8192];
    char date[40];
    uint8_t mac[SHA1_BYTES];
    struct writer string = {.at = text, .end = text + sizeof(text)};
    time_t seconds = (time_t)wall_s;
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(date, sizeof(date), "%a, %d %b %Y %H:%M:%S GMT", &tm);

    write_text(&string, method);
    write_literal(&string, "\n\n"); /* no Content-MD5 */
    write_text(&string, content_type);
    write_literal(&string, "\n");
    write_text(&string, date);
    write_literal(&string, "\n");
    write_text(&string, amz_headers);
    write_bytes(&string, resource, resource_len);
    hmac_sha1(secret_key, strlen(secret_key), text, (size_t)(string.at - text), mac);
    AUTO(freep) char *signature = base64_encode(mac, sizeof(mac));
    write_literal(writer, "Date: ");
    write_text(writer, date);
    write_literal(writer, "\r\nAuthorization: AWS ");
    write_text(writer, access_key);
    write_literal(writer, ":");
    write_text(writer, signature);
    write_literal(writer, "\r\n");
    writer->full |= string.full;
}
