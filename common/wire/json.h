/* json.h -- reading JSON from peers with types checked: the door to jansson.
 *
 * A getter returns 0, or ERR_PROTOCOL with a sentence that names the path
 * ("operations[2].good: expected a whole number of 0 or more"). Its output is untouched then. */
#ifndef LOADSTONE_COMMON_WIRE_JSON_H
#define LOADSTONE_COMMON_WIRE_JSON_H

#include "common/base/err.h"
#include "common/base/strbuf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Parses a whole document (duplicate keys refused); the caller owns *ret_json (json_decref). */
int json_read(const char *text, size_t len, json_t **ret_json, struct err *err);
/* Appends compact JSON. 0 or ERR_LIMIT. */
int json_write(const json_t *json, struct strbuf *sb);

/* A JSON string (null for NULL) from any bytes: where they are not UTF-8, what is not ASCII becomes
 * '?'. For names and messages that came from outside. A new reference. */
json_t *json_text_new(const char *text);

/* For AUTO(json_freep). */
static inline void json_freep(json_t **json)
{
    json_decref(*json);
}

/* Required members of an object. Strings are borrowed from the object. */
int json_get_text(const json_t *object, const char *key, const char **ret_text, struct err *err);
int json_get_int(const json_t *object, const char *key, int64_t min, int64_t max,
                 int64_t *ret_value, struct err *err);
int json_get_real(const json_t *object, const char *key, double *ret_value, struct err *err);
int json_get_bool(const json_t *object, const char *key, bool *ret_value, struct err *err);
int json_get_array(const json_t *object, const char *key, size_t max_len, json_t **ret_array,
                   struct err *err);
int json_get_object(const json_t *object, const char *key, json_t **ret_object, struct err *err);

/* Optional members: the fallback when the key is absent, null or of another type. */
const char *json_text_or(const json_t *object, const char *key, const char *fallback);
int64_t json_int_or(const json_t *object, const char *key, int64_t fallback);

#endif
