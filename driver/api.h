/* api.h -- the driver's HTTP interface (docs/protocol.md, "Driver"). */
#ifndef LOADSTONE_DRIVER_API_H
#define LOADSTONE_DRIVER_API_H

#include "common/wire/http_server.h"
#include "driver/driver.h"

/* Serves driver until http_server_close(). */
int driver_api_open(struct driver *driver, const struct http_server_options *options,
                    struct http_server **ret_server, struct err *err);

#endif
