// SPDX-License-Identifier: Apache-2.0

// Child processes, pipes, and descriptors whose flags are not ours to change.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

int rx_pipe(int *read_end, int *write_end, int capacity) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    if (capacity > 0 && fcntl(ends[1], F_SETPIPE_SZ, capacity) < 0) {
        int error = errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    *read_end = ends[0];
    *write_end = ends[1];
    return 0;
}

// Whether a call that was told not to wait failed because the kernel does not know how to.
static bool cannot_be_told(int error) { return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL || error == EPERM; }

static bool is_ready(int descriptor, short events) {
    struct pollfd entry = {.fd = descriptor, .events = events};
    int count;
    do count = poll(&entry, 1, 0);
    while (count < 0 && errno == EINTR);
    if (count == 0) errno = EAGAIN;
    return count > 0;
}

static mode_t mode_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : 0;
}

// Whether the kernel can be told so of pipes: from Linux 6.4 on. False also if there was no descriptor left to find out.
static bool pipes_can_be_told;

static void try_pipe(void) {
#ifdef RWF_NOWAIT
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    char byte;
    struct iovec piece = {.iov_base = &byte, .iov_len = 1};
    pipes_can_be_told = preadv2(ends[0], &piece, 1, -1, RWF_NOWAIT) >= 0 || !cannot_be_told(errno);
    close(ends[0]);
    close(ends[1]);
#endif
}

bool rx_can_be_told(int descriptor) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    switch (mode_of(descriptor)) {
    case S_IFREG:
    case S_IFBLK:
    case S_IFSOCK: return true;
    case S_IFIFO: pthread_once(&once, try_pipe); return pipes_can_be_told;
    default: return false;
    }
}

ssize_t rx_read_now(int descriptor, void *address, size_t length) {
#ifdef RWF_NOWAIT
    struct iovec piece = {.iov_base = address, .iov_len = length};
    ssize_t count = preadv2(descriptor, &piece, 1, -1, RWF_NOWAIT);
    if (count >= 0 || !cannot_be_told(errno)) return count;
#endif
    return is_ready(descriptor, POLLIN) ? read(descriptor, address, length) : -1;
}

// Two system calls each, in one turn of an event loop.
static const size_t most_single_bytes = 256;

// Writes as much as has room for certain in a descriptor that is ready: PIPE_BUF bytes in a pipe, in anything else a byte at a time.
static ssize_t write_when_ready(int descriptor, const void *address, size_t length) {
    if (fcntl(descriptor, F_GETFL) & O_NONBLOCK) return write(descriptor, address, length);
    bool is_pipe = mode_of(descriptor) == S_IFIFO;
    size_t piece = is_pipe ? PIPE_BUF : 1, most = is_pipe ? PIPE_BUF : most_single_bytes, done = 0;
    while (done < length && done < most && is_ready(descriptor, POLLOUT)) {
        size_t rest = length - done;
        ssize_t count = write(descriptor, (const char *)address + done, rest < piece ? rest : piece);
        // A descriptor of messages, as an eventfd, which takes nothing in parts.
        if (count < 0 && errno == EINVAL && done == 0 && piece < length) count = write(descriptor, address, length);
        if (count <= 0) return done > 0 ? (ssize_t)done : count;
        done += (size_t)count;
    }
    return done > 0 ? (ssize_t)done : -1;
}

ssize_t rx_write_now(int descriptor, const void *address, size_t length) {
#ifdef RWF_NOWAIT
    struct iovec piece = {.iov_base = (void *)address, .iov_len = length};
    ssize_t count = pwritev2(descriptor, &piece, 1, -1, RWF_NOWAIT);
    if (count >= 0 || !cannot_be_told(errno)) return count;
#endif
    return write_when_ready(descriptor, address, length);
}

int rx_readable_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

// Opens a path if that leads to the same terminal.
static int open_terminal(const char *path, int mode, unsigned number) {
    int made = open(path, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    unsigned other;
    if (made < 0 || ioctl(made, TIOCGDEV, &other) == 0 && other == number) return made;
    close(made);
    return -1;
}

static int reopen_terminal(int descriptor, const char *path, int mode) {
    unsigned number;
    int pseudo;
    // What controls a pseudo-terminal would be the beginning of another one.
    if (ioctl(descriptor, TIOCGDEV, &number) != 0 || ioctl(descriptor, TIOCGPTN, &pseudo) == 0) return -1;
    int made = open_terminal(path, mode, number);
    // The terminal of this session may be another user's.
    return made >= 0 ? made : open_terminal("/dev/tty", mode, number);
}

// Of a FIFO with a name, the kernel cannot be told not to wait: it learns that of an open file only where `pipe` has made it.
static int reopen_fifo(int descriptor, const char *path, int mode) {
    struct stat given, other;
    struct statfs system;
    if (fstatfs(descriptor, &system) != 0 || system.f_type == PIPEFS_MAGIC || fstat(descriptor, &given) != 0) return -1;
    // Fails with ENXIO for writing while nobody reads.
    int made = open(path, mode | O_NONBLOCK | O_CLOEXEC);
    if (made < 0) return -1;
    if (fstat(made, &other) == 0 && other.st_dev == given.st_dev && other.st_ino == given.st_ino) return made;
    close(made);
    return -1;
}

int rx_reopen_nonblocking(int descriptor) {
    int mode = fcntl(descriptor, F_GETFL) & O_ACCMODE;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    switch (mode_of(descriptor)) {
    case S_IFCHR: return reopen_terminal(descriptor, path, mode);
    case S_IFIFO: return reopen_fifo(descriptor, path, mode);
    default: return -1;
    }
}

int rx_duplicate(int descriptor) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    // A limit of three descriptors or fewer, which the system takes for a number that none can have.
    return copy >= 0 ? copy : errno == EINVAL ? -EMFILE : -errno;
}

static int prepare_actions(posix_spawn_file_actions_t *actions, const char *directory, const int *standard) {
    int status = 0;
    for (int number = 0; number < 3 && status == 0; number++)
        status = posix_spawn_file_actions_adddup2(actions, standard[number], number);
    // Whatever was opened without O_CLOEXEC, and is nobody's business there.
#if __GLIBC_PREREQ(2, 34)
    if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
#if __GLIBC_PREREQ(2, 29)
    if (status == 0 && directory) status = posix_spawn_file_actions_addchdir_np(actions, directory);
#else
    if (status == 0 && directory) status = ENOSYS;
#endif
    return status;
}

static int prepare_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, broken_pipe;
    sigemptyset(&none);
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    int status = posix_spawnattr_setsigmask(attributes, &none);
    if (status == 0) status = posix_spawnattr_setsigdefault(attributes, &broken_pipe);
    if (status == 0) status = posix_spawnattr_setpgroup(attributes, 0);
    if (status == 0)
        status = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return status;
}

static int spawn(const char *path, char *const *arguments, char *const *environment, const char *directory,
                 const int *standard, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) return status;
    status = posix_spawnattr_init(&attributes);
    if (status == 0) {
        status = prepare_actions(&actions, directory, standard);
        if (status == 0) status = prepare_attributes(&attributes);
        if (status == 0) status = posix_spawnp(pid, path, &actions, &attributes, arguments, environment ? environment : environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

int rx_spawn(const char *path, char *const *arguments, char *const *environment, const char *directory, int input,
             int output, int error_output, pid_t *pid) {
    const int given[3] = {input, output, error_output};
    int standard[3], made = 0, status = 0;
    for (; made < 3; made++) {
        // Put in place one after the other: one of ours in the place of another would be overwritten, or stay.
        standard[made] = rx_duplicate(given[made]);
        if (standard[made] < 0) {
            status = -standard[made];
            break;
        }
    }
    if (status == 0) status = spawn(path, arguments, environment, directory, standard, pid);
    while (made > 0) close(standard[--made]);
    return status;
}

int rx_pidfd_open(pid_t pid) {
#ifdef SYS_pidfd_open
    int made = (int)syscall(SYS_pidfd_open, pid, 0);
    return made >= 0 ? made : -errno;
#else
    (void)pid;
    return -ENOSYS;
#endif
}

int rx_reap(pid_t pid, int *status, int *signal) {
    int word;
    pid_t reaped = waitpid(pid, &word, WNOHANG);
    if (reaped <= 0) return reaped == 0 ? 0 : -errno;
    *status = WIFEXITED(word) ? WEXITSTATUS(word) : -1;
    *signal = WIFSIGNALED(word) ? WTERMSIG(word) : 0;
    return 1;
}

int rx_await_end(pid_t pid) {
    siginfo_t info;
    int status;
    do status = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
    while (status != 0 && errno == EINTR);
    return status == 0 ? 0 : errno;
}

bool rx_is_child(pid_t pid) {
    siginfo_t info;
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0;
}

#endif
