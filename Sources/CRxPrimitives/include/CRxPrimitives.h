// SPDX-License-Identifier: Apache-2.0

// What RxPrimitives needs from the processor, the compiler and the kernel that Swift cannot express: the pause instruction, a
// barrier for the compiler, the kernel's number of the calling thread, and futexes.

#ifndef CRXPRIMITIVES_H
#define CRXPRIMITIVES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Processor and compiler

/// Tells the processor that the calling thread spins, so that it saves power and yields to its hyperthread.
static inline __attribute__((always_inline)) void rx_spin_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    // `yield` is a no-op on most cores; `isb` waits about as long as `pause` does on x86.
    __asm__ volatile("isb" ::: "memory");
#elif defined(__arm__)
    __asm__ volatile("yield" ::: "memory");
#else
    __asm__ volatile("" ::: "memory");
#endif
}

/// Keeps the compiler from moving a memory access or a reference count across the call. Compiles to no instruction.
static inline __attribute__((always_inline)) void rx_compiler_barrier(void) { __asm__ volatile("" ::: "memory"); }

/// A counter of the processor that advances at a constant rate, or 0 where a program cannot read one. Costs about 8 ns.
static inline __attribute__((always_inline)) uint64_t rx_processor_counter(void) {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

// MARK: Runtime

/// What is known of the layout of the Swift runtime: see RuntimeLayout.swift. 0 until it was probed. Threads may write the same.
extern uint8_t rx_layout;

static inline __attribute__((always_inline)) uint8_t rx_layout_load(void) { return __atomic_load_n(&rx_layout, __ATOMIC_RELAXED); }
static inline void rx_layout_store(uint8_t value) { __atomic_store_n(&rx_layout, value, __ATOMIC_RELAXED); }

// MARK: Threads

#if defined(__GLIBC__)
// Always in the static block of thread-local storage: one move, no call, also in a shared library.
#define RX_THREAD_LOCAL_MODEL __attribute__((tls_model("initial-exec")))
#else
#define RX_THREAD_LOCAL_MODEL
#endif

/// How many pointers the library keeps for each thread: see ThreadLocal.swift.
enum { RX_THREAD_SLOTS = 3 };

extern __thread void *rx_thread_slots[RX_THREAD_SLOTS] RX_THREAD_LOCAL_MODEL;

static inline __attribute__((always_inline)) void *rx_thread_slot_load(intptr_t slot) { return rx_thread_slots[slot]; }

/// Returns 0 or the errno for which the end of threads cannot be watched. The pointer is kept in both cases.
///
/// At the end of the thread the slot is emptied and `destroy` called with the pointer, unless one of them is null.
int rx_thread_slot_store(intptr_t slot, void *pointer, void (*destroy)(void *));

#if defined(__linux__)

/// The kernel's number of the calling thread, or 0 until `rx_thread_id_load` was called on it.
extern __thread uint32_t rx_thread_id_cache RX_THREAD_LOCAL_MODEL;

static inline __attribute__((always_inline)) uint32_t rx_thread_id_cached(void) { return rx_thread_id_cache; }

#else

static inline __attribute__((always_inline)) uint32_t rx_thread_id_cached(void) { return 0; }

#endif

/// Asks the kernel for the number of the calling thread and caches it. In a forked child the cache is empty again.
uint32_t rx_thread_id_load(void);

// MARK: Futexes

// Each returns 0 or an errno; ENOSYS where the system has no such thing. The word is shared by threads of one process only.

/// Waits until the calling thread owns the mutex, and lends its owner the caller's priority meanwhile. Of the word, the low 30 bits
/// are the number of the owner's thread; the highest bit tells that threads wait.
int rx_futex_lock_pi(uint32_t *word);
/// Passes the mutex to the waiting thread of the highest priority.
int rx_futex_unlock_pi(uint32_t *word);
/// Waits until woken, unless the word has changed.
int rx_futex_wait(uint32_t *word, uint32_t expected);
/// Wakes one thread.
int rx_futex_wake(uint32_t *word);

// MARK: Locks of other systems

/// A mutex in one zeroed word by os_unfair_lock, where there is one.
void rx_unfair_lock(uint32_t *word);
bool rx_unfair_try_lock(uint32_t *word);
void rx_unfair_unlock(uint32_t *word);

/// Sleeps for so many microseconds, or a little longer.
void rx_sleep_microseconds(uint32_t duration);

#ifdef __cplusplus
}
#endif

#endif
