// SPDX-License-Identifier: Apache-2.0

// The stack of another thread, taken by a signal.

#ifndef RX_STACK_H
#define RX_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The outcome of a request for a stack.
typedef enum rx_stack_status {
    RX_STACK_TAKEN,
    /// No real-time signal had the default disposition when `rx_stack_install` was called.
    RX_STACK_NO_SIGNAL,
    /// The program has replaced the handler since.
    RX_STACK_REPLACED,
    /// A thread is still writing its answer to an earlier request.
    RX_STACK_BUSY,
    /// The signal could not be sent.
    RX_STACK_NOT_SENT,
    /// The thread has ended what it was doing before it took the signal.
    RX_STACK_OVER,
    /// The thread did not answer in time: it blocks the signal, or is in a system call that no signal interrupts.
    RX_STACK_NO_ANSWER,
} rx_stack_status;

/// Installs a handler for a real-time signal that has the default disposition. Returns the signal, or 0 if there is none.
///
/// The caller serializes this function, `rx_stack_uninstall`, `rx_stack_ask` and `rx_stack_forked`.
int rx_stack_install(void);
/// Restores the disposition, unless the program has replaced the handler, or a thread has yet to take the signal: by default it ends the
/// process.
void rx_stack_uninstall(void);
/// Forgets the requests of the parent in a process that was just forked, and restores the disposition.
void rx_stack_forked(void);
/// The signal whose handler is installed, or 0.
int rx_stack_signal(void);
/// Lets the calling thread take a signal.
void rx_stack_admit(int signal);

/// Asks a thread, which has not ended, for its stack. Returns RX_STACK_TAKEN if it was asked.
///
/// It answers with its stack as long as `*word`, an atomic word that only this thread writes, and keeps until it ends, has a value.
rx_stack_status rx_stack_ask(pthread_t thread, const void *word, uintptr_t value);
/// Waits for the answer to the last request, up to a limit. By one thread, the one that asked.
///
/// Fills `frames` with at most `most` addresses, innermost first: that of an instruction, then return addresses. Sets `*count`.
rx_stack_status rx_stack_wait(int64_t nanoseconds, void **frames, int most, int *count);

/// The place of an address in the program.
typedef struct rx_symbol {
    /// The file that contains the address; null if none is known.
    const char *image;
    /// The distance from the beginning of the image.
    uintptr_t offset;
    /// The mangled name of the function; null if the image exports none.
    const char *name;
    /// The readable name, which the caller frees; null if `name` is no mangled name of Swift.
    char *readable;
} rx_symbol;

rx_symbol rx_symbol_at(const void *address);

#ifdef __cplusplus
}
#endif

#endif
