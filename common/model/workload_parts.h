/* workload_parts.h -- what the workload_*.c files share; nothing for others.
 *
 * workload_read.c walks the elements, workload_attributes.c knows which attributes they have,
 * workload_special.c rewrites init, prepare, cleanup, dispose and delay and names operations,
 * workload_check.c holds the rules about configs, selectors and ratios. */
#ifndef LOADSTONE_COMMON_MODEL_WORKLOAD_PARTS_H
#define LOADSTONE_COMMON_MODEL_WORKLOAD_PARTS_H

#include "common/base/diag.h"
#include "common/base/xml.h"
#include "common/model/workload.h"

/* Adds a finding, once: one that says the same of the same place is not repeated. Warnings only
 * fill half of the list, so that errors always have room. */
void workload_report(struct diags *diags, enum diag_severity severity, int line,
                     const char *element, const char *attribute, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- attributes */

enum element_kind {
    ELEMENT_WORKLOAD,
    ELEMENT_WORKFLOW,
    ELEMENT_STAGE,
    ELEMENT_WORK,
    ELEMENT_OPERATION,
    ELEMENT_STORAGE,
    ELEMENT_AUTH,
};

/* The XML name of a kind. */
const char *element_kind_name(enum element_kind kind);

/* Reads the attributes that the table of the kind knows into the members of *target, the struct of
 * that kind (texts are allocated, defaults filled), and reports those that are wrong, missing or
 * unknown, and children and text that do not belong there. Number of errors. */
int workload_read_attributes(enum element_kind kind, const struct xml_element *element,
                             void *target, struct diags *diags);

/* The attribute's value, or NULL; *ret_line, when not NULL, is its line or the element's. */
const char *attribute_text(const struct xml_element *element, const char *name, int *ret_line);

/* Reads the element's division into *division, which stays as it is when not given. Number of
 * errors. */
int workload_read_division(const struct xml_element *element, enum division *division,
                           struct diags *diags);

/* ---- config strings */

/* The config attributes from an element up to the workload: who said what, for messages. */
struct config_level {
    const struct config_level *parent; /* NULL above the workload */
    const char *text;                  /* the element's own config; may be NULL */
    const char *merged;                /* with those above */
    const char *element;
    int line;
};

/* Checks an element's own config string against the keys of operations. */
void workload_check_config(const char *text, int line, const char *element, struct diags *diags);

/* ---- rules */

/* A storage or auth element; the type becomes the name of the catalog when it is known. The lines
 * are those of its attributes. */
void workload_check_service(enum element_kind kind, struct service *service, int type_line,
                            int config_line, struct diags *diags);
/* Keys, selectors and sizes of one operation; level is its innermost config. */
void workload_check_operation(const struct work *work, const struct operation *operation,
                              const struct config_level *level, struct diags *diags);
/* The ratios of a normal work. */
void workload_check_ratios(const struct work *work, struct diags *diags);

/* ---- parts */

/* Frees what the work owns. */
void workload_release_work(struct work *work);

/* ---- special works */

bool work_type_is_special(enum work_type type);
/* Gives the work its one operation and its fixed settings; own is the work's own config, merged
 * that of the levels above it. */
void workload_rewrite_special(struct work *work, const char *merged_above, const char *own);
/* Sets name and label of the work's operations. */
void workload_name_operations(struct work *work);

#endif
