/* ops.h -- the operation types and their keys (spec: config-strings.md). */
#ifndef LOADSTONE_COMMON_CATALOG_OPS_H
#define LOADSTONE_COMMON_CATALOG_OPS_H

#include "common/base/units.h"
#include "common/catalog/key.h"

enum op_type {
    OP_READ,
    OP_WRITE,
    OP_DELETE,
    OP_LIST,
    OP_PREPARE,
    OP_CLEANUP,
    OP_INIT,
    OP_DISPOSE,
    OP_DELAY,
    OP_TYPES
};
#define OP_BIT(type) (1u << (type))

enum op_content { CONTENT_RANDOM, CONTENT_ZERO };

/* An operation's settings as text and values; selectors stay text here (common/model/selector.h
 * parses them). Text members are "" when not given. */
struct op_conf {
    char *containers; /* selector */
    char *objects;    /* selector */
    char *sizes;      /* selector and unit */
    char *cprefix, *csuffix, *oprefix, *osuffix;
    char *name;  /* label; "" = the type's name */
    int content; /* enum op_content */
    bool chunked;
    bool create_container; /* createContainer */
    bool delete_container; /* deleteContainer */
    bool hash_check;       /* hashCheck */
    bool histo;
};

struct op_info {
    const char *name; /* "read" */
    enum op_type type;
    const char *sample_type; /* "read", "write", "delete", "list" */
    bool is_walk;            /* one operation walks the worker's whole share: r() or lo-hi only */
    bool needs_containers, needs_objects, needs_sizes;
    const char *doc;
};

const struct op_info *op_info_find(const char *name); /* no case; NULL when unknown */
const struct op_info *op_info_of(enum op_type type);
extern const struct key op_keys[];

/* Loads the merged config string of an operation; needed keys of the type must be there.
 * Release with op_conf_release(). 0 or ERR_CONFIG. */
int op_conf_load(enum op_type type, const char *config_text, struct op_conf *conf, struct err *err);
void op_conf_release(struct op_conf *conf);

#endif
