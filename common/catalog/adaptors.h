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

/* A secret in a config string of any type: true for the keys that are masked. */
bool catalog_key_is_secret(const char *key);

#endif
