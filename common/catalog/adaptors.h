/* adaptors.h -- the storage types and sign-ins that a workload can name, with their keys.
 *
 * The controller refuses a bad workload from this table alone; the behaviour of each type is a row
 * of the driver's table (driver/adaptors/adaptor.h), held equal by a test. */
#ifndef LOADSTONE_COMMON_CATALOG_ADAPTORS_H
#define LOADSTONE_COMMON_CATALOG_ADAPTORS_H

#include "common/catalog/key.h"

struct adaptor_info {
    const char *name;
    const char *const *aliases; /* spellings of COSBench's forks ("sio", ...), or NULL */
    const struct key *keys;
    const char *doc;
    /* What the table of keys cannot say, or NULL: every problem of a config string goes to *diags,
     * as keys_check() does it, which comes first. */
    void (*check)(const struct config *config, int line, const char *element, struct diags *diags);
};

/* By name or alias, no case; NULL when unknown. */
const struct adaptor_info *adaptor_info_find(const char *name);
/* All rows, ending with one without a name. */
extern const struct adaptor_info adaptor_infos[];

const struct adaptor_info *auth_info_find(const char *name);
extern const struct adaptor_info auth_infos[];

/* ---- none: no request; every operation succeeds at once with 0 bytes */
extern const struct key none_keys[];

/* ---- mock: no network */
struct mock_conf {
    int64_t size_bytes; /* a read gives */
    int64_t delay_ns;   /* per operation */
    double errors;      /* share that fails, 0..1 */
};
extern const struct key mock_keys[];

/* ---- s3 (spec: storages-and-auth.md, forks.md) */
enum s3_signature { S3_SIGNATURE_V4, S3_SIGNATURE_V2, S3_SIGNATURE_ANONYMOUS };
struct s3_conf {
    char *endpoint; /* "http://HOST[:PORT][/]" or https */
    char *accesskey;
    char *secretkey;
    bool path_style;     /* path_style_access */
    int64_t timeout_ns;  /* whole operation, connecting included; bare numbers are ms */
    char *region;        /* aliases aws_region */
    int signature;       /* enum s3_signature; alias signer_version, signerversion */
    bool signed_payload; /* hash the body (SigV4) instead of UNSIGNED-PAYLOAD */
    bool ssl_verify;     /* default true */
    bool no_verify_ssl;  /* the fork's spelling: true turns verification off */
    char *ca_file;       /* "" = the system's */
    int64_t max_keys;    /* of a list request, 1..1000 */
    bool list_all_pages; /* one list operation reads every page (default true) */
    bool force_empty;    /* dispose empties containers of everything (quirk 28) */
    char *storage_class; /* "" = not sent */
    char *proxyhost;     /* "" = none */
    int64_t proxyport;
};
extern const struct key s3_keys[];

/* Whether text is http://HOST[:PORT][/] or https://..., HOST a name, an IPv4 address or an IPv6
 * address in brackets, PORT 1..65535; no path, query or user. 0 or ERR_CONFIG. The sentence does
 * not quote a text with an '@', which may hold a password. */
int s3_endpoint_check(const char *text, struct err *err);
/* The endpoint, and the keys that the signature needs (adaptor_info.check of s3). */
void s3_config_check(const struct config *config, int line, const char *element,
                     struct diags *diags);

/* A secret in a config string of any type: true for the keys that are masked. */
bool catalog_key_is_secret(const char *key);
/* True for the keys of all types and operations, and those that COSBench's other types have. */
bool catalog_key_is_known(const char *key);

#endif
