// SPDX-License-Identifier: Apache-2.0

#include "CMallocCount.h"

#include <stdatomic.h>

// Read on every allocation, written twice per measurement: a line of its own, so that the counter does not pull it away.
static _Alignas(128) atomic_bool enabled;
static _Alignas(128) atomic_uint_fast64_t allocations;

void malloc_count_start(void) {
    atomic_store(&allocations, 0);
    atomic_store(&enabled, true);
}

uint64_t malloc_count_stop(void) {
    atomic_store(&enabled, false);
    return atomic_load(&allocations);
}

#if defined(__linux__) && defined(__GLIBC__)

#include <errno.h>
#include <stddef.h>

// glibc's own entry points, rather than dlsym(RTLD_NEXT), which itself allocates before there is an allocator.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void count(void) {
    if (__builtin_expect(atomic_load_explicit(&enabled, memory_order_relaxed), 0)) {
        atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    }
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count();
    return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count();
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    void *pointer = __libc_memalign(alignment, size);
    if (pointer == NULL) {
        return ENOMEM;
    }
    *result = pointer;
    return 0;
}

bool malloc_count_available(void) {
    return true;
}

#else

bool malloc_count_available(void) {
    return false;
}

#endif
