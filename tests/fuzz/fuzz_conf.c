/* fuzz_conf.c -- INI files of any bytes: read or refused with a line, never worse. */
#include "common/base/scope.h"
#include "common/catalog/conf.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(conf_file_release) struct conf_file file = {.lines = {0}};
    struct err err;
    if (conf_parse("f", (const char *)data, size, &file, &err) < 0)
        return 0;
    VEC_EACH (line, &file.lines)
        if (!conf_has_section(&file, line->section) || !conf_find(&file, line->section, line->key))
            abort();
    return 0;
}
