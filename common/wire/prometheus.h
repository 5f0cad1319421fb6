/* prometheus.h -- writes the text of /metrics (Prometheus text exposition format 0.0.4).
 *
 *   prometheus_family(out, "loadstone_workloads", "gauge", "Workloads by state.");
 *   prometheus_value(out, "loadstone_workloads", "state", "queuing", 3);
 */
#ifndef LOADSTONE_COMMON_WIRE_PROMETHEUS_H
#define LOADSTONE_COMMON_WIRE_PROMETHEUS_H

#include "common/base/strbuf.h"

#define PROMETHEUS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* The HELP and TYPE lines of a family; type is "counter" or "gauge". Its values follow at once. */
void prometheus_family(struct strbuf *out, const char *name, const char *type, const char *help);
/* One value, with one label (escaped as the format asks) or none when label is NULL. */
void prometheus_value(struct strbuf *out, const char *name, const char *label,
                      const char *label_value, double value);

#endif
