/* adaptors.c -- the lists of storages and sign-ins. */
#include "common/catalog/adaptors.h"

#include "common/base/scope.h"
#include "common/catalog/ops.h"

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
     .doc = "Amazon S3 and what speaks like it.",
     .check = s3_config_check},
    {.name = NULL},
};

static const struct key auth_mock_keys[] = {
    {.name = "token",
     .type = KEY_UNUSED,
     .secret = true,
     .doc = "Token of COSBench's mock; nothing is signed in here."},
    {.name = "delay", .type = KEY_UNUSED, .doc = "Delay of COSBench's mock; signing in is free."},
    {.name = "logging", .type = KEY_UNUSED, .doc = "Logging of each request."},
    {.name = NULL},
};

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
    static const char *const endings[] = {
        "secretkey",         "secret_key",  "secret-key",      "secret",
        "access_key_secret", "password",    "passwd",          "pwd",
        "passphrase",        "token",       "secretaccesskey", "secret_access_key",
        "credential",        "credentials",
    };
    size_t len = strlen(key);
    for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
        size_t ending = strlen(endings[i]);
        if (len >= ending && strcasecmp(key + len - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcasecmp(names[i], name) == 0)
            return true;
    return false;
}

static bool in_tables_of(const struct adaptor_info *infos, const char *key)
{
    for (const struct adaptor_info *info = infos; info->name; info++)
        if (keys_find(info->keys, key))
            return true;
    return false;
}

bool catalog_key_is_known(const char *key)
{
    static const char *const elsewhere[] = {
        "account",
        "auth_url",
        "base_path",
        "caching",
        "custom_headers",
        "domain",
        "files",
        "host",
        "hosts",
        "fileselection",
        "http_client",
        "interface",
        "jsonkeyfile",
        "namespace",
        "ns",
        "nsroot",
        "policy",
        "pool_size",
        "port",
        "project",
        "projectid",
        "project_domain",
        "proxyd-url",
        "read_timeout",
        "retry",
        "root_path",
        "service",
        "storage_url",
        "tenant_id",
        "tenant_name",
        "tenname",
        "type",
        "url",
        "use_smart_client",
        "user_domain",
        "username",
        "raise_delete_errors",
    };
    return in_tables_of(adaptor_infos, key) || in_tables_of(auth_infos, key) ||
           keys_find(op_keys, key) || is_listed(elsewhere, ARRAY_LEN(elsewhere), key);
}
