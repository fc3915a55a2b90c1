// SPDX-License-Identifier: Apache-2.0

// Opening files, and looking them up, without waiting for a disk, a server or another process.

#define _GNU_SOURCE
#include "CRxIOUring.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
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

// As in <linux/stat.h>, which older systems lack: the identifier of the mount, which is unique where the kernel knows the second bit.
enum { MOUNT_IDENTIFIER = 0x1000 | 0x4000, MOUNT_OFFSET = 0x90 };

static int old_status_at(int directory, const char *path, int flags, rx_file_status *status) {
    struct stat found;
    if (fstatat(directory, path, &found, flags) != 0) return -errno;
    *status = (rx_file_status){
        .device = (uint64_t)major(found.st_dev) << 32 | minor(found.st_dev),
        .number = found.st_ino,
        .size = found.st_size,
        .mode = found.st_mode,
    };
    return 0;
}

static int status_at(int directory, const char *path, int flags, rx_file_status *status) {
    struct statx found;
    if (statx(directory, path, flags, STATX_TYPE | STATX_INO | STATX_SIZE | MOUNT_IDENTIFIER, &found) != 0) {
        // A sandbox that does not know the call, or glibc in its place; the older call tells less.
        bool is_unknown = errno == ENOSYS || errno == EPERM || errno == EINVAL;
        return is_unknown ? old_status_at(directory, path, flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW), status) : -errno;
    }
    status->device = (uint64_t)found.stx_dev_major << 32 | found.stx_dev_minor;
    status->number = found.stx_ino;
    status->mount = 0;
    if (found.stx_mask & MOUNT_IDENTIFIER) memcpy(&status->mount, (char *)&found + MOUNT_OFFSET, sizeof status->mount);
    status->size = (int64_t)found.stx_size;
    status->mode = found.stx_mode;
    return 0;
}

int rx_file_status_of(int descriptor, rx_file_status *status) {
    return status_at(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, status);
}

int rx_file_name(int directory, const char *path, bool follows_link) {
    int opened = openat(directory, path, O_PATH | O_CLOEXEC | (follows_link ? 0 : O_NOFOLLOW));
    return opened < 0 ? -errno : opened;
}

int rx_file_look_up(const char *path, bool cached, rx_file_status *status) {
    if (!cached) return status_at(AT_FDCWD, path, AT_STATX_SYNC_AS_STAT, status);
    int opened = open_cached(path, O_PATH | O_CLOEXEC);
    if (opened < 0) return opened;
    int result = rx_file_status_of(opened, status);
    close(opened);
    return result;
}

int rx_file_may_be_written(int directory, const char *path) {
    // With another user than the effective one the question takes faccessat2, of Linux 5.8, which some sandboxes forbid.
    bool is_ordinary = geteuid() == getuid() && getegid() == getgid();
    long status = is_ordinary ? syscall(SYS_faccessat, directory, path, W_OK) : faccessat(directory, path, W_OK, AT_EACCESS);
    return status == 0 ? 0 : -errno;
}

// The magic numbers of file systems that wait for the kernel and its disks only, most of them from <linux/magic.h>. Others may wait for a server.
static const uint32_t local_file_systems[] = {
    0xef53 /* ext2, ext3, ext4 */, 0x58465342 /* xfs */, 0x9123683e /* btrfs */, 0xf2f52010 /* f2fs */, 0xca451a4e /* bcachefs */,
    0x2fc12fc1 /* zfs */, 0x52654973 /* reiserfs */, 0x3153464a /* jfs */, 0x3434 /* nilfs */, 0x4d44 /* vfat */, 0x2011bab0 /* exfat */,
    0x7366746e /* ntfs3 */, 0x9660 /* iso9660 */, 0x15013346 /* udf */, 0x73717368 /* squashfs */, 0xe0f5e1e2 /* erofs */,
    0x01021994 /* tmpfs */, 0x858458f6 /* ramfs */, 0x958458f6 /* hugetlbfs */, 0x794c7630 /* overlayfs */, 0x9fa0 /* proc */,
    0x62656572 /* sysfs */, 0x1cd1 /* devpts */, 0x0027e0eb /* cgroup */, 0x63677270 /* cgroup2 */, 0x64626720 /* debugfs */,
    0x74726163 /* tracefs */, 0x73636673 /* securityfs */, 0xcafe4a11 /* bpf */, 0x6e736673 /* nsfs */,
};

bool rx_file_system_is_local(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return false;
    for (size_t place = 0; place < sizeof local_file_systems / sizeof *local_file_systems; place++) {
        if ((uint32_t)status.f_type == local_file_systems[place]) return true;
    }
    return false;
}

int rx_file_open(const char *path, int flags, uint32_t permissions, bool cached) {
    if (cached) return open_cached(path, flags | O_CLOEXEC);
    int opened = open(path, flags | O_CLOEXEC, (mode_t)permissions);
    return opened >= 0 ? opened : -errno;
}

#endif
