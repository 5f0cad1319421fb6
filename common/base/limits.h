/* limits.h -- ceilings on everything that comes from outside, in one place. */
#ifndef LOADSTONE_COMMON_BASE_LIMITS_H
#define LOADSTONE_COMMON_BASE_LIMITS_H

#define WORKLOAD_MAX_BYTES        (8 << 20)  /* a workload XML document */
#define WORKLOAD_MAX_DEPTH        16         /* nesting of its elements */
#define WORKLOAD_MAX_ELEMENTS     400000     /* over the whole document */
#define WORKLOAD_MAX_CONFIG_BYTES (64 << 20) /* config strings, as inherited by each work */
#define WORKLOAD_MAX_STAGES       10000
#define WORKLOAD_MAX_WORKS        100000 /* over all stages */
#define WORK_MAX_OPERATIONS       64
#define WORK_MAX_WORKERS          1000000
#define CONFIG_MAX_BYTES          (64 << 10) /* one config string */
#define NAME_MAX_BYTES            1024       /* a workload's, stage's, work's or driver's name */
#define OBJECT_NAME_BYTES         1024       /* S3: a key is at most 1,024 bytes of UTF-8 */
#define CONTAINER_NAME_BYTES      256
#define MISSION_MAX_BYTES         (1 << 20)  /* a mission message */
#define REPORT_MAX_BYTES          (16 << 20) /* a report or samples message */
#define HTTP_HEAD_MAX_BYTES       (32 << 10) /* a response head a store sends */
#define HTTP_BODY_KEEP_BYTES      (4 << 20)  /* a list or error body that is read whole */
#define DRIVERS_MAX               4096
#define ERROR_CAUSES_MAX          64  /* distinct causes kept per operation */
#define ERROR_EXAMPLE_BYTES       256 /* one example message of a cause */

#endif
