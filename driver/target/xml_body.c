/* xml_body.c -- see xml_body.h. A pull parser over three fixed shapes: elements of depth 0 (the
 * root), 1 and 2, with text only in the innermost ones. */
#include "driver/target/xml_body.h"

#include "common/base/strbuf.h"
#include "common/base/xalloc.h"
#include "driver/target/http_request.h"

#include <libxml/xmlreader.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8
#define TEXT_MAX  4096

struct walk {
    const char *root;
    /* An element of depth 1 or 2 ended; text is what it held. False: refuse the document. */
    bool (*on_end)(struct walk *walk, int depth, const char *name, const char *text);
    void *arg;
    struct strbuf text;
};

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool element_starts(struct walk *walk, xmlTextReader *reader)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(reader);
    int depth = xmlTextReaderDepth(reader);
    strbuf_reset(&walk->text);
    if (depth == 0 && !is(name, walk->root))
        return false;
    if (depth >= DEPTH_MAX)
        return false;
    if (xmlTextReaderIsEmptyElement(reader) && depth > 0)
        return walk->on_end(walk, depth, name, "");
    return true;
}

static bool element_ends(struct walk *walk, xmlTextReader *reader)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(reader);
    int depth = xmlTextReaderDepth(reader);
    bool good = !walk->text.overflow && strlen(walk->text.buf) == walk->text.len;
    if (good && depth > 0)
        good = walk->on_end(walk, depth, name, walk->text.buf);
    strbuf_reset(&walk->text);
    return good;
}

static bool take_node(struct walk *walk, xmlTextReader *reader)
{
    switch (xmlTextReaderNodeType(reader)) {
    case XML_READER_TYPE_ELEMENT:
        return element_starts(walk, reader);
    case XML_READER_TYPE_END_ELEMENT:
        return element_ends(walk, reader);
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
    case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
    case XML_READER_TYPE_WHITESPACE:
        strbuf_adds(&walk->text, (const char *)xmlTextReaderConstValue(reader));
        return true;
    case XML_READER_TYPE_COMMENT:
    case XML_READER_TYPE_PROCESSING_INSTRUCTION:
    case XML_READER_TYPE_XML_DECLARATION:
        return true;
    default: /* a DTD, an entity: nothing a client needs */
        return false;
    }
}

static enum s3_error walk_document(struct walk *walk, const char *text, size_t len)
{
    int rc = 1;
    walk->text = (struct strbuf)STRBUF_INIT(TEXT_MAX);
    if (len == 0 || len > INT32_MAX)
        return S3_MALFORMED_XML;
    xmlTextReader *reader = xmlReaderForMemory(
        text, (int)len, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (!reader)
        return S3_MALFORMED_XML;
    while (rc == 1) {
        rc = xmlTextReaderRead(reader);
        if (rc == 1 && !take_node(walk, reader))
            rc = -1;
    }
    xmlFreeTextReader(reader);
    strbuf_release(&walk->text);
    return rc == 0 ? S3_OK : S3_MALFORMED_XML;
}

static bool on_delete(struct walk *walk, int depth, const char *name, const char *text)
{
    struct delete_list *list = walk->arg;
    if (depth == 1 && is(name, "Quiet"))
        list->quiet = is(text, "true");
    if (depth != 2 || !is(name, "Key"))
        return true;
    if (!*text || list->keys.len == DELETE_KEYS_MAX)
        return false;
    vec_push(&list->keys, xstrdup(text));
    return true;
}

enum s3_error xml_read_delete(const char *text, size_t len, struct delete_list *list)
{
    struct walk walk = {.root = "Delete", .on_end = on_delete, .arg = list};
    memset(list, 0, sizeof(*list));
    enum s3_error error = walk_document(&walk, text, len);
    return !error && !list->keys.len ? S3_MALFORMED_XML : error;
}

void delete_list_release(struct delete_list *list)
{
    VEC_EACH (key, &list->keys)
        free(*key);
    vec_release(&list->keys);
}

struct complete_state {
    struct upload_claims *claims;
    struct upload_claim part; /* number 0, etag "": not seen yet */
};

static bool take_etag(struct upload_claim *part, const char *text)
{
    size_t len = strlen(text);
    if (len >= 2 && text[0] == '"' && text[len - 1] == '"') {
        text++;
        len -= 2;
    }
    if (len >= sizeof(part->etag))
        len = sizeof(part->etag) - 1; /* no ETag of ours is so long: it will not match */
    memcpy(part->etag, text, len);
    part->etag[len] = 0;
    return true;
}

static bool on_complete(struct walk *walk, int depth, const char *name, const char *text)
{
    struct complete_state *state = walk->arg;
    if (depth == 2 && is(name, "ETag"))
        return take_etag(&state->part, text);
    if (depth == 2 && is(name, "PartNumber")) {
        int64_t number = http_parse_number(slice_trim(slice_of(text)));
        state->part.number = number > UPLOAD_PARTS_MAX ? -1 : (int)number;
        return state->part.number > 0;
    }
    if (depth != 1 || !is(name, "Part"))
        return true;
    if (!state->part.number || !state->part.etag[0] || state->claims->list.len == UPLOAD_PARTS_MAX)
        return false;
    vec_push(&state->claims->list, state->part);
    memset(&state->part, 0, sizeof(state->part));
    return true;
}

enum s3_error xml_read_complete(const char *text, size_t len, struct upload_claims *claims)
{
    struct complete_state state = {.claims = claims};
    struct walk walk = {.root = "CompleteMultipartUpload", .on_end = on_complete, .arg = &state};
    memset(claims, 0, sizeof(*claims));
    return walk_document(&walk, text, len);
}

static bool on_anything(struct walk *walk, int depth, const char *name, const char *text)
{
    (void)walk;
    (void)depth;
    (void)name;
    (void)text;
    return true;
}

enum s3_error xml_read_bucket_configuration(const char *text, size_t len)
{
    struct walk walk = {.root = "CreateBucketConfiguration", .on_end = on_anything};
    return walk_document(&walk, text, len);
}
