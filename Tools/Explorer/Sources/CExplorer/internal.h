// SPDX-License-Identifier: Apache-2.0

#ifndef INTERNAL_H
#define INTERNAL_H

#include "CExplorer.h"

#include <stddef.h>

// What the files of the explorer share.

/// Of the execution under way. `is_active` is false in set-ups and checks.
typedef struct {
    bool is_active;
    /// Whether plain memory is looked at.
    bool checks_memory;
    /// Whether memory that a thread has freed is used again within the execution.
    bool reuses_memory;
    /// The running thread; 0: the scenario itself.
    int32_t current;
    int32_t count;
    uint32_t epoch;
    /// How far each thread has come, as far as the running one knows.
    const uint16_t *clocks;
    const char *stack, *stack_end;
    int32_t ignored[RX_MAX_THREADS];
} rx_shared;

extern rx_shared rx_now;

/// Fails, and tells the two places in the code that it is about.
void rx_fail_at_places(const char *reason, const void *here, const void *there);

/// Makes the memory that threads have freed available again: at the end of an execution.
void rx_memory_end(void);

/// From memory.c to races.c: memory was freed, or is used again.
void rx_race_freed(void *address, size_t size, const void *caller);
void rx_race_reused(void *address, size_t size);

#endif
