/* config.h -- COSBench's config strings: "key=value;key=value" (spec: config-strings.md).
 *
 * Split at ';', each entry at its first '=', trimmed, empty entries skipped, the last of a
 * repeated key wins. Keys are compared without case. */
#ifndef LOADSTONE_COMMON_CATALOG_CONFIG_H
#define LOADSTONE_COMMON_CATALOG_CONFIG_H

#include "common/base/err.h"
#include "common/base/vec.h"

struct config_entry {
    char *key;
    char *value;
};

struct config {
    VEC(struct config_entry) entries; /* file order, repeated keys kept */
};

/* Parses text (NULL: empty). Entries without '=' are not kept; the number of them goes to
 * *ret_bad_entries and the first such to bad_entry (may be NULL; it may be a part of a secret, so
 * it is not for people to see). 0, or ERR_LIMIT above CONFIG_MAX_BYTES. */
int config_parse(const char *text, struct config *config, int *ret_bad_entries, char *bad_entry,
                 size_t bad_entry_len, struct err *err);
void config_release(struct config *config);

/* The value of the last entry with that key, or NULL. Borrowed. */
const char *config_find(const struct config *config, const char *key);

/* "parent;child", owned by the caller; either may be NULL or empty. */
char *config_join(const char *parent, const char *child);

/* The text with the values of secret keys (secretkey, password, token, usertoken, ...) replaced by
 * "******", and so what may be the rest of one (an unknown entry after it: a secret with a ';'),
 * and the user of a URL. Owned by the caller. */
char *config_mask(const char *text);

#endif
