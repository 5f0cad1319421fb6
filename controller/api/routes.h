/* routes.h -- the table of addresses, the handlers behind it and what these share. */
#ifndef LOADSTONE_CONTROLLER_API_ROUTES_H
#define LOADSTONE_CONTROLLER_API_ROUTES_H

#include "common/base/diag.h"
#include "common/wire/http_server.h"
#include "common/wire/json.h"
#include "controller/api/api.h"
#include "controller/controller.h"

struct api {
    struct controller *controller;
    struct http_server *server;
    char *token;    /* NULL: none */
    char *web_root; /* NULL: no page */
};

/* Ends with a row without a method. The context of every handler is the struct api. */
extern const struct http_route api_routes[];

/* ---- handlers, by file */
http_handler api_info, api_metrics;                      /* api_info.c */
http_handler api_workload_submit, api_workload_validate; /* api_workloads.c */
http_handler api_workload_list, api_workload_show, api_workload_config, api_workload_cancel;
http_handler api_driver_register, api_driver_list;    /* api_drivers.c */
http_handler api_result_list, api_sample_list;        /* api_results.c */
http_handler api_cosbench_submit, api_cosbench_index; /* api_cosbench.c */
http_handler api_cosbench_workload, api_cosbench_cancel;
http_handler api_page_home, api_page_file; /* api_page.c */

/* ---- shared by them (api.c) */

/* Takes the document as the answer. */
void api_reply_json(struct http_reply *reply, json_t *take_json);
/* The answer for a failure, from *err. */
void api_reply_err(struct http_reply *reply, const struct err *err);

/* True when the request may change something: it has the token, where there is one, and does not
 * come from another site's page in a browser. Otherwise it is answered. */
bool api_may_change(const struct api *api, struct http_request *request, struct http_reply *reply);
/* The number of the workload that {id} names, or 0 and the request is answered (404). */
int64_t api_workload_number(struct http_request *request, struct http_reply *reply);
/* The workload's XML in a request: field "config" of a form, else the body itself. NULL when there
 * is none. Borrowed. */
const char *api_workload_xml(struct http_request *request, size_t *ret_len);

#endif
