#ifndef C_PLAIN_PEERS_H
#define C_PLAIN_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What rows are compared with, or driven by, written as plainly as the system allows. Linux only.

/// The monotonic clock, in nanoseconds.
uint64_t plain_now(void);

/// Bytes that malloc has handed out and not got back, with what it spends on keeping account of them.
uint64_t plain_allocated_bytes(void);

/// Keeps the calling thread on one processor. Returns 0 or an errno.
int plain_pin(int processor);

/// Returns at that time of `plain_now` or a little later; at once, if it is over.
void plain_sleep_until(uint64_t time);

/// Tells the processor that the calling thread spins.
void plain_pause(void);

/// Nanoseconds of processor time that the calling thread has used.
uint64_t plain_thread_time(void);

/// Bytes of this process that are in memory.
uint64_t plain_resident_bytes(void);

/// Gives free memory back to the system, and has `plain_peak_resident_bytes` begin anew. Returns false where the system has no such thing.
bool plain_reset_peak_resident_bytes(void);

/// The most bytes of this process that were in memory.
uint64_t plain_peak_resident_bytes(void);

/// A word goes to another thread and back, `count` times after `warm_up` times that do not count. The threads stay on processors 0
/// and 1, and look at it without a pause: what the processors need for it at least. Nanoseconds of each round trip go to
/// `samples`. Returns 0 or an errno.
int plain_cache_line_rally(uint64_t *samples, size_t count, size_t warm_up);

/// The same, but that each thread sleeps on a futex until the word has changed; where they are not pinned, the system places them.
int plain_futex_rally(bool pins, uint64_t *samples, size_t count, size_t warm_up);

/// Bytes of a message of the echo client.
#define PLAIN_ECHO_MESSAGE 64

/// A client of an echo server on the loopback interface: one thread, one message under way per connection.
typedef struct plain_echo_client plain_echo_client;

/// Connects. NULL and an errno where that fails.
plain_echo_client *plain_echo_open(uint16_t port, size_t connections, int *error);

/// Sends so many messages over all connections together, each when the echo of the one before has come, and compares what comes back.
/// Nanoseconds of each round trip go to `samples`, which may be NULL. Returns how many echoes were right, or a negated errno.
int64_t plain_echo_run(plain_echo_client *client, size_t messages, uint64_t *samples);

void plain_echo_close(plain_echo_client *client);

#endif
