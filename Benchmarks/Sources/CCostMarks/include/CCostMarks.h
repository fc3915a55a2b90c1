// SPDX-License-Identifier: Apache-2.0

#ifndef C_COST_MARKS_H
#define C_COST_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/// Does nothing. At each call Tools/costs has callgrind write its counts and reset them.
void rx_cost_mark(void);

/// Tells whether the library was built with RX_COUNT_ATOMICS.
bool rx_cost_counts_atomics(void);

/// Returns the number of atomic read-modify-writes that the library has made, on all threads. 0 if they are not counted.
uint64_t rx_cost_read_modify_writes(void);

#endif
