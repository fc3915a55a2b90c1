// SPDX-License-Identifier: Apache-2.0

#ifndef SWITCH_H
#define SWITCH_H

// Leaves the calling coroutine, whose stack pointer is stored, for another one.
void rx_switch(void **from, void *to);

// Prepares a stack: the first switch to it calls `entry`, which does not return.
void *rx_stack_prepare(void *top, void (*entry)(void));

#endif
