/* config.c -- see config.h. */
#include "common/catalog/config.h"

#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "common/catalog/adaptors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Without the white space around it. */
static char *trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return xstrndup(from, (size_t)(to - from));
}

int config_parse(const char *text, struct config *config, int *ret_bad_entries, char *bad_entry,
                 size_t bad_entry_len, struct err *err)
{
    int bad_entries = 0;
    if (!text)
        text = "";
    if (strlen(text) > CONFIG_MAX_BYTES)
        return err_set(err, ERR_LIMIT, "config: longer than %d bytes", CONFIG_MAX_BYTES);
    for (const char *from = text; *from;) {
        const char *to = from + strcspn(from, ";");
        const char *equals = memchr(from, '=', (size_t)(to - from));
        if (equals) {
            struct config_entry entry = {trimmed(from, equals), trimmed(equals + 1, to)};
            vec_push(&config->entries, entry);
        } else {
            AUTO(freep) char *word = trimmed(from, to);
            if (*word && ++bad_entries == 1 && bad_entry)
                snprintf(bad_entry, bad_entry_len, "%s", word);
        }
        from = *to ? to + 1 : to;
    }
    if (ret_bad_entries)
        *ret_bad_entries = bad_entries;
    return 0;
}

void config_release(struct config *config)
{
    VEC_EACH (entry, &config->entries) {
        free(entry->key);
        free(entry->value);
    }
    vec_release(&config->entries);
}

const char *config_find(const struct config *config, const char *key)
{
    for (size_t i = config->entries.len; i > 0; i--)
        if (strcasecmp(config->entries.items[i - 1].key, key) == 0)
            return config->entries.items[i - 1].value;
    return NULL;
}

char *config_join(const char *parent, const char *child)
{
    bool has_parent = parent && *parent;
    bool has_child = child && *child;
    if (has_parent && has_child)
        return xasprintf("%s;%s", parent, child);
    return xstrdup(has_parent ? parent : has_child ? child : "");
}

char *config_mask(const char *text)
{
    struct strbuf masked = STRBUF_INIT(CONFIG_MAX_BYTES * 2);
    for (const char *from = text ? text : ""; *from;) {
        const char *to = from + strcspn(from, ";");
        const char *equals = memchr(from, '=', (size_t)(to - from));
        AUTO(freep) char *key = trimmed(from, equals ? equals : from);
        if (equals && catalog_key_is_secret(key)) {
            strbuf_add(&masked, from, (size_t)(equals + 1 - from));
            strbuf_adds(&masked, "******");
        } else {
            strbuf_add(&masked, from, (size_t)(to - from));
        }
        if (*to)
            strbuf_addc(&masked, ';');
        from = *to ? to + 1 : to;
    }
    return strbuf_take(&masked);
}
