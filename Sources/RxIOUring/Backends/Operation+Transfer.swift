// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

// The simulated backend performs parts of operations.

extension Operation {
    /// True if the operation belongs to a stream of bytes, of which any number may go at a time: not to datagrams, events or counters.
    var isOfByteStream: Bool {
        switch request.kind {
        case RX_READ, RX_WRITE, RX_WRITE_VECTOR:
            var status = stat()
            if fstat(request.descriptor, &status) != 0 { return false }
            switch status.st_mode & S_IFMT {
            case S_IFREG, S_IFIFO: return true
            case S_IFSOCK: return isOfStreamSocket
            default: return false
            }
        case RX_RECEIVE, RX_RECEIVE_POOL, RX_RECEIVE_BULK, RX_SEND, RX_SEND_MESSAGE, RX_CONNECT: return isOfStreamSocket
        case RX_SYNCHRONIZE: return true
        default: return false
        }
    }

    private var isOfRegularFile: Bool {
        var status = stat()
        return fstat(request.descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private var isOfStreamSocket: Bool {
        var type: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(request.descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0
            && type == CInt(SOCK_STREAM.rawValue)
    }

    /// The number of bytes that the operation would transfer, or nil if it transfers none.
    var transferLength: Int? {
        switch request.kind {
        // Nothing but its end makes a read of a file on a disk short.
        case RX_READ: return isOfRegularFile ? nil : request.length
        case RX_WRITE, RX_RECEIVE, RX_RECEIVE_POOL, RX_RECEIVE_BULK, RX_SEND: return request.length
        case RX_SEND_MESSAGE: return vectors.reduce(0) { $0 + $1.iov_len }
        default: return nil
        }
    }

    /// True if the operation transfers nothing, but waits for readiness.
    var isWatch: Bool { request.kind == RX_POLL || request.kind == RX_HANG_UP }

    /// The readiness that the operation waits for, as of `poll`.
    var awaitedEvents: Int16 {
        isWatch ? Int16(truncatingIfNeeded: request.flags) : Int16(isInput ? POLLIN : POLLOUT)
    }

    /// Performs the operation with the first bytes of its memory only.
    func perform(offering length: Int) -> Int32 {
        if request.kind == RX_SEND_MESSAGE { return sendMessage(offering: length) }
        let whole = request.length
        request.length = length
        defer { request.length = whole }
        return perform()
    }

    private var message: UnsafeMutablePointer<msghdr> { request.address!.assumingMemoryBound(to: msghdr.self) }

    private var vectors: UnsafeMutableBufferPointer<iovec> {
        UnsafeMutableBufferPointer(start: message.pointee.msg_iov, count: message.pointee.msg_iovlen)
    }

    private func sendMessage(offering length: Int) -> Int32 {
        let vectors = vectors
        var rest = length
        for (place, vector) in vectors.enumerated() {
            if rest > vector.iov_len {
                rest -= vector.iov_len
                continue
            }
            message.pointee.msg_iovlen = place + 1
            vectors[place].iov_len = rest
            defer {
                message.pointee.msg_iovlen = vectors.count
                vectors[place].iov_len = vector.iov_len
            }
            return perform()
        }
        return perform()
    }
}
