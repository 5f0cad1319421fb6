/* time_text.c -- see time_text.h. The proleptic Gregorian calendar by arithmetic, since the C
 * library's functions take locks and locales. */
#include "driver/target/time_text.h"

#include "common/base/scope.h"

#define DAY INT64_C(86400)

static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
static const char day_names[] = "ThuFriSatSunMonTueWed"; /* 1970-01-01 was a Thursday */

/* Years that begin in March make the leap day the last of the year. */
static int64_t days_from_civil(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t shifted = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * shifted + 2) / 5 + day - 1 - 719468;
}

static void civil_from_days(int64_t days, int *year, int *month, int *day)
{
    int64_t shifted = days + 719468;
    int64_t era = shifted / 146097;
    int64_t day_of_era = shifted % 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    *day = (int)(day_of_year - (153 * march_month + 2) / 5 + 1);
    *month = (int)(march_month < 10 ? march_month + 3 : march_month - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

/* count digits at p, or -1. */
static int digits(const char *p, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (p[i] < '0' || p[i] > '9')
            return -1;
        value = value * 10 + (p[i] - '0');
    }
    return value;
}

static int64_t from_fields(int year, int month, int day, int hour, int minute, int second)
{
    if (year < 1970 || month < 1 || month > 12 || day < 1 || day > 31)
        return -1;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60)
        return -1;
    return days_from_civil(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
}

int64_t time_parse_compact(struct slice text)
{
    const char *p = text.p;
    if (text.len != 16 || p[8] != 'T' || p[15] != 'Z')
        return -1;
    return from_fields(digits(p, 4), digits(p + 4, 2), digits(p + 6, 2), digits(p + 9, 2),
                       digits(p + 11, 2), digits(p + 13, 2));
}

int64_t time_parse_http(struct slice text)
{
    const char *p = text.p;
    if (text.len != 29 && text.len != 31)
        return -1;
    struct slice zone = {p + 26, text.len - 26};
    if (!slice_is(zone, SLICE("GMT")) && !slice_is(zone, SLICE("+0000")))
        return -1;
    if (p[3] != ',' || p[4] != ' ' || p[7] != ' ' || p[11] != ' ' || p[16] != ' ' || p[19] != ':' ||
        p[22] != ':' || p[25] != ' ')
        return -1;
    for (int month = 0; month < 12; month++)
        if (memcmp(month_names + 3 * month, p + 8, 3) == 0)
            return from_fields(digits(p + 12, 4), month + 1, digits(p + 5, 2), digits(p + 17, 2),
                               digits(p + 20, 2), digits(p + 23, 2));
    return -1;
}

static char *put_digits(char *out, int value, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        out[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return out + count;
}

static char *put_clock(char *out, int second_of_day)
{
    out = put_digits(out, second_of_day / 3600, 2);
    *out++ = ':';
    out = put_digits(out, second_of_day / 60 % 60, 2);
    *out++ = ':';
    return put_digits(out, second_of_day % 60, 2);
}

char *time_format_http(int64_t seconds, char *out)
{
    int year, month, day;
    int64_t days = seconds / DAY;
    civil_from_days(days, &year, &month, &day);
    memcpy(out, day_names + 3 * (days % 7), 3);
    memcpy(out + 3, ", ", 2);
    out = put_digits(out + 5, day, 2);
    *out++ = ' ';
    memcpy(out, month_names + 3 * (month - 1), 3);
    out += 3;
    *out++ = ' ';
    out = put_digits(out, year, 4);
    *out++ = ' ';
    out = put_clock(out, (int)(seconds % DAY));
    memcpy(out, " GMT", 4);
    return out + 4;
}

char *time_format_xml(int64_t ms, char *out)
{
    int year, month, day;
    int64_t seconds = ms / 1000;
    civil_from_days(seconds / DAY, &year, &month, &day);
    out = put_digits(out, year, 4);
    *out++ = '-';
    out = put_digits(out, month, 2);
    *out++ = '-';
    out = put_digits(out, day, 2);
    *out++ = 'T';
    out = put_clock(out, (int)(seconds % DAY));
    *out++ = '.';
    out = put_digits(out, (int)(ms % 1000), 3);
    *out++ = 'Z';
    return out;
}
