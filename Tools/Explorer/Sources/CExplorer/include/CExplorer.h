// SPDX-License-Identifier: Apache-2.0

#ifndef CEXPLORER_H
#define CEXPLORER_H

#include <stdbool.h>
#include <stdint.h>

// The explorer: runs a few coroutines as the threads of a scenario, again and again, under all schedules and all values that loads may
// return within the bounds given. How it works is told in Tools/Explorer/README.md.

enum { RX_MAX_THREADS = 8 };

// MARK: The operations of the code under exploration. Outside of an execution they are plain.

void *rx_model_make(uintptr_t value, int32_t kind);
void rx_model_free(void *cell);
uintptr_t rx_model_load(void *cell, int32_t order);
void rx_model_store(void *cell, uintptr_t value, int32_t order);
uintptr_t rx_model_exchange(void *cell, uintptr_t value, int32_t order);
int32_t rx_model_compare_exchange(void *cell, uintptr_t *expected, uintptr_t desired, int32_t success, int32_t failure);
uintptr_t rx_model_fetch_add(void *cell, uintptr_t value, int32_t order);
uintptr_t rx_model_plain_load(void *cell);
void rx_model_plain_store(void *cell, uintptr_t value);
void rx_model_lock(void *cell);
int32_t rx_model_try_lock(void *cell);
void rx_model_unlock(void *cell);
void rx_model_park(void *cell, int32_t can_time_out);
void rx_model_unpark(void *cell);
void rx_model_yield(void);
/// Which thread runs: 1, 2... in an execution, for the scenario itself a number of its own.
uintptr_t rx_model_thread(void);
/// Whether an execution is under way, and not its set-up or check.
bool rx_model_is_active(void);
/// A word for each thread; `destroy` is called with what is not null at the end of a thread.
void *rx_model_slot_get(uintptr_t slot);
void rx_model_slot_set(uintptr_t slot, void *value, void (*destroy)(void *));
/// Starts one more thread of the execution under way.
void rx_model_spawn(void (*body)(void *), void *context);

/// The same, as `pthread_create` has it.
void rx_model_start(void *(*body)(void *), void *argument);

// MARK: What scenarios call.

/// Ends the execution, and the exploration: the scenario has failed.
void rx_model_fail(const char *reason);
/// How many locks the calling thread holds.
int32_t rx_model_locks_held(void);
/// Names a cell in the schedules that are printed.
void rx_model_name(void *cell, const char *name);

/// Memory for what scenarios count: neither a point of switching nor looked at for races.
intptr_t rx_explorer_read(const intptr_t *p);
void rx_explorer_add(intptr_t *p, intptr_t change);

// MARK: Exploring

typedef struct {
    /// Prepares an execution, and returns how many threads it has.
    int32_t (*prepare)(void *context);
    void (*body)(void *context, int32_t thread);
    /// All threads have ended: looks whether all is well.
    void (*check)(void *context);
} rx_scenario;

typedef struct {
    int32_t preemptions;
    /// How many loads of an execution may return something else than the newest value.
    int32_t stale_loads;
    int32_t step_limit;
    /// Whether schedules that are equivalent to others are left out.
    bool reduces;
    /// Whether accesses to plain memory are checked for races, and for use after it was freed.
    bool checks_memory;
    /// Whether memory freed by a thread goes to the next allocation of its size, and not out of use until the end of the execution.
    bool reuses_memory;
    /// 0: depth first. Else the seed of a random walk, which ends with the budget.
    uint64_t seed;
    uint64_t max_executions;
    double max_seconds;
    /// Null, or choices to be made, as `rx_result` has them. Then there is one execution.
    const char *replay;
} rx_options;

enum { RX_COMPLETE, RX_BUDGET_SPENT, RX_FAILED };

typedef struct {
    int32_t outcome;
    uint64_t executions;
    uint64_t steps;
    double seconds;
    /// Of the longest execution.
    int32_t longest;
    /// Executions that were not carried out in full because a choice was beyond the bounds.
    uint64_t bounded;
} rx_result;

rx_result rx_explore(const rx_scenario *scenario, void *context, const rx_options *options);

/// One step of the last execution.
typedef struct {
    int32_t thread;
    const char *operation;
    const char *order;
    /// The word, by its number in order of creation; -1: none.
    int32_t word;
    const char *word_name;
    uintptr_t before, after;
    /// How many newer values there were.
    int32_t staleness;
    bool is_write;
    /// The address in the code.
    const void *caller;
} rx_step;

int32_t rx_step_count(void);
rx_step rx_step_at(int32_t index);
const char *rx_failure(void);
/// The places in the code that the failure is about, or null.
const void *rx_failure_place(int32_t index);
/// Where the program was loaded.
const void *rx_image_base(void);
/// The choices of the last execution; belongs to the explorer.
const char *rx_choices(void);

#endif
