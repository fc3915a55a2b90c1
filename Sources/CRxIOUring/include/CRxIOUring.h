// SPDX-License-Identifier: Apache-2.0

// The kernel's side of RxIOUring, behind calls that Swift can import: rings by liburing where its header is there, and what
// the C library offers as macros or not at all.

#ifndef CRXIOURING_H
#define CRXIOURING_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "rx_files.h"
#include "rx_opens.h"
#include "rx_process.h"
#include "rx_signals.h"
#include "rx_stack.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Rings

/// A ring of io_uring. For one thread, the one that made it.
typedef struct rx_ring rx_ring;

/// What a kernel operation does. Arguments are those of the system call of that name.
typedef enum rx_operation {
    RX_READ,         // descriptor, address, length, offset (-1: where the file stands), flags (RX_APART)
    RX_WRITE,        // the same
    RX_WRITE_VECTOR, // descriptor, address of the first iovec, length: their number, offset as above
    RX_RECEIVE,      // descriptor, address, length, flags of recv
    RX_RECEIVE_POOL, // descriptor, length, flags of recv, offset (1: nothing has come yet); the kernel takes a buffer from RX_POOL_USUAL
    RX_RECEIVE_BULK, // the same, from RX_POOL_BULK
    RX_SEND,         // descriptor, address, length, flags of send
    RX_RECEIVE_MESSAGE, // descriptor, address of a msghdr, flags
    RX_SEND_MESSAGE,    // the same
    RX_CONNECT,      // descriptor, address of a sockaddr, length
    RX_POLL,         // descriptor, flags: POLLIN and the like
    RX_SYNCHRONIZE,  // descriptor: fsync
    RX_HANG_UP,      // descriptor: waits until it is broken; POLLERR and POLLHUP. May complete again and again, also when nothing is broken
} rx_operation;

/// Flag: the system call may wait, and so is left to a thread of the kernel from the beginning.
enum { RX_APART = 1 };

/// What became of an operation.
typedef struct rx_completion {
    /// What it was submitted with.
    uint64_t tag;
    /// What the system call would have returned, or a negated errno.
    int32_t result;
    /// See the functions below.
    uint32_t flags;
} rx_completion;

/// More completions of the same operation will come.
static inline bool rx_completion_has_more(uint32_t flags) { return (flags & 2) != 0; }
/// The number of the buffer that the kernel took from the pool, or -1.
static inline int32_t rx_completion_buffer(uint32_t flags) { return (flags & 1) != 0 ? (int32_t)(flags >> 16) : -1; }

/// Whether this library was built with io_uring at all.
bool rx_ring_is_built(void);

/// Makes a ring.
///
/// `entries` is the room for submissions, `completions` that for results, both powers of two. Null, with errno in `*error`, where the kernel has no io_uring, forbids it, or lacks
/// something that is needed here.
rx_ring *rx_ring_make(unsigned entries, unsigned completions, int *error);
void rx_ring_free(rx_ring *ring);

/// Puts an operation into the submission queue. False if that is full.
bool rx_ring_prepare(rx_ring *ring, rx_operation operation, int descriptor, void *address, uint32_t length, int64_t offset,
                     uint32_t flags, uint64_t tag);
/// Puts a request to cancel the operation that was submitted with `tag`. False if the submission queue is full.
///
/// Its own completion has the tag `own_tag`.
bool rx_ring_prepare_cancel(rx_ring *ring, uint64_t tag, uint64_t own_tag);

/// How many operations were put in and not submitted.
unsigned rx_ring_prepared(const rx_ring *ring);
/// Whether there are completions to take, or there would be after entering the kernel. No system call.
bool rx_ring_has_completions(const rx_ring *ring);

/// Submits what was put in. Waits for a completion if `wait`, but not longer than so many nanoseconds (negative: for ever).
///
/// 0, or a negated errno: ETIME after the time, EINTR, EBUSY and EAGAIN when completions have to be taken first.
int rx_ring_enter(rx_ring *ring, bool wait, int64_t nanoseconds);
/// Takes completions, at most so many.
unsigned rx_ring_take(rx_ring *ring, rx_completion *into, unsigned most);

/// The pools of a ring.
typedef enum rx_pool { RX_POOL_USUAL, RX_POOL_BULK, RX_POOLS } rx_pool;

/// Gives the kernel a pool: `count` buffers (a power of two) of `size` bytes, one behind the other from `buffers` on. The
/// memory stays the caller's, until the ring is freed. 0 or a negated errno.
int rx_ring_make_pool(rx_ring *ring, rx_pool group, void *buffers, uint32_t count, uint32_t size);
/// Gives a buffer back to the kernel.
void rx_ring_return_buffer(rx_ring *ring, rx_pool group, uint32_t number);

// MARK: Readiness

/// A descriptor to watch others with, or a negated errno.
int rx_epoll_make(void);
/// `epoll_pwait2`, in nanoseconds (negative: for ever); in milliseconds, rounded up, where the kernel lacks it.
/// How many events there are, or a negated errno. Fills tags of `events`, and their flags with rx_readiness.
int rx_epoll_wait(int descriptor, rx_completion *events, int most, int64_t nanoseconds);
/// Watches a descriptor for input and output, edge-triggered. 0 or a negated errno.
int rx_epoll_add(int epoll, int descriptor, uint64_t tag);
/// Watches it no longer.
void rx_epoll_remove(int epoll, int descriptor);

/// `ppoll`, in nanoseconds (negative: for ever). How many descriptors are ready, or a negated errno.
int rx_poll(struct pollfd *entries, unsigned count, int64_t nanoseconds);

/// What a descriptor may be ready for. Both when it is broken.
typedef enum rx_readiness { RX_READY_INPUT = 1, RX_READY_OUTPUT = 2 } rx_readiness;

// MARK: Descriptors

/// `recv` and `send` without waiting; -1 with errno set on failure.
ssize_t rx_receive_now(int descriptor, void *address, size_t length, int flags);
ssize_t rx_send_now(int descriptor, const void *address, size_t length, int flags);

/// A counter to wake an event loop by, closed in programs that are run, or a negated errno.
int rx_eventfd_make(void);
/// `accept4`; a negated errno on failure. The peer's address is a `struct sockaddr` of a `socklen_t`: with the header of sockets in this one,
/// SOCK_STREAM and its like would be names of this module, and `import Glibc` alone would not find them.
int rx_accept(int descriptor, void *peer, uint32_t *length, int flags);

// MARK: Bytes

/// `memmem`: where a row of bytes occurs for the first time, or NULL. In linear time.
const void *rx_find(const void *bytes, size_t length, const void *row, size_t row_length);

// MARK: Threads and processes

/// Lets the calling thread run on one processor only, one of those that it may use already. 0 or an errno.
int rx_thread_pin(int processor);
/// The numbers of the processors that the calling thread may use, ascending, at most so many. How many there are, or a negated errno.
int rx_thread_processors(int *numbers, int most);
/// Names the calling thread, for tools that list threads, asks for exact timers, and blocks SIGPIPE: a write to a pipe without readers
/// raises it in the thread that submitted it, however it is done, and fails with EPIPE as well.
void rx_thread_prepare(const char *name);
/// The value of an environment variable; NULL if there is none, and in a program that has more rights than its caller.
const char *rx_environment(const char *name);
/// Counts the forks that made this process from one that used this library.
unsigned rx_forks(void);
/// `fork`, which Swift hides. For tests.
pid_t rx_fork(void);

#ifdef __cplusplus
}
#endif

#endif
