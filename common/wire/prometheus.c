/* prometheus.c -- see prometheus.h. */
#include "common/wire/prometheus.h"

#include <math.h>

#include "common/base/banned.h"

void prometheus_family(struct strbuf *out, const char *name, const char *type, const char *help)
{
    strbuf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_escaped(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            strbuf_adds(out, "\\n");
        else if (*text == '\\' || *text == '"')
            strbuf_addf(out, "\\%c", *text);
        else
            strbuf_addc(out, *text);
    }
}

static void add_number(struct strbuf *out, double value)
{
    if (isnan(value))
        strbuf_adds(out, "NaN");
    else if (isinf(value))
        strbuf_adds(out, value > 0 ? "+Inf" : "-Inf");
    else
        strbuf_addf(out, "%.17g", value);
}

void prometheus_value(struct strbuf *out, const char *name, const char *label,
                      const char *label_value, double value)
{
    strbuf_adds(out, name);
    if (label) {
        strbuf_addf(out, "{%s=\"", label);
        add_escaped(out, label_value);
        strbuf_adds(out, "\"}");
    }
    strbuf_addc(out, ' ');
    add_number(out, value);
    strbuf_addc(out, '\n');
}
