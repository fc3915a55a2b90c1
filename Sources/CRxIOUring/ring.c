// SPDX-License-Identifier: Apache-2.0

// Rings, by liburing. Without the trait LIBURING everything here says that there is no io_uring.

#define _GNU_SOURCE
#include "CRxIOUring.h"
#include <errno.h>
#include <stdlib.h>

// RX_LIBURING is set by the package's trait LIBURING, which also links the static library.
#ifdef RX_LIBURING
#if !__has_include(<liburing.h>)
#error "the trait LIBURING of swift-rx needs liburing: install liburing-dev, or build without the trait (event loops use epoll then)"
#endif
#define RX_HAS_RING 1
#endif

#ifdef RX_HAS_RING

#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

// ThreadSanitizer does not see how a ring's memory is mapped and unmapped: where one takes the place of another that is gone, it
// reports a race between the two threads. A ring is used by one thread, and by the kernel.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("thread"))), apply_to = function)
#endif

#include <liburing.h>

struct rx_ring {
    struct io_uring ring;
    // The entries of the pools; their buffers are the caller's.
    struct {
        struct io_uring_buf_ring *entries;
        size_t bytes;
        unsigned char *buffers;
        uint32_t count;
        uint32_t size;
    } pools[RX_POOLS];
};

bool rx_ring_is_built(void) { return true; }

// The operations without which the epoll backend is the better one.
static bool has_operations(struct io_uring *ring) {
    static const int needed[] = {IORING_OP_READ,    IORING_OP_WRITE,   IORING_OP_WRITEV,   IORING_OP_RECV,     IORING_OP_SEND,
                                 IORING_OP_RECVMSG, IORING_OP_SENDMSG, IORING_OP_CONNECT,
                                 IORING_OP_POLL_ADD, IORING_OP_ASYNC_CANCEL, IORING_OP_FSYNC};
    struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
    if (!probe) return false;
    bool all = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) all = all && io_uring_opcode_supported(probe, needed[i]);
    io_uring_free_probe(probe);
    return all;
}

rx_ring *rx_ring_make(unsigned entries, unsigned completions, int *error) {
    // Best first: a kernel rejects flags that it does not know.
    static const unsigned choices[] = {
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
        IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
        0,
    };
    rx_ring *made = calloc(1, sizeof *made);
    if (!made) {
        *error = ENOMEM;
        return NULL;
    }
    int status = -EINVAL;
    for (size_t i = 0; i < sizeof choices / sizeof *choices && status == -EINVAL; i++) {
        struct io_uring_params params;
        memset(&params, 0, sizeof params);
        params.flags = choices[i] | IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE;
        params.cq_entries = completions;
        status = io_uring_queue_init_params(entries, &made->ring, &params);
    }
    if (status == 0) {
        // Waiting with a timeout without a thread of liburing's own ideas, completions never dropped.
        const unsigned needed = IORING_FEAT_EXT_ARG | IORING_FEAT_NODROP | IORING_FEAT_FAST_POLL;
        status = -ENOSYS;
        if ((made->ring.features & needed) == needed && has_operations(&made->ring)) {
            // A filter of system calls may let a process make a ring, but not use it.
            status = io_uring_submit_and_get_events(&made->ring);
            if (status >= 0) return made;
        }
        io_uring_queue_exit(&made->ring);
    }
    free(made);
    *error = -status;
    return NULL;
}

void rx_ring_free(rx_ring *ring) {
    io_uring_queue_exit(&ring->ring);
    for (int i = 0; i < RX_POOLS; i++)
        if (ring->pools[i].entries) munmap(ring->pools[i].entries, ring->pools[i].bytes);
    free(ring);
}

bool rx_ring_prepare(rx_ring *ring, rx_operation operation, int descriptor, void *address, uint32_t length, int64_t offset,
                     uint32_t flags, uint64_t tag) {
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->ring);
    if (!sqe) return false;
    switch (operation) {
    case RX_READ:
        io_uring_prep_read(sqe, descriptor, address, length, (uint64_t)offset);
        if (flags & RX_APART) sqe->flags |= IOSQE_ASYNC;
        break;
    case RX_WRITE:
        io_uring_prep_write(sqe, descriptor, address, length, (uint64_t)offset);
        if (flags & RX_APART) sqe->flags |= IOSQE_ASYNC;
        break;
    case RX_WRITE_VECTOR: io_uring_prep_writev(sqe, descriptor, address, length, (uint64_t)offset); break;
    case RX_RECEIVE: io_uring_prep_recv(sqe, descriptor, address, length, (int)flags); break;
    case RX_RECEIVE_POOL:
    case RX_RECEIVE_BULK:
        io_uring_prep_recv(sqe, descriptor, NULL, length, (int)flags);
        sqe->flags |= IOSQE_BUFFER_SELECT;
        sqe->buf_group = operation == RX_RECEIVE_BULK ? RX_POOL_BULK : RX_POOL_USUAL;
        // Kernels that have pools (5.19) know this, too.
        if (offset == 1) sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
        break;
    case RX_SEND: io_uring_prep_send(sqe, descriptor, address, length, (int)flags); break;
    case RX_RECEIVE_MESSAGE: io_uring_prep_recvmsg(sqe, descriptor, address, flags); break;
    case RX_SEND_MESSAGE: io_uring_prep_sendmsg(sqe, descriptor, address, flags); break;
    case RX_CONNECT: io_uring_prep_connect(sqe, descriptor, address, length); break;
    case RX_POLL: io_uring_prep_poll_add(sqe, descriptor, flags); break;
    case RX_SYNCHRONIZE: io_uring_prep_fsync(sqe, descriptor, 0); break;
    // A poll of io_uring ends when the peer has sent everything, asked for or not. This one goes on behind that.
    case RX_HANG_UP: io_uring_prep_poll_multishot(sqe, descriptor, 0); break;
    }
    io_uring_sqe_set_data64(sqe, tag);
    return true;
}

bool rx_ring_prepare_cancel(rx_ring *ring, uint64_t tag, uint64_t own_tag) {
    struct io_uring_sqe *sqe = io_uring_get_sqe(&ring->ring);
    if (!sqe) return false;
    io_uring_prep_cancel64(sqe, tag, 0);
    io_uring_sqe_set_data64(sqe, own_tag);
    return true;
}

unsigned rx_ring_prepared(const rx_ring *ring) { return io_uring_sq_ready(&ring->ring); }

bool rx_ring_has_completions(const rx_ring *ring) {
    if (io_uring_cq_ready(&ring->ring) != 0) return true;
    return (IO_URING_READ_ONCE(*ring->ring.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

int rx_ring_enter(rx_ring *ring, bool wait, int64_t nanoseconds) {
    int status;
    struct io_uring_cqe *cqe;
    if (!wait) {
        // With IORING_ENTER_GETEVENTS, or deferred work would not be done.
        status = io_uring_submit_and_get_events(&ring->ring);
    } else if (nanoseconds < 0) {
        status = io_uring_submit_and_wait(&ring->ring, 1);
    } else {
        struct __kernel_timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
        status = io_uring_submit_and_wait_timeout(&ring->ring, &cqe, 1, &time, NULL);
    }
    return status < 0 ? status : 0;
}

unsigned rx_ring_take(rx_ring *ring, rx_completion *into, unsigned most) {
    unsigned head, count = 0;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(&ring->ring, head, cqe) {
        if (count == most) break;
        into[count].tag = cqe->user_data;
        into[count].result = cqe->res;
        into[count].flags = cqe->flags;
        count++;
    }
    io_uring_cq_advance(&ring->ring, count);
    return count;
}

int rx_ring_make_pool(rx_ring *ring, rx_pool group, void *buffers, uint32_t count, uint32_t size) {
    size_t bytes = count * sizeof(struct io_uring_buf);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -errno;
    struct io_uring_buf_reg registration;
    memset(&registration, 0, sizeof registration);
    registration.ring_addr = (uint64_t)(uintptr_t)memory;
    registration.ring_entries = count;
    registration.bgid = group;
    int status = io_uring_register_buf_ring(&ring->ring, &registration, 0);
    if (status != 0) {
        munmap(memory, bytes);
        return status;
    }
    ring->pools[group].entries = memory;
    ring->pools[group].bytes = bytes;
    ring->pools[group].buffers = buffers;
    ring->pools[group].count = count;
    ring->pools[group].size = size;
    io_uring_buf_ring_init(memory);
    for (uint32_t i = 0; i < count; i++)
        io_uring_buf_ring_add(memory, ring->pools[group].buffers + (size_t)i * size, size, (unsigned short)i, io_uring_buf_ring_mask(count),
                              (int)i);
    io_uring_buf_ring_advance(memory, (int)count);
    return 0;
}

void rx_ring_return_buffer(rx_ring *ring, rx_pool group, uint32_t number) {
    struct io_uring_buf_ring *entries = ring->pools[group].entries;
    uint32_t size = ring->pools[group].size;
    io_uring_buf_ring_add(entries, ring->pools[group].buffers + (size_t)number * size, size, (unsigned short)number,
                          io_uring_buf_ring_mask(ring->pools[group].count), 0);
    io_uring_buf_ring_advance(entries, 1);
}

#ifdef __clang__
#pragma clang attribute pop
#endif

#else

struct rx_ring {
    char nothing;
};

bool rx_ring_is_built(void) { return false; }

rx_ring *rx_ring_make(unsigned entries, unsigned completions, int *error) {
    (void)entries, (void)completions;
    *error = ENOSYS;
    return NULL;
}

// There is no ring to call these with.
void rx_ring_free(rx_ring *ring) { (void)ring, abort(); }
bool rx_ring_prepare(rx_ring *ring, rx_operation operation, int descriptor, void *address, uint32_t length, int64_t offset,
                     uint32_t flags, uint64_t tag) {
    (void)ring, (void)operation, (void)descriptor, (void)address, (void)length, (void)offset, (void)flags, (void)tag;
    abort();
}
bool rx_ring_prepare_cancel(rx_ring *ring, uint64_t tag, uint64_t own_tag) { (void)ring, (void)tag, (void)own_tag, abort(); }
unsigned rx_ring_prepared(const rx_ring *ring) { (void)ring, abort(); }
bool rx_ring_has_completions(const rx_ring *ring) { (void)ring, abort(); }
int rx_ring_enter(rx_ring *ring, bool wait, int64_t nanoseconds) { (void)ring, (void)wait, (void)nanoseconds, abort(); }
unsigned rx_ring_take(rx_ring *ring, rx_completion *into, unsigned most) { (void)ring, (void)into, (void)most, abort(); }
int rx_ring_make_pool(rx_ring *ring, rx_pool group, void *buffers, uint32_t count, uint32_t size) {
    (void)ring, (void)group, (void)buffers, (void)count, (void)size, abort();
}
void rx_ring_return_buffer(rx_ring *ring, rx_pool group, uint32_t number) { (void)ring, (void)group, (void)number, abort(); }

#endif
