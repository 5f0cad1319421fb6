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

#include "common/base/banned.h"

#define MASK "******"

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

/* ---- masking */

/* Copies value, but for what stands before the '@' of a URL. */
static void add_value(const char *from, const char *to, struct strbuf *sb)
{
    const char *host = memmem(from, (size_t)(to - from), "://", 3);
    const char *at = host ? memrchr(host, '@', (size_t)(to - host)) : NULL;
    if (at) {
        strbuf_add(sb, from, (size_t)(host + 3 - from));
        strbuf_adds(sb, MASK);
        from = at;
    }
    strbuf_add(sb, from, (size_t)(to - from));
}

/* Copies the white space before a text that is masked; an empty text stays empty. */
static void add_masked(const char *from, const char *to, struct strbuf *sb)
{
    const char *text = from;
    while (text < to && isspace((unsigned char)*text))
        text++;
    strbuf_add(sb, from, (size_t)(text - from));
    if (text < to)
        strbuf_adds(sb, MASK);
}

/* "secretkey:abc", an entry whose '=' was mistyped. */
static bool begins_with_secret_key(const char *word)
{
    AUTO(freep) char *key = xstrndup(word, strcspn(word, ": \t\r\n"));
    return catalog_key_is_secret(key);
}

/* Masks one entry. after_secret: nothing known came since the last secret. Returns the same for the
 * next entry. */
static bool mask_entry(const char *from, const char *to, bool after_secret, struct strbuf *sb)
{
    const char *equals = memchr(from, '=', (size_t)(to - from));
    AUTO(freep) char *key = trimmed(from, equals ? equals : to);
    if (equals && catalog_key_is_secret(key)) {
        strbuf_add(sb, from, (size_t)(equals + 1 - from));
        add_masked(equals + 1, to, sb);
        return true;
    }
    bool is_known = equals && catalog_key_is_known(key);
    if (*key && ((after_secret && !is_known) || (!equals && begins_with_secret_key(key)))) {
        add_masked(from, to, sb);
        return true;
    }
    add_value(from, to, sb);
    return after_secret && !*key;
}

char *config_mask(const char *text)
{
    struct strbuf masked = STRBUF_INIT(text ? strlen(text) * strlen(MASK) + 1 : 1);
    bool after_secret = false;
    for (const char *from = text ? text : ""; *from;) {
        const char *to = from + strcspn(from, ";");
        after_secret = mask_entry(from, to, after_secret, &masked);
        if (*to)
            strbuf_addc(&masked, ';');
        from = *to ? to + 1 : to;
    }
    return strbuf_take(&masked);
}
