/* key_table.c -- see key_table.h. */
#include "driver/target/key_table.h"

#include <stdlib.h>

#define SLOTS_MIN 16

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t key_hash(struct slice key, uint64_t seed)
{
    const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = seed ^ mix(key.len + odd, odd);
    const char *p = key.p;
    size_t left = key.len;
    while (left >= 8) {
        uint64_t word;
        memcpy(&word, p, 8);
        hash = mix(hash ^ word, odd);
        p += 8;
        left -= 8;
    }
    if (left) {
        uint64_t word = 0;
        memcpy(&word, p, left);
        hash = mix(hash ^ word, odd);
    }
    return mix(hash ^ odd, UINT64_C(0xd6e8feb86659fd93));
}

struct key_entry *key_table_find(const struct key_table *table, struct slice key, uint64_t hash)
{
    if (!table->slot_count)
        return NULL;
    size_t mask = table->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        const struct key_slot *slot = &table->slots[i];
        if (!slot->entry)
            return NULL;
        if (slot->hash == hash && slice_is(key_entry_key(slot->entry), key))
            return slot->entry;
    }
}

static void slot_put(struct key_slot *slots, size_t mask, uint64_t hash, struct key_entry *entry)
{
    size_t i = hash & mask;
    while (slots[i].entry)
        i = (i + 1) & mask;
    slots[i] = (struct key_slot){hash, entry};
}

/* Makes room for one more; false when memory is out. */
static bool slots_grow(struct key_table *table)
{
    if ((table->count + 1) * 4 <= table->slot_count * 3)
        return true;
    size_t count = table->slot_count ? table->slot_count * 2 : SLOTS_MIN;
    struct key_slot *slots = calloc(count, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++)
        if (table->slots[i].entry)
            slot_put(slots, count - 1, table->slots[i].hash, table->slots[i].entry);
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    return true;
}

/* Removes by moving later members of the run back, so that no tombstones are needed. */
static void slot_remove(struct key_table *table, const struct key_entry *entry)
{
    size_t mask = table->slot_count - 1;
    size_t hole = entry->hash & mask;
    while (table->slots[hole].entry != entry)
        hole = (hole + 1) & mask;
    for (size_t i = (hole + 1) & mask; table->slots[i].entry; i = (i + 1) & mask) {
        size_t home = table->slots[i].hash & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole].entry = NULL;
}

/* Fills links[level] with the pointer that leads, on that level, to the first key >= key. */
static void find_links(struct key_table *table, struct slice key, struct key_entry **links[])
{
    struct key_entry **row = table->first;
    for (int level = KEY_TABLE_LEVELS - 1; level >= 0; level--) {
        while (row[level] && slice_compare(key_entry_key(row[level]), key) < 0)
            row = row[level]->next;
        links[level] = &row[level];
    }
}

static uint8_t draw_levels(struct key_table *table)
{
    uint64_t x = table->rng ? table->rng : UINT64_C(0x2545f4914f6cdd1d);
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    table->rng = x;
    uint8_t levels = 1;
    for (x >>= 8; levels < KEY_TABLE_LEVELS && (x & 3) == 0; x >>= 2)
        levels++;
    return levels;
}

struct key_entry *key_table_insert(struct key_table *table, struct slice key, uint64_t hash)
{
    struct key_entry **links[KEY_TABLE_LEVELS];
    uint8_t levels = draw_levels(table);
    struct key_entry *entry = malloc(sizeof(*entry) + levels * sizeof(entry->next[0]) + key.len);
    if (!entry)
        return NULL;
    if (!slots_grow(table)) {
        free(entry);
        return NULL;
    }
    entry->object = NULL;
    entry->hash = hash;
    entry->key_len = (uint16_t)key.len;
    entry->levels = levels;
    memcpy(&entry->next[levels], key.p, key.len);
    find_links(table, key, links);
    for (int level = 0; level < levels; level++) {
        entry->next[level] = *links[level];
        *links[level] = entry;
    }
    slot_put(table->slots, table->slot_count - 1, hash, entry);
    table->count++;
    return entry;
}

void key_table_remove(struct key_table *table, struct key_entry *entry)
{
    struct key_entry **links[KEY_TABLE_LEVELS];
    find_links(table, key_entry_key(entry), links);
    for (int level = 0; level < entry->levels; level++)
        *links[level] = entry->next[level];
    slot_remove(table, entry);
    table->count--;
    free(entry);
}

struct key_entry *key_table_seek(const struct key_table *table, struct slice from, bool after)
{
    struct key_entry *const *row = table->first;
    for (int level = KEY_TABLE_LEVELS - 1; level >= 0; level--) {
        while (row[level]) {
            int order = slice_compare(key_entry_key(row[level]), from);
            if (order > 0 || (order == 0 && !after))
                break;
            row = row[level]->next;
        }
    }
    return row[0];
}

void key_table_release(struct key_table *table)
{
    struct key_entry *entry = table->first[0];
    while (entry) {
        struct key_entry *next = entry->next[0];
        free(entry);
        entry = next;
    }
    free(table->slots);
    *table = (struct key_table){0};
}
