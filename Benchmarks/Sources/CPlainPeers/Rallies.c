#if defined(__linux__)
#define _GNU_SOURCE
#include "CPlainPeers.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

// Whose turn it is stands in the word: 0 the caller's, 1 the other thread's.
struct rally {
    _Alignas(128) atomic_uint turn;
    _Alignas(128) size_t round_trips;
    bool sleeps;
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

static void *play_other_side(void *argument) {
    struct rally *rally = argument;
    for (size_t done = 0; done < rally->round_trips; done++) {
        wait_for(rally, 1);
        hand_over(rally, 0);
    }
    return NULL;
}

static int play(bool sleeps, uint64_t *samples, size_t count, size_t warm_up) {
    struct rally rally = {.turn = 0, .round_trips = warm_up + count, .sleeps = sleeps};
    pthread_t other;
    int error = pthread_create(&other, NULL, play_other_side, &rally);
    if (error != 0) {
        return error;
    }
    for (size_t done = 0; done < rally.round_trips; done++) {
        uint64_t start = plain_now();
        hand_over(&rally, 1);
        wait_for(&rally, 0);
        uint64_t end = plain_now();
        if (done >= warm_up) {
            samples[done - warm_up] = end - start;
        }
    }
    return pthread_join(other, NULL);
}

int plain_cache_line_rally(uint64_t *samples, size_t count, size_t warm_up) {
    return play(false, samples, count, warm_up);
}

int plain_futex_rally(uint64_t *samples, size_t count, size_t warm_up) {
    return play(true, samples, count, warm_up);
}
#endif
