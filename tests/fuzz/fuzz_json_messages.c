/* fuzz_json_messages.c -- what a peer may send: read or refused; what was read survives being
 * written and read again. */
#include "common/base/scope.h"
#include "common/wire/messages.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TALLIES 2

static void read_mission(const json_t *json)
{
    AUTO(mission_freep) struct mission *mission = NULL;
    AUTO(mission_freep) struct mission *again = NULL;
    struct err err;
    if (mission_from_json(json, &mission, &err) < 0)
        return;
    AUTO(json_freep) json_t *written = mission_to_json(mission);
    if (mission_from_json(written, &again, &err) < 0)
        abort();
}

static void read_samples(const json_t *json)
{
    struct mission_status status;
    struct sample *samples = NULL;
    size_t count = 0;
    struct err err;
    if (samples_from_json(json, TALLIES, &status, &samples, &count, &err) < 0)
        return;
    for (size_t i = 0; i < count; i++)
        sample_release(&samples[i]);
    free(samples);
}

static void read_report(const json_t *json)
{
    struct mission_status status;
    struct report report;
    struct err err;
    if (report_from_json(json, TALLIES, &status, &report, &err) == 0)
        report_release(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(json_freep) json_t *json = NULL;
    struct mission_status status;
    struct ping ping;
    struct err err;
    if (json_read((const char *)data, size, &json, &err) < 0)
        return 0;
    read_mission(json);
    read_samples(json);
    read_report(json);
    mission_status_from_json(json, &status, &err);
    ping_from_json(json, &ping, &err);
    return 0;
}
