/* faults.c -- see faults.h. */
#include "driver/target/faults.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct fault_setting_name fault_setting_names[] = {
    {"error", "SHARE[:STATUS]", "Refuse this share of requests with STATUS (503 SlowDown)."},
    {"reset", "SHARE", "Cut this share of answers with a connection reset."},
    {"latency", "DURATION[:SHARE]", "Wait DURATION before answering (a share of requests)."},
    {"truncate", "SHARE", "End this share of bodies early, then close."},
    {"slow-body", "BYTES_PER_S[:SHARE]", "Send bodies no faster than this."},
    {"close", "SHARE", "Close the connection after this share of answers, unannounced."},
    {"garbage", "SHARE", "Answer this share of requests with bytes that are not HTTP."},
    {"stall", "DURATION:EVERY", "Answer nothing at all for DURATION every EVERY."},
    {"only", "METHOD[,METHOD...]", "Limit the faults to these methods ('all': every one)."},
    {"seed", "NUMBER", "Seed of the dice (1)."},
    {NULL, NULL, NULL},
};

static int parse_share(const char *name, const char *text, double *ret_share, struct err *err)
{
    char *end = NULL;
    errno = 0;
    double share = strtod(text, &end);
    if (errno || end == text || *end || !(share >= 0.0 && share <= 1.0))
        return err_set(err, ERR_CONFIG, "fault %s: '%s' is no share between 0 and 1", name, text);
    *ret_share = share;
    return 0;
}

/* "LEFT[:RIGHT]": cuts text at its colon; right is NULL without one. */
static char *split(char *text)
{
    char *colon = strchr(text, ':');
    if (!colon)
        return NULL;
    *colon = 0;
    return colon + 1;
}

static int set_error(struct fault_settings *s, char *left, char *right, struct err *err)
{
    int64_t status = 503;
    if (right && (units_parse_int(right, &status) < 0 || status < 300 || status > 599))
        return err_set(err, ERR_CONFIG, "fault error: '%s' is no status from 300 to 599", right);
    int rc = parse_share("error", left, &s->error_share, err);
    if (rc == 0)
        s->error_status = (int)status;
    return rc;
}

static int parse_duration(const char *name, const char *text, int64_t *ret_ns, struct err *err)
{
    int64_t ns = 0;
    if (units_parse_duration(text, SEC, &ns) < 0 || ns < 0)
        return err_set(err, ERR_CONFIG, "fault %s: '%s' is no duration such as 20ms", name, text);
    *ret_ns = ns;
    return 0;
}

static int set_latency(struct fault_settings *s, char *left, char *right, struct err *err)
{
    double share = 1.0;
    int rc = right ? parse_share("latency", right, &share, err) : 0;
    if (rc == 0)
        rc = parse_duration("latency", left, &s->latency_ns, err);
    if (rc == 0)
        s->latency_share = share;
    return rc;
}

static int set_slow_body(struct fault_settings *s, char *left, char *right, struct err *err)
{
    double share = 1.0;
    int64_t rate = 0;
    int rc = right ? parse_share("slow-body", right, &share, err) : 0;
    if (rc < 0)
        return rc;
    if (units_parse_size(left, &rate) < 0 || rate < 0)
        return err_set(err, ERR_CONFIG, "fault slow-body: '%s' is no size such as 64KB", left);
    s->slow_bytes_per_s = rate;
    s->slow_share = rate ? share : 0.0;
    return 0;
}

static int set_stall(struct fault_settings *s, char *left, char *right, struct err *err)
{
    int64_t stall_ns = 0;
    int64_t every_ns = 0;
    int rc = parse_duration("stall", left, &stall_ns, err);
    if (rc == 0 && right)
        rc = parse_duration("stall", right, &every_ns, err);
    if (rc < 0)
        return rc;
    if (stall_ns && stall_ns >= every_ns)
        return err_set(err, ERR_CONFIG, "fault stall: DURATION:EVERY needs EVERY above DURATION");
    s->stall_ns = stall_ns;
    s->stall_every_ns = every_ns;
    return 0;
}

static int set_only(struct fault_settings *s, char *list, struct err *err)
{
    unsigned methods = 0;
    char *save = NULL;
    if (strcmp(list, "all") == 0) {
        s->methods = 0;
        return 0;
    }
    for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
        int method = 0;
        while (method < HTTP_OTHER && strcasecmp(http_method_name(method), name) != 0)
            method++;
        if (method == HTTP_OTHER)
            return err_set(err, ERR_CONFIG, "fault only: '%s' is no method", name);
        methods |= 1U << method;
    }
    s->methods = methods;
    return 0;
}

static int set_by_name(struct fault_settings *s, const char *name, char *value, struct err *err)
{
    const struct {
        const char *name;
        double *share;
    } shares[] = {
        {"reset", &s->reset_share},
        {"truncate", &s->truncate_share},
        {"close", &s->close_share},
        {"garbage", &s->garbage_share},
    };
    for (size_t i = 0; i < ARRAY_LEN(shares); i++)
        if (strcmp(name, shares[i].name) == 0)
            return parse_share(name, value, shares[i].share, err);
    if (strcmp(name, "only") == 0)
        return set_only(s, value, err);
    if (strcmp(name, "seed") == 0) {
        int64_t seed = 0;
        if (units_parse_int(value, &seed) < 0)
            return err_set(err, ERR_CONFIG, "fault seed: '%s' is no number", value);
        s->seed = (uint64_t)seed;
        return 0;
    }
    char *right = split(value);
    if (strcmp(name, "error") == 0)
        return set_error(s, value, right, err);
    if (strcmp(name, "latency") == 0)
        return set_latency(s, value, right, err);
    if (strcmp(name, "slow-body") == 0)
        return set_slow_body(s, value, right, err);
    if (strcmp(name, "stall") == 0)
        return set_stall(s, value, right, err);
    return err_set(err, ERR_NOT_FOUND, "there is no fault named '%s'", name);
}

int fault_settings_set(struct fault_settings *settings, const char *name, const char *value,
                       struct err *err)
{
    AUTO(freep) char *copy = xstrdup(value);
    struct fault_settings next = *settings;
    int rc = set_by_name(&next, name, copy, err);
    if (rc < 0)
        return rc;
    next.any = next.error_share > 0 || next.reset_share > 0 || next.truncate_share > 0 ||
               next.close_share > 0 || next.garbage_share > 0 || next.latency_share > 0 ||
               next.slow_share > 0 || next.stall_ns > 0;
    *settings = next;
    return 0;
}

int fault_settings_parse(struct fault_settings *settings, const char *text, struct err *err)
{
    AUTO(freep) char *copy = xstrdup(text);
    struct fault_settings next = *settings;
    char *save = NULL;
    for (char *line = strtok_r(copy, "&\r\n", &save); line; line = strtok_r(NULL, "&\r\n", &save)) {
        char *value = strchr(line, '=');
        if (!value)
            return err_set(err, ERR_CONFIG, "'%s' is not NAME=VALUE", line);
        *value++ = 0;
        int rc = fault_settings_set(&next, line, value, err);
        if (rc < 0)
            return rc;
    }
    *settings = next;
    return 0;
}

void fault_settings_format(const struct fault_settings *s, struct strbuf *out)
{
    const char *comma = "";
    strbuf_addf(out, "{\"error\":%g,\"error_status\":%d,\"reset\":%g,", s->error_share,
                s->error_status, s->reset_share);
    strbuf_addf(out, "\"latency_ns\":%lld,\"latency\":%g,\"truncate\":%g,",
                (long long)s->latency_ns, s->latency_share, s->truncate_share);
    strbuf_addf(out, "\"slow_body_bytes_per_s\":%lld,\"slow_body\":%g,\"close\":%g,\"garbage\":%g,",
                (long long)s->slow_bytes_per_s, s->slow_share, s->close_share, s->garbage_share);
    strbuf_addf(out, "\"stall_ns\":%lld,\"stall_every_ns\":%lld,\"seed\":%llu,\"only\":[",
                (long long)s->stall_ns, (long long)s->stall_every_ns, (unsigned long long)s->seed);
    for (int method = 0; method < HTTP_OTHER; method++) {
        if (!(s->methods & 1U << method))
            continue;
        strbuf_addf(out, "%s\"%s\"", comma, http_method_name(method));
        comma = ",";
    }
    strbuf_adds(out, "]}");
}

void faults_init(struct faults *faults, const struct fault_settings *settings)
{
    pthread_mutex_init(&faults->lock, NULL);
    faults->settings = *settings;
    faults->settings.since_ns = clock_mono_ns();
    atomic_init(&faults->generation, 1);
}

void faults_release(struct faults *faults)
{
    pthread_mutex_destroy(&faults->lock);
}

void faults_change(struct faults *faults, const struct fault_settings *settings)
{
    pthread_mutex_lock(&faults->lock);
    faults->settings = *settings;
    faults->settings.since_ns = clock_mono_ns();
    pthread_mutex_unlock(&faults->lock);
    atomic_fetch_add(&faults->generation, 1);
}

struct fault_settings faults_read(struct faults *faults)
{
    pthread_mutex_lock(&faults->lock);
    struct fault_settings settings = faults->settings;
    pthread_mutex_unlock(&faults->lock);
    return settings;
}

/* Draws only for what is set, so that one fault's dice do not move another's. */
static bool happens(struct rng *rng, double share)
{
    return share > 0 && rng_double(rng) < share;
}

struct fault_plan fault_draw(const struct fault_settings *s, struct rng *rng,
                             enum http_method method)
{
    struct fault_plan plan = {0};
    if (!s->any || (s->methods && !(s->methods & 1U << method)))
        return plan;
    if (happens(rng, s->latency_share))
        plan.delay_ns = s->latency_ns;
    if (happens(rng, s->slow_share))
        plan.bytes_per_s = s->slow_bytes_per_s;
    plan.reset = happens(rng, s->reset_share);
    plan.truncate = happens(rng, s->truncate_share);
    plan.garbage = happens(rng, s->garbage_share);
    plan.close = happens(rng, s->close_share);
    if (happens(rng, s->error_share))
        plan.status = s->error_status;
    return plan;
}

int64_t fault_stall_left(const struct fault_settings *s, int64_t since_ns, int64_t now_ns)
{
    if (!s->stall_ns || now_ns - since_ns < s->stall_every_ns)
        return 0;
    int64_t phase = (now_ns - since_ns) % s->stall_every_ns;
    return phase < s->stall_ns ? s->stall_ns - phase : 0;
}
