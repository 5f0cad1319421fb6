/* request_log.h -- one JSON line per request, for tests that count again what others measured.
 *
 *   {"t":1796070079123,"op":"GetObject","method":"GET","bucket":"b","key":"k","status":200,
 *    "in":0,"out":4096,"us":41}
 *
 * t: wall clock in ms when the head had arrived; in, out: bytes of the two bodies; us: until the
 * last byte was handed to the kernel. Bytes that are no UTF-8 in names become U+FFFD. */
#ifndef LOADSTONE_DRIVER_TARGET_REQUEST_LOG_H
#define LOADSTONE_DRIVER_TARGET_REQUEST_LOG_H

#include "driver/target/exchange.h"

void request_log_add(struct strbuf *log, const struct exchange *ex, int64_t bytes_in);

#endif
