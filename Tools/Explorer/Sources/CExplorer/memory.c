// SPDX-License-Identifier: Apache-2.0

// Memory that a thread of an execution frees. It is kept until the execution has ended, so that a late access is noticed, or, where a scenario is
// about words that take the same value again (ABA), goes to the next allocation of its size.

#define _GNU_SOURCE
#include "internal.h"

#include <malloc.h>
#include <stdlib.h>

enum { LARGEST_REUSED = 1024, CLASSES = LARGEST_REUSED / 16 + 1 };

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *pointer);

// Freed blocks are linked through their first words.
typedef struct block {
    struct block *next;
} block;

static block *kept, *reusable[CLASSES];

static size_t class_of(size_t usable) { return usable / 16; }

void *malloc(size_t size) {
    if (rx_now.is_active && rx_now.reuses_memory) {
        size_t usable = size < 24 ? 24 : ((size + 8 + 15) & ~(size_t)15) - 8;
        if (usable < LARGEST_REUSED && reusable[class_of(usable)]) {
            block *b = reusable[class_of(usable)];
            reusable[class_of(usable)] = b->next;
            rx_race_reused(b, usable);
            return b;
        }
    }
    return __libc_malloc(size);
}

void free(void *pointer) {
    if (!rx_now.is_active || !pointer) return __libc_free(pointer);
    size_t usable = malloc_usable_size(pointer);
    block *b = pointer;
    if (rx_now.reuses_memory && usable < LARGEST_REUSED) {
        b->next = reusable[class_of(usable)];
        reusable[class_of(usable)] = b;
    } else {
        b->next = kept;
        kept = b;
    }
    rx_race_freed(pointer, usable < 4096 ? usable : 4096, __builtin_return_address(0));
}

static void release(block **list) {
    while (*list) {
        block *b = *list;
        *list = b->next;
        __libc_free(b);
    }
}

void rx_memory_end(void) {
    release(&kept);
    for (int i = 0; i < CLASSES; i++) release(&reusable[i]);
}
