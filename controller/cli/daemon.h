/* daemon.h -- one of our daemons as a child: started, waited for, stopped by its process id.
 *
 * A daemon says its address in a line on stdout once it serves. Its stdout and stderr go to files
 * in the given folder. A child dies with this process, however that ends. */
#ifndef LOADSTONE_CONTROLLER_CLI_DAEMON_H
#define LOADSTONE_CONTROLLER_CLI_DAEMON_H

#include "common/base/err.h"

#include <sys/types.h>

struct daemon {
    pid_t pid;      /* 0: not running */
    char *name;     /* "driver1": also of its files NAME.out and NAME.log */
    char *url;      /* "http://127.0.0.1:40123", no '/' at its end */
    char *out_path; /* what it printed */
    char *log_path; /* what it logged */
};

/* Starts PROGRAM (beside this executable) with arguments (NULL-terminated, without the program) and
 * waits, at most 20 s, for its address. ERR_SYSTEM with the end of its log when it ends instead. */
int daemon_start(struct daemon *daemon, const char *program, const char *name,
                 const char *const *arguments, const char *folder, struct err *err);
/* Asks it to stop, waits, and after 15 s makes it. A daemon that does not run is fine. */
void daemon_stop(struct daemon *daemon);
/* Stops it and frees its texts. */
void daemon_release(struct daemon *daemon);

#endif
