/* daemon.c -- see daemon.h. */
#include "controller/cli/daemon.h"

#include "common/base/clock.h"
#include "common/base/file.h"
#include "common/base/scope.h"
#include "common/base/vec.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/banned.h"

#define START_NS (20 * SEC)
#define STOP_NS  (15 * SEC)
#define TURN_NS  (10 * MS) /* between two looks at a child */
#define LOG_TAIL 600

/* The program's path: beside this executable. The caller's. */
static char *path_of(const char *program)
{
    char own[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[MAX(len, 0)] = '\0';
    char *slash = strrchr(own, '/');
    if (!slash)
        return xstrdup(program);
    return xasprintf("%.*s/%s", (int)(slash - own), own, program);
}

static int open_output(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* In the child: only calls that are safe after fork(). */
static void become(const char *path, char *const *argv, const char *folder, int out, int log,
                   pid_t parent)
{
    setpgid(0, 0); /* Ctrl-C is ours to handle, not the child's */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int null = open("/dev/null", O_RDONLY);
    if (getppid() != parent || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
        dup2(log, 2) < 0 || chdir(folder) < 0)
        _exit(126);
    execv(path, argv);
    _exit(127);
}

static bool has_ended(struct daemon *daemon)
{
    if (daemon->pid > 0 && waitpid(daemon->pid, NULL, WNOHANG) == daemon->pid)
        daemon->pid = 0;
    return daemon->pid == 0;
}

/* The address in the first whole line that has one, or NULL. The caller's. */
static char *find_url(const char *text)
{
    const char *url = strstr(text, "http");
    if (!url || !strchr(url, '\n') || !strstr(url, "://"))
        return NULL;
    size_t len = strcspn(url, " \t\r\n");
    while (len > 0 && url[len - 1] == '/')
        len--;
    return xstrndup(url, len);
}

static int explain_end(const struct daemon *daemon, const char *program, struct err *err)
{
    AUTO(strbuf_release) struct strbuf log = STRBUF_INIT(64 << 20);
    file_read(daemon->log_path, &log, NULL);
    const char *tail = log.len > LOG_TAIL ? log.buf + log.len - LOG_TAIL : log.buf;
    return err_set(err, ERR_SYSTEM, "%s did not start: %s", program,
                   *tail ? tail : "it said nothing (is it installed beside this program?)");
}

static int wait_ready(struct daemon *daemon, const char *program, struct err *err)
{
    int64_t until_ns = clock_mono_ns() + START_NS;
    while (clock_mono_ns() < until_ns) {
        AUTO(strbuf_release) struct strbuf out = STRBUF_INIT(1 << 20);
        bool ended = has_ended(daemon);
        if (file_read(daemon->out_path, &out, NULL) == 0)
            daemon->url = find_url(out.buf);
        if (daemon->url)
            return 0;
        if (ended)
            return explain_end(daemon, program, err);
        clock_sleep_ns(TURN_NS);
    }
    return err_set(err, ERR_SYSTEM, "%s was not ready within %d s", program, (int)(START_NS / SEC));
}

int daemon_start(struct daemon *daemon, const char *program, const char *name,
                 const char *const *arguments, const char *folder, struct err *err)
{
    AUTO(freep) char *path = path_of(program);
    VEC(char *) argv = {0};
    vec_push(&argv, path);
    for (; *arguments; arguments++)
        vec_push(&argv, (char *)(uintptr_t)*arguments); /* execv() leaves them as they are */
    vec_push(&argv, NULL);

    *daemon = (struct daemon){.name = xstrdup(name)};
    daemon->out_path = xasprintf("%s/%s.out", folder, name);
    daemon->log_path = xasprintf("%s/%s.log", folder, name);
    int out = open_output(daemon->out_path);
    int log = open_output(daemon->log_path);
    pid_t parent = getpid();
    pid_t pid = out < 0 || log < 0 ? -1 : fork();
    if (pid == 0)
        become(path, argv.items, folder, out, log, parent);
    if (pid < 0)
        err_errno(err, "cannot start %s", program);
    if (out >= 0)
        close(out);
    if (log >= 0)
        close(log);
    vec_release(&argv);
    if (pid < 0)
        return ERR_SYSTEM;
    daemon->pid = pid;
    return wait_ready(daemon, program, err);
}

void daemon_stop(struct daemon *daemon)
{
    if (daemon->pid <= 0)
        return;
    kill(daemon->pid, SIGTERM);
    int64_t until_ns = clock_mono_ns() + STOP_NS;
    while (!has_ended(daemon) && clock_mono_ns() < until_ns)
        clock_sleep_ns(TURN_NS);
    if (daemon->pid > 0) {
        kill(daemon->pid, SIGKILL);
        waitpid(daemon->pid, NULL, 0);
        daemon->pid = 0;
    }
}

void daemon_release(struct daemon *daemon)
{
    daemon_stop(daemon);
    free(daemon->name);
    free(daemon->url);
    free(daemon->out_path);
    free(daemon->log_path);
    *daemon = (struct daemon){0};
}
