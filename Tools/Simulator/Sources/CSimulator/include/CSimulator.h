// SPDX-License-Identifier: Apache-2.0

// Threads of which one at a time runs, in an order that follows from a seed; and time that passes only as they ask for it.

#ifndef CSIMULATOR_H
#define CSIMULATOR_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: A simulation

/// Makes the calling thread the first of a simulation, of which there is one in the life of a process.
void rx_sim_begin(uint64_t seed);
/// Ends it. Returns a hash of everything that happened, in order. The other threads never run again.
uint64_t rx_sim_end(void);
/// How many steps there were.
uint64_t rx_sim_steps(void);
/// Prints each change of threads to standard error from now on.
void rx_sim_trace(bool on);
/// Mixes a number into the hash: for results of system calls.
void rx_sim_note(uint64_t number);
/// Prints a sentence, and ends the process with the exit code of a finding.
void rx_sim_fail(const char *sentence) __attribute__((noreturn));
/// That exit code.
typedef enum rx_sim_code { RX_SIM_FOUND = 3 } rx_sim_code;

/// Nanoseconds of virtual time.
uint64_t rx_sim_now(void);
/// Starts a thread. 0, or an errno if the seed wants that.
int rx_sim_start(void *(*body)(void *), void *argument, bool may_fail);
/// Lets the seed choose another thread.
void rx_sim_point(void);
void rx_sim_sleep(uint64_t nanoseconds);
/// Has the calling thread stop for a time behind so many steps more.
void rx_sim_stop_within(uint64_t steps, uint64_t nanoseconds);
/// Waits for descriptors like ppoll; other threads run meanwhile.
int rx_sim_poll(struct pollfd *entries, unsigned count, int64_t nanoseconds);

/// True if bytes are on their way between two TCP sockets of this process, to one that has read what has come; or an acknowledgement to one that
/// waits for room to send.
bool rx_sim_is_under_way(bool (*awaits_room)(int descriptor));

/// A place for one thread to wait at. A wake-up that comes first is not lost.
void rx_sim_park(void *cell, uint64_t deadline);

// MARK: A process for each program

enum { RX_SIM_MOST_JOBS = 9, RX_SIM_MOST_NUMBERS = 256 };

/// A program to be run.
typedef struct rx_sim_request {
    uint64_t seed;
    /// The kind of program that follows from the seed.
    uint32_t family;
    bool traces;
    /// The numbers of steps to leave out.
    unsigned count;
    uint16_t without[RX_SIM_MOST_NUMBERS];
    /// A folder for its files.
    char folder[64];
} rx_sim_request;

/// The outcome of a program: its process, and its exit code, or 256 and its signal; -1 while it runs.
typedef struct rx_sim_report {
    int32_t pid;
    int32_t status;
} rx_sim_report;

/// The ends of the pipes to and from a job: for requests, for reports and for what programs print.
typedef struct rx_sim_job {
    int requests;
    int reports;
    int output;
} rx_sim_job;

/// Runs this program once more, with addresses and hashes that are the same in each run, unless it has them already; and starts a process for
/// each job (`--jobs N` among the arguments), which forks one for each program. To be called before anything else: programs begin in the state
/// of this moment, whatever has run before them.
void rx_sim_settle(int count, char *const *arguments, void (*run)(const rx_sim_request *request));
rx_sim_job rx_sim_job_at(int number);
bool rx_sim_send(int job, const rx_sim_request *request);
/// Has the contents of freed memory overwritten from now on.
void rx_sim_destroy_freed_memory(void);

#ifdef __cplusplus
}
#endif

#endif
