/* fuzz_target_xml.c -- the XML documents that clients send to the target. The first byte chooses
 * the kind. */
#include "driver/target/xml_body.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct delete_list list;
    struct upload_claims claims;
    if (size < 1)
        return 0;
    const char *text = (const char *)data + 1;
    switch (data[0] % 3) {
    case 0:
        if (xml_read_delete(text, size - 1, &list) == S3_OK && !list.keys.len)
            abort();
        delete_list_release(&list);
        break;
    case 1:
        xml_read_complete(text, size - 1, &claims);
        VEC_EACH (claim, &claims.list)
            if (claim->number < 1 || claim->number > UPLOAD_PARTS_MAX)
                abort();
        vec_release(&claims.list);
        break;
    default:
        xml_read_bucket_configuration(text, size - 1);
        break;
    }
    return 0;
}
