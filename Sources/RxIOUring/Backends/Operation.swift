// SPDX-License-Identifier: Apache-2.0

import CRxIOUring

/// One kernel operation on one descriptor. Used only on the loop thread.
///
/// The backend holds it from submission until its last completion, and with it, through the subclass, the memory that the kernel
/// reads or writes. Then it may be submitted again; by the completion itself, too, and the backend holds it on.
class Operation {
    /// An operation's kind, with arguments as of the system call of that name.
    struct Request {
        var kind: rx_operation
        var descriptor: CInt
        var address: UnsafeMutableRawPointer?
        var length = 0
        /// The position in the file; -1 stands for the file's current position.
        var offset: Int64 = -1
        var flags: UInt32 = 0
    }

    /// The request, which must not be changed while the operation is in flight.
    @exclusivity(unchecked) final var request: Request

    /// The behaviour of system calls on a descriptor where there is nothing to read, or no room to write.
    enum Blocking {
        /// They do not wait, if the backend needs that: this process owns the open file, and made it so.
        case arranged
        /// They may wait: the open file is shared, with other processes perhaps, and its flags must not be changed. Each call tells the system not
        /// to wait.
        case shared
        /// The same, but the system cannot be told: a terminal, a device. A thread of the kernel performs them, or this one as much as never
        /// waits when the descriptor is ready.
        case sharedAndWaiting
        /// They wait for a disk, not for long, and cannot be told not to.
        case disk
        /// They may wait for the server of a file system, for ever and also when they are told not to: a thread has to perform them, and `close`, too.
        case server
    }

    /// The behaviour of the descriptor: set by the submitting code, not while the operation is in flight.
    @exclusivity(unchecked) final var blocking = Blocking.arranged

    /// True from `submit` until the last completion. Written by the backend.
    @exclusivity(unchecked) final var isInFlight = false

    /// True while the backend holds the operation. Written by the backend.
    @exclusivity(unchecked) final var isHeld = false

    /// True if `cancel` was called since the operation was submitted. Written by the backend.
    @exclusivity(unchecked) final var isCancelled = false

    /// True while the backend waits for the descriptor to become ready. Written by the backend.
    @exclusivity(unchecked) final var isAwaitingReadiness = false

    /// True if this is a `connect` whose system call was made once already. Written by the backend.
    @exclusivity(unchecked) final var hasBegun = false

    init(_ request: Request) {
        self.request = request
    }

    /// The object whose memory the system call writes to.
    var memory: AnyObject? { nil }

    /// Prepares for a completion while another thread may never come back from the system call.
    func willBeAbandoned() {}

    /// Reports the outcome of the operation.
    ///
    /// - Parameters:
    ///   - result: the value that the system call would have returned, or a negated errno; `-ECANCELED` if it was cancelled.
    ///   - buffer: the number of the buffer that the kernel took from the pool, or -1.
    ///   - hasMore: whether the operation stays in flight, and will complete again.
    func completed(_ result: Int32, buffer: Int32, hasMore: Bool) {}
}

extension rx_operation {
    /// The pool from which a receive takes its buffer.
    var receivePool: ReceivePool.Kind? {
        switch self {
        case RX_RECEIVE_POOL: return .usual
        case RX_RECEIVE_BULK: return .bulk
        default: return nil
        }
    }

    /// True if the operation needs a readable descriptor, false if it needs a writable one.
    var isInput: Bool {
        switch self {
        case RX_WRITE, RX_WRITE_VECTOR, RX_SEND, RX_SEND_MESSAGE, RX_CONNECT: return false
        default: return true
        }
    }
}
