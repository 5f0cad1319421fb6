/* fuzz_config.c -- config strings of any bytes: split, masked, and read by the tables of all types.
 * No value of a secret key is left after masking. */
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/catalog/adaptors.h"
#include "common/catalog/ops.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mask(const char *text)
{
    AUTO(config_release) struct config config = {{0}};
    AUTO(freep) char *masked = config_mask(text);
    if (config_parse(masked, &config, NULL, NULL, 0, NULL) < 0)
        return;
    VEC_EACH (entry, &config.entries)
        if (catalog_key_is_secret(entry->key) && *entry->value &&
            strcmp(entry->value, "******") != 0)
            abort();
}

static void read_tables(const struct config *config)
{
    AUTO(diags_release) struct diags diags = {0};
    struct s3_conf s3 = {0};
    struct mock_conf mock = {0};
    struct err err;
    for (const struct adaptor_info *info = adaptor_infos; info->name; info++) {
        keys_check(info->keys, NULL, config, 1, "storage", &diags);
        if (info->check)
            info->check(config, 1, "storage", &diags);
    }
    if (keys_load(s3_keys, config, &s3, &err) == 0)
        keys_release(s3_keys, &s3);
    if (keys_load(mock_keys, config, &mock, &err) == 0)
        keys_release(mock_keys, &mock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(freep) char *text = xstrndup((const char *)data, size);
    AUTO(config_release) struct config config = {{0}};
    struct op_conf op;
    check_mask(text);
    if (op_conf_load(OP_WRITE, text, &op, NULL) == 0)
        op_conf_release(&op);
    if (config_parse(text, &config, NULL, NULL, 0, NULL) == 0)
        read_tables(&config);
    return 0;
}
