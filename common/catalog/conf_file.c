/* conf_file.c -- INI files: sections of keys with their lines (conf.h). */
#include "common/base/file.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "common/catalog/conf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/banned.h"

#define CONF_MAX_BYTES (1 << 20)

static char *trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    return xstrndup(from, (size_t)(to - from));
}

static bool begins_comment(const char *at)
{
    return *at == '#' || *at == ';';
}

/* The value that begins at text: up to a comment, or what is in quotes. */
static char *read_value(const char *text)
{
    while (isblank((unsigned char)*text))
        text++;
    const char *close = *text == '"' ? strchr(text + 1, '"') : NULL;
    if (close)
        return xstrndup(text + 1, (size_t)(close - text - 1));
    const char *end = text;
    while (*end && !(begins_comment(end) && (end == text || isblank((unsigned char)end[-1]))))
        end++;
    return trimmed(text, end);
}

static int parse_section(const char *name, const char *line, int number, struct conf_file *file,
                         struct err *err)
{
    const char *close = strchr(line, ']');
    const char *rest = close ? close + 1 : "?";
    while (isblank((unsigned char)*rest))
        rest++;
    AUTO(freep) char *section = close ? trimmed(line + 1, close) : xstrdup("");
    if (!*section || (*rest && !begins_comment(rest)))
        return err_set(err, ERR_CONFIG, "%s:%d: expected [SECTION]", name, number);
    vec_push(&file->sections, TAKE(section));
    return 0;
}

static int parse_line(const char *name, const char *line, int number, struct conf_file *file,
                      struct err *err)
{
    if (!*line || begins_comment(line))
        return 0;
    if (*line == '[')
        return parse_section(name, line, number, file, err);
    const char *equals = strchr(line, '=');
    if (!equals || equals == line)
        return err_set(err, ERR_CONFIG, "%s:%d: expected [SECTION] or KEY = VALUE", name, number);
    if (file->sections.len == 0)
        return err_set(err, ERR_CONFIG, "%s:%d: a key before the first [SECTION]", name, number);
    struct conf_line entry = {file->sections.items[file->sections.len - 1], trimmed(line, equals),
                              read_value(equals + 1), number};
    vec_push(&file->lines, entry);
    return 0;
}

int conf_parse(const char *name, const char *text, size_t len, struct conf_file *file,
               struct err *err)
{
    static const char mark[] = "\xef\xbb\xbf"; /* that editors put in front of UTF-8 */
    const char *end = text + len;
    int number = 0, rc = 0;
    if (len && memchr(text, '\0', len))
        return err_set(err, ERR_CONFIG, "%s: is not a text file", name);
    if (len >= 3 && memcmp(text, mark, 3) == 0)
        text += 3;
    for (const char *from = text; rc == 0 && from < end;) {
        const char *to = memchr(from, '\n', (size_t)(end - from));
        if (!to)
            to = end;
        AUTO(freep) char *line = trimmed(from, to);
        rc = parse_line(name, line, ++number, file, err);
        from = to + 1;
    }
    return rc;
}

int conf_read(const char *path, struct conf_file *file, struct err *err)
{
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(CONF_MAX_BYTES);
    int rc = file_read(path, &text, err);
    return rc < 0 ? rc : conf_parse(path, text.buf, text.len, file, err);
}

bool conf_has_section(const struct conf_file *file, const char *section)
{
    VEC_EACH (known, &file->sections)
        if (strcasecmp(*known, section) == 0)
            return true;
    return false;
}

const char *conf_find(const struct conf_file *file, const char *section, const char *key)
{
    const char *found = NULL;
    VEC_EACH (line, &file->lines)
        if (strcasecmp(line->section, section) == 0 && strcasecmp(line->key, key) == 0)
            found = line->value;
    return found;
}

void conf_file_release(struct conf_file *file)
{
    VEC_EACH (line, &file->lines) {
        free(line->key);
        free(line->value);
    }
    vec_release(&file->lines);
    VEC_EACH (section, &file->sections)
        free(*section);
    vec_release(&file->sections);
}
