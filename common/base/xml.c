/* xml.c -- see xml.h.
 *
 * libxml2 reads the document as a stream of events (SAX); the tree is ours. Its line numbers end at
 * 65,535 and mean the end of a tag, so places are counted from byte offsets instead: a start tag
 * holds no second '<', which makes its beginning easy to find from its end. After the first problem
 * the rest is skipped: one clear sentence, and no work on garbage. */
#include "common/base/xml.h"

#include "common/base/strbuf.h"
#include "common/base/xml_encoding.h"

#include <ctype.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <pthread.h>
#include <string.h>

#include "common/base/banned.h"

/* libxml2 compares each attribute of an element with all others. */
#define ELEMENT_MAX_QUOTES 2000

struct parser {
    xmlParserCtxt *ctxt;
    struct xml_document *document;
    const struct xml_limits *limits;
    VEC(struct xml_element *) open; /* from the root down to the element being read */
    VEC(struct strbuf) texts;       /* of the open elements */
    size_t elements;
    size_t counted_off; /* newlines before it are in counted_line */
    int counted_line;
    struct xml_place *place;
    struct err *err;
    int rc; /* of the first problem */
};

/* ---- places */

static size_t offset_now(const struct parser *parser)
{
    long off = xmlByteConsumed(parser->ctxt);
    return off < 0 ? 0 : MIN((size_t)off, parser->document->len);
}

/* The line of a byte. Offsets mostly grow from call to call, so this only counts what is new. */
static int line_at(struct parser *parser, size_t off)
{
    const char *text = parser->document->text;
    if (off < parser->counted_off) {
        parser->counted_off = 0;
        parser->counted_line = 1;
    }
    for (; parser->counted_off < off; parser->counted_off++) {
        const char *at = text + parser->counted_off;
        if (*at == '\n' || (*at == '\r' && at[1] != '\n'))
            parser->counted_line++;
    }
    return parser->counted_line;
}

static int column_at(const struct parser *parser, size_t off)
{
    const char *text = parser->document->text;
    int column = 1;
    for (; off > 0 && text[off - 1] != '\n' && text[off - 1] != '\r'; off--)
        if (((unsigned char)text[off - 1] & 0xc0) != 0x80)
            column++;
    return column;
}

/* The last '<' before off: a tag holds no other. */
static size_t tag_before(const struct parser *parser, size_t off)
{
    const char *tag = memrchr(parser->document->text, '<', off);
    return tag ? (size_t)(tag - parser->document->text) : off;
}

/* ---- the raw text of a start tag */

struct raw_attribute {
    size_t name_off, name_len, value_off, value_len;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_while_space(const struct xml_document *document, size_t off)
{
    while (off < document->len && is_space(document->text[off]))
        off++;
    return off;
}

static size_t skip_name(const struct xml_document *document, size_t off)
{
    while (off < document->len && !is_space(document->text[off]) &&
           !strchr("=/>\"'<", document->text[off]))
        off++;
    return off;
}

/* Reads name="value" at *off and moves behind it. False when no attribute stands there; a value
 * that does not end goes up to the end of the text. */
static bool next_raw_attribute(const struct xml_document *document, size_t *off,
                               struct raw_attribute *raw)
{
    raw->name_off = skip_while_space(document, *off);
    size_t at = skip_name(document, raw->name_off);
    raw->name_len = at - raw->name_off;
    at = skip_while_space(document, at);
    if (raw->name_len == 0 || at >= document->len || document->text[at] != '=')
        return false;
    at = skip_while_space(document, at + 1);
    if (at >= document->len || !strchr("\"'", document->text[at]) || !document->text[at])
        return false;
    raw->value_off = at + 1;
    const char *end = memchr(document->text + at + 1, document->text[at], document->len - at - 1);
    raw->value_len =
        end ? (size_t)(end - document->text) - raw->value_off : document->len - raw->value_off;
    *off = raw->value_off + raw->value_len + (end ? 1 : 0);
    return true;
}

static void copy_name(char *out, size_t out_len, const char *name, size_t len)
{
    size_t count = MIN(len, out_len - 1);
    memcpy(out, name, count);
    out[count] = '\0';
}

/* Names the element, and the attribute whose value off is in, when off is inside a start tag. */
static void place_in_tag(struct parser *parser, size_t off)
{
    const struct xml_document *document = parser->document;
    struct xml_place *place = parser->place;
    const char *tag = memrchr(document->text, '<', off);
    if (!tag || !(isalpha((unsigned char)tag[1]) || tag[1] == '_'))
        return;
    size_t name_off = (size_t)(tag - document->text) + 1;
    size_t at = skip_name(document, name_off);
    copy_name(place->element, sizeof(place->element), tag + 1, at - name_off);
    struct raw_attribute raw;
    while (at < off && next_raw_attribute(document, &at, &raw)) {
        if (raw.value_off <= off && off <= raw.value_off + raw.value_len) {
            copy_name(place->attribute, sizeof(place->attribute), document->text + raw.name_off,
                      raw.name_len);
            return;
        }
    }
    if (at < off && memchr(document->text + at, '>', off - at))
        place->element[0] = '\0'; /* behind the tag */
}

/* ---- problems */

/* Ends the parsing: whatever libxml2 finds from here on is not heard. */
static void skip_rest(struct parser *parser)
{
    if (!parser->ctxt)
        return;
    parser->ctxt->disableSAX = 1;
    if (parser->ctxt->input)
        parser->ctxt->input->cur = parser->ctxt->input->end;
}

static void fail_at(struct parser *parser, size_t off, int code, const char *reason)
{
    if (parser->rc == 0) {
        parser->rc = err_set(parser->err, code, "%s", reason);
        parser->place->line = line_at(parser, off);
        parser->place->column = column_at(parser, off);
    }
    skip_rest(parser);
}

static bool is_word_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

/* Whether KEY=<word> stands around the '<' at off: finds the key. */
static bool find_placeholder(const char *text, size_t off, const char **ret_key, size_t *ret_len)
{
    size_t end = off, start, word_len = 0;
    const char *word = text + off + 1;
    while (is_word_letter(word[word_len]) || word[word_len] == ' ')
        word_len++;
    while (end > 0 && is_space(text[end - 1]))
        end--;
    if (word_len == 0 || word[word_len] != '>' || end == 0 || text[end - 1] != '=')
        return false;
    for (start = --end; start > 0 && is_word_letter(text[start - 1]);)
        start--;
    *ret_key = text + start;
    *ret_len = end - start;
    bool begins_entry =
        start > 0 && (is_space(text[start - 1]) || strchr(";\"'", text[start - 1]) != NULL);
    return begins_entry && start < end && end - start <= 40;
}

/* A '<' in a value: mostly "accesskey=<accesskey>", which a person forgot to fill in. What stands
 * between the brackets is only shown when it is the key's own name. */
static void fail_lt_in_attribute(struct parser *parser, size_t off)
{
    const char *text = parser->document->text;
    const char *key = NULL;
    size_t len = 0;
    place_in_tag(parser, off);
    if (!find_placeholder(text, off, &key, &len)) {
        fail_at(parser, off, ERR_CONFIG,
                "a raw '<' cannot stand in an attribute's value: is it a placeholder to be filled "
                "in, or is the closing quotation mark missing? (a '<' that is meant is written "
                "&lt;)");
        return;
    }
    bool is_same = strncasecmp(text + off + 1, key, len) == 0 && text[off + 1 + len] == '>';
    AUTO(freep)
    char *reason = xasprintf("a raw '<' cannot stand in an attribute's value; %.*s=<%.*s> looks "
                             "like a placeholder to be filled in",
                             (int)len, key, is_same ? (int)len : 3, is_same ? key : "...");
    fail_at(parser, off, ERR_CONFIG, reason);
}

static void fail_unclosed(struct parser *parser, size_t off)
{
    if (parser->open.len == 0) {
        fail_at(parser, off, ERR_CONFIG, "the document ends too early");
        return;
    }
    const struct xml_element *element = parser->open.items[parser->open.len - 1];
    AUTO(freep)
    char *reason = xasprintf("<%.64s> of line %d is not closed: expected </%.64s> here",
                             element->name, element->line, element->name);
    fail_at(parser, off, ERR_CONFIG, reason);
}

static const struct {
    int code;
    const char *reason;
} reasons[] = {
    {XML_ERR_DOCUMENT_EMPTY, "is not XML: expected a '<' here"},
    {XML_ERR_DOCUMENT_END, "the document's element is closed, but something follows it"},
    {XML_ERR_INVALID_CHAR, "a character that XML does not allow"},
    {XML_ERR_INVALID_CHARREF, "a character reference (&#...;) that XML does not allow"},
    {XML_ERR_INVALID_HEX_CHARREF, "a character reference (&#x...;) that XML does not allow"},
    {XML_ERR_INVALID_DEC_CHARREF, "a character reference (&#...;) that XML does not allow"},
    {XML_ERR_INVALID_ENCODING, "bytes that are not valid UTF-8"},
    {XML_ERR_UNDECLARED_ENTITY, "an '&' that is meant is written &amp; (entities of one's own are "
                                "not accepted)"},
    {XML_WAR_UNDECLARED_ENTITY, "an '&' that is meant is written &amp; (entities of one's own are "
                                "not accepted)"},
    {XML_ERR_ENTITYREF_SEMICOL_MISSING, "an '&' that is meant is written &amp;"},
    {XML_ERR_ATTRIBUTE_NOT_STARTED, "expected a quotation mark: values stand in quotes"},
    {XML_ERR_ATTRIBUTE_NOT_FINISHED, "the closing quotation mark of the value is missing"},
    {XML_ERR_ATTRIBUTE_WITHOUT_VALUE, "expected =\"value\" after the name of an attribute"},
    {XML_ERR_ATTRIBUTE_REDEFINED, "an attribute is given twice in one element"},
    {XML_ERR_NAME_REQUIRED, "expected a name here"},
    {XML_ERR_SPACE_REQUIRED, "expected white space between attributes (a quotation mark missing "
                             "or too many?)"},
    {XML_ERR_GT_REQUIRED, "expected '>' here"},
    {XML_ERR_COMMENT_NOT_FINISHED, "the end --> of a comment is missing"},
    {XML_ERR_HYPHEN_IN_COMMENT, "-- cannot stand inside a comment"},
    {XML_ERR_PI_NOT_FINISHED, "the end ?> of a processing instruction is missing"},
    {XML_ERR_CDATA_NOT_FINISHED, "the end ]]> of a CDATA section is missing"},
    {XML_ERR_XMLDECL_NOT_FINISHED, "the end ?> of the XML declaration is missing"},
    {XML_ERR_RESERVED_XML_NAME, "an XML declaration (<?xml ...?>) can only be the very first thing "
                                "of a file"},
    {XML_ERR_MISPLACED_CDATA_END, "]]> cannot stand in text"},
    {XML_ERR_NO_MEMORY, "out of memory"},
};

static const char *reason_of(const struct parser *parser, size_t off, int code)
{
    if (code == XML_ERR_NAME_REQUIRED && off > 0 && parser->document->text[off - 1] == '&')
        code = XML_ERR_ENTITYREF_SEMICOL_MISSING;
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].code == code)
            return reasons[i].reason;
    return "is not well-formed XML";
}

#if LIBXML_VERSION >= 21200
static void on_error(void *user, const xmlError *error)
#else
static void on_error(void *user, xmlError *error)
#endif
{
    struct parser *parser = user;
    if (parser->rc < 0 || error->level != XML_ERR_FATAL)
        return;
    size_t off = offset_now(parser);
    switch (error->code) {
    case XML_ERR_LT_IN_ATTRIBUTE:
        fail_lt_in_attribute(parser, off);
        return;
    case XML_ERR_TAG_NAME_MISMATCH:
        fail_unclosed(parser, tag_before(parser, off));
        return;
    case XML_ERR_TAG_NOT_FINISHED:
        fail_unclosed(parser, off);
        return;
    default:
        place_in_tag(parser, off);
        fail_at(parser, off, ERR_CONFIG, reason_of(parser, off, error->code));
    }
}

/* ---- the tree */

static void element_free(struct xml_element *element)
{
    if (!element)
        return;
    VEC_EACH (child, &element->children)
        element_free(*child);
    VEC_EACH (attribute, &element->attributes) {
        free(attribute->name);
        free(attribute->value);
    }
    vec_release(&element->children);
    vec_release(&element->attributes);
    free(element->name);
    free(element->text);
    free(element);
}

void xml_document_free(struct xml_document *document)
{
    if (!document)
        return;
    element_free(document->root);
    free(document->text);
    free(document);
}

const struct xml_attribute *xml_attribute_find(const struct xml_element *element, const char *name)
{
    VEC_EACH (attribute, &element->attributes)
        if (strcmp(attribute->name, name) == 0)
            return attribute;
    return NULL;
}

static char *full_name(const xmlChar *prefix, const xmlChar *name)
{
    return prefix ? xasprintf("%s:%s", (const char *)prefix, (const char *)name)
                  : xstrdup((const char *)name);
}

/* Finds the attribute in the raw tag from *at on; declarations of name spaces are passed over. */
static void locate_attribute(struct parser *parser, size_t *at, struct xml_attribute *attribute)
{
    size_t name_len = strlen(attribute->name);
    struct raw_attribute raw;
    while (next_raw_attribute(parser->document, at, &raw)) {
        if (raw.name_len == name_len &&
            memcmp(parser->document->text + raw.name_off, attribute->name, name_len) == 0) {
            attribute->line = line_at(parser, raw.name_off);
            attribute->value_off = raw.value_off;
            attribute->value_len = raw.value_len;
            return;
        }
    }
}

/* libxml2 gives five pointers per attribute: name, prefix, name space, value, end of value. */
static void add_attributes(struct parser *parser, struct xml_element *element, size_t tag_off,
                           int count, const xmlChar **given)
{
    size_t at = skip_name(parser->document, tag_off + 1);
    for (int i = 0; i < count; i++, given += 5) {
        struct xml_attribute attribute = {
            .name = full_name(given[1], given[0]),
            .value = xstrndup((const char *)given[3], (size_t)(given[4] - given[3])),
            .line = element->line,
        };
        locate_attribute(parser, &at, &attribute);
        vec_push(&element->attributes, attribute);
    }
}

static void on_start(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int namespaces_count, const xmlChar **namespaces, int count, int defaulted,
                     const xmlChar **attributes)
{
    struct parser *parser = user;
    size_t tag_off = tag_before(parser, offset_now(parser));
    (void)uri, (void)namespaces_count, (void)namespaces, (void)defaulted;

    if (parser->open.len >= (size_t)parser->limits->max_depth) {
        fail_at(parser, tag_off, ERR_LIMIT, "elements are nested too deeply");
        return;
    }
    if (parser->elements++ >= parser->limits->max_elements) {
        fail_at(parser, tag_off, ERR_LIMIT, "the document has too many elements");
        return;
    }
    struct xml_element *element = xcalloc(1, sizeof(*element));
    element->name = full_name(prefix, name);
    element->line = line_at(parser, tag_off);
    add_attributes(parser, element, tag_off, count, attributes);
    if (parser->open.len > 0)
        vec_push(&parser->open.items[parser->open.len - 1]->children, element);
    else
        parser->document->root = element;
    vec_push(&parser->open, element);
    vec_push(&parser->texts, (struct strbuf)STRBUF_INIT(parser->limits->max_bytes));
}

static void on_end(void *user, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    struct parser *parser = user;
    (void)name, (void)prefix, (void)uri;
    if (parser->open.len == 0 || parser->rc < 0)
        return;
    struct xml_element *element = parser->open.items[--parser->open.len];
    element->text = strbuf_take(&parser->texts.items[--parser->texts.len]);
}

static void on_text(void *user, const xmlChar *text, int len)
{
    struct parser *parser = user;
    if (parser->texts.len > 0 && len > 0)
        strbuf_add(&parser->texts.items[parser->texts.len - 1], text, (size_t)len);
}

static void on_doctype(void *user, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    struct parser *parser = user;
    (void)name, (void)external, (void)system;
    const char *text = parser->document->text;
    const char *at = memmem(text, parser->document->len, "<!DOCTYPE", strlen("<!DOCTYPE"));
    fail_at(parser, at ? (size_t)(at - text) : offset_now(parser), ERR_CONFIG,
            "document types and entities are not accepted");
}

/* ---- */

/* Only one start tag fits between two '<', so its attributes are bounded by the quotes there. */
static int check_quotes(struct parser *parser)
{
    size_t quotes = 0, tag_off = 0;
    const struct xml_document *document = parser->document;
    for (size_t off = 0; off < document->len; off++) {
        char c = document->text[off];
        if (c == '<') {
            quotes = 0;
            tag_off = off;
        } else if ((c == '"' || c == '\'') && ++quotes > ELEMENT_MAX_QUOTES) {
            fail_at(parser, tag_off, ERR_LIMIT, "an element with more than 1,000 attributes");
            return ERR_LIMIT;
        }
    }
    return 0;
}

static void run(struct parser *parser)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, xmlInitParser);

    parser->ctxt = xmlCreateMemoryParserCtxt(parser->document->text, (int)parser->document->len);
    if (!parser->ctxt) {
        parser->rc = err_set(parser->err, ERR_SYSTEM, "out of memory");
        return;
    }
    /* NOENT: &amp; in a value is given as '&'. There are no entities but XML's own. */
    xmlCtxtUseOptions(parser->ctxt, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_NOENT);
    xmlSAXHandler *sax = parser->ctxt->sax;
    memset(sax, 0, sizeof(*sax));
    sax->initialized = XML_SAX2_MAGIC; /* makes libxml2 look at serror */
    sax->serror = on_error;
    sax->startElementNs = on_start;
    sax->endElementNs = on_end;
    sax->characters = on_text;
    sax->cdataBlock = on_text;
    sax->internalSubset = on_doctype;
    parser->ctxt->userData = parser;
    xmlParseDocument(parser->ctxt);
    if (parser->rc == 0 &&
        (!parser->ctxt->wellFormed || parser->open.len > 0 || !parser->document->root))
        fail_unclosed(parser, parser->document->len);
    xmlFreeParserCtxt(parser->ctxt);
}

static int parse_document(struct parser *parser)
{
    size_t first = skip_while_space(parser->document, 0);
    if (first == parser->document->len)
        return err_set(parser->err, ERR_CONFIG, "the document is empty");
    if (check_quotes(parser) == 0)
        run(parser);
    VEC_EACH (text, &parser->texts)
        strbuf_release(text);
    vec_release(&parser->texts);
    vec_release(&parser->open);
    return parser->rc;
}

int xml_parse(const char *text, size_t len, const struct xml_limits *limits,
              struct xml_document **ret_document, struct xml_place *place, struct err *err)
{
    AUTO(xml_document_freep) struct xml_document *document = xcalloc(1, sizeof(*document));
    *place = (struct xml_place){0};

    if (len > limits->max_bytes)
        return err_set(err, ERR_LIMIT, "the document is %zu bytes long, at most %zu are accepted",
                       len, limits->max_bytes);
    int rc = xml_to_utf8(text, len, limits->max_bytes, &document->text, &document->len,
                         &document->recoded, err);
    if (rc < 0)
        return rc;
    struct parser parser = {
        .document = document, .limits = limits, .counted_line = 1, .place = place, .err = err};
    rc = parse_document(&parser);
    if (rc < 0)
        return rc;
    *ret_document = TAKE(document);
    return 0;
}
