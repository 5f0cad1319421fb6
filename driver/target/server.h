/* server.h -- the listener and the event loops. */
#ifndef LOADSTONE_DRIVER_TARGET_SERVER_H
#define LOADSTONE_DRIVER_TARGET_SERVER_H

#include "driver/target/target.h"

struct server;

/* Binds, listens and starts one thread per target thread. ERR_SYSTEM, ERR_CONFIG. The target must
 * outlive the server. */
int server_start(struct target *target, struct server **ret_server, struct err *err);
/* "http://127.0.0.1:9000", with the port that was bound; lives as long as the server. */
const char *server_url(const struct server *server);
/* Stops the threads, closes all connections, frees it. NULL is fine. */
void server_stop(struct server *server);

#endif
