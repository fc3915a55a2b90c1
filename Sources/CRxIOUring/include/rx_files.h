// SPDX-License-Identifier: Apache-2.0

// What files need beyond the C library that Swift sees: reading without waiting, and watching by inotify.
// Included by CRxIOUring.h.

#ifndef RX_FILES_H
#define RX_FILES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Reads at a place of a file if no byte of it has to be waited for: all that is asked for, or up to the end of the file.
///
/// How much was read, or a negated errno: EAGAIN where it would have to wait, EOPNOTSUPP where the file system cannot say.
int64_t rx_read_cached(int descriptor, void *address, size_t length, int64_t offset);

/// What happened to something watched, as bits.
typedef enum rx_watch_kind {
    RX_WATCH_NAME = 1,     // a name in a directory is new, or stands for nothing or another file
    RX_WATCH_CONTENT = 2,  // a file was written to, or its size changed
    RX_WATCH_GONE = 4,     // what was watched has moved or is no more
    RX_WATCH_OVERFLOW = 8, // events were lost: anything may have happened
} rx_watch_kind;

typedef struct rx_watch_event {
    /// What `rx_watch_file` or `rx_watch_directory` returned; -1 for an overflow.
    int32_t watch;
    /// Bits of rx_watch_kind. 0 for what nobody asked for.
    uint32_t kinds;
    /// The name in the directory, or empty. In the memory that was parsed.
    const char *name;
} rx_watch_event;

/// An inotify descriptor, closed in programs that are run, or a negated errno.
int rx_watcher_make(void);
/// Watches a directory for new names in it, and for its own end. A number, or a negated errno.
int rx_watch_directory(int watcher, const char *path);
/// Watches a file for changes of its content. A number, or a negated errno.
int rx_watch_file(int watcher, const char *path);
/// The same for an open file, whatever its name is by now; by `path` where there is no /proc.
int rx_watch_open_file(int watcher, int descriptor, const char *path);
/// Watches it no longer.
void rx_watch_remove(int watcher, int watch);
/// Parses the event at `offset` of what was read from the descriptor. Returns how many bytes it has; 0 at the end.
size_t rx_watch_parse(const void *bytes, size_t length, size_t offset, rx_watch_event *event);

#ifdef __cplusplus
}
#endif

#endif
