// SPDX-License-Identifier: Apache-2.0

// Child processes, pipes, and descriptors whose flags are not ours to change.

#ifndef RX_PROCESS_H
#define RX_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Pipes and shared descriptors

/// Makes a pipe whose ends are closed in programs that are run. `capacity` in bytes, 0: the system's. 0 or an errno.
int rx_pipe(int *read_end, int *write_end, int capacity);

/// Reads where the descriptor stands without waiting, whether or not it is one that blocks. Like `read`: -1 and errno, EAGAIN if it had to wait.
///
/// Where the kernel cannot be told not to wait (terminals; pipes before Linux 6.4) it reads when poll says that there is something: then it
/// waits only if another reader was faster.
ssize_t rx_read_now(int descriptor, void *address, size_t length);
/// The same for writing. Where the kernel cannot be told not to wait, it writes at most PIPE_BUF bytes.
ssize_t rx_write_now(int descriptor, const void *address, size_t length);

/// How many bytes can be read from a pipe now.
int rx_readable_bytes(int descriptor);

/// Whether reading and writing can be told not to wait, call by call, and io_uring so never waits in a call that it makes for its caller.
bool rx_can_be_told(int descriptor);

/// Duplicates a descriptor, with close-on-exec, never as one of the three standard descriptors. Returns the duplicate, or a negated errno.
int rx_duplicate(int descriptor);

/// Opens a terminal, or a FIFO that has a name, once more, so that reading and writing it never wait, whatever others do with the one given. A
/// descriptor, or -1 where that is not allowed, or it is something else, as what controls a terminal.
int rx_reopen_nonblocking(int descriptor);

// MARK: Child processes

/// Starts a program with these three descriptors as its standard ones, and no others, in a process group of its own, whose number is that of
/// the process. 0 or an errno.
///
/// `path` without a slash is searched for in PATH. `environment` null: that of this process. `directory` null: the same. Signals are
/// not blocked in the program, and SIGPIPE is not ignored.
int rx_spawn(const char *path, char *const *arguments, char *const *environment, const char *directory, int input,
             int output, int error_output, pid_t *pid);

/// A descriptor that becomes readable when the process has ended, or a negated errno.
int rx_pidfd_open(pid_t pid);

/// Takes note of a child's end, so that nothing is left of it. 1, with the exit status or else the signal (then `*status` is -1); 0 if it is
/// running; a negated errno.
int rx_reap(pid_t pid, int *status, int *signal);
/// Waits until a child has ended, without reaping it. 0 or an errno.
int rx_await_end(pid_t pid);
/// Whether there is a child of that number that was not reaped.
bool rx_is_child(pid_t pid);

#ifdef __cplusplus
}
#endif

#endif
