/* resolve.c -- see resolve.h. */
#include "driver/http1/resolve.h"

#include "common/base/units.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static int bad_endpoint(const char *url, struct err *err)
{
    return err_set(err, ERR_CONFIG,
                   "endpoint \"%s\": expected http://HOST[:PORT] or https://HOST[:PORT]", url);
}

int endpoint_parse(const char *url, struct endpoint *ret_endpoint, struct err *err)
{
    struct endpoint endpoint = {.port = 80};
    const char *rest = url;
    if (strncasecmp(url, "https://", 8) == 0) {
        endpoint.tls = true;
        endpoint.port = 443;
        rest += 8;
    } else if (strncasecmp(url, "http://", 7) == 0) {
        rest += 7;
    } else {
        return bad_endpoint(url, err);
    }
    size_t len = strcspn(rest, "/?#");
    if (rest[len] && strcmp(rest + len, "/") != 0)
        return bad_endpoint(url, err);
    const char *host = rest;
    size_t host_len;
    if (*rest == '[') {
        const char *close = memchr(rest, ']', len);
        if (!close)
            return bad_endpoint(url, err);
        host++;
        host_len = (size_t)(close - host);
        endpoint.host_is_ipv6 = true;
    } else {
        const char *colon = memchr(rest, ':', len);
        host_len = colon ? (size_t)(colon - rest) : len;
    }
    const char *after = host + host_len + (endpoint.host_is_ipv6 ? 1 : 0);
    if (after < rest + len) {
        char digits[8];
        int64_t port;
        size_t digits_len = (size_t)(rest + len - after - 1);
        if (*after != ':' || digits_len == 0 || digits_len >= sizeof(digits))
            return bad_endpoint(url, err);
        memcpy(digits, after + 1, digits_len);
        digits[digits_len] = '\0';
        if (units_parse_int(digits, &port) < 0 || port < 1 || port > 65535)
            return bad_endpoint(url, err);
        endpoint.port = (int)port;
    }
    if (host_len == 0 || host_len >= sizeof(endpoint.host) || memchr(host, '@', host_len))
        return bad_endpoint(url, err);
    memcpy(endpoint.host, host, host_len);
    *ret_endpoint = endpoint;
    return 0;
}

void endpoint_format_host(const struct endpoint *endpoint, char *out, size_t out_len)
{
    const char *open = endpoint->host_is_ipv6 ? "[" : "";
    const char *close = endpoint->host_is_ipv6 ? "]" : "";
    if (endpoint->port == (endpoint->tls ? 443 : 80))
        snprintf(out, out_len, "%s%s%s", open, endpoint->host, close);
    else
        snprintf(out, out_len, "%s%s%s:%d", open, endpoint->host, close, endpoint->port);
}

int resolve(const char *host, int port, struct addresses *ret_addresses, struct err *err)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char service[16];
    snprintf(service, sizeof(service), "%d", port);
    int rc = getaddrinfo(host, service, &hints, &found);
    if (rc != 0)
        return err_set(err, ERR_NETWORK, "host \"%s\" has no address: %s", host, gai_strerror(rc));
    for (struct addrinfo *at = found; at; at = at->ai_next) {
        struct address address = {.len = at->ai_addrlen};
        memcpy(&address.sockaddr, at->ai_addr, at->ai_addrlen);
        vec_push(&ret_addresses->list, address);
    }
    freeaddrinfo(found);
    return 0;
}
