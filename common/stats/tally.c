/* tally.c -- see tally.h. */
#include "common/stats/tally.h"

#include <stdio.h>
#include <string.h>

void tally_init(struct tally *tally)
{
    memset(tally, 0, sizeof(*tally));
    tally->first_ns = INT64_MAX;
    tally->last_ns = -1;
}

void tally_release(struct tally *tally)
{
    hist_free(tally->response);
    hist_free(tally->first_byte);
    hist_free(tally->service);
    vec_release(&tally->causes);
    tally_init(tally);
}

void tally_reset(struct tally *tally)
{
    struct tally kept = *tally;
    tally_init(tally);
    tally->response = kept.response;
    tally->first_byte = kept.first_byte;
    tally->service = kept.service;
    tally->causes.items = kept.causes.items;
    tally->causes.cap = kept.causes.cap;
    struct hist *hists[] = {kept.response, kept.first_byte, kept.service};
    for (size_t i = 0; i < ARRAY_LEN(hists); i++)
        if (hists[i])
            hist_reset(hists[i]);
}

static struct cause *find_cause(struct tally *tally, const char *key, const char *message)
{
    VEC_EACH (cause, &tally->causes) {
        if (strncmp(cause->key, key, sizeof(cause->key) - 1) == 0 &&
            strncmp(cause->message, message, sizeof(cause->message) - 1) == 0)
            return cause;
    }
    return NULL;
}

void tally_fail(struct tally *tally, const char *key, const char *message, const char *example,
                uint64_t count)
{
    if (!message)
        message = key;
    tally->failed += count;
    struct cause *cause = find_cause(tally, key, message);
    if (!cause && tally->causes.len >= ERROR_CAUSES_MAX - 1) {
        key = message = "other";
        cause = find_cause(tally, key, message);
    }
    if (!cause) {
        struct cause fresh = {.count = 0};
        snprintf(fresh.key, sizeof(fresh.key), "%s", key);
        snprintf(fresh.message, sizeof(fresh.message), "%s", message);
        snprintf(fresh.example, sizeof(fresh.example), "%s", example ? example : "");
        vec_push(&tally->causes, fresh);
        cause = &tally->causes.items[tally->causes.len - 1];
    }
    cause->count += count;
}

static void merge_hist(struct hist **into, const struct hist *from)
{
    if (!from || from->count == 0)
        return;
    if (!*into)
        *into = hist_new();
    hist_merge(*into, from);
}

void tally_merge(struct tally *into, const struct tally *from)
{
    into->good += from->good;
    into->failed += from->failed;
    into->bytes += from->bytes;
    into->response_sum_ns += from->response_sum_ns;
    into->proc_sum_ns += from->proc_sum_ns;
    into->first_ns = MIN(into->first_ns, from->first_ns);
    into->last_ns = MAX(into->last_ns, from->last_ns);
    into->workers += from->workers;
    merge_hist(&into->response, from->response);
    merge_hist(&into->first_byte, from->first_byte);
    merge_hist(&into->service, from->service);
    uint64_t failed = into->failed;
    VEC_EACH (cause, &from->causes) {
        tally_fail(into, cause->key, cause->message, cause->example, cause->count);
    }
    into->failed = failed;
}
