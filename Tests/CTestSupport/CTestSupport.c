// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "CTestSupport.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/// For the calling thread, and those that it starts from now on.
static int forbid(int call, int error) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    // Needs no privileges then.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

int rx_test_forbid_uring(int error) { return forbid(SYS_io_uring_setup, error); }
int rx_test_forbid_statx(int error) { return forbid(SYS_statx, error); }
int rx_test_forbid_faccessat2(int error) { return forbid(SYS_faccessat2, error); }

static void do_nothing(int signal) { (void)signal; }

static int install(int signal, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    return sigaction(signal, &action, NULL) == 0 ? 0 : errno;
}

int rx_test_interrupt_by(int signal) { return install(signal, do_nothing); }

void rx_test_block_all_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

static atomic_int counted;
static void count(int signal) { (void)signal, atomic_fetch_add(&counted, 1); }

void rx_test_count_signal(int signal) { install(signal, count); }
int rx_test_counted_signals(void) { return atomic_load(&counted); }

static struct sigaction chained;
static void count_and_call(int signal, siginfo_t *info, void *context) {
    atomic_fetch_add(&counted, 1);
    if ((chained.sa_flags & SA_SIGINFO) != 0) chained.sa_sigaction(signal, info, context);
}

void rx_test_chain_signal(int signal) {
    struct sigaction action = {.sa_flags = SA_SIGINFO};
    action.sa_sigaction = count_and_call;
    sigaction(signal, &action, &chained);
}

int rx_test_counts_signal(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == count;
}

unsigned long rx_test_heap_bytes(void) {
#ifdef __GLIBC__
    return mallinfo2().uordblks;
#else
    return 0;
#endif
}

long rx_test_pass_descriptor(int socket, int descriptor, const char *bytes) {
    char control[CMSG_SPACE(sizeof descriptor)] = {0};
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = strlen(bytes)};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int rx_test_make_terminal(int *terminal, int *other_side) {
    *other_side = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*other_side < 0 || grantpt(*other_side) != 0 || unlockpt(*other_side) != 0) return errno;
    *terminal = open(ptsname(*other_side), O_RDWR | O_NOCTTY | O_CLOEXEC);
    return *terminal >= 0 ? 0 : errno;
}

void rx_test_become_user(unsigned user) {
    // Not setresuid of the C library, which changes all threads.
    syscall(SYS_setresuid, user, user, user);
    // The system then forbids this process to look at its own descriptors.
    prctl(PR_SET_DUMPABLE, 1);
}

void rx_test_raise(int signal) {
    sigset_t set, mask;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, &mask);
    raise(signal);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

void rx_test_end_after(unsigned seconds) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
}

static atomic_long foreign_count;

struct RxTestForeign *rx_test_make_foreign(void) {
    struct RxTestForeign *object = malloc(sizeof *object);
    if (object == NULL) abort();
    // No word that counts references of Swift's looks like this one: its reference is gone already.
    object->words[0] = object->words[1] = 7;
    object->references = 1;
    atomic_fetch_add(&foreign_count, 1);
    return object;
}

void rx_test_retain(struct RxTestForeign *object) { __atomic_fetch_add(&object->references, 1, __ATOMIC_RELAXED); }

void rx_test_release(struct RxTestForeign *object) {
    if (__atomic_fetch_sub(&object->references, 1, __ATOMIC_ACQ_REL) != 1) return;
    atomic_fetch_sub(&foreign_count, 1);
    free(object);
}

long rx_test_foreign_count(void) { return atomic_load(&foreign_count); }
