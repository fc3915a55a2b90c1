// SPDX-License-Identifier: Apache-2.0

#include "CCostMarks.h"

#include <stddef.h>

// The library's, if it was built with RX_COUNT_ATOMICS.
extern uintptr_t rx_read_modify_writes(void) __attribute__((weak));

__attribute__((noinline)) void rx_cost_mark(void) {
    // Kept: the optimizer must not find that there is nothing to call.
    __asm__ volatile("");
}

bool rx_cost_counts_atomics(void) { return rx_read_modify_writes != NULL; }

uint64_t rx_cost_read_modify_writes(void) { return rx_read_modify_writes == NULL ? 0 : rx_read_modify_writes(); }
