/* lifecycle.h -- states of workloads, stages and missions, and the moves between them
 * (spec: execution.md, States). */
#ifndef LOADSTONE_COMMON_MODEL_LIFECYCLE_H
#define LOADSTONE_COMMON_MODEL_LIFECYCLE_H

#include <stdbool.h>

enum workload_state {
    WORKLOAD_QUEUING,
    WORKLOAD_PROCESSING,
    WORKLOAD_FINISHED,
    WORKLOAD_FAILED,
    WORKLOAD_TERMINATED,
    WORKLOAD_CANCELLED,
    WORKLOAD_STATES
};

enum stage_state {
    STAGE_WAITING,
    STAGE_BOOTING,
    STAGE_SUBMITTING,
    STAGE_AUTHING,
    STAGE_LAUNCHING,
    STAGE_RUNNING,
    STAGE_CLOSING,
    STAGE_SLEEPING,
    STAGE_COMPLETED,
    STAGE_FAILED,
    STAGE_TERMINATED,
    STAGE_CANCELLED,
    STAGE_ABORTED,
    STAGE_STATES
};

enum mission_state {
    MISSION_SUBMITTED,
    MISSION_LAUNCHED,
    MISSION_FINISHED,
    MISSION_TERMINATED,
    MISSION_ABORTED,
    MISSION_STATES
};

/* Lower-case names as users see them; parse: 0 or ERR_CONFIG. */
const char *workload_state_name(enum workload_state state);
int workload_state_parse(const char *name, enum workload_state *ret_state);
const char *stage_state_name(enum stage_state state);
int stage_state_parse(const char *name, enum stage_state *ret_state);
const char *mission_state_name(enum mission_state state);
int mission_state_parse(const char *name, enum mission_state *ret_state);

bool workload_state_is_end(enum workload_state state);
bool stage_state_is_end(enum stage_state state);
bool mission_state_is_end(enum mission_state state);

/* True when the move is a legal one. */
bool workload_move_is_legal(enum workload_state from, enum workload_state to);
bool stage_move_is_legal(enum stage_state from, enum stage_state to);

#endif
