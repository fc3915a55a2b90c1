// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#define _GNU_SOURCE
#include "CPlainPeers.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The word tells whose turn it is: 0 for the timing thread, 1 for the other one.
struct rally {
    _Alignas(128) atomic_uint turn;
    _Alignas(128) size_t round_trips;
    size_t warm_up;
    uint64_t *samples;
    bool sleeps, pins;
};

static void wait_for(struct rally *rally, unsigned turn) {
    while (atomic_load_explicit(&rally->turn, memory_order_acquire) != turn) {
        if (rally->sleeps) {
            syscall(SYS_futex, &rally->turn, FUTEX_WAIT_PRIVATE, 1 - turn, NULL, NULL, 0);
        }
    }
}

static void hand_over(struct rally *rally, unsigned turn) {
    atomic_store_explicit(&rally->turn, turn, memory_order_release);
    if (rally->sleeps) {
        syscall(SYS_futex, &rally->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

int plain_pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *play_one_side(void *argument) {
    struct rally *rally = argument;
    if (rally->pins) {
        plain_pin(0);
    }
    for (size_t done = 0; done < rally->round_trips; done++) {
        uint64_t start = plain_now();
        hand_over(rally, 1);
        wait_for(rally, 0);
        uint64_t end = plain_now();
        if (done >= rally->warm_up) {
            rally->samples[done - rally->warm_up] = end - start;
        }
    }
    return NULL;
}

static void *play_other_side(void *argument) {
    struct rally *rally = argument;
    if (rally->pins) {
        plain_pin(1);
    }
    for (size_t done = 0; done < rally->round_trips; done++) {
        wait_for(rally, 1);
        hand_over(rally, 0);
    }
    return NULL;
}

static int play(bool sleeps, bool pins, uint64_t *samples, size_t count, size_t warm_up) {
    struct rally rally = {
        .turn = 0, .round_trips = warm_up + count, .warm_up = warm_up, .samples = samples, .sleeps = sleeps, .pins = pins};
    pthread_t one, other;
    int error = pthread_create(&other, NULL, play_other_side, &rally);
    if (error == 0) {
        error = pthread_create(&one, NULL, play_one_side, &rally);
        if (error != 0) {
            // The other thread waits for a partner that will not come.
            abort();
        }
        pthread_join(one, NULL);
        pthread_join(other, NULL);
    }
    return error;
}

int plain_cache_line_rally(uint64_t *samples, size_t count, size_t warm_up) {
    return play(false, true, samples, count, warm_up);
}

int plain_futex_rally(bool pins, uint64_t *samples, size_t count, size_t warm_up) {
    return play(true, pins, samples, count, warm_up);
}
#endif
