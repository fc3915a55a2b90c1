// SPDX-License-Identifier: Apache-2.0

#ifndef C_PLAIN_PEERS_H
#define C_PLAIN_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The peers and drivers of rows, written as plainly as the system allows. Linux only.

/// Returns the monotonic clock, in nanoseconds.
uint64_t plain_now(void);

/// Returns the bytes that malloc has allocated and that were not freed, with the bytes of its own accounting.
uint64_t plain_allocated_bytes(void);

/// Keeps the calling thread on one processor. Returns 0 or an errno.
int plain_pin(int processor);

/// Returns at that time of `plain_now` or a little later; at once, if it is over.
void plain_sleep_until(uint64_t time);

/// Tells the processor that the calling thread spins.
void plain_pause(void);

/// Returns the nanoseconds of an atomic read-modify-write on a word that no other thread uses: the least of several rounds.
double plain_atomic_nanoseconds(void);

/// Returns nanoseconds of processor time that the calling thread has used.
uint64_t plain_thread_time(void);

/// Returns the bytes of this process that are in memory.
uint64_t plain_resident_bytes(void);

/// Returns free memory to the system, and restarts `plain_peak_resident_bytes`. Returns false if the system cannot do so.
bool plain_reset_peak_resident_bytes(void);

/// Returns the most bytes of this process that were in memory.
uint64_t plain_peak_resident_bytes(void);

/// A word goes to another thread and back, `count` times after `warm_up` times that do not count. The threads stay on processors 0 and
/// 1, and poll the word without a pause: the least time that the processors need. Nanoseconds of each round trip go to `samples`.
/// Returns 0 or an errno.
int plain_cache_line_rally(uint64_t *samples, size_t count, size_t warm_up);

/// The same, except that each thread sleeps on a futex until the word has changed. If the threads are not pinned, the system places
/// them.
int plain_futex_rally(bool pins, uint64_t *samples, size_t count, size_t warm_up);

/// The bytes of a message of the echo client.
#define PLAIN_ECHO_MESSAGE 64

/// A client of an echo server on the loopback interface: one thread, one message in flight per connection.
typedef struct plain_echo_client plain_echo_client;

/// Connects. Returns NULL and an errno if that fails.
plain_echo_client *plain_echo_open(uint16_t port, size_t connections, int *error);

/// Sends so many messages over all connections together, each after the echo of the one before has come, and compares the echoes.
/// Nanoseconds of each round trip go to `samples`, which may be NULL. Returns the number of correct echoes, or a negated errno.
int64_t plain_echo_run(plain_echo_client *client, size_t messages, uint64_t *samples);

void plain_echo_close(plain_echo_client *client);

/// Lets this process have as many descriptors as the system allows. Returns that number.
uint64_t plain_raise_descriptor_limit(void);

/// Starts an echo server on the loopback interface, on a thread of its own that waits by epoll. It serves until the process ends. Returns its port,
/// or 0 and an errno. To be called once.
uint16_t plain_echo_serve(int *error);

/// Returns the nanoseconds of processor time that the thread of the running echo server has taken.
uint64_t plain_echo_server_time(void);

#endif
