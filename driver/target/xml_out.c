/* xml_out.c -- see xml_out.h. */
#include "driver/target/xml_out.h"

#include "driver/target/time_text.h"

static const char *escape_of(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\r':
        return "&#13;";
    case '\n':
        return "&#10;";
    case '\t':
        return "&#9;";
    default:
        return NULL;
    }
}

void xml_put_text(struct strbuf *out, struct slice text)
{
    size_t from = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c > '>' || (c != '&' && c != '<' && c != '>' && c != '"' && c >= ' '))
            continue;
        const char *escape = escape_of(c);
        strbuf_add(out, text.p + from, i - from);
        if (escape)
            strbuf_adds(out, escape);
        else
            strbuf_addf(out, "&#%d;", c); /* XML 1.0 has no place for it; S3 writes this */
        from = i + 1;
    }
    if (from < text.len)
        strbuf_add(out, text.p + from, text.len - from);
}

void xml_put_element(struct strbuf *out, const char *name, struct slice text)
{
    strbuf_addc(out, '<');
    strbuf_adds(out, name);
    strbuf_addc(out, '>');
    xml_put_text(out, text);
    strbuf_adds(out, "</");
    strbuf_adds(out, name);
    strbuf_addc(out, '>');
}

void xml_put_number(struct strbuf *out, const char *name, int64_t value)
{
    strbuf_addf(out, "<%s>%lld</%s>", name, (long long)value, name);
}

void xml_put_time(struct strbuf *out, const char *name, int64_t ms)
{
    char text[TIME_XML_BYTES];
    time_format_xml(ms, text);
    xml_put_element(out, name, (struct slice){text, sizeof(text)});
}
