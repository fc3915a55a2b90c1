// SPDX-License-Identifier: Apache-2.0

#include "switch.h"

#include <stdint.h>

// A switch stores the registers that a function has to preserve on the stack, and exchanges the stack pointer.

#if defined(__x86_64__)

__asm__(
    ".text\n"
    ".globl rx_switch\n"
    ".type rx_switch,@function\n"
    "rx_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size rx_switch,.-rx_switch\n");

void *rx_stack_prepare(void *top, void (*entry)(void)) {
    // At the entry of a function the stack pointer is 8 off a multiple of 16.
    uintptr_t *stack = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15);
    *--stack = 0;
    *--stack = (uintptr_t)entry;
    for (int i = 0; i < 6; i++) *--stack = 0;
    return stack;
}

#elif defined(__aarch64__)

__asm__(
    ".text\n"
    ".globl rx_switch\n"
    ".type rx_switch,%function\n"
    "rx_switch:\n"
    "  sub sp, sp, #160\n"
    "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
    "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
    "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
    "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  add sp, sp, #160\n"
    "  ret\n"
    ".size rx_switch,.-rx_switch\n");

void *rx_stack_prepare(void *top, void (*entry)(void)) {
    uintptr_t *stack = (uintptr_t *)((uintptr_t)top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++) stack[i] = 0;
    stack[11] = (uintptr_t)entry;
    return stack;
}

#else

#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

// Unsupported: ucontext, which costs a system call per switch. A stack pointer is then the address of a context.

void rx_switch(void **from, void *to) {
    ucontext_t own;
    *from = &own;
    swapcontext(&own, to);
}

void *rx_stack_prepare(void *top, void (*entry)(void)) {
    char *stack = (char *)top - sizeof(ucontext_t) - 64;
    ucontext_t *context = (ucontext_t *)((uintptr_t)stack & ~(uintptr_t)63);
    getcontext(context);
    context->uc_stack.ss_sp = (char *)context - (200 << 10);
    context->uc_stack.ss_size = 200 << 10;
    context->uc_link = 0;
    makecontext(context, entry, 0);
    return context;
}

#endif
