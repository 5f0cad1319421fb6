/* table.c -- see table.h. */
#include "controller/cli/table.h"

#include "common/base/scope.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/banned.h"

#define GAP 2

/* Columns that a terminal needs for UTF-8 text: one a character. */
static size_t width_of(const char *text, size_t len)
{
    size_t width = 0;
    for (size_t i = 0; i < len; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

void table_init(struct table *table, const char *headers)
{
    *table = (struct table){.columns = 1, .headers = headers};
    for (const char *c = headers; *c; c++)
        table->columns += *c == '|';
}

void table_release(struct table *table)
{
    VEC_EACH (cell, &table->cells) {
        free(*cell);
    }
    vec_release(&table->cells);
}

void table_add(struct table *table, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&text, format, args);
    va_end(args);
    if (len < 0)
        abort();
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            *c = '?';
    }
    vec_push(&table->cells, text);
}

static void print_cell(const char *text, size_t len, size_t width, bool right, bool last, FILE *out)
{
    int pad = (int)(width - width_of(text, len));
    if (right)
        fprintf(out, "%*s%.*s", pad, "", (int)len, text);
    else
        fprintf(out, "%.*s%*s", (int)len, text, last ? 0 : pad, "");
    if (!last)
        fprintf(out, "%*s", GAP, "");
}

void table_print(const struct table *table, FILE *out)
{
    size_t rows = table->cells.len / table->columns;
    AUTO(freep) size_t *widths = xcalloc(table->columns, sizeof(*widths));
    AUTO(freep) bool *rights = xcalloc(table->columns, sizeof(*rights));

    const char *header = table->headers;
    for (size_t c = 0; c < table->columns; c++) {
        rights[c] = *header == '>';
        header += rights[c];
        size_t len = strcspn(header, "|");
        widths[c] = width_of(header, len);
        for (size_t r = 0; r < rows; r++) {
            const char *cell = table->cells.items[r * table->columns + c];
            widths[c] = MAX(widths[c], width_of(cell, strlen(cell)));
        }
        header += len + 1;
    }
    header = table->headers;
    for (size_t c = 0; c < table->columns; c++) {
        header += rights[c];
        size_t len = strcspn(header, "|");
        print_cell(header, len, widths[c], rights[c], c + 1 == table->columns, out);
        header += len + 1;
    }
    fputc('\n', out);
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < table->columns; c++) {
            const char *cell = table->cells.items[r * table->columns + c];
            print_cell(cell, strlen(cell), widths[c], rights[c], c + 1 == table->columns, out);
        }
        fputc('\n', out);
    }
}
