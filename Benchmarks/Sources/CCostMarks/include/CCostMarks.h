#ifndef C_COST_MARKS_H
#define C_COST_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/// Does nothing. Tools/costs has callgrind write what it has counted, and begin anew, each time this is called.
void rx_cost_mark(void);

/// Whether the library was built with RX_COUNT_ATOMICS.
bool rx_cost_counts_atomics(void);

/// How many atomic read-modify-writes the library has made, on all threads. 0 if they are not counted.
uint64_t rx_cost_read_modify_writes(void);

#endif
