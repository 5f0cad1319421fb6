/* adaptor_s3.c -- keys of the s3 storage (spec: storages-and-auth.md, s3; forks.md). */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/catalog/adaptors.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

#define HOST_MAX_BYTES 255 /* RFC 1035, section 2.3.4 */

static const char *const signature_choices[] = {"v4", "v2", "anonymous", NULL};
static const char *const region_aliases[] = {"aws_region", NULL};
static const char *const signature_aliases[] = {"signer_version", "signerversion", NULL};

#define OFF(member) .off = offsetof(struct s3_conf, member)

const struct key s3_keys[] = {
    {.name = "endpoint",
     .type = KEY_TEXT,
     OFF(endpoint),
     .def = "http://s3.amazonaws.com",
     .doc = "Where the store is: http://HOST[:PORT] or https://HOST[:PORT]."},
    {.name = "accesskey", .type = KEY_TEXT, OFF(accesskey), .def = "", .doc = "Access key."},
    {.name = "secretkey",
     .type = KEY_TEXT,
     OFF(secretkey),
     .def = "",
     .secret = true,
     .doc = "Secret key."},
    {.name = "path_style_access",
     .type = KEY_BOOL,
     OFF(path_style),
     .def = "false",
     .doc = "Name the bucket in the path instead of the host name."},
    {.name = "timeout",
     .type = KEY_DURATION,
     OFF(timeout_ns),
     .def = "30000",
     .min = MS,
     .max = 24 * HOUR,
     .unit_ns = MS,
     .doc = "Deadline of one request, connecting included; a bare number is in milliseconds."},
    {.name = "region",
     .aliases = region_aliases,
     .type = KEY_TEXT,
     OFF(region),
     .def = "us-east-1",
     .doc = "Region that requests are signed for."},
    {.name = "signature",
     .aliases = signature_aliases,
     .type = KEY_CHOICE,
     OFF(signature),
     .def = "v4",
     .choices = signature_choices,
     .doc = "How requests are signed: AWS Signature Version 4, 2, or not at all."},
    {.name = "signed_payload",
     .type = KEY_BOOL,
     OFF(signed_payload),
     .def = "false",
     .doc = "Sign the SHA-256 of each body instead of UNSIGNED-PAYLOAD (version 4)."},
    {.name = "ssl_verify",
     .type = KEY_BOOL,
     OFF(ssl_verify),
     .def = "true",
     .doc = "Check the certificate of an https endpoint."},
    {.name = "no_verify_ssl",
     .type = KEY_BOOL,
     OFF(no_verify_ssl),
     .def = "false",
     .doc = "true: as ssl_verify=false."},
    {.name = "ca_file",
     .type = KEY_TEXT,
     OFF(ca_file),
     .def = "",
     .doc = "PEM file of the certificates to trust, on the driver; the system's when not given."},
    {.name = "max_keys",
     .type = KEY_INT,
     OFF(max_keys),
     .def = "1000",
     .min = 1,
     .max = 1000,
     .doc = "Names in one page of a list."},
    {.name = "list_all_pages",
     .type = KEY_BOOL,
     OFF(list_all_pages),
     .def = "true",
     .doc = "A list operation reads all pages; false: the first."},
    {.name = "force_empty",
     .type = KEY_BOOL,
     OFF(force_empty),
     .def = "false",
     .doc = "dispose deletes whatever is in a container, not only what this workload can have "
            "written."},
    {.name = "storage_class",
     .type = KEY_TEXT,
     OFF(storage_class),
     .def = "",
     .doc = "Storage class of uploads (x-amz-storage-class)."},
    {.name = "proxyhost", .type = KEY_TEXT, OFF(proxyhost), .def = "", .doc = "HTTP proxy."},
    {.name = "proxyport",
     .type = KEY_INT,
     OFF(proxyport),
     .def = "0",
     .min = 0,
     .max = 65535,
     .doc = "Port of the HTTP proxy."},
    {.name = "logging", .type = KEY_UNUSED, .doc = "Logging of each request."},
    {.name = "max_connections",
     .type = KEY_UNUSED,
     .doc = "Connections of a client; here each worker has one."},
    {.name = "retry",
     .type = KEY_UNUSED,
     .warning = "a request that fails is counted, not repeated",
     .doc = "Attempts of a request."},
    {.name = "part_size", .type = KEY_UNUSED, .doc = "Size of the parts of multipart uploads."},
    {.name = "restore_days", .type = KEY_UNUSED, .doc = "Days of restore operations."},
    {.name = "is_prefetch", .type = KEY_UNUSED, .doc = "Header of some gateways."},
    {.name = "is_range_request",
     .type = KEY_UNUSED,
     .warning = "a read fetches the whole object",
     .doc = "Reads of a part of an object."},
    {.name = "file_length", .type = KEY_UNUSED, .doc = "Of is_range_request."},
    {.name = "chunk_length", .type = KEY_UNUSED, .doc = "Of is_range_request."},
    {.name = NULL},
};

/* ---- endpoints */

static size_t host_len(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._";
    if (*text != '[')
        return strspn(text, letters);
    size_t len = strspn(text + 1, "0123456789abcdefABCDEF:.");
    return len > 1 && text[len + 1] == ']' ? len + 2 : 0;
}

/* Moves *text behind ":PORT" where there is one. */
static bool skip_port(const char **text)
{
    if (**text != ':')
        return true;
    size_t digits = strspn(*text + 1, "0123456789");
    long port = digits > 0 && digits <= 5 ? strtol(*text + 1, NULL, 10) : 0;
    *text += 1 + digits;
    return port >= 1 && port <= 65535;
}

int s3_endpoint_check(const char *text, struct err *err)
{
    static const char expected[] = "expected http://HOST[:PORT] or https://HOST[:PORT]";
    const char *at = strncasecmp(text, "http://", 7) == 0    ? text + 7
                     : strncasecmp(text, "https://", 8) == 0 ? text + 8
                                                             : NULL;
    if (strchr(text, '@'))
        return err_set(err, ERR_CONFIG, "endpoint: holds an '@', %s without a user", expected);
    if (!at)
        return err_set(err, ERR_CONFIG, "endpoint: found \"%.100s\", %s", text, expected);
    size_t len = host_len(at);
    if (len == 0 || len > HOST_MAX_BYTES)
        return err_set(err, ERR_CONFIG, "endpoint: found \"%.100s\" without a host, %s", text,
                       expected);
    at += len;
    if (!skip_port(&at))
        return err_set(err, ERR_CONFIG,
                       "endpoint: found \"%.100s\", expected a port from 1 to 65535", text);
    if (*at && strcmp(at, "/") != 0)
        return err_set(err, ERR_CONFIG, "endpoint: found \"%.100s\", %s without a path", text,
                       expected);
    return 0;
}

static void report(struct diags *diags, int line, const char *element, const char *message)
{
    diags_add(diags, DIAG_ERROR, line, element, "config", "%s", message);
}

static const char *text_of(const struct config *config, const char *key)
{
    const char *text = config_find(config, key);
    return text ? text : "";
}

static bool is_anonymous(const struct config *config)
{
    struct s3_conf conf = {0};
    bool anonymous = true; /* a config string with errors has enough of them */
    if (keys_load(s3_keys, config, &conf, NULL) == 0) {
        anonymous = conf.signature == S3_SIGNATURE_ANONYMOUS;
        keys_release(s3_keys, &conf);
    }
    return anonymous;
}

void s3_config_check(const struct config *config, int line, const char *element,
                     struct diags *diags)
{
    static const char *const needed[] = {"accesskey", "secretkey"};
    struct err err = {0};
    const char *endpoint = config_find(config, "endpoint");
    if (endpoint && s3_endpoint_check(endpoint, &err) < 0)
        report(diags, line, element, err.text);
    for (size_t i = 0; i < ARRAY_LEN(needed) && !is_anonymous(config); i++) {
        if (*text_of(config, needed[i]))
            continue;
        AUTO(freep)
        char *message = xasprintf("no such key defined: %s (or signature=anonymous, to send "
                                  "requests without a signature)",
                                  needed[i]);
        report(diags, line, element, message);
    }
    if (*text_of(config, "proxyhost") &&
        strncasecmp(text_of(config, "endpoint"), "https://", 8) == 0)
        report(diags, line, element, "proxyhost: a proxy for an https endpoint is not supported");
    else if (*text_of(config, "proxyhost") && !*text_of(config, "proxyport"))
        report(diags, line, element, "proxyport: is missing, expected the port of proxyhost");
}
