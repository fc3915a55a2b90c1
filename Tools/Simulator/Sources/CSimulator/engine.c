// SPDX-License-Identifier: Apache-2.0

// The baton. All state here belongs to the thread that has it, so nothing is locked; a thread gives it away by posting the other one's semaphore.
//
// Each operation on an atomic word, a lock or a parker is a step, and behind some steps, which the seed chooses, another thread goes on. A thread
// that waits for descriptors is asked the kernel about when it is chosen. If none can run, the clock moves to the next deadline, but not before
// the kernel has delivered what its TCP has under way, which takes real time.

#define _GNU_SOURCE
#include "CSimulator.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 64, SLOTS = 8, MOST_STEPS = 20000000 };
// Milliseconds of real time for what TCP delivers.
enum { LONGEST_DELIVERY = 20000 };
static const uint64_t never = UINT64_MAX;

enum state { READY, AT_LOCK, PARKED, POLLING, SLEEPING, ENDED };

struct cell {
    uint64_t value;
    uint32_t mark;
    uint32_t owner; // of a lock: the thread's number and 1
};
enum { ALIVE = 0x4c495645, DEAD = 0x44454144 };

struct thread {
    sem_t baton;
    enum state state;
    unsigned number;
    struct cell *cell;
    uint64_t deadline;
    uint64_t steps_to_stop, stop_time;
    struct pollfd *entries;
    unsigned count;
    void *(*body)(void *);
    void *argument;
    void *slots[SLOTS];
    void (*destroy[SLOTS])(void *);
};

static struct thread threads[MOST_THREADS];
static unsigned thread_count;
static bool is_active, prints;
static uint64_t random_state, hash, steps, now_time = 1000000000;
static uint64_t until_switch, mean_run;
static __thread struct thread *self;

// MARK: Choices

static uint64_t draw(void) {
    uint64_t mixed = random_state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

static void mix(uint64_t number) { hash = (hash ^ number) * 0x100000001b3; hash ^= hash >> 29; }

void rx_sim_note(uint64_t number) {
    if (self == NULL) return;
    mix(number);
    if (prints) fprintf(stderr, "%8llu  note %lld\n", (unsigned long long)steps, (long long)number);
}

void rx_sim_fail(const char *sentence) {
    fprintf(stderr, "%s\n", sentence);
    fflush(stderr);
    _exit(RX_SIM_FOUND);
}

static void fail_waiting(void) {
    static const char *const names[] = {"ready", "at a lock", "parked", "polling", "sleeping", "ended"};
    fprintf(stderr, "deadlock: no thread can go on\n");
    for (unsigned i = 0; i < thread_count; i++) fprintf(stderr, "  thread %u: %s\n", i, names[threads[i].state]);
    fflush(stderr);
    _exit(RX_SIM_FOUND);
}

// MARK: The baton

static bool can_run(struct thread *thread, int milliseconds) {
    switch (thread->state) {
    case READY: return true;
    case AT_LOCK: return thread->cell->owner == 0;
    case POLLING:
        if (poll(thread->entries, thread->count, milliseconds) > 0) return true;
        return thread->deadline <= now_time;
    case PARKED: return thread->cell->value != 0 || thread->deadline <= now_time;
    case SLEEPING: return thread->deadline <= now_time;
    case ENDED: return false;
    }
    return false;
}

static struct thread *choose_from(struct thread *except, int milliseconds) {
    unsigned start = draw() % thread_count;
    for (unsigned i = 0; i < thread_count; i++) {
        struct thread *thread = &threads[(start + i) % thread_count];
        if (thread != except && can_run(thread, milliseconds)) return thread;
    }
    return NULL;
}

static void pass_to(struct thread *next) {
    struct thread *me = self;
    mix(steps << 8 | next->number);
    if (prints) fprintf(stderr, "%8llu  thread %u goes on, at %llu\n", (unsigned long long)steps, next->number, (unsigned long long)now_time);
    next->state = READY;
    if (next == me) return;
    sem_post(&next->baton);
    // A thread that has ended stays, so that the system does nothing beside the one that runs.
    while (sem_wait(&me->baton) != 0) {}
}

/// True if a thread waits until it can send.
static bool awaits_room(int descriptor) {
    for (unsigned i = 0; i < thread_count; i++) {
        if (threads[i].state != POLLING) continue;
        for (unsigned entry = 0; entry < threads[i].count; entry++) {
            if (threads[i].entries[entry].fd == descriptor && threads[i].entries[entry].events & POLLOUT) return true;
        }
    }
    return false;
}

/// Lets another thread run until this one, which waits, can go on.
static void wait_for_turn(void) {
    for (int attempt = 0; attempt < 100; attempt++) {
        struct thread *next = choose_from(NULL, 0);
        if (next != NULL) return pass_to(next);
        uint64_t first = never;
        for (unsigned i = 0; i < thread_count; i++) {
            if (threads[i].state >= PARKED && threads[i].state != ENDED && threads[i].deadline < first) first = threads[i].deadline;
        }
        int longest = first == never ? 20 : LONGEST_DELIVERY;
        for (int wait = 0; (first == never || rx_sim_is_under_way(awaits_room)) && wait < longest; wait++) {
            next = choose_from(NULL, 1);
            if (next != NULL) return pass_to(next);
        }
        if (first != never) now_time = first;
    }
    fail_waiting();
}

static void wait_as(enum state state, uint64_t deadline) {
    self->deadline = deadline;
    self->state = state;
    wait_for_turn();
}

static void draw_run(void) { until_switch = 1 + draw() % (2 * mean_run); }

static void step(void) {
    if (++steps > MOST_STEPS) rx_sim_fail("livelock: the program does not come to its end");
    if (self->steps_to_stop != 0 && --self->steps_to_stop == 0) return wait_as(SLEEPING, now_time + self->stop_time);
    if (--until_switch != 0) return;
    draw_run();
    // A thread that is interrupted may come back late.
    if (draw() % 8 == 0) now_time += draw() % 200000;
    // Sometimes so late that the others do all they can meanwhile, up to their end: chance alone would hardly choose them that often.
    if (draw() % 16 == 0) return wait_as(SLEEPING, now_time + draw() % 4000000);
    struct thread *next = choose_from(self, 0);
    if (next != NULL) pass_to(next);
}

void rx_sim_point(void) {
    if (self != NULL) step();
}

void rx_sim_begin(uint64_t seed) {
    random_state = seed * 0x9e3779b97f4a7c15 + 1;
    static const uint64_t means[] = {4, 16, 64, 256, 1024};
    mean_run = means[draw() % 5];
    draw_run();
    self = &threads[0];
    thread_count = 1;
    sem_init(&self->baton, 0, 0);
    is_active = true;
}

uint64_t rx_sim_end(void) {
    mix(steps);
    self = NULL;
    is_active = false;
    return hash;
}

uint64_t rx_sim_steps(void) { return steps; }
void rx_sim_trace(bool on) { prints = on; }

uint64_t rx_sim_now(void) {
    if (self != NULL) now_time += 100;
    return now_time;
}

static void *run(void *argument) {
    self = argument;
    while (sem_wait(&self->baton) != 0) {}
    self->body(self->argument);
    for (int slot = 0; slot < SLOTS; slot++) {
        void *value = self->slots[slot];
        self->slots[slot] = NULL;
        if (value != NULL && self->destroy[slot] != NULL) self->destroy[slot](value);
    }
    self->state = ENDED;
    wait_for_turn();
    return NULL;
}

int rx_sim_start(void *(*body)(void *), void *argument, bool may_fail) {
    if (self == NULL) rx_sim_fail("a thread is started outside the simulation");
    step();
    if (thread_count == MOST_THREADS || (may_fail && draw() % 16 == 0)) return EAGAIN;
    struct thread *made = &threads[thread_count];
    made->number = thread_count++;
    made->body = body;
    made->argument = argument;
    sem_init(&made->baton, 0, 0);
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    int status = pthread_create(&thread, &attributes, run, made);
    if (status != 0) rx_sim_fail("the system has no thread");
    step();
    return 0;
}

void rx_sim_sleep(uint64_t nanoseconds) {
    if (self == NULL) return;
    steps++;
    wait_as(SLEEPING, now_time + nanoseconds);
}

void rx_sim_stop_within(uint64_t count, uint64_t nanoseconds) {
    self->steps_to_stop = count;
    self->stop_time = nanoseconds;
}

int rx_sim_poll(struct pollfd *entries, unsigned count, int64_t nanoseconds) {
    int ready = poll(entries, count, 0);
    if (self == NULL) return ready;
    if (ready == 0 && nanoseconds != 0) {
        self->entries = entries;
        self->count = count;
        steps++;
        wait_as(POLLING, nanoseconds < 0 ? never : now_time + (uint64_t)nanoseconds);
        ready = poll(entries, count, 0);
    } else {
        step();
    }
    mix((uint64_t)ready);
    return ready;
}

// MARK: Words, locks and parkers of the library

static struct cell *entered(void *address) {
    struct cell *cell = address;
    if (cell->mark != ALIVE) rx_sim_fail(cell->mark == DEAD ? "a word is used after its end" : "a word is used that is none");
    if (self != NULL) step();
    // Another thread may have ended its life meanwhile.
    if (cell->mark != ALIVE) rx_sim_fail("a word is used after its end");
    return cell;
}

void *rx_model_make(uint64_t value, int32_t kind) {
    struct cell *cell = malloc(sizeof *cell);
    *cell = (struct cell){.value = value, .mark = ALIVE};
    return cell;
}

void rx_model_free(void *address) {
    struct cell *cell = address;
    if (cell->mark != ALIVE) rx_sim_fail("a word ends twice");
    cell->mark = DEAD;
    // Kept in a simulation, so that a later use is noticed.
    if (!is_active) free(cell);
}

uint64_t rx_model_load(void *cell, int32_t order) { return __atomic_load_n(&entered(cell)->value, __ATOMIC_SEQ_CST); }
void rx_model_store(void *cell, uint64_t value, int32_t order) { __atomic_store_n(&entered(cell)->value, value, __ATOMIC_SEQ_CST); }
uint64_t rx_model_exchange(void *cell, uint64_t value, int32_t order) {
    return __atomic_exchange_n(&entered(cell)->value, value, __ATOMIC_SEQ_CST);
}
int32_t rx_model_compare_exchange(void *cell, uint64_t *expected, uint64_t desired, int32_t success, int32_t failure) {
    return __atomic_compare_exchange_n(&entered(cell)->value, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}
uint64_t rx_model_fetch_add(void *cell, uint64_t value, int32_t order) {
    return __atomic_fetch_add(&entered(cell)->value, value, __ATOMIC_SEQ_CST);
}

uint64_t rx_model_plain_load(void *address) {
    struct cell *cell = address;
    if (cell->mark != ALIVE) rx_sim_fail("a plain word is used after its end");
    return cell->value;
}

void rx_model_plain_store(void *address, uint64_t value) {
    struct cell *cell = address;
    if (cell->mark != ALIVE) rx_sim_fail("a plain word is used after its end");
    cell->value = value;
}

uint64_t rx_model_thread(void) { return self != NULL ? self->number + 1 : (uint64_t)pthread_self(); }

void rx_model_lock(void *address) {
    struct cell *cell = entered(address);
    if (self == NULL) return;
    if (cell->owner == self->number + 1) rx_sim_fail("a thread locks a lock that it holds");
    while (cell->owner != 0) {
        self->cell = cell;
        wait_as(AT_LOCK, never);
    }
    cell->owner = self->number + 1;
}

int32_t rx_model_try_lock(void *address) {
    struct cell *cell = entered(address);
    if (self == NULL) return 1;
    if (cell->owner != 0) return 0;
    cell->owner = self->number + 1;
    return 1;
}

void rx_model_unlock(void *address) {
    struct cell *cell = address;
    if (cell->mark != ALIVE) rx_sim_fail("a lock is used after its end");
    cell->owner = 0;
    if (self != NULL) step();
}

void rx_sim_park(void *address, uint64_t deadline) {
    struct cell *cell = entered(address);
    if (self == NULL) rx_sim_fail("a thread outside the simulation waits");
    if (cell->value == 0) {
        self->cell = cell;
        wait_as(PARKED, deadline);
    }
    cell->value = 0;
}

void rx_model_unpark(void *cell) { entered(cell)->value = 1; }

void rx_model_yield(void) {
    if (self == NULL) return;
    steps++;
    // Time passes, so that a thread which yields until a deadline comes to it.
    now_time += 1000;
    struct thread *next = choose_from(self, 0);
    if (next != NULL) pass_to(next);
}

static void *first_slots[SLOTS];

void *rx_model_slot_get(uint64_t slot) { return self != NULL ? self->slots[slot] : first_slots[slot]; }

void rx_model_slot_set(uint64_t slot, void *value, void (*destroy)(void *)) {
    if (self == NULL) {
        first_slots[slot] = value;
        return;
    }
    self->slots[slot] = value;
    self->destroy[slot] = destroy;
}
