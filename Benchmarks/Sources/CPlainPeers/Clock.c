// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#define _GNU_SOURCE
#include "CPlainPeers.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

uint64_t plain_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t plain_allocated_bytes(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

void plain_sleep_until(uint64_t time) {
    // The system adds 50 microseconds to each sleep unless it is told otherwise. Per thread.
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    struct timespec until = {.tv_sec = (time_t)(time / 1000000000u), .tv_nsec = (long)(time % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

void plain_pause(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

double plain_atomic_nanoseconds(void) {
    enum { rounds = 20, operations = 100000 };
    static atomic_uint_fast64_t word;
    double least = 0;
    for (int round = 0; round < rounds; round++) {
        uint64_t start = plain_now();
        for (int done = 0; done < operations; done++) {
            atomic_fetch_add_explicit(&word, 1, memory_order_acq_rel);
        }
        double each = (double)(plain_now() - start) / operations;
        if (round == 0 || each < least) least = each;
    }
    return least;
}

uint64_t plain_thread_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// A line of /proc/self/status, in bytes.
static uint64_t status_line(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return 0;
    char line[256];
    unsigned long long kibibytes = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), ": %llu", &kibibytes) == 1) break;
    }
    fclose(file);
    return (uint64_t)kibibytes * 1024;
}

uint64_t plain_resident_bytes(void) { return status_line("VmRSS"); }

uint64_t plain_peak_resident_bytes(void) { return status_line("VmHWM"); }

bool plain_reset_peak_resident_bytes(void) {
#if defined(__GLIBC__)
    // Its first value. The threshold grows with the blocks that are freed, to 64 MiB, and a thread's heap keeps less than it for ever.
    mallopt(M_TRIM_THRESHOLD, 128 * 1024);
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file == NULL) return false;
    int written = fputs("5", file);
    return fclose(file) == 0 && written >= 0;
}
#endif
