/* routes.c -- see routes.h. */
#include "controller/api/routes.h"

#include "common/base/limits.h"

#define FORM_BYTES  (WORKLOAD_MAX_BYTES + (64 << 10)) /* a workload and the form around it */
#define SMALL_BYTES (16 << 10)

const struct http_route api_routes[] = {
    {"GET", "/api/v1/info", api_info, 0},
    {"POST", "/api/v1/drivers", api_driver_register, SMALL_BYTES},
    {"GET", "/api/v1/drivers", api_driver_list, 0},
    {"POST", "/api/v1/workloads", api_workload_submit, FORM_BYTES},
    {"POST", "/api/v1/validate", api_workload_validate, FORM_BYTES},
    {"GET", "/api/v1/workloads", api_workload_list, 0},
    {"GET", "/api/v1/workloads/{id}", api_workload_show, 0},
    {"GET", "/api/v1/workloads/{id}/results", api_result_list, 0},
    {"GET", "/api/v1/workloads/{id}/samples", api_sample_list, 0},
    {"GET", "/api/v1/workloads/{id}/config", api_workload_config, 0},
    {"POST", "/api/v1/workloads/{id}/cancel", api_workload_cancel, SMALL_BYTES},
    {"GET", "/metrics", api_metrics, 0},
    /* COSBench's */
    {"POST", "/controller/cli/submit.action", api_cosbench_submit, FORM_BYTES},
    {"POST", "/controller/cli/config.action", api_cosbench_submit, FORM_BYTES},
    {"GET", "/controller/cli/index.action", api_cosbench_index, 0},
    {"POST", "/controller/cli/index.action", api_cosbench_index, SMALL_BYTES},
    {"GET", "/controller/cli/workload.action", api_cosbench_workload, 0},
    {"POST", "/controller/cli/workload.action", api_cosbench_workload, SMALL_BYTES},
    {"POST", "/controller/cli/cancel.action", api_cosbench_cancel, SMALL_BYTES},
    /* the page */
    {"GET", "/", api_page_home, 0},
    {"GET", "/controller", api_page_home, 0},
    {"GET", "/controller/*", api_page_file, 0},
    {0},
};
