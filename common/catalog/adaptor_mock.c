/* adaptor_mock.c -- keys of the storages without a network (spec: storages-and-auth.md, none and
 * mock). */
#include "common/base/clock.h"
#include "common/catalog/adaptors.h"

#include <stddef.h>

/* No rows: any key may stand there, so that the type of a storage can be exchanged alone. */
const struct key none_keys[] = {{.name = NULL}};

const struct key mock_keys[] = {
    {.name = "size",
     .type = KEY_SIZE,
     .off = offsetof(struct mock_conf, size_bytes),
     .def = "1000",
     .doc = "Bytes that a read gives."},
    {.name = "delay",
     .type = KEY_DURATION,
     .off = offsetof(struct mock_conf, delay_ns),
     .def = "10",
     .min = 0,
     .max = 24 * HOUR,
     .unit_ns = MS,
     .doc = "Time that every operation takes."},
    {.name = "errors",
     .type = KEY_REAL,
     .off = offsetof(struct mock_conf, errors),
     .def = "0.0",
     .min = 0,
     .max = 1,
     .doc = "Share of the operations that fail, 0 to 1."},
    {.name = "printing", .type = KEY_UNUSED, .doc = "Printing of each operation."},
    {.name = "doStats", .type = KEY_UNUSED, .doc = "Statistics of COSBench's mock."},
    {.name = "logging", .type = KEY_UNUSED, .doc = "Logging of each request."},
    {.name = "timeout", .type = KEY_UNUSED, .doc = "There is no network to wait for."},
    {.name = NULL},
};
