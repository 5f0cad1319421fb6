/* main.c -- loadstone-driver: flags, configuration, signals. */
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/xalloc.h"
#include "common/catalog/conf.h"
#include "common/wire/http_call.h"
#include "driver/api.h"

#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "Usage: loadstone-driver [-c driver.conf] [option ...]\n"
    "\n"
    "Makes the load that a controller asks for.\n"
    "\n"
    "  -c, --conf FILE       settings (INI, section [driver]); options below win over it\n"
    "      --controller URL  register with this controller, http://HOST:19088\n"
    "      --name NAME       name of this driver (default: the host's name)\n"
    "      --port PORT       port to listen on (default 18088; 0: any free one)\n"
    "      --bind ADDRESS    address to listen on (default 127.0.0.1)\n"
    "      --url URL         where the controller reaches this driver (default: from bind and "
    "port)\n"
    "      --threads N       event-loop threads (default: one per core)\n"
    "      --token TOKEN     shared secret with the controller (better: token= in the conf file)\n"
    "  -h, --help            this text\n"
    "  -V, --version         version\n"
    "\n"
    "Exit status: 0 after SIGINT or SIGTERM, 1 when it could not run, 2 for wrong usage.\n";

enum option_id {
    OPT_CONTROLLER = 256,
    OPT_NAME,
    OPT_PORT,
    OPT_BIND,
    OPT_URL,
    OPT_THREADS,
    OPT_TOKEN
};

static const struct option options[] = {
    {"conf", required_argument, NULL, 'c'},
    {"controller", required_argument, NULL, OPT_CONTROLLER},
    {"name", required_argument, NULL, OPT_NAME},
    {"port", required_argument, NULL, OPT_PORT},
    {"bind", required_argument, NULL, OPT_BIND},
    {"url", required_argument, NULL, OPT_URL},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"token", required_argument, NULL, OPT_TOKEN},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

struct flags {
    const char *conf;
    const char *controller, *name, *port, *bind, *url, *threads, *token;
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
        case OPT_CONTROLLER:
            flags->controller = optarg;
            break;
        case OPT_NAME:
            flags->name = optarg;
            break;
        case OPT_PORT:
            flags->port = optarg;
            break;
        case OPT_BIND:
            flags->bind = optarg;
            break;
        case OPT_URL:
            flags->url = optarg;
            break;
        case OPT_THREADS:
            flags->threads = optarg;
            break;
        case OPT_TOKEN:
            flags->token = optarg;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_OK;
        case 'V':
            puts("loadstone-driver " LOADSTONE_VERSION);
            return EXIT_OK;
        default:
            fputs("Try loadstone-driver --help\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "loadstone-driver: unexpected argument %s\n", argv[optind]);
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

static int replace_int(int64_t *number, const char *name, const char *flag, int64_t min,
                       int64_t max, struct err *err)
{
    int64_t value;
    if (!flag)
        return 0;
    if (units_parse_int(flag, &value) < 0 || value < min || value > max)
        return err_set(err, ERR_CONFIG, "--%s %s: expected a number from %lld to %lld", name, flag,
                       (long long)min, (long long)max);
    *number = value;
    return 0;
}

/* The conf file, then the flags over it, then defaults that depend on the host. */
static int settle(const struct flags *flags, struct driver_conf *conf, struct err *err)
{
    int rc = driver_conf_load(flags->conf, conf, err);
    if (rc < 0)
        return rc;
    replace_text(&conf->controller, flags->controller);
    replace_text(&conf->name, flags->name);
    replace_text(&conf->bind, flags->bind);
    replace_text(&conf->url, flags->url);
    replace_text(&conf->token, flags->token);
    rc = replace_int(&conf->port, "port", flags->port, 0, 65535, err);
    if (rc == 0)
        rc = replace_int(&conf->threads, "threads", flags->threads, 0, 1024, err);
    if (rc == 0 && !*conf->name) {
        char host[256] = "driver";
        gethostname(host, sizeof(host) - 1);
        replace_text(&conf->name, host);
    }
    return rc;
}

/* One connection per worker: take all the descriptors that may be had. */
static void raise_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static const char *token_of(const struct driver_conf *conf)
{
    return *conf->token ? conf->token : NULL;
}

/* Serves until SIGINT or SIGTERM, which are blocked and waited for here. */
static int serve(const struct driver_conf *conf, const sigset_t *signals, struct err *err)
{
    struct driver *driver = NULL;
    struct http_server *server = NULL;
    struct driver_link *link = NULL;
    AUTO(freep) char *url = NULL;
    const struct driver_options driver_options = {.name = conf->name,
                                                  .threads = (int)conf->threads};
    const struct http_server_options server_options = {
        .bind = conf->bind,
        .port = (int)conf->port,
        .threads = 4,
        .token = token_of(conf),
        .token_prefix = "/api/",
    };
    int rc = driver_open(&driver_options, &driver, err);
    if (rc == 0)
        rc = driver_api_open(driver, &server_options, &server, err);
    if (rc == 0) {
        url = *conf->url ? xstrdup(conf->url)
                         : xasprintf("http://%s:%d", conf->bind, http_server_port(server));
        if (*conf->controller) {
            const struct driver_link_options link_options = {
                .controller = conf->controller, .url = url, .token = token_of(conf)};
            rc = driver_link_open(driver, &link_options, &link, err);
        }
    }
    if (rc == 0) {
        int number;
        printf("loadstone-driver %s ready at http://%s:%d/\n", conf->name, conf->bind,
               http_server_port(server));
        fflush(stdout);
        sigwait(signals, &number);
        log_info("stopping signal=%d", number);
    }
    driver_link_close(link);
    http_server_close(server);
    driver_close(driver);
    return rc;
}

int main(int argc, char **argv)
{
    struct flags flags = {0};
    struct err err = {0};
    AUTO(driver_conf_release) struct driver_conf conf = {0};
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
    raise_descriptors();
    http_call_setup();

    int rc = settle(&flags, &conf, &err);
    if (rc == 0 && *conf.log_level && log_level_parse(conf.log_level, &level) < 0)
        rc = err_set(&err, ERR_CONFIG, "log_level: \"%s\" is not DEBUG, INFO, WARN or ERROR",
                     conf.log_level);
    if (rc == 0)
        rc = log_open(level, *conf.log_file ? conf.log_file : NULL, &err);
    if (rc == 0)
        rc = serve(&conf, &signals, &err);
    if (rc < 0) {
        fprintf(stderr, "loadstone-driver: %s\n", err.text);
        return rc == ERR_CONFIG ? EXIT_USAGE : EXIT_FAILED;
    }
    return EXIT_OK;
}
