/* main.c -- loadstone-controller: flags, configuration, signals. */
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"
#include "common/wire/http_call.h"
#include "controller/api/api.h"
#include "controller/controller.h"

#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "Usage: loadstone-controller [-c controller.conf] [option ...]\n"
    "\n"
    "Takes workloads, runs them on drivers, keeps the results, serves the page.\n"
    "\n"
    "  -c, --conf FILE        settings (INI, section [controller]); without it controller.conf,\n"
    "                         conf/controller.conf, /etc/loadstone/ and /etc/cosbench/ are looked "
    "at;\n"
    "                         options below win over it\n"
    "      --port PORT        port to listen on (default 19088; 0: any free one)\n"
    "      --bind ADDRESS     address to listen on (default 127.0.0.1)\n"
    "      --data-dir DIR     folder of the database (default loadstone-data)\n"
    "      --web-root DIR     folder of the page's files\n"
    "      --driver NAME=URL  a driver beside those of the conf file; may be repeated\n"
    "      --token TOKEN      secret shared with drivers and clients (better: token= in the conf "
    "file)\n"
    "  -h, --help             this text\n"
    "  -V, --version          version\n"
    "\n"
    "Exit status: 0 after SIGINT or SIGTERM, 1 when it could not run, 2 for wrong usage.\n";

enum option_id { OPT_PORT = 256, OPT_BIND, OPT_DATA_DIR, OPT_WEB_ROOT, OPT_DRIVER, OPT_TOKEN };

static const struct option options[] = {
    {"conf", required_argument, NULL, 'c'},
    {"port", required_argument, NULL, OPT_PORT},
    {"bind", required_argument, NULL, OPT_BIND},
    {"data-dir", required_argument, NULL, OPT_DATA_DIR},
    {"web-root", required_argument, NULL, OPT_WEB_ROOT},
    {"driver", required_argument, NULL, OPT_DRIVER},
    {"token", required_argument, NULL, OPT_TOKEN},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

struct flags {
    const char *conf, *port, *bind, *data_dir, *web_root, *token;
    VEC(const char *) drivers;
};

/* Fills *flags; -1 to go on, else the exit status. */
static int read_flags(int argc, char **argv, struct flags *flags)
{
    int option;
    while ((option = getopt_long(argc, argv, "c:hV", options, NULL)) != -1) {
        switch (option) {
        case 'c':
            flags->conf = optarg;
            break;
        case OPT_PORT:
            flags->port = optarg;
            break;
        case OPT_BIND:
            flags->bind = optarg;
            break;
        case OPT_DATA_DIR:
            flags->data_dir = optarg;
            break;
        case OPT_WEB_ROOT:
            flags->web_root = optarg;
            break;
        case OPT_DRIVER:
            vec_push(&flags->drivers, optarg);
            break;
        case OPT_TOKEN:
            flags->token = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_OK;
        case 'V':
            puts("loadstone-controller " LOADSTONE_VERSION);
            return EXIT_OK;
        default:
            fputs("Try loadstone-controller --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "loadstone-controller: unexpected argument %s\n", argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

static void replace_text(char **text, const char *flag)
{
    if (flag) {
        free(*text);
        *text = xstrdup(flag);
    }
}

static int add_driver(struct controller_conf *conf, const char *flag, struct err *err)
{
    const char *equals = strchr(flag, '=');
    if (!equals || equals == flag || !equals[1])
        return err_set(err, ERR_CONFIG, "--driver %s: expected NAME=URL", flag);
    struct controller_conf_driver driver = {xstrndup(flag, (size_t)(equals - flag)),
                                            xstrdup(equals + 1)};
    vec_push(&conf->drivers, driver);
    return 0;
}

static const char *find_conf(void)
{
    static const char *const places[] = {
        "controller.conf",
        "conf/controller.conf",
        "/etc/loadstone/controller.conf",
        "/etc/cosbench/controller.conf",
    };
    for (size_t i = 0; i < ARRAY_LEN(places); i++)
        if (access(places[i], R_OK) == 0)
            return places[i];
    return NULL;
}

/* The page's files: beside the executable's folder as built, or as installed. */
static char *find_web_root(void)
{
    static const char *const places[] = {"../web", "../share/loadstone/web"};
    char self[4096];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0)
        return xstrdup("");
    self[len] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        AUTO(freep) char *root = xasprintf("%s/%s", self, places[i]);
        AUTO(freep) char *index = xasprintf("%s/index.html", root);
        if (access(index, R_OK) == 0)
            return TAKE(root);
    }
    return xstrdup("");
}

/* The conf file, then the flags over it. */
static int settle(const struct flags *flags, struct controller_conf *conf, struct err *err)
{
    const char *path = flags->conf ? flags->conf : find_conf();
    int rc = controller_conf_load(path, conf, err);
    if (rc < 0)
        return rc;
    replace_text(&conf->bind, flags->bind);
    replace_text(&conf->data_dir, flags->data_dir);
    replace_text(&conf->web_root, flags->web_root);
    replace_text(&conf->token, flags->token);
    if (flags->port &&
        (units_parse_int(flags->port, &conf->port) < 0 || conf->port < 0 || conf->port > 65535))
        return err_set(err, ERR_CONFIG, "--port %s: expected a number from 0 to 65535",
                       flags->port);
    for (size_t i = 0; rc == 0 && i < flags->drivers.len; i++)
        rc = add_driver(conf, flags->drivers.items[i], err);
    if (!*conf->web_root) {
        free(conf->web_root);
        conf->web_root = find_web_root();
    }
    return rc;
}

/* Serves until SIGINT or SIGTERM, which are blocked and waited for here. */
static int serve(const struct controller_conf *conf, const sigset_t *signals, struct err *err)
{
    struct controller *controller = NULL;
    struct api *api = NULL;
    const struct api_options api_options = {
        .bind = conf->bind,
        .port = (int)conf->port,
        .token = conf->token,
        .web_root = conf->web_root,
        .tls_cert = conf->tls_cert,
        .tls_key = conf->tls_key,
    };
    int rc = controller_open(conf, &controller, err);
    if (rc == 0)
        rc = api_open(controller, &api_options, &api, err);
    if (rc == 0) {
        int number;
        printf("loadstone-controller ready at %s://%s:%d/\n", *conf->tls_cert ? "https" : "http",
               conf->bind, api_port(api));
        fflush(stdout);
        sigwait(signals, &number);
        log_info("stopping signal=%d", number);
    }
    api_close(api);
    controller_close(controller);
    return rc;
}

int main(int argc, char **argv)
{
    struct flags flags = {0};
    struct err err = {0};
    AUTO(controller_conf_release) struct controller_conf conf = {0};
    enum log_level level = LOG_LEVEL_INFO;
    sigset_t signals;

    int status = read_flags(argc, argv, &flags);
    if (status >= 0)
        return status;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    http_call_setup();

    int rc = settle(&flags, &conf, &err);
    vec_release(&flags.drivers);
    if (rc == 0 && log_level_parse(conf.log_level, &level) < 0)
        rc = err_set(&err, ERR_CONFIG, "log_level: \"%s\" is not DEBUG, INFO, WARN or ERROR",
                     conf.log_level);
    if (rc == 0)
        rc = log_open(level, *conf.log_file ? conf.log_file : NULL, &err);
    if (rc == 0)
        rc = serve(&conf, &signals, &err);
    if (rc < 0) {
        fprintf(stderr, "loadstone-controller: %s\n", err.text);
        return rc == ERR_CONFIG ? EXIT_USAGE : EXIT_FAILED;
    }
    return EXIT_OK;
}
