// SPDX-License-Identifier: Apache-2.0

#ifndef C_MALLOC_COUNT_H
#define C_MALLOC_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Counts the allocations of the whole process: malloc, calloc, realloc, posix_memalign, aligned_alloc, memalign.
///
/// The functions are interposed by being defined in the executable, ahead of libc. While counting is off a call
/// costs one test of a flag more than without, for us and for the peers alike.

/// Sets the counter to 0 and starts to count. May be called on any thread.
void malloc_count_start(void);

/// Stops counting and returns the number of allocations of all threads since `malloc_count_start`. May be called on any thread.
uint64_t malloc_count_stop(void);

/// Tells whether this platform's allocator can be counted. If not, the counter stays 0.
bool malloc_count_available(void);

#endif
