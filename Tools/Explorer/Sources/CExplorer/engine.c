// SPDX-License-Identifier: Apache-2.0

// The explorer's engine: coroutines as threads, a memory that keeps the history of each atomic word, and a depth-first search over the choices
// of the next thread and of the store that a load sees. See ../../README.md for what it does and what it does not do, and for the papers.

#define _GNU_SOURCE
#include "internal.h"
#include "switch.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { STACK_SIZE = 256 << 10, MAX_SLOTS = 3, MAX_LOCATIONS = 2040, VIEW = RX_MAX_THREADS + MAX_LOCATIONS };
enum { ACQUIRE = 1, RELEASE = 2, SEQUENTIAL = 4 };
enum { ATOMIC, PLAIN, LOCK, PARKER };
enum { UNUSED, READY, FINISHED };

typedef enum { START, LOAD, STORE, EXCHANGE, COMPARE_EXCHANGE, FETCH_ADD, TAKE_LOCK, TRY_LOCK, PARK, UNPARK, YIELD, SPAWN } operation;

static const char *operation_names[] = {"start",   "load", "store",  "exchange", "compareExchange", "fetchAdd",
                                        "lock",    "tryLock", "park", "unpark", "yield",    "spawn"};

// What a thread knows, or a store tells: entry t, for a thread t, how far that thread had come; entry RX_MAX_THREADS + l the newest store of
// location l, by its number, before which nothing may be read any more.
typedef struct {
    uint32_t length;
    uint16_t entries[];
} message;

typedef struct cell {
    uintptr_t value;  // the newest
    struct cell *next;
    const char *name;
    message *released;  // what the last holder of a lock, or who woke a parker, knew
    uint32_t epoch;     // the execution for which what is below holds
    uint32_t made_in;   // the execution during which it was made by a thread, else 0
    int32_t ordinal;
    uint16_t made_at;
    uint8_t made_by;
    uint8_t kind;
    bool is_dead;
    int8_t holder;
    int8_t writer;
    uint16_t location;
    uint16_t written_at;
    uint16_t read_at[RX_MAX_THREADS];
} cell;

typedef struct {
    uintptr_t value;
    message *tells;
} store;

// A word that threads share, in the current execution.
typedef struct {
    cell *cell;
    store *stores;  // in modification order
    uint32_t count, capacity;
    uint32_t sequential;  // no sequentially consistent load sees a store before this one
    // The last steps by thread that read and wrote it; what came before its last write, and before reads since, in the sense of dependence.
    int32_t last_read[RX_MAX_THREADS], last_write[RX_MAX_THREADS];
    int32_t write_past[RX_MAX_THREADS], read_past[RX_MAX_THREADS];
} location;

typedef struct {
    void *stack_pointer;
    char *stack;
    uint8_t state;
    bool has_yielded;
    // The step the thread is about to take.
    operation operation;
    cell *cell;
    int32_t location;  // -1: none
    bool writes, can_time_out;
    int32_t locks;
    int32_t past[RX_MAX_THREADS];  // for each thread the last step that comes before what this one does next
    void (*body)(void *);
    void *body_context;
    void *slots[MAX_SLOTS];
    uint16_t view[VIEW] __attribute__((aligned(64)));
} thread;

// A point at which there was a choice.
typedef struct {
    bool is_value;
    uint8_t chosen, usual;
    uint8_t enabled, backtrack, done;  // sets of threads
    uint8_t weak;                      // of them those that would go on because a time-out has come
    uint8_t previous;                  // the thread that ran, or 255
    uint8_t preemptions;               // spent before
    uint8_t count;                     // of values
} choice;

typedef struct {
    rx_step shown;
    int32_t choice;  // -1: there was none
    int32_t block;   // the first step of those without a switch in between
    uint8_t thread;
} step;

static struct {
    bool is_aborted;
    int32_t next_ordinal;
    void *engine_stack_pointer;
    const rx_scenario *scenario;
    void *context;
    rx_options options;
    thread threads[RX_MAX_THREADS];
    location *locations;
    int32_t location_count;
    step *steps;
    int32_t step_count;
    choice *choices;
    int32_t choice_count, choice_capacity, position;
    int32_t preemptions, stale_loads, writes_since_yield;
    uint64_t random;
    uint64_t bounded;
    cell *free_cells, *dead_cells;
    int64_t live_cells;
    char *arena;
    size_t arena_used;
    void (*slot_destroys[MAX_SLOTS])(void *);
    char failure[1024];
    const char *replay;
    char *choices_text;
    const void *places[2];
} x;

rx_shared rx_now;

enum { ARENA = 64 << 20 };

// MARK: Failing

static _Noreturn void leave_execution(void) {
    x.is_aborted = true;
    rx_now.is_active = false;
    void *dropped;
    rx_switch(&dropped, x.engine_stack_pointer);
    abort();
}

static bool is_running;

void rx_model_fail(const char *reason) {
    if (!is_running) {
        fprintf(stderr, "explore: failed outside of an execution: %s\n", reason);
        abort();
    }
    snprintf(x.failure, sizeof x.failure, "%s", reason);
    leave_execution();
}

void rx_fail_at_places(const char *reason, const void *here, const void *there) {
    x.places[0] = here;
    x.places[1] = there;
    rx_model_fail(reason);
}

const void *rx_failure_place(int32_t index) { return x.places[index]; }

static void fail_at(const char *reason, const cell *c) {
    char text[512];
    snprintf(text, sizeof text, "%s (word %d%s%s)", reason, c->ordinal, c->name ? " " : "", c->name ? c->name : "");
    rx_model_fail(text);
}

static void become(int number) {
    rx_now.current = number;
    rx_now.clocks = x.threads[number].view;
    rx_now.stack = x.threads[number].stack;
    rx_now.stack_end = x.threads[number].stack + STACK_SIZE;
}

// MARK: Cells

void *rx_model_make(uintptr_t value, int32_t kind) {
    cell *c = x.free_cells;
    if (c) {
        x.free_cells = c->next;
    } else {
        c = malloc(sizeof *c);
    }
    memset(c, 0, sizeof *c);
    c->value = value;
    c->kind = (uint8_t)kind;
    c->holder = -1;
    c->ordinal = x.next_ordinal++;
    if (rx_now.is_active) {
        c->made_in = rx_now.epoch;
        c->made_by = (uint8_t)rx_now.current;
        c->made_at = x.threads[rx_now.current].view[rx_now.current];
    }
    x.live_cells++;
    return c;
}

void rx_model_free(void *address) {
    cell *c = address;
    if (c->is_dead) return fail_at("a word is destroyed twice", c);
    c->is_dead = true;
    x.live_cells--;
    // Not used again before the end of the execution, so that a late access is noticed.
    c->next = x.dead_cells;
    x.dead_cells = c;
}

void rx_model_name(void *address, const char *name) { ((cell *)address)->name = name; }

static void look_alive(cell *c) {
    if (c->is_dead) fail_at("a word is used after it was destroyed", c);
}

static void look_initialized(cell *c) {
    if (rx_now.ignored[rx_now.current]) return;
    if (c->made_in == rx_now.epoch && c->made_by != rx_now.current && x.threads[rx_now.current].view[c->made_by] < c->made_at) {
        fail_at("a word is used by a thread that nothing orders behind its initialization", c);
    }
}

// Gives a word that is used for the first time in an execution its history: the value it has.
static location *locate(cell *c) {
    if (c->epoch == rx_now.epoch) return &x.locations[c->location];
    if (x.location_count == MAX_LOCATIONS) rx_model_fail("the scenario uses too many words");
    c->epoch = rx_now.epoch;
    c->location = (uint16_t)x.location_count++;
    c->released = NULL;
    location *l = &x.locations[c->location];
    l->cell = c;
    if (!l->stores) {
        l->capacity = 16;
        l->stores = malloc(l->capacity * sizeof *l->stores);
    }
    l->stores[0] = (store){c->value, NULL};
    l->count = 1;
    l->sequential = 0;
    for (int t = 0; t < RX_MAX_THREADS; t++) {
        l->last_read[t] = l->last_write[t] = l->write_past[t] = l->read_past[t] = -1;
        x.threads[t].view[RX_MAX_THREADS + c->location] = 0;
    }
    return l;
}

// MARK: Views

static void join(uint16_t *view, const message *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->length; i++) {
        if (view[i] < m->entries[i]) view[i] = m->entries[i];
    }
}

// The calling thread's knowledge, together with what another store tells, for as long as the execution lasts.
static message *tell(const message *other, bool knows) {
    if (!knows) return (message *)other;
    uint32_t length = RX_MAX_THREADS + (uint32_t)x.location_count;
    size_t size = (sizeof(message) + length * sizeof(uint16_t) + 15) & ~(size_t)15;
    if (x.arena_used + size > ARENA) rx_model_fail("the scenario is too long");
    message *m = (message *)(x.arena + x.arena_used);
    x.arena_used += size;
    m->length = length;
    memcpy(m->entries, x.threads[rx_now.current].view, length * sizeof(uint16_t));
    if (other) join(m->entries, other);
    return m;
}

// MARK: Choices

static uint64_t random_number(void) {
    x.random += 0x9E3779B97F4A7C15;
    uint64_t z = x.random;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static int lowest(unsigned set) { return __builtin_ctz(set); }

// What it costs, in preemptions, to choose a thread.
static int cost(const choice *c, int thread) {
    unsigned strong = c->enabled & ~c->weak;
    if (strong && (c->weak >> thread & 1)) return 1;
    return c->previous != 255 && (strong >> c->previous & 1) && thread != c->previous;
}

// The next choice of those to be replayed; -1: there is none.
static int replayed(void) {
    static int repeat, thread;
    if (x.position == 0) repeat = 0;
    if (repeat == 0) {
        while (*x.replay == ' ') x.replay++;
        if (!*x.replay) return -1;
        char kind = *x.replay++;
        long number = 1;
        if (*x.replay >= '0' && *x.replay <= '9') number = strtol(x.replay, (char **)&x.replay, 10);
        if (kind == '=') return (int)number;
        thread = kind - 'a' + 1;
        repeat = (int)number;
    }
    repeat--;
    return thread;
}

static choice *new_choice(void) {
    if (x.choice_count == x.choice_capacity) {
        x.choice_capacity = x.choice_capacity ? 2 * x.choice_capacity : 1024;
        x.choices = realloc(x.choices, (size_t)x.choice_capacity * sizeof *x.choices);
    }
    return memset(&x.choices[x.choice_count++], 0, sizeof *x.choices);
}

static int choose_thread(unsigned enabled, unsigned weak, int previous) {
    choice *c;
    if (x.position < x.choice_count) {
        c = &x.choices[x.position];
        if (c->is_value || c->enabled != enabled) rx_model_fail("the scenario is not deterministic");
    } else {
        c = new_choice();
        c->enabled = (uint8_t)enabled;
        c->weak = (uint8_t)weak;
        c->previous = (uint8_t)previous;
        c->preemptions = (uint8_t)(x.preemptions > 255 ? 255 : x.preemptions);
        unsigned strong = enabled & ~weak ? enabled & ~weak : enabled;
        c->usual = (uint8_t)(previous != 255 && (strong >> previous & 1) ? previous : lowest(strong));
        c->chosen = c->usual;
        int wanted = x.replay ? replayed() : -1;
        if (wanted > 0 && wanted < RX_MAX_THREADS && (enabled >> wanted & 1)) c->chosen = (uint8_t)wanted;
        if (x.options.seed && random_number() % 3 == 0) {
            int skip = (int)(random_number() % (unsigned)__builtin_popcount(enabled));
            unsigned rest = enabled;
            while (skip--) rest &= rest - 1;
            c->chosen = (uint8_t)lowest(rest);
        }
        c->done = (uint8_t)(1u << c->chosen);
        c->backtrack = (uint8_t)(x.options.reduces ? c->done : enabled);
    }
    x.position++;
    x.preemptions += cost(c, c->chosen);
    return c->chosen;
}

// 0: the usual value.
static int choose_value(int count) {
    choice *c;
    if (x.position < x.choice_count) {
        c = &x.choices[x.position];
        if (!c->is_value || c->count != count) rx_model_fail("the scenario is not deterministic");
    } else {
        c = new_choice();
        c->is_value = true;
        c->count = (uint8_t)count;
        int wanted = x.replay ? replayed() : -1;
        if (wanted > 0 && wanted < count) c->chosen = (uint8_t)wanted;
        if (x.options.seed && random_number() % 4 == 0) c->chosen = (uint8_t)(random_number() % (unsigned)count);
    }
    x.position++;
    return c->chosen;
}

// Whether there is one more path; if so, the choices lead to where it branches off.
static bool next_path(void) {
    while (x.choice_count > 0) {
        choice *c = &x.choices[x.choice_count - 1];
        if (c->is_value) {
            if (c->chosen + 1 < c->count) {
                c->chosen++;
                return true;
            }
        } else {
            unsigned left = c->backtrack & ~c->done & c->enabled;
            while (left) {
                int thread = lowest(left);
                left &= left - 1;
                c->done |= (uint8_t)(1u << thread);
                if (c->preemptions + cost(c, thread) > x.options.preemptions) {
                    x.bounded++;
                    continue;
                }
                c->chosen = (uint8_t)thread;
                return true;
            }
        }
        x.choice_count--;
    }
    return false;
}

// MARK: Partial order reduction

// Flanagan and Godefroid: where a step that is about to come could have come before another one, on which it depends, its thread has to be tried
// there; and, as preemptions are bounded, also before the block of that step (Coons, Musuvathi and McKinley).
static void backtrack(int32_t at, int thread) {
    int32_t places[2] = {at, x.steps[at].block};
    for (int i = 0; i < (places[0] == places[1] ? 1 : 2); i++) {
        int32_t index = x.steps[places[i]].choice;
        if (index < 0) continue;
        choice *c = &x.choices[index];
        c->backtrack |= (uint8_t)((c->enabled >> thread & 1) ? 1u << thread : c->enabled);
    }
}

// A thread has said which step it will take next.
static void notifyWork(int thread) {
    if (!x.options.reduces || x.threads[thread].location < 0) return;
    location *l = &x.locations[x.threads[thread].location];
    int32_t latest = -1;
    for (int other = 1; other < rx_now.count; other++) {
        if (other == thread) continue;
        int32_t known = x.threads[thread].past[other];
        if (l->last_write[other] > known && l->last_write[other] > latest) latest = l->last_write[other];
        if (x.threads[thread].writes && l->last_read[other] > known && l->last_read[other] > latest) {
            latest = l->last_read[other];
        }
    }
    if (latest >= 0) backtrack(latest, thread);
}

static void join_past(int32_t *past, const int32_t *other) {
    for (int t = 0; t < RX_MAX_THREADS; t++) {
        if (past[t] < other[t]) past[t] = other[t];
    }
}

// The current thread has taken a step at a location.
static void depend(int32_t index, location *l, bool wrote) {
    if (wrote) x.writes_since_yield++;
    if (!x.options.reduces) return;
    int me = rx_now.current;
    thread *t = &x.threads[me];
    join_past(t->past, l->write_past);
    if (wrote) join_past(t->past, l->read_past);
    t->past[me] = index;
    if (wrote) {
        memcpy(l->write_past, t->past, sizeof t->past);
        l->last_write[me] = index;
    } else {
        join_past(l->read_past, t->past);
        l->last_read[me] = index;
    }
    int32_t number = (int32_t)(l - x.locations);
    for (int other = 1; other < rx_now.count; other++) {
        thread *o = &x.threads[other];
        if (other != me && o->state == READY && o->location == number && (wrote || o->writes)) backtrack(index, other);
    }
}

// MARK: Switching

static bool is_enabled(const thread *t) {
    if (t->state != READY) return false;
    if (t->operation == TAKE_LOCK) return t->cell->holder < 0;
    if (t->operation == PARK) return t->cell->value != 0 || t->can_time_out;
    return true;
}

static void describe_waiting(char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "deadlock:");
    for (int t = 1; t < rx_now.count && used < size; t++) {
        if (x.threads[t].state != READY) continue;
        used += (size_t)snprintf(
            text + used, size - used, " thread %c waits in %s of word %d;", 'a' + t - 1,
            operation_names[x.threads[t].operation], x.threads[t].cell->ordinal);
    }
}

// Lets the explorer choose who goes on. Returns when it has chosen the caller.
static void reschedule(int me) {
    unsigned enabled = 0, weak = 0, yielded = 0, waiting = 0;
    for (int t = 1; t < rx_now.count; t++) {
        thread *o = &x.threads[t];
        if (o->state == READY) waiting++;
        if (!is_enabled(o)) continue;
        enabled |= 1u << t;
        if (o->operation == PARK && o->cell->value == 0) weak |= 1u << t;
        if (o->has_yielded) yielded |= 1u << t;
    }
    int next = 0;
    if (enabled == 0) {
        if (waiting) {
            char text[512];
            describe_waiting(text, sizeof text);
            rx_model_fail(text);
        }
    } else {
        // A thread that waits spinning for others goes on when one of them has changed something.
        if (enabled & ~yielded & ~weak) {
            enabled &= ~yielded;
        } else if (yielded) {
            if (x.writes_since_yield == 0 && enabled == yielded) rx_model_fail("livelock: all threads wait spinning");
            for (int t = 1; t < rx_now.count; t++) x.threads[t].has_yielded = false;
            x.writes_since_yield = 0;
        }
        weak &= enabled;
        if (x.step_count >= x.options.step_limit) rx_model_fail("livelock: the limit of steps is reached");
        int previous = x.step_count ? x.steps[x.step_count - 1].thread : 255;
        step *s = &x.steps[x.step_count];
        s->choice = -1;
        if (enabled & (enabled - 1)) {
            s->choice = x.position;
            next = choose_thread(enabled, weak, previous);
        } else {
            next = lowest(enabled);
        }
        s->thread = (uint8_t)next;
        s->block = previous == next ? x.steps[x.step_count - 1].block : x.step_count;
        memset(&s->shown, 0, sizeof s->shown);
        s->shown.thread = next;
        s->shown.word = -1;
        s->shown.operation = operation_names[x.threads[next].operation];
        s->shown.order = "";
        x.step_count++;
    }
    if (next == me) return;
    become(next);
    void *to = next ? x.threads[next].stack_pointer : x.engine_stack_pointer;
    rx_switch(&x.threads[me].stack_pointer, to);
}

static const char *order_name(int32_t order) {
    switch (order) {
    case 0: return "relaxed";
    case ACQUIRE: return "acquiring";
    case RELEASE: return "releasing";
    case ACQUIRE | RELEASE: return "acquiring and releasing";
    default: return "sequentially consistent";
    }
}

// A point where threads may be switched. Returns when the caller is to take the step.
static step *begin(operation operation, cell *c, bool writes, int32_t order, const void *caller) {
    int me = rx_now.current;
    thread *t = &x.threads[me];
    t->operation = operation;
    t->cell = c;
    t->writes = writes;
    t->location = -1;
    if (c) {
        look_alive(c);
        look_initialized(c);
        t->location = (int32_t)(locate(c) - x.locations);
        notifyWork(me);
    }
    reschedule(me);
    if (c) look_alive(c);
    step *s = &x.steps[x.step_count - 1];
    s->shown.order = c && c->kind == ATOMIC ? order_name(order) : "";
    s->shown.caller = caller;
    s->shown.is_write = writes;
    if (c) {
        s->shown.word = c->ordinal;
        s->shown.word_name = c->name;
        s->shown.before = s->shown.after = c->value;
    }
    return s;
}

static void end(step *s, location *l, bool wrote) {
    if (l) {
        s->shown.after = wrote ? l->cell->value : s->shown.after;
        depend((int32_t)(s - x.steps), l, wrote);
    }
    s->shown.is_write = wrote;
    x.threads[rx_now.current].location = -1;
    x.threads[rx_now.current].view[rx_now.current]++;
}

// MARK: Atomic words

static void see(location *l, uint32_t index, int32_t order) {
    uint16_t *view = x.threads[rx_now.current].view;
    uint16_t *own = &view[RX_MAX_THREADS + (l - x.locations)];
    if (*own < index) *own = (uint16_t)index;
    if (order & ACQUIRE) join(view, l->stores[index].tells);
    if (order & SEQUENTIAL && l->sequential < index) l->sequential = index;
}

static void append(location *l, uintptr_t value, int32_t order, const message *continued) {
    if (l->count == l->capacity) {
        l->capacity *= 2;
        l->stores = realloc(l->stores, l->capacity * sizeof *l->stores);
    }
    uint32_t index = l->count++;
    x.threads[rx_now.current].view[RX_MAX_THREADS + (l - x.locations)] = (uint16_t)index;
    l->stores[index] = (store){value, tell(continued, (order & RELEASE) != 0)};
    l->cell->value = value;
    if (order & SEQUENTIAL) l->sequential = index;
}

// The oldest store that the current thread may see.
static uint32_t oldest(location *l, int32_t order) {
    uint32_t first = x.threads[rx_now.current].view[RX_MAX_THREADS + (l - x.locations)];
    if (order & SEQUENTIAL && l->sequential > first) first = l->sequential;
    // In a deinit: the counts of references, which are not seen here, order it behind all that others have done to the object.
    if (rx_now.ignored[rx_now.current]) first = l->count - 1;
    return first;
}

uintptr_t rx_model_load(void *address, int32_t order) {
    cell *c = address;
    if (!rx_now.is_active) return look_alive(c), c->value;
    step *s = begin(LOAD, c, false, order, __builtin_return_address(0));
    location *l = locate(c);
    uint32_t newest = l->count - 1, first = oldest(l, order), back = 0;
    if (first < newest && x.stale_loads < x.options.stale_loads) back = (uint32_t)choose_value((int)(newest - first) + 1);
    if (back) x.stale_loads++;
    see(l, newest - back, order);
    uintptr_t value = l->stores[newest - back].value;
    s->shown.before = s->shown.after = value;
    s->shown.staleness = (int32_t)back;
    end(s, l, false);
    return value;
}

void rx_model_store(void *address, uintptr_t value, int32_t order) {
    cell *c = address;
    if (!rx_now.is_active) {
        look_alive(c);
        c->value = value;
        return;
    }
    step *s = begin(STORE, c, true, order, __builtin_return_address(0));
    location *l = locate(c);
    append(l, value, order, NULL);
    end(s, l, true);
}

// Of a read-modify-write that has seen the newest store.
static void replace(location *l, uintptr_t value, int32_t order) {
    uint32_t newest = l->count - 1;
    see(l, newest, order);
    // What the store before told is told on: a read-modify-write continues its release sequence.
    append(l, value, order, l->stores[newest].tells);
}

uintptr_t rx_model_exchange(void *address, uintptr_t value, int32_t order) {
    cell *c = address;
    uintptr_t before = c->value;
    if (!rx_now.is_active) {
        look_alive(c);
        c->value = value;
        return before;
    }
    step *s = begin(EXCHANGE, c, true, order, __builtin_return_address(0));
    before = c->value;
    location *l = locate(c);
    replace(l, value, order);
    end(s, l, true);
    return before;
}

uintptr_t rx_model_fetch_add(void *address, uintptr_t value, int32_t order) {
    cell *c = address;
    uintptr_t before = c->value;
    if (!rx_now.is_active) {
        look_alive(c);
        c->value = before + value;
        return before;
    }
    step *s = begin(FETCH_ADD, c, true, order, __builtin_return_address(0));
    before = c->value;
    location *l = locate(c);
    replace(l, before + value, order);
    end(s, l, true);
    return before;
}

int32_t rx_model_compare_exchange(void *address, uintptr_t *expected, uintptr_t desired, int32_t success, int32_t failure) {
    cell *c = address;
    if (!rx_now.is_active) {
        look_alive(c);
        bool is_equal = c->value == *expected;
        if (is_equal) {
            c->value = desired;
        } else {
            *expected = c->value;
        }
        return is_equal;
    }
    step *s = begin(COMPARE_EXCHANGE, c, true, success, __builtin_return_address(0));
    location *l = locate(c);
    uint32_t newest = l->count - 1;
    // One that fails is a load, which may see any store with another value.
    int options = 0;
    uint32_t stores[256];
    if (l->stores[newest].value == *expected) stores[options++] = newest;
    for (int64_t i = newest, first = oldest(l, failure); i >= first && options < 255; i--) {
        if (l->stores[i].value != *expected) stores[options++] = (uint32_t)i;
        if (x.stale_loads >= x.options.stale_loads) break;
    }
    uint32_t seen = stores[options > 1 ? choose_value(options) : 0];
    s->shown.staleness = (int32_t)(newest - seen);
    if (seen != newest) x.stale_loads++;
    uintptr_t value = l->stores[seen].value;
    bool is_equal = value == *expected;
    if (is_equal) {
        replace(l, desired, success);
    } else {
        see(l, seen, failure);
        *expected = value;
        s->shown.before = s->shown.after = value;
    }
    end(s, l, is_equal);
    return is_equal;
}

// MARK: Words that are not atomic

static cell *touch_plain(void *address) {
    cell *c = address;
    look_alive(c);
    look_initialized(c);
    if (c->epoch != rx_now.epoch) {
        c->epoch = rx_now.epoch;
        c->writer = -1;
        memset(c->read_at, 0, sizeof c->read_at);
    }
    if (c->writer >= 0 && c->writer != rx_now.current && x.threads[rx_now.current].view[c->writer] < c->written_at) {
        fail_at("data race: an access that nothing orders behind another thread's write", c);
    }
    return c;
}

uintptr_t rx_model_plain_load(void *address) {
    if (!rx_now.is_active || rx_now.ignored[rx_now.current]) return look_alive(address), ((cell *)address)->value;
    cell *c = touch_plain(address);
    c->read_at[rx_now.current] = x.threads[rx_now.current].view[rx_now.current];
    return c->value;
}

void rx_model_plain_store(void *address, uintptr_t value) {
    if (!rx_now.is_active || rx_now.ignored[rx_now.current]) {
        look_alive(address);
        ((cell *)address)->value = value;
        return;
    }
    cell *c = touch_plain(address);
    for (int t = 1; t < rx_now.count; t++) {
        if (t != rx_now.current && c->read_at[t] > x.threads[rx_now.current].view[t]) {
            fail_at("data race: a write that nothing orders behind another thread's read", c);
        }
    }
    c->writer = (int8_t)rx_now.current;
    c->written_at = x.threads[rx_now.current].view[rx_now.current];
    c->value = value;
}

// MARK: Locks and parkers

void rx_model_lock(void *address) {
    cell *c = address;
    if (!rx_now.is_active) {
        look_alive(c);
        if (c->holder >= 0) fail_at("deadlock: a lock is held by a thread that has ended", c);
        c->holder = (int8_t)rx_now.current;
        return;
    }
    step *s = begin(TAKE_LOCK, c, true, 0, __builtin_return_address(0));
    location *l = locate(c);
    c->holder = (int8_t)rx_now.current;
    join(x.threads[rx_now.current].view, c->released);
    x.threads[rx_now.current].locks++;
    end(s, l, true);
}

int32_t rx_model_try_lock(void *address) {
    cell *c = address;
    if (!rx_now.is_active) {
        look_alive(c);
        if (c->holder >= 0) return 0;
        c->holder = (int8_t)rx_now.current;
        return 1;
    }
    step *s = begin(TRY_LOCK, c, true, 0, __builtin_return_address(0));
    location *l = locate(c);
    bool is_free = c->holder < 0;
    if (is_free) {
        c->holder = (int8_t)rx_now.current;
        join(x.threads[rx_now.current].view, c->released);
        x.threads[rx_now.current].locks++;
    }
    end(s, l, true);
    return is_free;
}

void rx_model_unlock(void *address) {
    cell *c = address;
    look_alive(c);
    if (c->holder != rx_now.current) fail_at("a lock is given back by a thread that does not hold it", c);
    c->holder = -1;
    if (!rx_now.is_active) return;
    // No point of its own: what other threads do between this and the thread's next step, they can do before this as well.
    location *l = locate(c);
    c->released = tell(NULL, true);
    thread *t = &x.threads[rx_now.current];
    t->locks--;
    join_past(l->write_past, t->past);
    t->view[rx_now.current]++;
}

int32_t rx_model_locks_held(void) { return x.threads[rx_now.current].locks; }

void rx_model_park(void *address, int32_t can_time_out) {
    cell *c = address;
    if (!rx_now.is_active) {
        look_alive(c);
        if (!c->value && !can_time_out) fail_at("deadlock: the scenario waits for a thread that has ended", c);
        c->value = 0;
        return;
    }
    x.threads[rx_now.current].can_time_out = can_time_out != 0;
    step *s = begin(PARK, c, true, 0, __builtin_return_address(0));
    location *l = locate(c);
    if (c->value) join(x.threads[rx_now.current].view, c->released);
    c->value = 0;
    end(s, l, true);
}

void rx_model_unpark(void *address) {
    cell *c = address;
    if (!rx_now.is_active) {
        look_alive(c);
        c->value = 1;
        return;
    }
    step *s = begin(UNPARK, c, true, 0, __builtin_return_address(0));
    location *l = locate(c);
    c->released = tell(c->value ? c->released : NULL, true);
    c->value = 1;
    end(s, l, true);
}

void rx_model_yield(void) {
    if (!rx_now.is_active) return;
    x.threads[rx_now.current].has_yielded = true;
    step *s = begin(YIELD, NULL, false, 0, __builtin_return_address(0));
    x.threads[rx_now.current].has_yielded = false;
    // What others have stored becomes visible some time.
    for (int32_t i = 0; i < x.location_count; i++) {
        x.threads[rx_now.current].view[RX_MAX_THREADS + i] = (uint16_t)(x.locations[i].count - 1);
    }
    end(s, NULL, false);
}

// MARK: Threads

uintptr_t rx_model_thread(void) { return (uintptr_t)rx_now.current + 1; }

bool rx_model_is_active(void) { return rx_now.is_active; }

void *rx_model_slot_get(uintptr_t slot) { return x.threads[rx_now.current].slots[slot]; }

void rx_model_slot_set(uintptr_t slot, void *value, void (*destroy)(void *)) {
    if (slot >= MAX_SLOTS) abort();
    x.threads[rx_now.current].slots[slot] = value;
    x.slot_destroys[slot] = destroy;
}

static void run_thread(void) {
    thread *t = &x.threads[rx_now.current];
    // `begin` has no part in the first step: it was chosen by whoever switched here.
    t->location = -1;
    t->view[rx_now.current]++;
    if (t->body) {
        t->body(t->body_context);
    } else {
        x.scenario->body(x.context, rx_now.current - 1);
    }
    for (int i = 0; i < MAX_SLOTS; i++) {
        void *value = t->slots[i];
        t->slots[i] = NULL;
        if (value && x.slot_destroys[i]) x.slot_destroys[i](value);
    }
    if (t->locks) rx_model_fail("a thread ends while it holds a lock");
    t->state = FINISHED;
    reschedule(rx_now.current);
    abort();
}

static void make_stack(thread *t) {
    if (t->stack) return;
    t->stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (t->stack == MAP_FAILED) abort();
    mprotect(t->stack, 4096, PROT_NONE);
}

static void make_thread(int number, const thread *parent) {
    thread *t = &x.threads[number];
    make_stack(t);
    t->state = READY;
    t->has_yielded = false;
    t->operation = START;
    t->cell = NULL;
    t->location = -1;
    t->writes = t->can_time_out = false;
    t->locks = 0;
    t->body = NULL;
    memset(t->slots, 0, sizeof t->slots);
    if (parent) {
        memcpy(t->past, parent->past, sizeof t->past);
        memcpy(t->view, parent->view, (RX_MAX_THREADS + (size_t)x.location_count) * sizeof t->view[0]);
    } else {
        memset(t->past, -1, sizeof t->past);
        memset(t->view, 0, RX_MAX_THREADS * sizeof t->view[0]);
    }
    t->view[number] = 1;
    t->stack_pointer = rx_stack_prepare(t->stack + STACK_SIZE, run_thread);
}

void rx_model_spawn(void (*body)(void *), void *context) {
    if (!rx_now.is_active) rx_model_fail("a thread is started in the set-up or check of a scenario");
    step *s = begin(SPAWN, NULL, false, 0, __builtin_return_address(0));
    if (rx_now.count == RX_MAX_THREADS) rx_model_fail("the scenario starts too many threads");
    x.threads[rx_now.current].past[rx_now.current] = (int32_t)(s - x.steps);
    int number = rx_now.count;
    make_thread(number, &x.threads[rx_now.current]);
    x.threads[number].body = body;
    x.threads[number].body_context = context;
    rx_now.count++;
    end(s, NULL, false);
}

typedef struct {
    void *(*body)(void *);
    void *argument;
} started;

static void run_started(void *context) {
    started s = *(started *)context;
    free(context);
    s.body(s.argument);
}

void rx_model_start(void *(*body)(void *), void *argument) {
    started *s = malloc(sizeof *s);
    *s = (started){body, argument};
    rx_model_spawn(run_started, s);
}

// MARK: Executions

enum { PREPARE, CHECK };
static int scenario_part;
static int32_t prepared_count;

static void run_scenario_part(void) {
    if (scenario_part == PREPARE) {
        prepared_count = x.scenario->prepare(x.context);
    } else {
        x.scenario->check(x.context);
    }
    void *dropped;
    rx_switch(&dropped, x.engine_stack_pointer);
    abort();
}

// The scenario's own code runs on a coroutine, too, so that a failure can leave it.
static void run_part(int part) {
    scenario_part = part;
    become(0);
    make_stack(&x.threads[0]);
    rx_switch(&x.engine_stack_pointer, rx_stack_prepare(x.threads[0].stack + STACK_SIZE, run_scenario_part));
}

static void recycle_cells(void) {
    while (x.dead_cells) {
        cell *c = x.dead_cells;
        x.dead_cells = c->next;
        c->next = x.free_cells;
        x.free_cells = c;
    }
}

static bool execute(void) {
    rx_now.epoch++;
    memset(rx_now.ignored, 0, sizeof rx_now.ignored);
    x.places[0] = x.places[1] = NULL;
    x.next_ordinal = 0;
    x.location_count = 0;
    x.step_count = 0;
    x.position = 0;
    x.preemptions = x.stale_loads = x.writes_since_yield = 0;
    x.arena_used = 0;
    x.is_aborted = false;
    is_running = true;
    int64_t live = x.live_cells;
    run_part(PREPARE);
    if (!x.is_aborted) {
        if (prepared_count >= RX_MAX_THREADS) {
            fprintf(stderr, "explore: at most %d threads\n", RX_MAX_THREADS - 1);
            abort();
        }
        rx_now.count = prepared_count + 1;
        for (int t = 1; t < rx_now.count; t++) make_thread(t, NULL);
        rx_now.is_active = true;
        // The first choice, and from there on from thread to thread.
        thread *engine = &x.threads[0];
        engine->state = UNUSED;
        become(0);
        if (rx_now.count > 1) {
            unsigned enabled = ((1u << rx_now.count) - 1) & ~1u;
            step *s = &x.steps[0];
            memset(s, 0, sizeof *s);
            s->choice = -1;
            int next = lowest(enabled);
            if (enabled & (enabled - 1)) {
                s->choice = 0;
                next = choose_thread(enabled, 0, 255);
            }
            s->thread = (uint8_t)next;
            s->shown.thread = next;
            s->shown.word = -1;
            s->shown.operation = operation_names[START];
            s->shown.order = "";
            x.step_count = 1;
            become(next);
            rx_switch(&x.engine_stack_pointer, x.threads[next].stack_pointer);
        }
        rx_now.is_active = false;
    }
    become(0);
    if (!x.is_aborted) run_part(CHECK);
    is_running = false;
    if (!x.is_aborted && x.live_cells != live) {
        snprintf(
            x.failure, sizeof x.failure, "leak: %lld more words than before are alive at the end", (long long)(x.live_cells - live));
        x.is_aborted = true;
    }
    recycle_cells();
    rx_memory_end();
    return !x.is_aborted;
}

static bool is_failure(const char *kind) { return strncmp(x.failure, kind, strlen(kind)) == 0; }

// What looks like a leak or a race the first time may be something that a path makes for good, such as a global that it was the first to use.
// The second time lets go of what the first, which ended there, has left alive: fewer words than before are alive, and a third one tells.
static bool execute_path(void) {
    if (execute()) return true;
    if (!is_failure("leak") && !is_failure("data race")) return false;
    for (int repeats = 0; repeats < 2; repeats++) {
        if (x.replay) x.replay = x.options.replay;
        if (execute()) return true;
        if (!is_failure("leak: -")) return false;
    }
    return false;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void on_signal(int number) {
    if (!is_running) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    if (number == SIGALRM) {
        snprintf(x.failure, sizeof x.failure, "livelock: an execution does not end");
    } else {
        snprintf(x.failure, sizeof x.failure, "the code under exploration stopped with %s", strsignal(number));
    }
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    leave_execution();
}

static void catch_signals(void) {
    static char stack[64 << 10];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGALRM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

rx_result rx_explore(const rx_scenario *scenario, void *context, const rx_options *options) {
    if (!x.arena) {
        x.arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        x.locations = calloc(MAX_LOCATIONS, sizeof *x.locations);
        catch_signals();
    }
    x.scenario = scenario;
    x.context = context;
    x.options = *options;
    rx_now.checks_memory = options->checks_memory;
    rx_now.reuses_memory = options->reuses_memory;
    x.replay = NULL;
    x.steps = realloc(x.steps, ((size_t)options->step_limit + 2) * sizeof *x.steps);
    x.choice_count = 0;
    x.bounded = 0;
    x.failure[0] = 0;
    rx_result result = {.outcome = RX_COMPLETE};
    x.random = options->seed;
    x.replay = options->replay;
    double start = now();
    alarm(30);
    bool is_fine = execute_path();
    while (true) {
        result.executions++;
        result.steps += (uint64_t)x.step_count;
        if (x.step_count > result.longest) result.longest = x.step_count;
        if (!is_fine) {
            result.outcome = RX_FAILED;
            break;
        }
        if (options->replay) break;
        if (result.executions >= options->max_executions) {
            result.outcome = RX_BUDGET_SPENT;
            break;
        }
        if (result.executions % 64 == 0) {
            alarm(30);
            if (now() - start > options->max_seconds) {
                result.outcome = RX_BUDGET_SPENT;
                break;
            }
        }
        if (options->seed) {
            x.choice_count = 0;
        } else if (!next_path()) {
            break;
        }
        is_fine = execute_path();
    }
    alarm(0);
    result.seconds = now() - start;
    result.bounded = x.bounded;
    return result;
}

// MARK: Telling

const void *rx_image_base(void) {
    Dl_info info;
    return dladdr((void *)rx_explore, &info) ? info.dli_fbase : NULL;
}

int32_t rx_step_count(void) { return x.step_count; }

rx_step rx_step_at(int32_t index) { return x.steps[index].shown; }

const char *rx_failure(void) { return x.failure; }

const char *rx_choices(void) {
    int32_t end = x.choice_count < x.position ? x.choice_count : x.position;
    while (end > 0 && x.choices[end - 1].chosen == (x.choices[end - 1].is_value ? 0 : x.choices[end - 1].usual)) end--;
    x.choices_text = realloc(x.choices_text, (size_t)end * 5 + 1);
    char *to = x.choices_text;
    for (int32_t i = 0; i < end;) {
        choice *c = &x.choices[i];
        if (c->is_value) {
            to += sprintf(to, "=%d", c->chosen);
            i++;
            continue;
        }
        int32_t run = 0;
        while (i + run < end && !x.choices[i + run].is_value && x.choices[i + run].chosen == c->chosen) run++;
        to += run == 1 ? sprintf(to, "%c", 'a' + c->chosen - 1) : sprintf(to, "%c%d", 'a' + c->chosen - 1, run);
        i += run;
    }
    *to = 0;
    return x.choices_text;
}
