/* key_table.h -- the keys of one shard of a bucket: a hash table to find one, a skip list
 * to walk them in order.
 *
 *   slots   {hash, entry}, open addressing, at most 3/4 full     find: O(1)
 *   next[]  in every entry, levels by chance of 1/4              seek, insert: O(log n)
 *
 * Overwriting an object changes its entry's `object` and nothing else. Not thread-safe:
 * the shard's lock guards it. Source of the skip list: Pugh, "Skip lists", CACM 1990. */
#ifndef LOADSTONE_DRIVER_TARGET_KEY_TABLE_H
#define LOADSTONE_DRIVER_TARGET_KEY_TABLE_H

#include "driver/target/slice.h"

#include <stdint.h>

#define KEY_TABLE_LEVELS 14

struct object;

struct key_entry {
    struct object *object; /* the table never looks at it */
    uint64_t hash;
    uint16_t key_len;
    uint8_t levels;
    struct key_entry *next[]; /* levels of them, then the key's bytes */
};

struct key_slot {
    uint64_t hash;
    struct key_entry *entry; /* NULL: free */
};

/* All zero is an empty table. */
struct key_table {
    struct key_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
    uint64_t rng;
    struct key_entry *first[KEY_TABLE_LEVELS];
};

static inline struct slice key_entry_key(const struct key_entry *entry)
{
    return (struct slice){(const char *)&entry->next[entry->levels], entry->key_len};
}

/* Hash of a key; seed keeps clients from choosing collisions. */
uint64_t key_hash(struct slice key, uint64_t seed);

/* NULL when absent. The entry lives until it is removed. */
struct key_entry *key_table_find(const struct key_table *table, struct slice key, uint64_t hash);
/* Adds a key that is absent (at most 65,535 bytes); its object is NULL. NULL when memory is out. */
struct key_entry *key_table_insert(struct key_table *table, struct slice key, uint64_t hash);
/* Takes the entry out and frees it (not its object). */
void key_table_remove(struct key_table *table, struct key_entry *entry);
/* The first entry with a key >= from (> from when `after`), or NULL. */
struct key_entry *key_table_seek(const struct key_table *table, struct slice from, bool after);
static inline struct key_entry *key_entry_next(const struct key_entry *entry)
{
    return entry->next[0];
}
/* Frees all entries; the table is then empty. */
void key_table_release(struct key_table *table);

#endif
