/* key.h -- tables of settings: each row says a key's name, type, default, bounds and meaning.
 * Parser, checks, defaults and the reference pages all read them. */
#ifndef LOADSTONE_COMMON_CATALOG_KEY_H
#define LOADSTONE_COMMON_CATALOG_KEY_H

#include "common/base/diag.h"
#include "common/base/err.h"
#include "common/catalog/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_type {
    KEY_BOOL,     /* bool; true/false, yes/no, on/off, y/n, t/f, 1/0, any case */
    KEY_INT,      /* int64_t */
    KEY_REAL,     /* double */
    KEY_DURATION, /* int64_t ns; a bare number counts .unit_ns */
    KEY_SIZE,     /* int64_t bytes */
    KEY_TEXT,     /* char *, owned by the settings struct */
    KEY_CHOICE,   /* int: index into .choices */
    KEY_UNUSED,   /* known from COSBench's files, accepted and not used; has no member */
};

struct key {
    const char *name;
    const char *const *aliases; /* other spellings, NULL-terminated, or NULL */
    enum key_type type;
    size_t off;                 /* of the member in the settings struct */
    const char *def;            /* default as text; NULL: the key is required */
    int64_t min, max;           /* of INT, REAL, DURATION, SIZE, when max > min */
    int64_t unit_ns;            /* of a bare DURATION */
    const char *const *choices; /* NULL-terminated */
    bool secret;                /* masked wherever a person can see it */
    const char *warning;        /* of UNUSED: what the user misses by it; NULL: nothing */
    const char *doc;
};

/* Fills *settings (zeroed by the caller) from config by the table, which ends with a row without a
 * name. An empty value of a key that is no text counts as not given ("proxyport="). A required key
 * that is missing: "no such key defined: X". On error what was filled is released; the sentence
 * begins with the key's name and never holds the value of a secret. 0 or ERR_CONFIG. */
int keys_load(const struct key *keys, const struct config *config, void *settings, struct err *err);
/* Frees the KEY_TEXT members. */
void keys_release(const struct key *keys, void *settings);

/* Reports every problem instead of the first; unknown keys become warnings naming the nearest known
 * one, unless one of other_tables (NULL-terminated list of tables, may be NULL) knows them. So do
 * keys in another case than the table's, which COSBench would not have read. A table without rows
 * takes any key. */
void keys_check(const struct key *keys, const struct key *const *other_tables,
                const struct config *config, int line, const char *element, struct diags *diags);

/* The row of that name or alias (no case), or NULL. */
const struct key *keys_find(const struct key *keys, const char *name);

/* The candidate nearest to name by edit distance, or NULL when none is near. */
const char *nearest_name(const char *name, const char *const *candidates, size_t count);

#endif
