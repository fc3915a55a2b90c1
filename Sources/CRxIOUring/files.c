// SPDX-License-Identifier: Apache-2.0

// Reading files without waiting, and watching them.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>

int64_t rx_read_cached(int descriptor, void *address, size_t length, int64_t offset) {
#ifdef RWF_NOWAIT
    size_t done = 0;
    while (done < length) {
        struct iovec piece = {.iov_base = (char *)address + done, .iov_len = length - done};
        ssize_t count = preadv2(descriptor, &piece, 1, offset + (int64_t)done, RWF_NOWAIT);
        // Linux 5.9 and 5.10 return 0 for what is not in memory, too: only who may wait knows the end of the file.
        if (count == 0 && done == 0) return -EAGAIN;
        if (count == 0) break;
        if (count > 0) {
            done += (size_t)count;
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return (int64_t)done;
#else
    (void)descriptor, (void)address, (void)length, (void)offset;
    return -EOPNOTSUPP;
#endif
}

int rx_watcher_make(void) {
    int made = inotify_init1(IN_CLOEXEC);
    return made >= 0 ? made : -errno;
}

static const uint32_t name_events = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM;

// Without IN_MASK_ADD the kernel empties the mask of a watch that is there before it sets the same one: an event of that moment is lost.
static int watch(int watcher, const char *path, uint32_t mask) {
    int number = inotify_add_watch(watcher, path, mask | IN_MASK_ADD);
    return number >= 0 ? number : -errno;
}

int rx_watch_directory(int watcher, const char *path) {
    // A removed directory in which a process works still has the name ".", and no event tells of its end.
    // The loop must not wait for a server.
    struct statx status;
    int result = statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_NLINK, &status);
    if (result == 0 && status.stx_nlink == 0) return -ENOENT;
    return watch(watcher, path, name_events | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
}

int rx_watch_file(int watcher, const char *path) { return watch(watcher, path, IN_MODIFY); }

int rx_watch_open_file(int watcher, int descriptor, const char *path) {
    char of_descriptor[32];
    snprintf(of_descriptor, sizeof of_descriptor, "/proc/self/fd/%d", descriptor);
    int number = rx_watch_file(watcher, of_descriptor);
    return number == -ENOENT ? rx_watch_file(watcher, path) : number;
}

void rx_watch_remove(int watcher, int watch) { inotify_rm_watch(watcher, watch); }

size_t rx_watch_parse(const void *bytes, size_t length, size_t offset, rx_watch_event *event) {
    struct inotify_event head;
    if (offset + sizeof head > length) return 0;
    memcpy(&head, (const char *)bytes + offset, sizeof head);
    event->watch = head.wd;
    event->name = head.len > 0 ? (const char *)bytes + offset + sizeof head : "";
    event->kinds = (head.mask & name_events ? RX_WATCH_NAME : 0) | (head.mask & IN_MODIFY ? RX_WATCH_CONTENT : 0) |
                   (head.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT) ? RX_WATCH_GONE : 0) |
                   (head.mask & IN_Q_OVERFLOW ? RX_WATCH_OVERFLOW : 0);
    return sizeof head + head.len;
}

#endif
