// SPDX-License-Identifier: Apache-2.0

// What the C library offers as macros, hides from Swift, or has only in newer releases.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int wait_nanoseconds(int descriptor, struct epoll_event *events, int most, int64_t nanoseconds) {
#ifdef SYS_epoll_pwait2
    static atomic_bool is_missing;
    if (!atomic_load_explicit(&is_missing, memory_order_relaxed)) {
        struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
        int count = (int)syscall(SYS_epoll_pwait2, descriptor, events, most, nanoseconds < 0 ? NULL : &time, NULL, 0);
        if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return count;
        atomic_store_explicit(&is_missing, true, memory_order_relaxed);
    }
#endif
    int64_t milliseconds = nanoseconds < 0 ? -1 : (nanoseconds + 999999) / 1000000;
    return epoll_wait(descriptor, events, most, milliseconds > 1000000 ? 1000000 : (int)milliseconds);
}

int rx_epoll_wait(int descriptor, rx_completion *events, int most, int64_t nanoseconds) {
    struct epoll_event found[64];
    int count = wait_nanoseconds(descriptor, found, most < 64 ? most : 64, nanoseconds);
    if (count < 0) return -errno;
    for (int i = 0; i < count; i++) {
        events[i].tag = found[i].data.u64;
        events[i].result = 0;
        bool broken = (found[i].events & (EPOLLERR | EPOLLHUP)) != 0;
        bool input = (found[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLPRI)) != 0;
        bool output = (found[i].events & EPOLLOUT) != 0;
        events[i].flags = (broken || input ? RX_READY_INPUT : 0) | (broken || output ? RX_READY_OUTPUT : 0);
    }
    return count;
}

int rx_poll(struct pollfd *entries, unsigned count, int64_t nanoseconds) {
    struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    int ready = ppoll(entries, count, nanoseconds < 0 ? NULL : &time, NULL);
    return ready >= 0 ? ready : -errno;
}

int rx_epoll_add(int epoll, int descriptor, uint64_t tag) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = tag};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
    // Other code has closed a copy of the descriptor, and another copy got its number. It is told anew what has happened so far.
    if (errno == EEXIST && epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event) == 0) return 0;
    return -errno;
}

void rx_epoll_remove(int epoll, int descriptor) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, NULL); }

int rx_epoll_make(void) {
    int made = epoll_create1(EPOLL_CLOEXEC);
    return made >= 0 ? made : -errno;
}

int rx_eventfd_make(void) {
    // One that blocks: of others, older kernels' rings do not wait for input. Writing would block at a count of 2^64 - 1 only.
    int made = eventfd(0, EFD_CLOEXEC);
    return made >= 0 ? made : -errno;
}

// The C library's recv and send are cancellation points, each of which costs two atomic operations beside other threads. No thread of a loop is cancelled.

ssize_t rx_receive_now(int descriptor, void *address, size_t length, int flags) {
#ifdef SYS_recvfrom
    return syscall(SYS_recvfrom, descriptor, address, length, flags | MSG_DONTWAIT, NULL, NULL);
#else
    return recv(descriptor, address, length, flags | MSG_DONTWAIT);
#endif
}

ssize_t rx_send_now(int descriptor, const void *address, size_t length, int flags) {
#ifdef SYS_sendto
    return syscall(SYS_sendto, descriptor, address, length, flags | MSG_DONTWAIT, NULL, 0);
#else
    return send(descriptor, address, length, flags | MSG_DONTWAIT);
#endif
}

int rx_accept(int descriptor, void *peer, uint32_t *length, int flags) {
    int accepted = accept4(descriptor, peer, length, flags);
    return accepted >= 0 ? accepted : -errno;
}

const void *rx_find(const void *bytes, size_t length, const void *row, size_t row_length) {
    return memmem(bytes, length, row, row_length);
}

// The processors that the calling thread may use. To be freed; NULL with errno on failure.
static cpu_set_t *usable_processors(int *room) {
    // The kernel rejects a set that is smaller than its own.
    for (int count = 1024; count <= 1 << 20; count *= 2) {
        cpu_set_t *set = CPU_ALLOC(count);
        if (!set) return NULL;
        *room = count;
        if (sched_getaffinity(0, CPU_ALLOC_SIZE(count), set) == 0) return set;
        int error = errno;
        CPU_FREE(set);
        errno = error;
        if (error != EINVAL) return NULL;
    }
    return NULL;
}

int rx_thread_processors(int *numbers, int most) {
    int room, count = 0;
    cpu_set_t *set = usable_processors(&room);
    if (!set) return -errno;
    for (int number = 0; number < room; number++) {
        if (!CPU_ISSET_S(number, CPU_ALLOC_SIZE(room), set)) continue;
        if (count < most) numbers[count] = number;
        count++;
    }
    CPU_FREE(set);
    return count;
}

int rx_thread_pin(int processor) {
    int room;
    cpu_set_t *set = usable_processors(&room);
    if (!set) return errno;
    size_t size = CPU_ALLOC_SIZE(room);
    int error = EINVAL;
    if (processor >= 0 && processor < room && CPU_ISSET_S(processor, size, set)) {
        CPU_ZERO_S(size, set);
        CPU_SET_S(processor, size, set);
        error = pthread_setaffinity_np(pthread_self(), size, set);
    }
    CPU_FREE(set);
    return error;
}

const char *rx_environment(const char *name) { return secure_getenv(name); }

void rx_thread_prepare(const char *name) {
    char short_name[16];
    strncpy(short_name, name, sizeof short_name - 1);
    short_name[sizeof short_name - 1] = 0;
    pthread_setname_np(pthread_self(), short_name);
    // The kernel may else run timers of this thread 50 microseconds late.
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, NULL);
}

static atomic_uint forks;
static pthread_once_t watch_once = PTHREAD_ONCE_INIT;

static void count_fork(void) { atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed); }
static void watch(void) { pthread_atfork(NULL, NULL, count_fork); }

unsigned rx_forks(void) {
    pthread_once(&watch_once, watch);
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

pid_t rx_fork(void) { return fork(); }

#endif
