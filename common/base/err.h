/* err.h -- an error: a code for the program, a sentence for the person.
 *
 * Functions that can fail return 0 or a negative err_code and take a trailing
 * struct err *, which may be NULL where the caller does not want the sentence.
 * ret_ outputs are written only on success. */
#ifndef LOADSTONE_COMMON_BASE_ERR_H
#define LOADSTONE_COMMON_BASE_ERR_H

enum err_code {
    ERR_CONFIG = -1,    /* what the user wrote is wrong */
    ERR_SYSTEM = -2,    /* the operating system refused */
    ERR_NETWORK = -3,   /* a peer could not be reached, or went away */
    ERR_PROTOCOL = -4,  /* a peer said something that cannot be */
    ERR_NOT_FOUND = -5, /* no such thing */
    ERR_CONFLICT = -6,  /* the thing is in a state that forbids it */
    ERR_LIMIT = -7,     /* larger than a ceiling of limits.h */
    ERR_DENIED = -8,    /* not allowed to this caller */
    ERR_TIMEOUT = -9,   /* a deadline passed */
    ERR_STORE = -10,    /* the database refused */
};

#define ERR_TEXT_BYTES 1024

struct err {
    int code; /* 0 or an err_code */
    char text[ERR_TEXT_BYTES];
};

/* Fills *err (may be NULL) and returns code, so that callers can write
 * return err_set(err, ERR_CONFIG, "..."). Text beyond ERR_TEXT_BYTES is cut. */
int err_set(struct err *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As err_set with ERR_SYSTEM; appends ": " and the text of errno as it is on entry. */
int err_errno(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts text before the sentence; returns the code that *err holds. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A short stable word for a code ("config", "network", ...), for JSON. */
const char *err_code_name(int code);

#endif
