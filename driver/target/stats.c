/* stats.c -- see stats.h. A struct stats is nothing but counters, and is summed as an array. */
#include "driver/target/stats.h"

#define COUNTERS                                                                                   \
    ((offsetof(struct stats, bad_requests) + sizeof(stats_counter)) / sizeof(stats_counter))

_Static_assert(sizeof(stats_counter) == sizeof(int64_t), "counters are plain 64 bit words");

static void add_all(struct stats *sum, const struct stats *from, int64_t sign)
{
    stats_counter *to = &sum->requests[0][0];
    const stats_counter *of = &from->requests[0][0];
    for (size_t i = 0; i < COUNTERS; i++)
        stats_add(&to[i], sign * atomic_load_explicit(&of[i], memory_order_relaxed));
}

void stats_sum(struct stats *sum, const struct stats *from)
{
    add_all(sum, from, 1);
}

void stats_subtract(struct stats *sum, const struct stats *base)
{
    add_all(sum, base, -1);
}

void stats_format_requests(const struct stats *stats, struct strbuf *out)
{
    const char *method_comma = "";
    strbuf_addc(out, '{');
    for (int method = 0; method < HTTP_METHODS; method++) {
        bool any = false;
        for (int status = 0; status < STATS_STATUSES; status++) {
            int64_t count = stats->requests[method][status];
            if (!count)
                continue;
            if (!any)
                strbuf_addf(out, "%s\"%s\":{", method_comma, http_method_name(method));
            strbuf_addf(out, "%s\"%d\":%lld", any ? "," : "", status + STATS_STATUS_MIN,
                        (long long)count);
            any = true;
        }
        if (any) {
            strbuf_addc(out, '}');
            method_comma = ",";
        }
    }
    strbuf_addc(out, '}');
}
