/* banned.h -- functions we never call: they cannot be used safely. Include last, in .c files. */
#ifndef LOADSTONE_COMMON_BASE_BANNED_H
#define LOADSTONE_COMMON_BASE_BANNED_H

#pragma GCC poison strcpy strcat sprintf vsprintf gets strtok atoi atol atof

#endif
