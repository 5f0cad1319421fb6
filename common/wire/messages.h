/* messages.h -- what controller and driver say to one another, as JSON (docs/protocol.md, version
 * 1).
 *
 * Readers take nothing on trust: types, ranges, array lengths and histograms are checked, and an
 * ERR_PROTOCOL names the member. Writers give a new reference that the caller owns. */
#ifndef LOADSTONE_COMMON_WIRE_MESSAGES_H
#define LOADSTONE_COMMON_WIRE_MESSAGES_H

#include "common/base/err.h"
#include "common/model/lifecycle.h"
#include "common/model/mission.h"
#include "common/stats/report.h"
#include "common/stats/sample.h"
#include "common/wire/json.h"

#define WIRE_PROTOCOL 1

/* ERR_PROTOCOL unless the object's "protocol" is ours. */
int wire_check_protocol(const json_t *object, struct err *err);

/* ---- mission: controller to driver */
json_t *mission_to_json(const struct mission *mission);
int mission_from_json(const json_t *json, struct mission **ret_mission, struct err *err);

/* ---- mission state: part of every answer about a mission */
struct mission_status {
    char id[NAME_MAX_BYTES];
    enum mission_state state;
    char error[ERR_TEXT_BYTES]; /* why, when terminated; "" otherwise */
    int64_t wall_ns;            /* the driver's clock when it answered */
    int64_t started_wall_ns;    /* 0: not started */
    int64_t workers, workers_running;
};
json_t *mission_status_to_json(const struct mission_status *status);
int mission_status_from_json(const json_t *json, struct mission_status *ret_status,
                             struct err *err);

/* ---- samples: the mission state with "samples"; one tally per operation of the mission. */
json_t *samples_to_json(const struct mission_status *status, const struct mission *mission,
                        const struct sample *samples, size_t count);
/* *ret_samples: *ret_count of them, each with tally_count tallies; release each and free the array.
 */
int samples_from_json(const json_t *json, size_t tally_count, struct mission_status *ret_status,
                      struct sample **ret_samples, size_t *ret_count, struct err *err);

/* ---- report: the mission state with the window's tallies and the effort. */
json_t *report_to_json(const struct mission_status *status, const struct mission *mission,
                       const struct report *report);
/* Fills *ret_report (release it) with tally_count tallies. */
int report_from_json(const json_t *json, size_t tally_count, struct mission_status *ret_status,
                     struct report *ret_report, struct err *err);

/* ---- ping */
struct ping {
    char name[NAME_MAX_BYTES];
    char version[64];
    int64_t threads;
    int64_t wall_ns;
};
/* missions (an array of {"id","state"}) is borrowed; may be NULL. */
json_t *ping_to_json(const struct ping *ping, const json_t *missions);
int ping_from_json(const json_t *json, struct ping *ret_ping, struct err *err);

#endif
