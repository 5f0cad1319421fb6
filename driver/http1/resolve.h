/* resolve.h -- endpoint addresses, looked up before the run so that no look-up is measured. */
#ifndef LOADSTONE_DRIVER_HTTP1_RESOLVE_H
#define LOADSTONE_DRIVER_HTTP1_RESOLVE_H

#include "common/base/err.h"
#include "common/base/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* http://HOST[:PORT] of a store, or https. */
struct endpoint {
    char host[256]; /* without brackets */
    int port;
    bool tls;
    bool host_is_ipv6;
};

/* Parses "http://HOST[:PORT][/]"; https has port 443 by default, http 80. ERR_CONFIG says what is
 * wrong. */
int endpoint_parse(const char *url, struct endpoint *ret_endpoint, struct err *err);
/* HOST[:PORT] as a Host header has it (the port left out where it is the scheme's own). */
void endpoint_format_host(const struct endpoint *endpoint, char *out, size_t out_len);

struct address {
    struct sockaddr_storage sockaddr;
    socklen_t len;
};

struct addresses {
    VEC(struct address) list;
};

/* All addresses of a name, IPv4 and IPv6, in the resolver's order. ERR_NETWORK naming the host. */
int resolve(const char *host, int port, struct addresses *ret_addresses, struct err *err);

#endif
