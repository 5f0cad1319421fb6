/* api_drivers.c -- drivers: registering, which is also their heartbeat, and the list. */
#include "common/base/clock.h"
#include "common/base/scope.h"
#include "common/wire/messages.h"
#include "controller/api/routes.h"
#include "controller/api/to_json.h"

#include "common/base/banned.h"

#define HEARTBEAT_NS (2 * SEC)
#define THREADS_MAX  4096

static int registration_from_json(const json_t *json, struct driver_registration *registration,
                                  struct err *err)
{
    int rc = json_get_text(json, "name", &registration->name, err);
    if (rc == 0)
        rc = json_get_text(json, "url", &registration->url, err);
    if (rc == 0)
        rc = json_get_int(json, "threads", 0, THREADS_MAX, &registration->threads, err);
    registration->version = json_text_or(json, "version", "");
    registration->wall_ns = json_int_or(json, "wall_ns", 0);
    return rc;
}

void api_driver_register(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    AUTO(json_freep) json_t *json = NULL;
    struct driver_registration registration = {0};
    struct err err = {0};
    size_t len = 0;

    if (!api_may_change(api, request, reply))
        return;
    const char *body = http_request_body(request, &len);
    int rc = json_read(body, len, &json, &err);
    if (rc == 0 && wire_check_protocol(json, &err) < 0) {
        http_reply_error(reply, ERR_PROTOCOL, "%s", err.text);
        reply->status = 409;
        return;
    }
    if (rc == 0)
        rc = registration_from_json(json, &registration, &err);
    if (rc == 0)
        rc = controller_register_driver(api->controller, &registration, &err);
    if (rc < 0) {
        api_reply_err(reply, &err);
        return;
    }
    api_reply_json(reply, json_pack("{s:i,s:o,s:I}", "protocol", WIRE_PROTOCOL, "name",
                                    json_text_new(registration.name), "heartbeat_ns",
                                    (json_int_t)HEARTBEAT_NS));
}

void api_driver_list(struct http_request *request, struct http_reply *reply, void *context)
{
    struct api *api = context;
    struct driver_rows rows = {0};
    json_t *list = json_array();
    (void)request;

    controller_list_drivers(api->controller, &rows);
    VEC_EACH (row, &rows.list) {
        json_array_append_new(list, driver_to_json(row));
    }
    driver_rows_release(&rows);
    api_reply_json(reply, json_pack("{s:o}", "drivers", list));
}
