// SPDX-License-Identifier: Apache-2.0

// What tests do to the process or to a thread, and Swift cannot.

#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

/// From now on io_uring_setup fails with `error` in the calling thread, and in those that it starts. 0 or an errno.
int rx_test_forbid_uring(int error);
/// The same for `statx`.
int rx_test_forbid_statx(int error);
/// The same for `faccessat2`.
int rx_test_forbid_faccessat2(int error);

/// Installs a handler that does nothing, and lets system calls be interrupted. 0 or an errno.
int rx_test_interrupt_by(int signal);

/// Blocks every signal in the calling thread, and in those that it starts.
void rx_test_block_all_signals(void);

/// Sends a signal to the calling thread, which takes it before this returns, whether or not it blocks it.
void rx_test_raise(int signal);

/// Installs a handler that counts.
void rx_test_count_signal(int signal);
/// How often it was called.
int rx_test_counted_signals(void);
/// Installs a handler that counts, and calls the one that was there before.
void rx_test_chain_signal(int signal);
/// Whether that handler is the one installed.
int rx_test_counts_signal(int signal);

/// Ends the calling process after so many seconds, even if this thread blocks all signals.
void rx_test_end_after(unsigned seconds);

/// Bytes that the process holds of malloc's memory; 0 where that is not known (under a sanitizer, with another C library).
unsigned long rx_test_heap_bytes(void);

/// Sends bytes on a Unix socket, with a descriptor. Returns the number of bytes sent, or -1.
long rx_test_pass_descriptor(int socket, int descriptor, const char *_Nonnull bytes);

/// Makes a terminal, and the other side of it. 0 or an errno.
int rx_test_make_terminal(int *terminal, int *other_side);

/// Makes the calling thread, and the threads that it starts, those of another user. For root; there is no way back.
void rx_test_become_user(unsigned user);

/// What Swift takes for a class, though it is none of its own: it counts references by these two functions.
struct __attribute__((swift_attr("import_reference"), swift_attr("retain:rx_test_retain"),
                      swift_attr("release:rx_test_release"))) RxTestForeign {
    /// Swift would count the references to an object of its own here.
    long words[2];
    long references;
};
/// With one reference, the caller's.
struct RxTestForeign *_Nonnull rx_test_make_foreign(void) __attribute__((swift_attr("returns_retained")));
void rx_test_retain(struct RxTestForeign *_Nonnull object);
void rx_test_release(struct RxTestForeign *_Nonnull object);
/// How many there are.
long rx_test_foreign_count(void);

#endif
