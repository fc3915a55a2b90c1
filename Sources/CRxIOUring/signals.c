// SPDX-License-Identifier: Apache-2.0

// Signals of the whole process, counted for those who observe them.
//
// A handler, and not a signalfd: that one sees only what is blocked in every thread, and we have not made all of them.
//
// Algorithm: a list of cells that only grows, which the handler walks; each cell is free or holds a signal and an eventfd. Cells are taken,
// freed and handlers installed under a mutex. Who frees a cell waits until no handler is inside it: the eventfd's number may stand for
// something else afterwards.
// Progress: the handler is wait-free and async-signal-safe.
// Threads: the handler on whichever thread takes the signal; `admit` and `dismiss` are about the calling thread; the others from any.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNAL_COUNT = 65 };

struct rx_signal_watch {
    // 0: free. Set under the mutex.
    atomic_int signal;
    // Valid while `signal` is set.
    atomic_int descriptor;
    // The number of the first delivery in which it takes part. Valid while `signal` is set.
    _Atomic uint64_t since;
    // How many handlers are looking at this cell.
    atomic_int visitors;
    // Set once, before the cell is in the list.
    struct rx_signal_watch *next;
    // The process that made it: in a forked child its eventfd is still the parent's. Set once, as `next`.
    pid_t maker;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct rx_signal_watch *) cells;
// How many deliveries have begun. A cell takes part in those that begin when it observes already: who observes a signal because of its delivery,
// and takes a free cell in front of the handler, does not get that one.
static _Atomic uint64_t deliveries;
// How many watch a signal. Under the mutex.
static unsigned watchers[SIGNAL_COUNT];
// What was there before our handler. Written under the mutex, while our handler is not installed, and only if it is not the same already: a
// handler of an earlier time may be at its end still.
static struct sigaction before[SIGNAL_COUNT];
// The process that has the handlers: a forked child has them, too, and shares the eventfds. Written under the mutex, after `before`.
static _Atomic pid_t owner;

static bool is_function(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) != 0 || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

// By thread: the signals whose handler is at work, as bits.
static __thread volatile uint64_t at_work;

static void count(int signal, pid_t process) {
    static const uint64_t one = 1;
    uint64_t delivery = atomic_fetch_add(&deliveries, 1);
    // Acquiring: paired with the release in `take_cell`. The cells themselves are sequentially consistent: see `rx_signal_unwatch`.
    for (struct rx_signal_watch *cell = atomic_load_explicit(&cells, memory_order_acquire); cell; cell = cell->next) {
        if (cell->maker != process) continue;
        atomic_fetch_add(&cell->visitors, 1);
        if (atomic_load(&cell->signal) == signal && atomic_load(&cell->since) <= delivery) {
            // Fails only when the counter is full, after 2^64 - 2 signals that nobody has read.
            ssize_t written = write(atomic_load(&cell->descriptor), &one, sizeof one);
            (void)written;
        }
        atomic_fetch_sub(&cell->visitors, 1);
    }
}

static void handle(int signal, siginfo_t *info, void *context) {
    int error = errno;
    // A handler that was installed over ours calls it; and ours, installed once more over that one, calls that.
    uint64_t bit = (uint64_t)1 << (signal - 1);
    if ((at_work & bit) != 0) return;
    at_work |= bit;
    // Acquiring: paired with the release in `install`.
    pid_t owned_by = atomic_load_explicit(&owner, memory_order_acquire);
    const struct sigaction *chained = &before[signal];
    if (owned_by == getpid()) {
        count(signal, owned_by);
    } else if (!is_function(chained) && chained->sa_handler == SIG_DFL) {
        // Nobody observes it here. Comes again, and is not ours then, when this returns.
        sigaction(signal, chained, NULL);
        raise(signal);
    }
    if ((chained->sa_flags & SA_SIGINFO) != 0) {
        chained->sa_sigaction(signal, info, context);
    } else if (is_function(chained)) {
        chained->sa_handler(signal);
    }
    at_work &= ~bit;
    errno = error;
}

// What the kernel raises at an instruction comes again when the handler returns; and two signals are nobody's.
static bool can_be_observed(int signal) {
    switch (signal) {
    case SIGKILL:
    case SIGSTOP:
    case SIGILL:
    case SIGFPE:
    case SIGSEGV:
    case SIGBUS:
    case SIGTRAP: return false;
    default: return signal > 0 && signal < SIGNAL_COUNT;
    }
}

static int install(int signal) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (sigaction(signal, NULL, &action) != 0) return errno;
    if (memcmp(&before[signal], &action, sizeof action) != 0) before[signal] = action;
    // Releasing: paired with the acquire in `handle`.
    atomic_store_explicit(&owner, getpid(), memory_order_release);
    if (is_function(&action)) {
        // Nor is it called within itself: see `at_work`.
        action.sa_flags &= ~(int)(SA_RESETHAND | SA_NODEFER);
    } else {
        // Children that nobody was to wait for still are not waited for.
        action.sa_flags = SA_RESTART | (action.sa_flags & (SA_NOCLDWAIT | SA_NOCLDSTOP));
        if (signal == SIGCHLD && action.sa_handler == SIG_IGN) action.sa_flags |= SA_NOCLDWAIT;
        sigemptyset(&action.sa_mask);
    }
    action.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = handle;
    return sigaction(signal, &action, NULL) == 0 ? 0 : errno;
}

static bool is_installed(int signal) {
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handle;
}

static void uninstall(int signal) {
    // Somebody else's by now: then it stays.
    if (is_installed(signal)) sigaction(signal, &before[signal], NULL);
}

// Under the mutex. Null if there is no memory.
static struct rx_signal_watch *take_cell(void) {
    struct rx_signal_watch *first = atomic_load_explicit(&cells, memory_order_relaxed);
    for (struct rx_signal_watch *cell = first; cell; cell = cell->next)
        if (atomic_load(&cell->signal) == 0 && cell->maker == getpid()) return cell;
    struct rx_signal_watch *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->next = first;
    made->maker = getpid();
    // Releasing: paired with the acquire in `count`.
    atomic_store_explicit(&cells, made, memory_order_release);
    return made;
}

// In a forked child: what the parent observes is not observed here. Under the mutex.
static void forget_parent(void) {
    if (atomic_load_explicit(&owner, memory_order_relaxed) == getpid()) return;
    for (int signal = 1; signal < SIGNAL_COUNT; signal++) {
        if (watchers[signal] != 0) uninstall(signal);
        watchers[signal] = 0;
    }
}

static pthread_once_t watches_forks = PTHREAD_ONCE_INIT;

static void lock_before_fork(void) { pthread_mutex_lock(&mutex); }
static void unlock_after_fork(void) { pthread_mutex_unlock(&mutex); }

// The mutex is held during the fork: another thread that held it would be missing in the child, and never release it.
static void watch_forks(void) { (void)pthread_atfork(lock_before_fork, unlock_after_fork, unlock_after_fork); }

rx_signal_watch *rx_signal_watch_make(int signal, int eventfd, int *error) {
    *error = EINVAL;
    if (!can_be_observed(signal)) return NULL;
    pthread_once(&watches_forks, watch_forks);
    pthread_mutex_lock(&mutex);
    forget_parent();
    struct rx_signal_watch *cell = take_cell();
    *error = cell ? 0 : ENOMEM;
    // Other code may have installed another one since the first.
    if (cell && (watchers[signal] == 0 || !is_installed(signal))) *error = install(signal);
    if (*error == 0) {
        watchers[signal]++;
        atomic_store(&cell->descriptor, eventfd);
        atomic_store(&cell->since, atomic_load(&deliveries));
        atomic_store(&cell->signal, signal);
    } else {
        cell = NULL;
    }
    pthread_mutex_unlock(&mutex);
    return cell;
}

void rx_signal_unwatch(rx_signal_watch *watch) {
    if (watch->maker != getpid()) return;
    pthread_mutex_lock(&mutex);
    int signal = atomic_load(&watch->signal);
    if (--watchers[signal] == 0) uninstall(signal);
    // A handler that does not see this was counted as a visitor before.
    atomic_store(&watch->signal, 0);
    // Sleeps instead of yielding: on the processor of a real-time thread the visitor would not run.
    const struct timespec pause = {.tv_nsec = 20000};
    while (atomic_load(&watch->visitors) != 0) nanosleep(&pause, NULL);
    pthread_mutex_unlock(&mutex);
}

// By thread: how often each signal was admitted, and whether it was blocked before.
static __thread unsigned admitted[SIGNAL_COUNT];
static __thread bool was_blocked[SIGNAL_COUNT];

void rx_signal_admit(int signal) {
    // It would be raised by writes of this thread, too.
    if (signal == SIGPIPE) return;
    if (admitted[signal]++ != 0) return;
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, &mask);
    was_blocked[signal] = sigismember(&mask, signal) == 1;
}

void rx_signal_dismiss(int signal) {
    if (signal == SIGPIPE) return;
    if (--admitted[signal] != 0 || !was_blocked[signal]) return;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

#endif
