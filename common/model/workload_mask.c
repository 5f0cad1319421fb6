/* workload_mask.c -- a workload's document with its secrets blanked out (workload.h).
 *
 * Config attributes are masked key by key. Everything else, comments too (a storage that someone
 * put aside still holds its key), is searched for secretkey=... as text. */
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xml.h"
#include "common/catalog/adaptors.h"
#include "common/catalog/config.h"
#include "common/model/workload.h"

#include <ctype.h>
#include <string.h>

#include "common/base/banned.h"

#define MASK "******"

static bool is_key_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* Whether the text of from..equals ends with the name of a secret key. */
static bool ends_with_secret_key(const char *from, const char *equals)
{
    const char *to = equals;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    const char *start = to;
    while (start > from && is_key_letter(start[-1]))
        start--;
    AUTO(freep) char *key = xstrndup(start, (size_t)(to - start));
    return catalog_key_is_secret(key);
}

/* The end of a value that begins at from: ';', a quotation mark, a bracket or a line end. A
 * reference such as &amp; is part of it. */
static const char *value_end(const char *from, const char *end)
{
    const char *at = from;
    while (at < end && isblank((unsigned char)*at))
        at++;
    char quote = at < end && (*at == '"' || *at == '\'') ? *at++ : '\0';
    for (; at < end && *at != '\r' && *at != '\n'; at++) {
        if (quote ? *at == quote : strchr("\"'<>", *at) != NULL)
            break;
        if (*at == '&') {
            const char *close = memchr(at, ';', (size_t)MIN(end - at, 10));
            at = close ? close : at;
        } else if (*at == ';' && !quote) {
            break;
        }
    }
    return at;
}

/* Adds from..end with what follows a secret key and '=' masked; a quotation mark stays. */
static void mask_text(const char *from, const char *end, struct strbuf *sb)
{
    const char *equals;
    while (from < end && (equals = memchr(from, '=', (size_t)(end - from))) != NULL) {
        strbuf_add(sb, from, (size_t)(equals + 1 - from));
        if (ends_with_secret_key(from, equals)) {
            const char *value = equals + 1;
            const char *to = value_end(value, end);
            while (value < to && isblank((unsigned char)*value))
                strbuf_addc(sb, *value++);
            if (value < to && (*value == '"' || *value == '\''))
                strbuf_addc(sb, *value++);
            if (value < to)
                strbuf_adds(sb, MASK);
            equals = to - 1;
        }
        from = equals + 1;
    }
    if (from < end)
        strbuf_add(sb, from, (size_t)(end - from));
}

static void add_escaped(const char *value, struct strbuf *sb)
{
    for (; *value; value++) {
        const char *escaped = *value == '&'    ? "&amp;"
                              : *value == '<'  ? "&lt;"
                              : *value == '>'  ? "&gt;"
                              : *value == '"'  ? "&quot;"
                              : *value == '\'' ? "&apos;"
                                               : NULL;
        if (escaped)
            strbuf_adds(sb, escaped);
        else if (*value == '\n' || *value == '\r' || *value == '\t')
            strbuf_addf(sb, "&#%d;", *value);
        else
            strbuf_addc(sb, *value);
    }
}

struct masker {
    const struct xml_document *document;
    struct strbuf *sb;
    size_t done_off; /* what comes before it is in sb */
};

static void mask_between(struct masker *masker, size_t to_off)
{
    const char *text = masker->document->text;
    mask_text(text + masker->done_off, text + to_off, masker->sb);
    masker->done_off = to_off;
}

/* The masked value, or NULL when there is no secret in it; owned by the caller. */
static char *masked_value(const struct xml_attribute *attribute)
{
    char *masked = NULL;
    if (strcmp(attribute->name, "config") == 0)
        masked = config_mask(attribute->value);
    else if (catalog_key_is_secret(attribute->name))
        masked = xstrdup(MASK);
    if (masked && strcmp(masked, attribute->value) == 0) {
        free(masked);
        masked = NULL;
    }
    return masked;
}

static void mask_element(struct masker *masker, const struct xml_element *element)
{
    VEC_EACH (attribute, &element->attributes) {
        AUTO(freep) char *masked = masked_value(attribute);
        bool is_config = strcmp(attribute->name, "config") == 0;
        if (attribute->value_off < masker->done_off || (!masked && !is_config))
            continue;
        mask_between(masker, attribute->value_off);
        if (masked)
            add_escaped(masked, masker->sb);
        else
            strbuf_add(masker->sb, masker->document->text + attribute->value_off,
                       attribute->value_len);
        masker->done_off = attribute->value_off + attribute->value_len;
    }
    VEC_EACH (child, &element->children)
        mask_element(masker, *child);
}

int workload_mask(const char *text, size_t len, char **ret_text, struct err *err)
{
    static const struct xml_limits limits = {WORKLOAD_MAX_BYTES, WORKLOAD_MAX_DEPTH,
                                             WORKLOAD_MAX_ELEMENTS};
    AUTO(xml_document_freep) struct xml_document *document = NULL;
    AUTO(strbuf_release) struct strbuf sb = STRBUF_INIT((size_t)WORKLOAD_MAX_BYTES * 8);
    struct xml_place place;

    int rc = xml_parse(text, len, &limits, &document, &place, err);
    if (rc < 0)
        return rc;
    struct masker masker = {.document = document, .sb = &sb};
    mask_element(&masker, document->root);
    mask_between(&masker, document->len);
    if (sb.overflow)
        return err_set(err, ERR_CONFIG, "the document is too long to be shown");
    *ret_text = strbuf_take(&sb);
    return 0;
}
