/* fuzz_workload_xml.c -- documents of any bytes: a complete workload or findings, never worse. What
 * was read can be shown with its secrets masked, and is still a workload then. */
#include "common/base/scope.h"
#include "common/model/selector.h"
#include "common/model/workload.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* What a driver would do with the operation must not fail. */
static void check_operation(const struct operation *operation)
{
    struct op_conf conf;
    struct selector *selector = NULL;
    require(operation->ratio >= 1 && operation->ratio <= 100 && *operation->id);
    require(*operation->name && *operation->label);
    if (operation->type == OP_DELAY)
        return;
    require(op_conf_load(operation->type, operation->config, &conf, NULL) == 0);
    if (*conf.containers) {
        require(selector_parse(conf.containers, &selector, NULL) == 0);
        selector_free(selector);
    }
    if (*conf.objects) {
        require(selector_parse(conf.objects, &selector, NULL) == 0);
        selector_free(selector);
    }
    op_conf_release(&conf);
}

static void check_workload(const struct workload *workload)
{
    require(*workload->name && workload->stages.len > 0);
    VEC_EACH (stage, &workload->stages) {
        require(*stage->name && stage->works.len > 0 && stage->interval_s > 0);
        VEC_EACH (work, &stage->works) {
            int ratios = 0;
            require(*work->name && work->workers > 0);
            require(work->runtime_s > 0 || work->total_ops > 0 || work->total_bytes > 0);
            VEC_EACH (operation, &work->operations) {
                check_operation(operation);
                ratios += operation->ratio;
            }
            require(ratios == 100);
        }
        stage_expected_ns(stage);
    }
}

static void check_mask(const uint8_t *data, size_t size, bool is_good)
{
    AUTO(freep) char *masked = NULL;
    AUTO(workload_freep) struct workload *again = NULL;
    AUTO(diags_release) struct diags diags = {0};
    int rc = workload_mask((const char *)data, size, &masked, NULL);
    if (!is_good)
        return;
    require(rc == 0);
    workload_parse(masked, strlen(masked), &again, &diags, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(workload_freep) struct workload *workload = NULL;
    AUTO(diags_release) struct diags diags = {0};
    AUTO(strbuf_release) struct strbuf text = STRBUF_INIT(1 << 20);
    struct err err = {0};
    int rc = workload_parse((const char *)data, size, &workload, &diags, &err);
    require((rc == 0) == (diags.errors == 0) && (rc == 0) == (workload != NULL));
    if (rc == 0)
        check_workload(workload);
    else
        require(*err.text != '\0');
    diags_format(&diags, "f.xml", &text);
    check_mask(data, size, rc == 0);
    return 0;
}
