/* api_page.c -- the page: files of the web root, and where COSBench's old addresses lead.
 *
 * A name is taken only when every part of it is plain: no "..", no hidden file, no separator in
 * disguise. Files are small; each request reads its file and says with an ETag whether the
 * browser's copy is still good. */
#include "common/base/file.h"
#include "common/base/limits.h"
#include "common/base/scope.h"
#include "common/base/xalloc.h"
#include "controller/api/routes.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/base/banned.h"

#define PAGE_FILE_BYTES (16 << 20)
#define HOME            "/controller/index.html"

static const struct {
    const char *extension, *type;
} content_types[] = {
    {"html", "text/html; charset=utf-8"},
    {"css", "text/css; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"mjs", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"ico", "image/x-icon"},
    {"woff2", "font/woff2"},
    {"txt", "text/plain; charset=utf-8"},
};

static const char *content_type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < ARRAY_LEN(content_types); i++) {
        if (strcasecmp(dot + 1, content_types[i].extension) == 0)
            return content_types[i].type;
    }
    return "application/octet-stream";
}

/* Letters, digits and "-_." in parts of which none starts with a dot or is empty. */
static bool name_is_plain(const char *name)
{
    bool part_start = true;
    if (!*name || strlen(name) > 512)
        return false;
    for (; *name; name++) {
        if (*name == '/') {
            if (part_start)
                return false;
            part_start = true;
            continue;
        }
        if (!isalnum((unsigned char)*name) && !strchr("-_.", *name))
            return false;
        if (part_start && *name == '.')
            return false;
        part_start = false;
    }
    return !part_start;
}

static void redirect(struct http_reply *reply, const char *to)
{
    reply->status = 302;
    reply->content_type = "text/plain";
    http_reply_header(reply, "Location", to);
}

/* ---- COSBench's addresses */

static const struct {
    const char *name;      /* below /controller/ */
    const char *parameter; /* of the query: the workload's id */
} old_pages[] = {
    {"workload.html", "id"},        {"stage.html", "wid"}, {"timeline.html", "wid"},
    {"matrix.html", NULL},          {"submit.html", NULL}, {"config.html", NULL},
    {"advanced-config.html", NULL},
};

/* True when name is a page of the original that we lead on to ours. */
static bool lead_on(struct http_request *request, const char *name, struct http_reply *reply)
{
    for (size_t i = 0; i < ARRAY_LEN(old_pages); i++) {
        if (strcmp(old_pages[i].name, name) != 0)
            continue;
        const char *id =
            old_pages[i].parameter ? http_request_query(request, old_pages[i].parameter) : NULL;
        if (id && name_is_plain(id) && !strchr(id, '/')) {
            AUTO(freep) char *to = xasprintf(HOME "#/workloads/%s", id);
            redirect(reply, to);
        } else {
            redirect(reply, HOME);
        }
        return true;
    }
    return false;
}

/* ---- files */

static void send_file(struct http_request *request, const char *path, const struct stat *info,
                      struct http_reply *reply)
{
    char etag[64];
    struct err err = {0};
    snprintf(etag, sizeof(etag), "\"%llx-%llx-%lx\"", (unsigned long long)info->st_size,
             (unsigned long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec);
    const char *known = http_request_header(request, "If-None-Match");
    http_reply_header(reply, "Cache-Control", "no-cache");
    http_reply_header(reply, "ETag", etag);
    reply->content_type = content_type_of(path);
    if (known && strstr(known, etag)) {
        reply->status = 304;
        return;
    }
    if (strncmp(reply->content_type, "text/html", 9) == 0)
        http_reply_header(reply, "Content-Security-Policy",
                          "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
                          "data:; base-uri 'self'; frame-ancestors 'none'");
    if (file_read(path, &reply->body, &err) < 0)
        http_reply_error(reply, ERR_NOT_FOUND, "nothing is at %.500s", http_request_path(request));
}

static void serve(const struct api *api, struct http_request *request, const char *name,
                  struct http_reply *reply)
{
    struct stat info;
    if (api->web_root && name_is_plain(name)) {
        AUTO(freep) char *path = xasprintf("%s/%s", api->web_root, name);
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= PAGE_FILE_BYTES) {
            send_file(request, path, &info, reply);
            return;
        }
    }
    if (lead_on(request, name, reply))
        return;
    if (strcmp(name, "index.html") == 0) {
        reply->content_type = "text/html; charset=utf-8";
        strbuf_adds(&reply->body,
                    "<!doctype html><title>Loadstone</title><p>The files of the page are not "
                    "installed here. <a href=\"/api/v1/info\">The API</a> is.");
        return;
    }
    http_reply_error(reply, ERR_NOT_FOUND, "nothing is at %.500s", http_request_path(request));
}

void api_page_home(struct http_request *request, struct http_reply *reply, void *context)
{
    (void)request;
    (void)context;
    redirect(reply, HOME);
}

void api_page_file(struct http_request *request, struct http_reply *reply, void *context)
{
    const char *name = http_request_segment(request, "*");
    if (!*name)
        redirect(reply, HOME);
    else
        serve(context, request, name, reply);
}
