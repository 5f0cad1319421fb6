/* units.c -- see units.h. */
#include "common/base/units.h"

#include "common/base/clock.h"
#include "common/base/err.h"
#include "common/base/scope.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *name;
    int64_t bytes;
} size_units[] = {
    {"B", 1},           {"KB", 1000},          {"MB", 1000000},
    {"GB", 1000000000}, {"TB", 1000000000000}, {"KiB", INT64_C(1) << 10},
    {"MiB", 1 << 20},   {"GiB", 1 << 30},      {"TiB", INT64_C(1) << 40},
};

static const struct {
    const char *name;
    int64_t ns;
} time_units[] = {
    {"ns", 1},     {"us", US},      {"ms", MS},  {"s", SEC},
    {"m", MINUTE}, {"min", MINUTE}, {"h", HOUR}, {"d", 24 * HOUR},
};

int64_t units_of_size(const char *unit)
{
    for (size_t i = 0; i < ARRAY_LEN(size_units); i++)
        if (strcasecmp(unit, size_units[i].name) == 0)
            return size_units[i].bytes;
    return 0;
}

static const char *skip_space(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

/* Reads a non-negative decimal number, and the word after it into unit. */
static int split_number(const char *text, double *ret_number, char *unit, size_t unit_len)
{
    text = skip_space(text);
    if (!isdigit((unsigned char)*text))
        return ERR_CONFIG;
    char *end;
    double number = strtod(text, &end);
    if (!isfinite(number) || memchr(text, 'x', (size_t)(end - text)))
        return ERR_CONFIG;
    const char *word = skip_space(end);
    size_t len = strlen(word);
    while (len && isspace((unsigned char)word[len - 1]))
        len--;
    if (len >= unit_len)
        return ERR_CONFIG;
    memcpy(unit, word, len);
    unit[len] = '\0';
    *ret_number = number;
    return 0;
}

static int scale(double number, int64_t unit, int64_t *ret_value)
{
    double value = number * (double)unit;
    if (value >= 9.2e18)
        return ERR_LIMIT;
    *ret_value = (int64_t)(value + 0.5);
    return 0;
}

int units_parse_size(const char *text, int64_t *ret_bytes)
{
    double number;
    char unit[8];
    int rc = split_number(text, &number, unit, sizeof(unit));
    if (rc < 0)
        return rc;
    int64_t bytes = *unit ? units_of_size(unit) : 1;
    return bytes ? scale(number, bytes, ret_bytes) : ERR_CONFIG;
}

int units_parse_duration(const char *text, int64_t bare_unit_ns, int64_t *ret_ns)
{
    double number;
    char unit[8];
    int rc = split_number(text, &number, unit, sizeof(unit));
    if (rc < 0)
        return rc;
    if (!*unit)
        return scale(number, bare_unit_ns, ret_ns);
    for (size_t i = 0; i < ARRAY_LEN(time_units); i++)
        if (strcmp(unit, time_units[i].name) == 0)
            return scale(number, time_units[i].ns, ret_ns);
    return ERR_CONFIG;
}

int units_parse_int(const char *text, int64_t *ret_value)
{
    text = skip_space(text);
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*digits))
        return ERR_CONFIG;
    char *end;
    errno = 0;
    intmax_t value = strtoimax(text, &end, 10);
    if (*skip_space(end))
        return ERR_CONFIG;
    if (errno == ERANGE || value > INT64_MAX || value < INT64_MIN)
        return ERR_LIMIT;
    *ret_value = value;
    return 0;
}

/* number with at most two decimals and no trailing zeros. */
static void format_scaled(double number, const char *unit, char *out, size_t out_len)
{
    char digits[64];
    snprintf(digits, sizeof(digits), "%.2f", number);
    size_t len = strlen(digits);
    while (digits[len - 1] == '0')
        digits[--len] = '\0';
    if (digits[len - 1] == '.')
        digits[--len] = '\0';
    snprintf(out, out_len, "%s %s", digits, unit);
}

char *units_format_bytes(double bytes, char *out, size_t out_len)
{
    static const char *const names[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    size_t i = 0;
    for (; bytes >= 999.995 && i + 1 < ARRAY_LEN(names); i++)
        bytes /= 1000;
    format_scaled(bytes, names[i], out, out_len);
    return out;
}

char *units_format_ns(double ns, char *out, size_t out_len)
{
    if (ns < 1e6)
        format_scaled(ns / 1e3, "us", out, out_len);
    else if (ns < 1e9)
        format_scaled(ns / 1e6, "ms", out, out_len);
    else
        format_scaled(ns / 1e9, "s", out, out_len);
    return out;
}
