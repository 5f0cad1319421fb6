/* watch.c -- see watch.h. */
#include "controller/cli/watch.h"

#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"
#include "common/model/lifecycle.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/banned.h"

#define POLL_NS     (1 * SEC)
#define PATIENCE_NS (30 * SEC) /* with a controller that does not answer, as while it restarts */

volatile sig_atomic_t watch_interrupted;

static void on_signal(int number)
{
    (void)number;
    watch_interrupted = 1;
}

void watch_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: a sleep ends */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

struct screen {
    FILE *out;
    bool terminal;
    bool line_open; /* a rewritable line is on the terminal */
    char last[512]; /* stage and state of the last line */
};

static void screen_clear(struct screen *screen)
{
    if (screen->line_open)
        fputs("\r\033[K", screen->out);
    screen->line_open = false;
}

/* A line that stays. */
static void screen_say(struct screen *screen, const char *text)
{
    screen_clear(screen);
    fprintf(screen->out, "%s\n", text);
    fflush(screen->out);
}

static void screen_progress(struct screen *screen, const char *text)
{
    if (!screen->terminal) {
        screen_say(screen, text);
        return;
    }
    fprintf(screen->out, "\r%s\033[K", text);
    fflush(screen->out);
    screen->line_open = true;
}

/* The stage under way, or NULL. */
static const json_t *current_stage(const json_t *workload)
{
    const char *id = json_text_or(workload, "current_stage", "");
    size_t i;
    json_t *stage;
    json_array_foreach(json_object_get(workload, "stages"), i, stage)
    {
        if (strcmp(json_text_or(stage, "id", ""), id) == 0)
            return stage;
    }
    return NULL;
}

/* Figures of another stage, or from before the first second, say nothing about this one. */
static void add_live(struct strbuf *line, const json_t *live, const char *stage_id)
{
    char bytes[32], p99[32];
    if (strcmp(json_text_or(live, "stage", ""), stage_id) != 0 ||
        json_int_or(live, "at_ns", 0) <= 0)
        return;
    strbuf_addf(line, "  %.0f op/s  %s/s", json_number_value(json_object_get(live, "ops_per_s")),
                units_format_bytes(json_number_value(json_object_get(live, "bytes_per_s")), bytes,
                                   sizeof(bytes)));
    const json_t *tail = json_object_get(live, "p99_ns");
    if (json_is_number(tail) && json_number_value(tail) > 0)
        strbuf_addf(line, "  p99 %s", units_format_ns(json_number_value(tail), p99, sizeof(p99)));
    int64_t errors = json_int_or(live, "errors", 0);
    strbuf_addf(line, "  %lld %s", (long long)errors, errors == 1 ? "error" : "errors");
}

/* What the workload does now, as one line. */
static void describe(const json_t *workload, struct strbuf *line)
{
    const json_t *stage = current_stage(workload);
    strbuf_adds(line, json_text_or(workload, "id", "?"));
    if (!stage) {
        strbuf_addf(line, " %s", json_text_or(workload, "state", "?"));
        return;
    }
    strbuf_addf(line, " %s %lld/%lld %s", json_text_or(stage, "id", "?"),
                (long long)json_int_or(stage, "index", 0),
                (long long)json_int_or(workload, "stages_total", 0),
                json_text_or(stage, "state", "?"));
    strbuf_addf(line, " %llds", (long long)(json_int_or(stage, "elapsed_ns", 0) / SEC));
    int64_t expected_ns = json_int_or(stage, "expected_ns", -1);
    if (expected_ns >= 0)
        strbuf_addf(line, "/%llds", (long long)(expected_ns / SEC));
    add_live(line, json_object_get(workload, "live"), json_text_or(stage, "id", "?"));
}

static void show(struct screen *screen, const json_t *workload)
{
    AUTO(strbuf_release) struct strbuf line = STRBUF_INIT(4096);
    char now[512];
    describe(workload, &line);
    snprintf(now, sizeof(now), "%s %s", json_text_or(workload, "current_stage", ""),
             json_text_or(workload, "state", ""));
    bool changed = strcmp(now, screen->last) != 0;
    snprintf(screen->last, sizeof(screen->last), "%s", now);
    /* A queue is quiet: its line comes once. */
    if (changed || current_stage(workload) || screen->terminal)
        screen_progress(screen, line.buf);
}

/* "w12 finished in 95 s", and why where it did not. */
static void show_end(struct screen *screen, const json_t *workload)
{
    AUTO(strbuf_release) struct strbuf line = STRBUF_INIT(8192);
    const char *error = json_text_or(workload, "error", "");
    strbuf_addf(&line, "%s %s", json_text_or(workload, "id", "?"),
                json_text_or(workload, "state", "?"));
    strbuf_addf(&line, ": %lld of %lld stages done",
                (long long)json_int_or(workload, "stages_done", 0),
                (long long)json_int_or(workload, "stages_total", 0));
    if (*error)
        strbuf_addf(&line, ": %s", error);
    screen_say(screen, line.buf);
}

static bool has_ended(const json_t *workload, enum workload_state *ret_state)
{
    return workload_state_parse(json_text_or(workload, "state", ""), ret_state) == 0 &&
           workload_state_is_end(*ret_state);
}

/* True when it was a signal that ended the wait. */
static bool wait_a_while(void)
{
    struct timespec while_ns = {.tv_sec = POLL_NS / SEC, .tv_nsec = POLL_NS % SEC};
    if (!watch_interrupted)
        nanosleep(&while_ns, NULL);
    return watch_interrupted;
}

static int follow(const struct client *client, const char *path, enum watch_form form,
                  struct screen *screen, json_t **ret_workload)
{
    int64_t answered_ns = clock_mono_ns();
    for (;;) {
        char text[1024];
        AUTO(json_freep) json_t *workload = NULL;
        enum workload_state state;
        int rc = client_try(client, "GET", path, text, sizeof(text), &workload);
        if (rc == CLI_OK) {
            answered_ns = clock_mono_ns();
            bool ended = has_ended(workload, &state);
            if (form == WATCH_JSON)
                client_print_json(workload);
            else if (form == WATCH_LINES && ended)
                show_end(screen, workload);
            else if (form == WATCH_LINES)
                show(screen, workload);
            if (ended) {
                *ret_workload = TAKE(workload);
                return state == WORKLOAD_FINISHED ? CLI_OK : CLI_ENDED_BADLY;
            }
        } else if (rc == CLI_ANSWER || clock_mono_ns() - answered_ns > PATIENCE_NS) {
            screen_clear(screen);
            fprintf(stderr, "loadstone: %s\n", text);
            return rc;
        }
        if (wait_a_while()) {
            screen_clear(screen);
            return CLI_INTERRUPTED;
        }
    }
}

int watch_workload(const struct client *client, const char *id, enum watch_form form, FILE *out,
                   json_t **ret_workload)
{
    AUTO(freep) char *path = client_workload_path(id, "");
    AUTO(json_freep) json_t *workload = NULL;
    struct screen screen = {.out = out, .terminal = isatty(fileno(out)) == 1};
    int rc = follow(client, path, form, &screen, &workload);
    if (workload && ret_workload)
        *ret_workload = TAKE(workload);
    return rc;
}
