/* table.h -- text in columns, for people: a header, rows, columns as wide as they must be. */
#ifndef LOADSTONE_CONTROLLER_CLI_TABLE_H
#define LOADSTONE_CONTROLLER_CLI_TABLE_H

#include "common/base/vec.h"

#include <stdio.h>

struct table {
    size_t columns;
    const char *headers; /* "ID|Name|>Op-Count": columns by '|', '>' puts one to the right */
    VEC(char *) cells;   /* row by row */
};

/* headers is borrowed and decides the number of columns. */
void table_init(struct table *table, const char *headers);
void table_release(struct table *table);
/* The next cell of the row under way; control characters are shown as '?'. */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints the header and the complete rows; nothing but the header where there is none. */
void table_print(const struct table *table, FILE *out);

#endif
