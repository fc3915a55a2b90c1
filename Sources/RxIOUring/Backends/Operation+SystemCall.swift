// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

extension Operation.Request {
    /// Indicates whether it reads, writes or synchronizes a file, and so blocks.
    var isOfFile: Bool {
        (kind == RX_READ || kind == RX_WRITE || kind == RX_WRITE_VECTOR) && offset >= 0 || kind == RX_SYNCHRONIZE
    }
}

extension Operation {
    /// True if the operation has to be performed where waiting does no harm.
    var runsApart: Bool { request.isOfFile || blocking == .disk || blocking == .server }

    /// True if the operation copies more bytes of a file than the loop itself has time for: 200 microseconds, in which it copies a megabyte or two.
    var isLargeRead: Bool { request.kind == RX_READ && request.isOfFile && request.length > 1 << 20 }

    /// True if the system may take for ever, for want of a server.
    var isDoubtful: Bool { blocking == .server || blocking == .disk }

    /// True if nothing is lost when the operation is abandoned.
    var isAbandonable: Bool { runsApart && request.kind == RX_READ && memory != nil }

    /// True if the operation waits for input, false if it waits for output.
    var isInput: Bool {
        if request.kind == RX_POLL { return request.flags & UInt32(POLLOUT) == 0 }
        return request.kind.isInput
    }

    /// True if readiness of the descriptor means that the operation is to be tried again.
    ///
    /// False for a `connect` that did not begin: a Unix socket whose listener has no room reports that by EAGAIN, and does not
    /// report when there is room.
    var canAwaitReadiness: Bool { request.kind != RX_CONNECT || hasBegun }

    /// Performs the operation by the system call of that name. Returns a result or a negated errno; `-EAGAIN` if it has to wait.
    ///
    /// Does not wait, except in operations that run off the loop.
    func perform() -> Int32 {
        let result = call()
        if result >= 0 { return Int32(clamping: result) }
        switch errno {
        case EWOULDBLOCK, EINPROGRESS, EALREADY: return -EAGAIN
        case let error: return -error
        }
    }

    /// Reads from a file as far as no waiting is needed. Returns the number of bytes, or nil if a thread that may wait is needed.
    func performWithoutWaiting() -> Int32? {
        guard request.kind == RX_READ, request.isOfFile, blocking != .server else { return nil }
        let result = rx_read_cached(request.descriptor, request.address!, request.length, request.offset)
        return result >= 0 ? Int32(clamping: result) : nil
    }

    private var isShared: Bool { blocking == .shared || blocking == .sharedAndWaiting }

    private func call() -> Int {
        while true {
            let result = callOnce()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private func callOnce() -> Int {
        let descriptor = request.descriptor
        let flags = CInt(truncatingIfNeeded: request.flags)
        switch request.kind {
        case RX_READ:
            if request.isOfFile { return pread(descriptor, request.address!, request.length, Int(request.offset)) }
            if isShared { return rx_read_now(descriptor, request.address!, request.length) }
            return read(descriptor, request.address!, request.length)
        case RX_WRITE:
            if request.isOfFile {
                let count = pwrite(descriptor, request.address!, request.length, Int(request.offset))
                // Some files of /proc have no offsets to write at.
                return count < 0 && errno == ESPIPE ? write(descriptor, request.address!, request.length) : count
            }
            if isShared { return rx_write_now(descriptor, request.address!, request.length) }
            return write(descriptor, request.address!, request.length)
        case RX_WRITE_VECTOR:
            let vectors = request.address!.assumingMemoryBound(to: iovec.self)
            let count = CInt(clamping: request.length)
            if request.isOfFile {
                let written = pwritev(descriptor, vectors, count, Int(request.offset))
                if written >= 0 || errno != ESPIPE { return written }
            }
            return writev(descriptor, vectors, count)
        case RX_RECEIVE, RX_RECEIVE_POOL, RX_RECEIVE_BULK:
            return rx_receive_now(descriptor, request.address!, request.length, flags)
        case RX_SEND:
            return rx_send_now(descriptor, request.address!, request.length, flags)
        case RX_RECEIVE_MESSAGE:
            return recvmsg(
                descriptor, request.address!.assumingMemoryBound(to: msghdr.self), flags | CInt(MSG_DONTWAIT))
        case RX_SEND_MESSAGE:
            return sendmsg(
                descriptor, request.address!.assumingMemoryBound(to: msghdr.self), flags | CInt(MSG_DONTWAIT))
        case RX_CONNECT:
            return connectOnce()
        case RX_POLL, RX_HANG_UP:
            // Without flags, as for a hang-up, the system reports only that a descriptor is broken.
            var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: flags), revents: 0)
            let count = Glibc.poll(&entry, 1, 0)
            if count == 0 { errno = EAGAIN }
            return count > 0 ? Int(entry.revents) : -1
        case RX_SYNCHRONIZE:
            return Int(fsync(descriptor))
        default:
            errno = EINVAL
            return -1
        }
    }

    /// Connects on the first call; on later calls asks for the outcome.
    private func connectOnce() -> Int {
        if !hasBegun {
            hasBegun = true
            let address = request.address!.assumingMemoryBound(to: sockaddr.self)
            let result = connect(request.descriptor, address, socklen_t(request.length))
            if result != 0, errno == EAGAIN { hasBegun = false }
            return Int(result)
        }
        var entry = pollfd(fd: request.descriptor, events: Int16(POLLOUT), revents: 0)
        if Glibc.poll(&entry, 1, 0) == 0 {
            errno = EAGAIN
            return -1
        }
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        if getsockopt(request.descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 { return -1 }
        errno = error
        return error == 0 ? 0 : -1
    }
}
