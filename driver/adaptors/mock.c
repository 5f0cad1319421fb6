/* mock.c -- storages without a network: `none` measures the tool itself, `mock` answers by timer
 * and fails a share of the operations (spec: storages-and-auth.md). */
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/catalog/adaptors.h"
#include "driver/adaptors/adaptor.h"

#include <stdio.h>
#include <stdlib.h>

struct client {
    struct mock_conf conf;
};

#define ALL_ACTIONS (~0u)

static int mock_open(const char *config_text, struct client **ret_client, struct err *err)
{
    AUTO(config_release) struct config config = {0};
    int rc = config_parse(config_text, &config, NULL, NULL, 0, err);
    if (rc < 0)
        return rc;
    AUTO(freep) struct client *client = xcalloc(1, sizeof(*client));
    rc = keys_load(mock_keys, &config, &client->conf, err);
    if (rc < 0)
        return rc;
    *ret_client = TAKE(client);
    return 0;
}

static int none_open(const char *config_text, struct client **ret_client, struct err *err)
{
    (void)config_text;
    (void)err;
    *ret_client = xcalloc(1, sizeof(**ret_client));
    return 0;
}

static void mock_close(struct client *client)
{
    free(client);
}

static bool mock_build(const struct site *site, const struct task *task, int step,
                       struct exchange *exchange)
{
    (void)task;
    (void)step;
    exchange->kind = EXCHANGE_TIMER;
    exchange->delay_ns = site->client->conf.delay_ns;
    return true;
}

static enum verdict mock_judge(const struct site *site, const struct task *task, int step,
                               const struct answer *answer, int64_t *ret_bytes,
                               struct failure *failure)
{
    const struct mock_conf *conf = &site->client->conf;
    (void)step;
    (void)answer;
    if (conf->errors > 0 && rng_double(site->rng) < conf->errors) {
        snprintf(failure->cause, sizeof(failure->cause), "mock");
        snprintf(failure->message, sizeof(failure->message), "scripted failure");
        return VERDICT_FAILED;
    }
    *ret_bytes = task->action == ACTION_READ    ? conf->size_bytes
                 : task->action == ACTION_WRITE ? task->size_bytes
                                                : 0;
    return VERDICT_GOOD;
}

static enum verdict none_judge(const struct site *site, const struct task *task, int step,
                               const struct answer *answer, int64_t *ret_bytes,
                               struct failure *failure)
{
    (void)site;
    (void)task;
    (void)step;
    (void)answer;
    (void)failure;
    *ret_bytes = 0;
    return VERDICT_GOOD;
}

const struct adaptor adaptor_mock = {
    .name = "mock",
    .actions = ALL_ACTIONS,
    .open = mock_open,
    .close = mock_close,
    .build = mock_build,
    .judge = mock_judge,
};

const struct adaptor adaptor_none = {
    .name = "none",
    .actions = ALL_ACTIONS,
    .open = none_open,
    .close = mock_close,
    .build = mock_build,
    .judge = none_judge,
};
