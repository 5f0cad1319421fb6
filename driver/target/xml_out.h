/* xml_out.h -- writes the XML of S3 answers into a strbuf. */
#ifndef LOADSTONE_DRIVER_TARGET_XML_OUT_H
#define LOADSTONE_DRIVER_TARGET_XML_OUT_H

#include "common/base/strbuf.h"
#include "driver/target/slice.h"

#include <stdint.h>

#define XML_DECLARATION "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define XML_NAMESPACE   " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\""

/* Text with & < > " and control characters escaped. */
void xml_put_text(struct strbuf *out, struct slice text);
/* <name>text</name> */
void xml_put_element(struct strbuf *out, const char *name, struct slice text);
void xml_put_number(struct strbuf *out, const char *name, int64_t value);
/* <name>2026-11-30T20:21:16.123Z</name> */
void xml_put_time(struct strbuf *out, const char *name, int64_t ms);

#endif
