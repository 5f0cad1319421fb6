/* schema.h -- the migrations of the database, in order; number i takes it from version i to i + 1.
 */
#ifndef LOADSTONE_CONTROLLER_STORE_SCHEMA_H
#define LOADSTONE_CONTROLLER_STORE_SCHEMA_H

extern const char *const schema_migrations[]; /* ends with NULL */

#endif
