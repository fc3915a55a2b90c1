// SPDX-License-Identifier: Apache-2.0

// Opening files, and looking them up, without waiting for a disk, a server or another process.
// Included by CRxIOUring.h.

#ifndef RX_OPENS_H
#define RX_OPENS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The properties of a file that streams need.
typedef struct rx_file_status {
    /// Together they distinguish a file from all others that exist.
    uint64_t device;
    uint64_t number;
    /// Identifies the mount; no other one ever has it, from Linux 6.8 on. 0 before Linux 5.8.
    uint64_t mount;
    /// In bytes.
    int64_t size;
    /// The type and the permissions, as in `st_mode`.
    uint32_t mode;
} rx_file_status;

/// Looks a path up. 0 or a negated errno.
///
/// With `cached`, asks neither a disk nor a server: EAGAIN where the kernel cannot answer from memory (always before Linux 5.12).
int rx_file_look_up(const char *path, bool cached, rx_file_status *status);
/// Opens a path, relative to a directory or `AT_FDCWD`, only to name the file (`O_PATH`). A descriptor, or a negated errno. May wait for a server.
int rx_file_name(int directory, const char *path, bool follows_link);
/// The status of an open file as far as this machine knows it: asks no server, unless a sandbox forbids `statx`. 0 or a negated errno.
int rx_file_status_of(int descriptor, rx_file_status *status);
/// Whether this process may write to a file, by its effective user: 0 or a negated errno. May wait for a server.
int rx_file_may_be_written(int directory, const char *path);
/// Whether the file system of an open file waits for the kernel and its disks only. May wait for a server.
bool rx_file_system_is_local(int descriptor);
/// `open`. A descriptor, or a negated errno. `cached` as of `rx_file_look_up`: EAGAIN as well for files to be made or emptied.
int rx_file_open(const char *path, int flags, uint32_t permissions, bool cached);

#ifdef __cplusplus
}
#endif

#endif
