/* ops.c -- see ops.h. */
#include "common/catalog/ops.h"

#include "common/base/scope.h"

#include <string.h>
#include <strings.h>

static const char *const content_choices[] = {"random", "zero", NULL};

#define OFF(member) .off = offsetof(struct op_conf, member)

const struct key op_keys[] = {
    {.name = "containers",
     .type = KEY_TEXT,
     OFF(containers),
     .def = "",
     .doc = "Selector of container numbers."},
    {.name = "objects",
     .type = KEY_TEXT,
     OFF(objects),
     .def = "",
     .doc = "Selector of object numbers."},
    {.name = "sizes",
     .type = KEY_TEXT,
     OFF(sizes),
     .def = "",
     .doc = "Selector and unit of object sizes."},
    {.name = "cprefix",
     .type = KEY_TEXT,
     OFF(cprefix),
     .def = "mycontainers",
     .doc = "Text before a container's number."},
    {.name = "csuffix",
     .type = KEY_TEXT,
     OFF(csuffix),
     .def = "",
     .doc = "Text after a container's number."},
    {.name = "oprefix",
     .type = KEY_TEXT,
     OFF(oprefix),
     .def = "myobjects",
     .doc = "Text before an object's number."},
    {.name = "osuffix",
     .type = KEY_TEXT,
     OFF(osuffix),
     .def = "",
     .doc = "Text after an object's number."},
    {.name = "name",
     .type = KEY_TEXT,
     OFF(name),
     .def = "",
     .doc = "Label of the operation in results; its type when not given."},
    {.name = "content",
     .type = KEY_CHOICE,
     OFF(content),
     .def = "random",
     .choices = content_choices,
     .doc = "Bytes of uploads: random, or zeros."},
    {.name = "chunked",
     .type = KEY_BOOL,
     OFF(chunked),
     .def = "false",
     .doc = "Upload without telling the length beforehand, where the storage allows it."},
    {.name = "createContainer",
     .type = KEY_BOOL,
     OFF(create_container),
     .def = "true",
     .doc = "prepare: create each container before its first object (a prepare work sets false)."},
    {.name = "deleteContainer",
     .type = KEY_BOOL,
     OFF(delete_container),
     .def = "true",
     .doc = "cleanup: delete each container after its last object (a cleanup work sets false)."},
    {.name = "hashCheck",
     .type = KEY_BOOL,
     OFF(hash_check),
     .def = "false",
     .doc = "Uploads end with a checksum, downloads are checked against it."},
    {.name = "histo",
     .type = KEY_BOOL,
     OFF(histo),
     .def = "true",
     .doc = "Keep a histogram of response times."},
    {.name = NULL},
};

static const struct op_info op_infos[OP_TYPES] = {
    [OP_READ] = {"read", OP_READ, "read", false, true, true, false, "Downloads an object."},
    [OP_WRITE] = {"write", OP_WRITE, "write", false, true, true, true, "Uploads an object."},
    [OP_DELETE] = {"delete", OP_DELETE, "delete", false, true, true, false, "Deletes an object."},
    [OP_LIST] = {"list", OP_LIST, "list", false, false, false, false,
                 "Lists the containers, a container, or the names that begin as an object's."},
    [OP_PREPARE] = {"prepare", OP_PREPARE, "write", true, true, true, true,
                    "Uploads every object of the ranges once."},
    [OP_CLEANUP] = {"cleanup", OP_CLEANUP, "delete", true, true, true, false,
                    "Deletes every object of the ranges once."},
    [OP_INIT] = {"init", OP_INIT, "write", true, true, false, false,
                 "Creates every container of the range."},
    [OP_DISPOSE] =
        {"dispose", OP_DISPOSE, "delete", true, true, false, false,
         "Deletes every container of the range, with the objects of this workload in it."},
    [OP_DELAY] = {"delay", OP_DELAY, "delay", false, false, false, false, "Does nothing."},
};

const struct op_info *op_info_of(enum op_type type)
{
    return &op_infos[type];
}

const struct op_info *op_info_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(op_infos); i++)
        if (strcasecmp(op_infos[i].name, name) == 0)
            return &op_infos[i];
    return NULL;
}

int op_conf_load(enum op_type type, const char *config_text, struct op_conf *conf, struct err *err)
{
    const struct op_info *info = op_info_of(type);
    AUTO(config_release) struct config config = {{0}};
    memset(conf, 0, sizeof(*conf));
    int rc = config_parse(config_text, &config, NULL, NULL, 0, err);
    if (rc == 0)
        rc = keys_load(op_keys, &config, conf, err);
    if (rc < 0)
        return rc;
    const struct {
        bool needed;
        const char *key, *text;
    } needs[] = {{info->needs_containers, "containers", conf->containers},
                 {info->needs_objects, "objects", conf->objects},
                 {info->needs_sizes, "sizes", conf->sizes}};
    for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
        if (needs[i].needed && !*needs[i].text) {
            rc = err_set(err, ERR_CONFIG, "no such key defined: %s", needs[i].key);
            op_conf_release(conf);
            return rc;
        }
    }
    return 0;
}

void op_conf_release(struct op_conf *conf)
{
    keys_release(op_keys, conf);
}
