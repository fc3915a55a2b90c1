// SPDX-License-Identifier: Apache-2.0

// Looks at each access to plain memory. The compiler puts a call before it (-sanitize=thread, but without the library of that sanitizer, in whose
// place is this file); happens-before is the explorer's, by vector clocks, so that it is that of the schedule and of the orderings explored.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 14 };

// Eight bytes of memory.
typedef struct {
    uintptr_t address;
    uint32_t epoch;
    int8_t writer;
    bool is_free;
    uint8_t written_bytes;
    uint8_t reader;
    uint16_t written_at;
    uint16_t read_at[RX_MAX_THREADS];
    uint8_t read_bytes[RX_MAX_THREADS];
    const void *write_place, *read_place;
} granule;

static granule *table;
static uint32_t used_epoch, used;

static granule *find(uintptr_t address) {
    if (!table) table = calloc(SLOTS, sizeof *table);
    if (used_epoch != rx_now.epoch) {
        used_epoch = rx_now.epoch;
        used = 0;
    }
    uint32_t index = (uint32_t)((address * 0x9E3779B97F4A7C15u) >> 50) & (SLOTS - 1);
    while (true) {
        granule *g = &table[index];
        if (g->epoch != rx_now.epoch) {
            // So full that looking something up takes long: what is new is not looked at.
            if (used > SLOTS / 4 * 3) return NULL;
            used++;
            memset(g, 0, sizeof *g);
            g->address = address;
            g->epoch = rx_now.epoch;
            g->writer = -1;
            return g;
        }
        if (g->address == address) return g;
        index = (index + 1) & (SLOTS - 1);
    }
}

static void touch(uintptr_t address, uint8_t bytes, bool writes, const void *place) {
    granule *g = find(address);
    if (!g) return;
    int me = rx_now.current;
    if (g->is_free) return rx_fail_at_places("memory is used after it was freed", place, g->write_place);
    if (g->writer >= 0 && g->writer != me && (g->written_bytes & bytes) && rx_now.clocks[g->writer] < g->written_at) {
        const char *reason = writes ? "data race: a write that nothing orders behind another thread's write"
                                    : "data race: a read that nothing orders behind another thread's write";
        return rx_fail_at_places(reason, place, g->write_place);
    }
    if (!writes) {
        uint16_t clock = rx_now.clocks[me];
        g->read_bytes[me] = g->read_at[me] == clock ? g->read_bytes[me] | bytes : bytes;
        g->read_at[me] = clock;
        g->read_place = place;
        return;
    }
    for (int t = 1; t < rx_now.count; t++) {
        if (t != me && (g->read_bytes[t] & bytes) && rx_now.clocks[t] < g->read_at[t]) {
            return rx_fail_at_places("data race: a write that nothing orders behind another thread's read", place, g->read_place);
        }
    }
    uint16_t clock = rx_now.clocks[me];
    g->written_bytes = g->writer == me && g->written_at == clock ? g->written_bytes | bytes : bytes;
    g->writer = (int8_t)me;
    g->written_at = clock;
    g->write_place = place;
}

static inline void access_memory(void *pointer, size_t size, bool writes, const void *place) {
    if (!rx_now.is_active || !rx_now.checks_memory || rx_now.ignored[rx_now.current]) return;
    const char *begin = pointer;
    if (begin >= rx_now.stack && begin < rx_now.stack_end) return;
    uintptr_t first = (uintptr_t)pointer, end = first + size;
    while (first < end) {
        uintptr_t base = first & ~(uintptr_t)7, next = base + 8 < end ? base + 8 : end;
        uint8_t bytes = (uint8_t)(((1u << (next - first)) - 1) << (first - base));
        touch(base, bytes, writes, place);
        first = next;
    }
}

void rx_race_freed(void *address, size_t size, const void *caller) {
    if (!rx_now.checks_memory) return;
    for (uintptr_t a = (uintptr_t)address; a < (uintptr_t)address + size; a += 8) {
        granule *g = find(a);
        if (!g) return;
        g->is_free = true;
        g->write_place = caller;
    }
}

void rx_race_reused(void *address, size_t size) {
    if (!rx_now.checks_memory) return;
    for (uintptr_t a = (uintptr_t)address; a < (uintptr_t)address + size; a += 8) {
        granule *g = find(a);
        if (!g) return;
        g->is_free = false;
        g->writer = -1;
        memset(g->read_at, 0, sizeof g->read_at);
        memset(g->read_bytes, 0, sizeof g->read_bytes);
    }
}

// MARK: What the compiler calls

#define PLACE __builtin_return_address(0)

#define ACCESS(size)                                                                            \
    void __tsan_read##size(void *p) { access_memory(p, size, false, PLACE); }                   \
    void __tsan_write##size(void *p) { access_memory(p, size, true, PLACE); }                   \
    void __tsan_unaligned_read##size(void *p) { access_memory(p, size, false, PLACE); }         \
    void __tsan_unaligned_write##size(void *p) { access_memory(p, size, true, PLACE); }         \
    void __tsan_read_write##size(void *p) { access_memory(p, size, true, PLACE); }              \
    void __tsan_unaligned_read_write##size(void *p) { access_memory(p, size, true, PLACE); }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void *p, unsigned long size) { access_memory(p, size, false, PLACE); }
void __tsan_write_range(void *p, unsigned long size) { access_memory(p, size, true, PLACE); }

void *__tsan_memcpy(void *to, const void *from, unsigned long size) {
    access_memory((void *)from, size, false, PLACE);
    access_memory(to, size, true, PLACE);
    return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, unsigned long size) {
    access_memory((void *)from, size, false, PLACE);
    access_memory(to, size, true, PLACE);
    return memmove(to, from, size);
}

void *__tsan_memset(void *to, int value, unsigned long size) {
    access_memory(to, size, true, PLACE);
    return memset(to, value, size);
}

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **p, void *value) { (void)p, (void)value; }
void __tsan_vptr_read(void **p) { (void)p; }

// Around a deinit, which what counts references orders behind all other uses.
void __tsan_ignore_thread_begin(void) { rx_now.ignored[rx_now.current]++; }
void __tsan_ignore_thread_end(void) { rx_now.ignored[rx_now.current]--; }

// Swift's accesses to storage as a whole; each has an access of memory beside it.
void *__tsan_external_register_tag(const char *type) { return (void *)type; }
void __tsan_external_assign_tag(void *address, void *tag) { (void)address, (void)tag; }
void __tsan_external_read(void *address, void *caller, void *tag) { (void)address, (void)caller, (void)tag; }
void __tsan_external_write(void *address, void *caller, void *tag) { (void)address, (void)caller, (void)tag; }

// Atomic accesses that are not the library's own: caches of type metadata and the like.

#define ATOMIC(bits, type)                                                                                              \
    type __tsan_atomic##bits##_load(const volatile type *p, int order) {                                                \
        (void)order;                                                                                                    \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                                    \
    }                                                                                                                   \
    void __tsan_atomic##bits##_store(volatile type *p, type v, int order) {                                             \
        (void)order;                                                                                                    \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                                       \
    }                                                                                                                   \
    type __tsan_atomic##bits##_exchange(volatile type *p, type v, int order) {                                          \
        (void)order;                                                                                                    \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                                             \
    }                                                                                                                   \
    type __tsan_atomic##bits##_fetch_add(volatile type *p, type v, int order) {                                         \
        (void)order;                                                                                                    \
        return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                                              \
    }                                                                                                                   \
    type __tsan_atomic##bits##_fetch_sub(volatile type *p, type v, int order) {                                         \
        (void)order;                                                                                                    \
        return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                                              \
    }                                                                                                                   \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type v, int success, int failure) { \
        (void)success, (void)failure;                                                                                   \
        __atomic_compare_exchange_n(p, &expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                            \
        return expected;                                                                                                \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)

// MARK: For scenarios

// Not looked at: what a scenario counts for itself.
intptr_t rx_explorer_read(const intptr_t *p) { return *p; }
void rx_explorer_add(intptr_t *p, intptr_t change) { *p += change; }
