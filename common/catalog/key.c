/* key.c -- see key.h. */
#include "common/catalog/key.h"

#include "common/base/scope.h"
#include "common/base/strbuf.h"
#include "common/base/units.h"
#include "common/base/xalloc.h"
#include "common/catalog/adaptors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NEAR_NAME_MAX 64

static const struct {
    const char *word;
    bool value;
} bool_words[] = {
    {"true", true}, {"false", false}, {"yes", true}, {"no", false}, {"on", true}, {"off", false},
    {"y", true},    {"n", false},     {"t", true},   {"f", false},  {"1", true},  {"0", false},
};

static int parse_bool(const char *text, bool *ret_value)
{
    for (size_t i = 0; i < ARRAY_LEN(bool_words); i++) {
        if (strcasecmp(text, bool_words[i].word) == 0) {
            *ret_value = bool_words[i].value;
            return 0;
        }
    }
    return ERR_CONFIG;
}

static int parse_real(const char *text, double *ret_value)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || strpbrk(text, "xX"))
        return ERR_CONFIG;
    *ret_value = value;
    return 0;
}

static int parse_choice(const struct key *key, const char *text, int *ret_value)
{
    for (int i = 0; key->choices[i]; i++) {
        if (strcasecmp(text, key->choices[i]) == 0) {
            *ret_value = i;
            return 0;
        }
    }
    return ERR_CONFIG;
}

static void format_bound(const struct key *key, int64_t bound, char *out, size_t out_len)
{
    if (key->type == KEY_DURATION)
        units_format_ns((double)bound, out, out_len);
    else if (key->type == KEY_SIZE)
        units_format_bytes((double)bound, out, out_len);
    else
        snprintf(out, out_len, "%lld", (long long)bound);
}

static void describe_choices(const struct key *key, struct strbuf *out)
{
    strbuf_adds(out, "one of");
    for (int i = 0; key->choices[i]; i++)
        strbuf_addf(out, "%s %s", i ? "," : "", key->choices[i]);
}

/* What may stand there, in words. */
static void describe(const struct key *key, struct strbuf *out)
{
    static const char *const words[] = {
        [KEY_BOOL] = "true or false",
        [KEY_INT] = "a whole number",
        [KEY_REAL] = "a number",
        [KEY_DURATION] = "a duration such as 30s or 500ms",
        [KEY_SIZE] = "a size such as 64KB or 1MiB",
        [KEY_TEXT] = "text",
        [KEY_UNUSED] = "anything",
    };
    char low[32], high[32];
    if (key->type == KEY_CHOICE) {
        describe_choices(key, out);
        return;
    }
    strbuf_adds(out, words[key->type]);
    if (key->max <= key->min)
        return;
    format_bound(key, key->min, low, sizeof(low));
    format_bound(key, key->max, high, sizeof(high));
    strbuf_addf(out, " from %s to %s", low, high);
}

static int bad_value(const struct key *key, const char *text, struct err *err)
{
    AUTO(strbuf_release) struct strbuf expected = STRBUF_INIT(256);
    describe(key, &expected);
    if (key->secret)
        return err_set(err, ERR_CONFIG, "%s: expected %s", key->name, expected.buf);
    return err_set(err, ERR_CONFIG, "%s: found \"%.100s\", expected %s", key->name, text,
                   expected.buf);
}

union key_value {
    bool flag;
    int64_t number;
    double real;
    int choice;
};

static bool in_bounds(const struct key *key, const union key_value *value)
{
    if (key->max <= key->min)
        return true;
    if (key->type == KEY_REAL)
        return value->real >= (double)key->min && value->real <= (double)key->max;
    bool counts = key->type == KEY_INT || key->type == KEY_DURATION || key->type == KEY_SIZE;
    return !counts || (value->number >= key->min && value->number <= key->max);
}

/* Reads text as the key's type into *value, which is large enough for any of them. */
static int parse_value(const struct key *key, const char *text, union key_value *value,
                       struct err *err)
{
    int rc = 0;
    switch (key->type) {
    case KEY_BOOL:
        rc = parse_bool(text, &value->flag);
        break;
    case KEY_INT:
        rc = units_parse_int(text, &value->number);
        break;
    case KEY_REAL:
        rc = parse_real(text, &value->real);
        break;
    case KEY_DURATION:
        rc = units_parse_duration(text, key->unit_ns ? key->unit_ns : 1, &value->number);
        break;
    case KEY_SIZE:
        rc = units_parse_size(text, &value->number);
        break;
    case KEY_CHOICE:
        rc = parse_choice(key, text, &value->choice);
        break;
    case KEY_TEXT:
    case KEY_UNUSED:
        break;
    }
    return rc < 0 || !in_bounds(key, value) ? bad_value(key, text, err) : 0;
}

static int load_value(const struct key *key, const char *text, void *settings, struct err *err)
{
    union key_value value = {.number = 0};
    int rc = parse_value(key, text, &value, err);
    if (rc < 0)
        return rc;
    char *member = (char *)settings + key->off;
    switch (key->type) {
    case KEY_BOOL:
        *(bool *)member = value.flag;
        break;
    case KEY_REAL:
        memcpy(member, &value.real, sizeof(value.real));
        break;
    case KEY_CHOICE:
        memcpy(member, &value.choice, sizeof(value.choice));
        break;
    case KEY_TEXT: {
        char *copy = xstrdup(text);
        memcpy(member, &copy, sizeof(copy));
        break;
    }
    case KEY_UNUSED:
        break;
    default:
        memcpy(member, &value.number, sizeof(value.number));
    }
    return 0;
}

static bool is_name_of(const struct key *key, const char *name)
{
    if (strcasecmp(key->name, name) == 0)
        return true;
    for (size_t a = 0; key->aliases && key->aliases[a]; a++)
        if (strcasecmp(key->aliases[a], name) == 0)
            return true;
    return false;
}

/* The value given for the key under its name or an alias, the last one in the string; or NULL. */
static const char *find_given(const struct key *key, const struct config *config)
{
    for (size_t i = config->entries.len; i > 0; i--) {
        const struct config_entry *entry = &config->entries.items[i - 1];
        if (is_name_of(key, entry->key))
            return *entry->value || key->type == KEY_TEXT ? entry->value : NULL;
    }
    return NULL;
}

int keys_load(const struct key *keys, const struct config *config, void *settings, struct err *err)
{
    for (const struct key *key = keys; key->name; key++) {
        if (key->type == KEY_UNUSED)
            continue;
        const char *text = find_given(key, config);
        if (!text)
            text = key->def;
        int rc = text ? load_value(key, text, settings, err)
                      : err_set(err, ERR_CONFIG, "no such key defined: %s", key->name);
        if (rc < 0) {
            keys_release(keys, settings);
            return rc;
        }
    }
    return 0;
}

void keys_release(const struct key *keys, void *settings)
{
    for (const struct key *key = keys; key->name; key++) {
        if (key->type != KEY_TEXT)
            continue;
        char **member = (char **)(void *)((char *)settings + key->off);
        free(*member);
        *member = NULL;
    }
}

const struct key *keys_find(const struct key *keys, const char *name)
{
    for (const struct key *key = keys; key->name; key++)
        if (is_name_of(key, name))
            return key;
    return NULL;
}

/* ---- all problems at once */

/* Where findings go. */
struct check {
    int line;
    const char *element;
    struct diags *diags;
};

static bool known_elsewhere(const struct key *const *tables, const char *name)
{
    for (size_t i = 0; tables && tables[i]; i++)
        if (keys_find(tables[i], name))
            return true;
    return false;
}

/* after: the key before it, when that is a secret. A secret that holds a ';' falls into entries of
 * its own, so what follows one is only quoted when it is near a known name. */
static void warn_unknown(const struct check *check, const struct key *keys, const char *name,
                         const char *after)
{
    const char *candidates[128];
    size_t count = 0;
    for (const struct key *key = keys; key->name && count < ARRAY_LEN(candidates); key++)
        candidates[count++] = key->name;
    const char *near_name = nearest_name(name, candidates, count);
    if (near_name)
        diags_add(check->diags, DIAG_WARNING, check->line, check->element, "config",
                  "key \"%.64s\" is not known and not used; did you mean %s?", name, near_name);
    else if (after)
        diags_add(check->diags, DIAG_WARNING, check->line, check->element, "config",
                  "the entry after %.64s is not known and not used (a value cannot hold a ';')",
                  after);
    else
        diags_add(check->diags, DIAG_WARNING, check->line, check->element, "config",
                  "key \"%.64s\" is not known and not used", name);
}

static bool is_off(const char *text)
{
    bool value = true;
    return !*text || (parse_bool(text, &value) == 0 && !value);
}

static void warn_known(const struct check *check, const struct key *key,
                       const struct config_entry *entry)
{
    if (key->type == KEY_UNUSED && key->warning && !is_off(entry->value))
        diags_add(check->diags, DIAG_WARNING, check->line, check->element, "config",
                  "key %s is not used by this version: %s", key->name, key->warning);
    if (strcasecmp(entry->key, key->name) == 0 && strcmp(entry->key, key->name) != 0)
        diags_add(check->diags, DIAG_WARNING, check->line, check->element, "config",
                  "key %.64s is read as %s (COSBench would not read it in this case)", entry->key,
                  key->name);
}

static void check_values(const struct check *check, const struct key *keys,
                         const struct config *config)
{
    for (const struct key *key = keys; key->name; key++) {
        struct err err = {0};
        union key_value value = {.number = 0};
        const char *text = key->type == KEY_UNUSED ? "" : find_given(key, config);
        if (text && parse_value(key, text, &value, &err) < 0)
            diags_add(check->diags, DIAG_ERROR, check->line, check->element, "config", "%s",
                      err.text);
        else if (!text && !key->def)
            diags_add(check->diags, DIAG_ERROR, check->line, check->element, "config",
                      "no such key defined: %s", key->name);
    }
}

void keys_check(const struct key *keys, const struct key *const *other_tables,
                const struct config *config, int line, const char *element, struct diags *diags)
{
    const struct check check = {line, element, diags};
    const char *secret = NULL; /* the key before, when it is one */
    if (!keys->name)
        return;
    check_values(&check, keys, config);
    VEC_EACH (entry, &config->entries) {
        const struct key *key = keys_find(keys, entry->key);
        if (key)
            warn_known(&check, key, entry);
        else if (!known_elsewhere(other_tables, entry->key))
            warn_unknown(&check, keys, entry->key, secret);
        if (catalog_key_is_secret(entry->key))
            secret = entry->key;
        else if (key)
            secret = NULL;
    }
}

/* ---- nearest names */

/* Levenshtein distance without case, of names of at most NEAR_NAME_MAX letters. */
static size_t distance(const char *a, const char *b)
{
    size_t row[NEAR_NAME_MAX + 1];
    size_t a_len = strlen(a), b_len = strlen(b);
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t above = row[j];
            bool same = strncasecmp(a + i - 1, b + j - 1, 1) == 0;
            row[j] = MIN(MIN(row[j] + 1, row[j - 1] + 1), diagonal + (same ? 0 : 1));
            diagonal = above;
        }
    }
    return row[b_len];
}

const char *nearest_name(const char *name, const char *const *candidates, size_t count)
{
    const char *best = NULL;
    size_t len = strlen(name);
    size_t best_distance = len / 3 + 2; /* farther is no likeness */
    if (len == 0 || len > NEAR_NAME_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidates[i]) > NEAR_NAME_MAX)
            continue;
        size_t d = distance(name, candidates[i]);
        if (d < best_distance && d < len) {
            best_distance = d;
            best = candidates[i];
        }
    }
    return best;
}
