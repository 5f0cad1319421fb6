/* fuzz_form.c -- form bodies and query strings of any bytes: parsed or refused, never worse.
 *
 * Input: the content type up to the first line end, then the body. */
#include "common/base/scope.h"
#include "common/wire/form.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every field is text with a NUL behind its length. */
static void check(const struct form *form)
{
    VEC_EACH (field, &form->fields) {
        if (field->value[field->len] != '\0' || strlen(field->value) > field->len ||
            !form_find(form, field->name))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *line_end = memchr(text, '\n', size);
    size_t type_len = line_end ? (size_t)(line_end - text) : 0;
    size_t body_at = line_end ? type_len + 1 : 0;
    AUTO(freep) char *type = xstrndup(text, type_len);
    AUTO(form_release) struct form multipart = {0};
    AUTO(form_release) struct form urlencoded = {0};
    struct err err;

    form_parse_multipart(type, text + body_at, size - body_at, &multipart, &err);
    check(&multipart);
    form_parse_urlencoded(text, size, &urlencoded, &err);
    check(&urlencoded);
    return 0;
}
