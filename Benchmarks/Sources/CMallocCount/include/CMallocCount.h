#ifndef C_MALLOC_COUNT_H
#define C_MALLOC_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/// Counts the allocations of the whole process: malloc, calloc, realloc, posix_memalign, aligned_alloc, memalign.
///
/// The functions are interposed by being defined in the executable, ahead of libc. While counting is off a call
/// costs one test of a flag more than without, for us and for the peers alike.

/// Sets the counter to 0 and starts to count. Any thread.
void malloc_count_start(void);

/// Stops counting and returns how many allocations all threads made since `malloc_count_start`. Any thread.
uint64_t malloc_count_stop(void);

/// Whether this platform's allocator can be counted. Where it is false the counter stays 0.
bool malloc_count_available(void);

#endif
