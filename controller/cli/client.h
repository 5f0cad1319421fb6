/* client.h -- the command line's calls to a controller, and how it explains their failures. */
#ifndef LOADSTONE_CONTROLLER_CLI_CLIENT_H
#define LOADSTONE_CONTROLLER_CLI_CLIENT_H

#include "common/base/strbuf.h"
#include "common/wire/json.h"
#include "controller/cli/command.h"

struct client {
    char *base; /* "http://127.0.0.1:19088" */
    const char *token, *user, *ca_file;
};

/* "HOST:PORT", "HOST" (port 19088), or an URL. Release with client_release(). */
void client_init(struct client *client, const struct cli_options *options);
void client_release(struct client *client);

/* Calls base + path; body may be NULL. CLI_OK and *ret_json (the caller's; NULL when the answer has
 * none) for a status below 400. Otherwise CLI_UNREACHABLE, CLI_REFUSED or CLI_ANSWER, said on
 * stderr: file names the workload in diagnostics, or is NULL. */
int client_call(const struct client *client, const char *method, const char *path, const char *body,
                size_t body_len, const char *file, json_t **ret_json);

/* As client_call, but says nothing: the sentence goes to text (at least 1024 bytes). */
int client_try(const struct client *client, const char *method, const char *path, char *text,
               size_t text_len, json_t **ret_json);

/* Plain text of a COSBench address, form being its body (NULL: GET); an error status is
 * CLI_ANSWER and its text is said on stderr. */
int client_text(const struct client *client, const char *path, const char *form,
                struct strbuf *ret_text);

/* Prints a document and a line end to stdout. */
void client_print_json(const json_t *json);
/* Prints {"severity","line","element","attribute","message"} rows as FILE:LINE: lines to stderr. */
void client_print_diagnostics(const json_t *diagnostics, const char *file);

/* "/api/v1/workloads/ID" and rest, with the id percent-encoded; the caller's. */
char *client_workload_path(const char *id, const char *rest);

#endif
