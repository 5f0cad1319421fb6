/* json.c -- see json.h. */
#include "common/wire/json.h"

#include "common/base/scope.h"
#include "common/base/xalloc.h"

#include <inttypes.h>
#include <string.h>

int json_read(const char *text, size_t len, json_t **ret_json, struct err *err)
{
    json_error_t error;
    json_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        return err_set(err, ERR_PROTOCOL, "not valid JSON: line %d, column %d: %s", error.line,
                       error.column, error.text);
    *ret_json = json;
    return 0;
}

static int write_chunk(const char *data, size_t len, void *context)
{
    return strbuf_add(context, data, len) < 0 ? -1 : 0;
}

int json_write(const json_t *json, struct strbuf *sb)
{
    size_t before = sb->len;
    if (json_dump_callback(json, write_chunk, sb, JSON_COMPACT | JSON_ENCODE_ANY) == 0)
        return 0;
    sb->len = before;
    if (sb->cap > 0)
        sb->buf[before] = '\0';
    return ERR_LIMIT;
}

json_t *json_text_new(const char *text)
{
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (json)
        return json;

    /* Not UTF-8: jansson refuses the whole string, we replace what is not ASCII. */
    AUTO(freep) char *copy = xstrdup(text);
    for (char *c = copy; *c; c++) {
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    }
    return json_string(copy);
}

static int expected(const json_t *value, const char *key, const char *what, struct err *err)
{
    if (!value)
        return err_set(err, ERR_PROTOCOL, "%s: missing, expected %s", key, what);
    return err_set(err, ERR_PROTOCOL, "%s: expected %s", key, what);
}

int json_get_text(const json_t *object, const char *key, const char **ret_text, struct err *err)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        return expected(value, key, "a text", err);
    *ret_text = json_string_value(value);
    return 0;
}

int json_get_int(const json_t *object, const char *key, int64_t min, int64_t max,
                 int64_t *ret_value, struct err *err)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < min ||
        json_integer_value(value) > max) {
        char what[96];
        if (max == INT64_MAX)
            snprintf(what, sizeof(what), "a whole number of %" PRId64 " or more", min);
        else
            snprintf(what, sizeof(what), "a whole number from %" PRId64 " to %" PRId64, min, max);
        return expected(value, key, what, err);
    }
    *ret_value = json_integer_value(value);
    return 0;
}

int json_get_real(const json_t *object, const char *key, double *ret_value, struct err *err)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_number(value))
        return expected(value, key, "a number", err);
    *ret_value = json_number_value(value);
    return 0;
}

int json_get_bool(const json_t *object, const char *key, bool *ret_value, struct err *err)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_boolean(value))
        return expected(value, key, "true or false", err);
    *ret_value = json_is_true(value);
    return 0;
}

int json_get_array(const json_t *object, const char *key, size_t max_len, json_t **ret_array,
                   struct err *err)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_array(value))
        return expected(value, key, "an array", err);
    if (json_array_size(value) > max_len)
        return err_set(err, ERR_PROTOCOL, "%s: %zu items, expected at most %zu", key,
                       json_array_size(value), max_len);
    *ret_array = value;
    return 0;
}

int json_get_object(const json_t *object, const char *key, json_t **ret_object, struct err *err)
{
    json_t *value = json_object_get(object, key);
    if (!json_is_object(value))
        return expected(value, key, "an object", err);
    *ret_object = value;
    return 0;
}

const char *json_text_or(const json_t *object, const char *key, const char *fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value) ? json_string_value(value) : fallback;
}

int64_t json_int_or(const json_t *object, const char *key, int64_t fallback)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : fallback;
}
