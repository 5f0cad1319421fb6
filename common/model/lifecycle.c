/* lifecycle.c -- see lifecycle.h. */
#include "common/model/lifecycle.h"

#include "common/base/err.h"
#include "common/base/scope.h"

#include <strings.h>

#define BIT(state) (1u << (state))

/* Each state: its name, whether it is an end, and the states that may follow. */
struct state_info {
    const char *name;
    bool is_end;
    unsigned next;
};

static const struct state_info workload_states[WORKLOAD_STATES] = {
    [WORKLOAD_QUEUING] = {"queuing", false,
                          BIT(WORKLOAD_PROCESSING) | BIT(WORKLOAD_CANCELLED) |
                              BIT(WORKLOAD_TERMINATED)},
    [WORKLOAD_PROCESSING] = {"processing", false,
                             BIT(WORKLOAD_FINISHED) | BIT(WORKLOAD_FAILED) |
                                 BIT(WORKLOAD_TERMINATED) | BIT(WORKLOAD_CANCELLED)},
    [WORKLOAD_FINISHED] = {"finished", true, 0},
    [WORKLOAD_FAILED] = {"failed", true, 0},
    [WORKLOAD_TERMINATED] = {"terminated", true, 0},
    [WORKLOAD_CANCELLED] = {"cancelled", true, 0},
};

#define STAGE_ENDS                                                                                 \
    (BIT(STAGE_COMPLETED) | BIT(STAGE_FAILED) | BIT(STAGE_TERMINATED) | BIT(STAGE_CANCELLED))

static const struct state_info stage_states[STAGE_STATES] = {
    [STAGE_WAITING] = {"waiting", false,
                       BIT(STAGE_BOOTING) | BIT(STAGE_SLEEPING) | BIT(STAGE_ABORTED) |
                           BIT(STAGE_CANCELLED)},
    [STAGE_BOOTING] = {"booting", false, BIT(STAGE_SUBMITTING) | STAGE_ENDS},
    [STAGE_SUBMITTING] = {"submitting", false, BIT(STAGE_AUTHING) | STAGE_ENDS},
    [STAGE_AUTHING] = {"authing", false, BIT(STAGE_LAUNCHING) | STAGE_ENDS},
    [STAGE_LAUNCHING] = {"launching", false, BIT(STAGE_RUNNING) | STAGE_ENDS},
    [STAGE_RUNNING] = {"running", false, BIT(STAGE_CLOSING) | STAGE_ENDS},
    [STAGE_CLOSING] = {"closing", false, BIT(STAGE_SLEEPING) | STAGE_ENDS},
    [STAGE_SLEEPING] = {"sleeping", false, STAGE_ENDS},
    [STAGE_COMPLETED] = {"completed", true, 0},
    [STAGE_FAILED] = {"failed", true, 0},
    [STAGE_TERMINATED] = {"terminated", true, 0},
    [STAGE_CANCELLED] = {"cancelled", true, 0},
    [STAGE_ABORTED] = {"aborted", true, 0},
};

static const struct state_info mission_states[MISSION_STATES] = {
    [MISSION_SUBMITTED] = {"submitted", false, 0}, [MISSION_LAUNCHED] = {"launched", false, 0},
    [MISSION_FINISHED] = {"finished", true, 0},    [MISSION_TERMINATED] = {"terminated", true, 0},
    [MISSION_ABORTED] = {"aborted", true, 0},
};

static int find(const struct state_info *infos, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(infos[i].name, name) == 0)
            return (int)i;
    return ERR_CONFIG;
}

const char *workload_state_name(enum workload_state state)
{
    return workload_states[state].name;
}

int workload_state_parse(const char *name, enum workload_state *ret_state)
{
    int found = find(workload_states, WORKLOAD_STATES, name);
    if (found >= 0)
        *ret_state = (enum workload_state)found;
    return MIN(found, 0);
}

const char *stage_state_name(enum stage_state state)
{
    return stage_states[state].name;
}

int stage_state_parse(const char *name, enum stage_state *ret_state)
{
    int found = find(stage_states, STAGE_STATES, name);
    if (found >= 0)
        *ret_state = (enum stage_state)found;
    return MIN(found, 0);
}

const char *mission_state_name(enum mission_state state)
{
    return mission_states[state].name;
}

int mission_state_parse(const char *name, enum mission_state *ret_state)
{
    int found = find(mission_states, MISSION_STATES, name);
    if (found >= 0)
        *ret_state = (enum mission_state)found;
    return MIN(found, 0);
}

bool workload_state_is_end(enum workload_state state)
{
    return workload_states[state].is_end;
}

bool stage_state_is_end(enum stage_state state)
{
    return stage_states[state].is_end;
}

bool mission_state_is_end(enum mission_state state)
{
    return mission_states[state].is_end;
}

bool workload_move_is_legal(enum workload_state from, enum workload_state to)
{
    return workload_states[from].next & BIT(to);
}

bool stage_move_is_legal(enum stage_state from, enum stage_state to)
{
    return stage_states[from].next & BIT(to);
}
