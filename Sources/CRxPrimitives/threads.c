// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#define _GNU_SOURCE
#endif

#include "CRxPrimitives.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

uint8_t rx_layout = 0;

__thread void *rx_thread_slots[RX_THREAD_SLOTS] RX_THREAD_LOCAL_MODEL = {NULL};
static __thread void (*slot_destroys[RX_THREAD_SLOTS])(void *);

static pthread_once_t watches_thread_ends = PTHREAD_ONCE_INIT;
static pthread_key_t thread_end;
static int thread_end_status;

static void destroy_slots(void *unused) {
    (void)unused;
    for (intptr_t slot = 0; slot < RX_THREAD_SLOTS; slot++) {
        void *pointer = rx_thread_slots[slot];
        // First: what `destroy` runs may store another one, and is called back for it.
        rx_thread_slots[slot] = NULL;
        if (pointer && slot_destroys[slot]) slot_destroys[slot](pointer);
    }
}

static void watch_thread_ends(void) { thread_end_status = pthread_key_create(&thread_end, destroy_slots); }

int rx_thread_slot_store(intptr_t slot, void *pointer, void (*destroy)(void *)) {
    rx_thread_slots[slot] = pointer;
    slot_destroys[slot] = destroy;
    pthread_once(&watches_thread_ends, watch_thread_ends);
    // Any value that is not null has the key's destructor called.
    return thread_end_status ? thread_end_status : pthread_setspecific(thread_end, rx_thread_slots);
}

#if defined(__linux__)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread uint32_t rx_thread_id_cache RX_THREAD_LOCAL_MODEL = 0;

static pthread_once_t watches_forks = PTHREAD_ONCE_INIT;

// Of the threads only the one that forked exists in the child, under another number.
static void forget_thread_id(void) { rx_thread_id_cache = 0; }

static void watch_forks(void) {
    // Fails only without memory. Then a child keeps the number of the thread it was forked from, as before the first lock.
    (void)pthread_atfork(NULL, NULL, forget_thread_id);
}

uint32_t rx_thread_id_load(void) {
    if (rx_thread_id_cache == 0) {
        pthread_once(&watches_forks, watch_forks);
        rx_thread_id_cache = (uint32_t)syscall(SYS_gettid);
    }
    return rx_thread_id_cache;
}

// 32-bit systems with a 64-bit time_t only have the call of the other name; without a timeout the two are the same.
#if !defined(SYS_futex) && defined(SYS_futex_time64)
#define SYS_futex SYS_futex_time64
#endif

static int futex(uint32_t *word, int operation, uint32_t value) {
    // The last three: no timeout, no second word.
    long result = syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
    return result < 0 ? errno : 0;
}

int rx_futex_lock_pi(uint32_t *word) { return futex(word, FUTEX_LOCK_PI, 0); }
int rx_futex_unlock_pi(uint32_t *word) { return futex(word, FUTEX_UNLOCK_PI, 0); }
int rx_futex_wait(uint32_t *word, uint32_t expected) { return futex(word, FUTEX_WAIT, expected); }
int rx_futex_wake(uint32_t *word) { return futex(word, FUTEX_WAKE, 1); }

#else

uint32_t rx_thread_id_load(void) { return 0; }
int rx_futex_lock_pi(uint32_t *word) { (void)word; return ENOSYS; }
int rx_futex_unlock_pi(uint32_t *word) { (void)word; return ENOSYS; }
int rx_futex_wait(uint32_t *word, uint32_t expected) { (void)word; (void)expected; return ENOSYS; }
int rx_futex_wake(uint32_t *word) { (void)word; return ENOSYS; }

#endif

#if defined(__APPLE__)

#include <os/lock.h>

void rx_unfair_lock(uint32_t *word) { os_unfair_lock_lock((os_unfair_lock_t)word); }
bool rx_unfair_try_lock(uint32_t *word) { return os_unfair_lock_trylock((os_unfair_lock_t)word); }
void rx_unfair_unlock(uint32_t *word) { os_unfair_lock_unlock((os_unfair_lock_t)word); }

#else

void rx_unfair_lock(uint32_t *word) { (void)word; }
bool rx_unfair_try_lock(uint32_t *word) { (void)word; return false; }
void rx_unfair_unlock(uint32_t *word) { (void)word; }

#endif

void rx_sleep_microseconds(uint32_t duration) {
    struct timespec time = {.tv_sec = duration / 1000000, .tv_nsec = (long)(duration % 1000000) * 1000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {}
}
