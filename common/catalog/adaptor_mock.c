/* adaptor_mock.c -- keys of the storages without a network (spec: storages-and-auth.md, none and
 * mock). */
#include "common/base/clock.h"
#include "common/catalog/adaptors.h"

#include <stddef.h>

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
     .doc = "Share of the operations that fail, 0 to 1."},
    {.name = NULL},
};
