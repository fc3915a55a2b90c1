// SPDX-License-Identifier: Apache-2.0

// The stack of another thread, taken by a signal.
//
// Algorithm: one request at a time. A word holds the number of the request and its phase. The asking thread writes the request, makes the
// word ASKED, and signals the other thread; the handler claims the request by a compare-and-swap, writes the stack, and makes the word DONE.
// The asking thread withdraws a request that was not claimed in time. The number in the word keeps a handler that comes late from claiming
// the request to another thread.
// Progress: the handler is wait-free but for `backtrace`, which allocates only in its first call of the process; `rx_stack_install` makes that
// one. Before glibc 2.35 it takes the lock of the list of loaded libraries, which the same thread may take again: it waits for a `dlopen`.
// Threads: the handler on the thread that was asked; the other functions as rx_stack.h says.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { FRAME_LIMIT = 128 };
enum phase { IDLE, ASKED, WRITING, DONE };

// The number of the request, shifted by two, and its phase.
static _Atomic uint64_t request;
// The thread that was asked. Written by the asking thread before ASKED.
static _Atomic(pthread_t) asked;
// The word of that thread that says what it is doing, and its value while the stack is wanted. Written before ASKED.
static const _Atomic(uintptr_t) *wanted_word;
static uintptr_t wanted_value;
// The answer. Written by the handler between WRITING and DONE.
static void *stack[FRAME_LIMIT];
static int stack_count;
// True if the thread was doing something else by then.
static bool stack_is_over;
// The signals that were sent and that no handler has taken yet.
static atomic_int under_way;

// The signal whose handler is installed, or 0. Under the caller's lock, but for `rx_stack_signal`.
static atomic_int installed;
static struct sigaction before;

static enum phase phase_of(uint64_t word) { return (enum phase)(word & 3); }

static bool move(uint64_t word, enum phase to) {
    return atomic_compare_exchange_strong(&request, &word, (word & ~(uint64_t)3) | to);
}

// The instruction at which the signal came; null where the layout of the context is not known.
static void *interrupted_at(const void *context) {
    const ucontext_t *machine = context;
#if defined(__x86_64__)
    return (void *)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (void *)machine->uc_mcontext.pc;
#else
    (void)machine;
    return NULL;
#endif
}

static void write_stack(const void *context) {
    void *frames[FRAME_LIMIT];
    int count = backtrace(frames, FRAME_LIMIT);
    void *instruction = interrupted_at(context);
    int first = 0;
    while (first < count && frames[first] != instruction) first++;
    // The frames of the handler come before.
    if (first == count) first = count > 2 ? 2 : 0;
    stack_count = count - first;
    memcpy(stack, frames + first, sizeof *stack * (size_t)stack_count);
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void)signal;
    int error = errno;
    if (info->si_code == SI_TKILL && info->si_pid == getpid()) {
        uint64_t word = atomic_load(&request);
        bool is_mine = phase_of(word) == ASKED && pthread_equal(atomic_load(&asked), pthread_self());
        if (is_mine && move(word, WRITING)) {
            stack_is_over = atomic_load(wanted_word) != wanted_value;
            if (!stack_is_over) write_stack(context);
            atomic_store(&request, (word & ~(uint64_t)3) | DONE);
        }
        if (atomic_load(&under_way) > 0) atomic_fetch_sub(&under_way, 1);
    }
    errno = error;
}

static bool is_ours(int signal) {
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle;
}

static bool try_install(int signal) {
    struct sigaction now;
    if (sigaction(signal, NULL, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return false;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    before = now;
    return sigaction(signal, &action, NULL) == 0;
}

int rx_stack_install(void) {
    int signal = atomic_load(&installed);
    if (signal != 0 && is_ours(signal)) return signal;
    void *frame[1];
    backtrace(frame, 1);
    // From the end: programs take real-time signals from SIGRTMIN on.
    for (signal = SIGRTMAX; signal >= SIGRTMIN; signal--) {
        if (!try_install(signal)) continue;
        atomic_store(&installed, signal);
        return signal;
    }
    atomic_store(&installed, 0);
    return 0;
}

static void restore(void) {
    int signal = atomic_exchange(&installed, 0);
    if (signal != 0 && is_ours(signal)) sigaction(signal, &before, NULL);
}

void rx_stack_uninstall(void) {
    if (atomic_load(&under_way) == 0) restore();
}

void rx_stack_forked(void) {
    atomic_store(&under_way, 0);
    atomic_store(&request, (atomic_load(&request) | 3) + 1);
    restore();
}

int rx_stack_signal(void) { return atomic_load(&installed); }

void rx_stack_admit(int signal) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

rx_stack_status rx_stack_ask(pthread_t thread, const void *word_of_thread, uintptr_t value) {
    int signal = atomic_load(&installed);
    if (signal == 0) return RX_STACK_NO_SIGNAL;
    if (!is_ours(signal)) return RX_STACK_REPLACED;
    uint64_t word = atomic_load(&request);
    if (phase_of(word) == WRITING) return RX_STACK_BUSY;
    atomic_store(&asked, thread);
    wanted_word = word_of_thread;
    wanted_value = value;
    word = (word | 3) + 1;
    atomic_store(&request, word | ASKED);
    atomic_fetch_add(&under_way, 1);
    if (pthread_kill(thread, signal) == 0) return RX_STACK_TAKEN;
    atomic_fetch_sub(&under_way, 1);
    atomic_store(&request, word | IDLE);
    return RX_STACK_NOT_SENT;
}

rx_stack_status rx_stack_wait(int64_t nanoseconds, void **frames, int most, int *count) {
    const struct timespec pause = {.tv_nsec = 100000};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + nanoseconds;
    *count = 0;
    while (true) {
        uint64_t word = atomic_load(&request);
        if (phase_of(word) == DONE) break;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((int64_t)now.tv_sec * 1000000000 + now.tv_nsec < end) {
            nanosleep(&pause, NULL);
            continue;
        }
        // A handler that has claimed the request meanwhile finishes it, and the next request finds it BUSY or DONE.
        if (phase_of(word) != ASKED || move(word, IDLE)) return RX_STACK_NO_ANSWER;
    }
    if (stack_is_over) return RX_STACK_OVER;
    *count = stack_count < most ? stack_count : most;
    memcpy(frames, stack, sizeof *frames * (size_t)*count);
    return RX_STACK_TAKEN;
}

rx_symbol rx_symbol_at(const void *address) {
    rx_symbol found = {0};
    Dl_info info;
    if (dladdr(address, &info) == 0) return found;
    found.image = info.dli_fname;
    found.offset = (uintptr_t)address - (uintptr_t)info.dli_fbase;
    found.name = info.dli_sname;
    typedef char *(*demangle)(const char *, size_t, char *, size_t *, uint32_t);
    demangle function = (demangle)dlsym(RTLD_DEFAULT, "swift_demangle");
    if (found.name && function) found.readable = function(found.name, strlen(found.name), NULL, NULL, 0);
    return found;
}

#endif
