/* adaptor.c -- the list of storage types. */
#include "driver/adaptors/adaptor.h"

#include "common/base/scope.h"

#include <strings.h>

static const struct adaptor *const adaptors[] = {&adaptor_none, &adaptor_mock, &adaptor_s3};

const struct adaptor *adaptor_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(adaptors); i++)
        if (strcasecmp(adaptors[i]->name, name) == 0)
            return adaptors[i];
    return NULL;
}
