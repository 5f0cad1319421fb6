/* unit.h -- what every cmocka test needs, in the order cmocka wants it. */
#ifndef LOADSTONE_TESTS_UNIT_UNIT_H
#define LOADSTONE_TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
