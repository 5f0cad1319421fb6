/* names.c -- the words of work types and divisions (workload.h). */
#include "common/base/scope.h"
#include "common/model/workload.h"

#include <strings.h>

static const char *const work_types[] = {"init",    "prepare", "normal",
                                         "cleanup", "dispose", "delay"};
static const char *const divisions[] = {"none", "container", "object"};

static int find(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(names[i], name) == 0)
            return (int)i;
    return ERR_CONFIG;
}

const char *work_type_name(enum work_type type)
{
    return work_types[type];
}

int work_type_parse(const char *name, enum work_type *ret_type)
{
    int found = find(work_types, ARRAY_LEN(work_types), name);
    if (found < 0)
        return found;
    *ret_type = (enum work_type)found;
    return 0;
}

const char *division_name(enum division division)
{
    return divisions[division];
}

int division_parse(const char *name, enum division *ret_division)
{
    int found = find(divisions, ARRAY_LEN(divisions), name);
    if (found < 0)
        return found;
    *ret_division = (enum division)found;
    return 0;
}
