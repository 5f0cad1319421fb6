/* request_log.c -- see request_log.h. */
#include "driver/target/request_log.h"

#include "common/base/clock.h"
#include "driver/target/utf8.h"

static void add_string(struct strbuf *log, const char *name, struct slice text)
{
    strbuf_addf(log, ",\"%s\":\"", name);
    for (size_t i = 0; i < text.len;) {
        const char *p = text.p + i;
        size_t len = utf8_len((struct slice){p, text.len - i});
        if (len == 0) {
            strbuf_adds(log, "\xef\xbf\xbd");
            i++;
            continue;
        }
        if (*p == '"' || *p == '\\')
            strbuf_addf(log, "\\%c", *p);
        else if (len == 1 && *p < 0x20)
            strbuf_addf(log, "\\u%04x", *p);
        else
            strbuf_add(log, p, len);
        i += len;
    }
    strbuf_addc(log, '"');
}

void request_log_add(struct strbuf *log, const struct exchange *ex, int64_t bytes_in)
{
    if (log->len > TARGET_LOG_BYTES / 2)
        target_thread_flush_log(ex->thread);
    int64_t took_ns = clock_mono_ns() - ex->started_ns;
    strbuf_addf(log, "{\"t\":%lld", (long long)(clock_wall_ns() - took_ns) / MS);
    strbuf_addf(log, ",\"op\":\"%s\"", ex->route ? ex->route->name : "");
    add_string(log, "method", ex->req.method_text);
    add_string(log, "bucket", ex->bucket);
    add_string(log, "key", ex->key);
    strbuf_addf(log, ",\"status\":%d,\"in\":%lld,\"out\":%lld,\"us\":%lld}\n", ex->answer.status,
                (long long)bytes_in, (long long)ex->sent, (long long)(took_ns / US));
}
