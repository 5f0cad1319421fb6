/* adaptors.c -- the lists of storages and sign-ins. */
#include "common/catalog/adaptors.h"

#include "common/base/scope.h"

#include <string.h>
#include <strings.h>

static const char *const s3_aliases[] = {"sio",   "siov1", "gdas",    "ess",
                                         "essv2", "s3v2",  "abcstor", NULL};

const struct adaptor_info adaptor_infos[] = {
    {.name = "none", .keys = none_keys, .doc = "No request: measures the tool itself."},
    {.name = "mock", .keys = mock_keys, .doc = "No network: answers after a while."},
    {.name = "s3",
     .aliases = s3_aliases,
     .keys = s3_keys,
     .doc = "Amazon S3 and what speaks like it."},
    {.name = NULL},
};

static const struct key auth_mock_keys[] = {{.name = NULL}};

const struct adaptor_info auth_infos[] = {
    {.name = "none", .keys = none_keys, .doc = "No sign-in."},
    {.name = "mock", .keys = auth_mock_keys, .doc = "A sign-in that always succeeds."},
    {.name = NULL},
};

static const struct adaptor_info *find(const struct adaptor_info *infos, const char *name)
{
    for (const struct adaptor_info *info = infos; info->name; info++) {
        if (strcasecmp(info->name, name) == 0)
            return info;
        for (size_t a = 0; info->aliases && info->aliases[a]; a++)
            if (strcasecmp(info->aliases[a], name) == 0)
                return info;
    }
    return NULL;
}

const struct adaptor_info *adaptor_info_find(const char *name)
{
    return find(adaptor_infos, name);
}

const struct adaptor_info *auth_info_find(const char *name)
{
    return find(auth_infos, name);
}

bool catalog_key_is_secret(const char *key)
{
    static const char *const endings[] = {"secretkey", "secret_key", "secret",
                                          "password",  "passwd",     "token"};
    size_t len = strlen(key);
    for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
        size_t ending = strlen(endings[i]);
        if (len >= ending && strcasecmp(key + len - ending, endings[i]) == 0)
            return true;
    }
    return false;
}
