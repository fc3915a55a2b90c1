// SPDX-License-Identifier: Apache-2.0

// Opening files, and looking them up, without waiting for a disk, a server or another process.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// As in <linux/openat2.h>, which older systems lack.
struct open_arguments {
    uint64_t flags;
    uint64_t mode;
    uint64_t resolve;
};
enum { RESOLVE_FROM_CACHE = 0x20 };

static int open_cached(const char *path, int flags) {
#ifdef SYS_openat2
    struct open_arguments arguments = {.flags = (uint64_t)(unsigned)flags, .resolve = RESOLVE_FROM_CACHE};
    int opened = (int)syscall(SYS_openat2, AT_FDCWD, path, &arguments, sizeof arguments);
    if (opened >= 0) return opened;
    // A kernel without the call or the flag, or a sandbox that forbids the call: only a thread that may wait knows more.
    if (errno == ENOSYS || errno == EINVAL || errno == EPERM) return -EAGAIN;
    return -errno;
#else
    (void)path, (void)flags;
    return -EAGAIN;
#endif
}

static int status_at(int directory, const char *path, int flags, rx_file_status *status) {
    struct statx found;
    if (statx(directory, path, flags, STATX_TYPE | STATX_INO | STATX_SIZE, &found) != 0) return -errno;
    status->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    status->number = found.stx_ino;
    status->size = (int64_t)found.stx_size;
    status->mode = found.stx_mode;
    return 0;
}

int rx_file_status_of(int descriptor, rx_file_status *status) {
    return status_at(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, status);
}

int rx_file_look_up(const char *path, bool follows_link, bool cached, rx_file_status *status) {
    if (!cached) return status_at(AT_FDCWD, path, AT_STATX_SYNC_AS_STAT | (follows_link ? 0 : AT_SYMLINK_NOFOLLOW), status);
    int opened = open_cached(path, O_PATH | O_CLOEXEC | (follows_link ? 0 : O_NOFOLLOW));
    if (opened < 0) return opened;
    int result = rx_file_status_of(opened, status);
    close(opened);
    return result;
}

int rx_file_open(const char *path, int flags, uint32_t permissions, bool cached) {
    if (cached) return open_cached(path, flags | O_CLOEXEC);
    int opened = open(path, flags | O_CLOEXEC, (mode_t)permissions);
    return opened >= 0 ? opened : -errno;
}

#endif
