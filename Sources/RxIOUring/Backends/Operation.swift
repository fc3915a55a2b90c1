import CRxIOUring

/// One operation of the kernel, on one descriptor. For the loop's thread.
///
/// The loop holds it from submission until its last completion, and with it, through the subclass, the memory that the kernel
/// reads or writes. Then it may be submitted again.
class Operation {
    /// What to do, with arguments as of the system call of that name.
    struct Request {
        var kind: rx_operation
        var descriptor: CInt
        var address: UnsafeMutableRawPointer?
        var length = 0
        /// -1: where the file stands.
        var offset: Int64 = -1
        var flags: UInt32 = 0
    }

    /// Not to be changed while in flight.
    @exclusivity(unchecked) final var request: Request

    /// What system calls on a descriptor do where there is nothing to read, or no room to write.
    enum Blocking {
        /// They do not wait, if the backend needs that: the open file is ours, and was made so.
        case arranged
        /// They may wait: the open file is shared, with other processes perhaps, and its flags are not ours to change.
        case shared
        /// They wait for a disk, not for long, and cannot be told not to.
        case disk
    }

    /// Set by whoever submits it, not while in flight.
    @exclusivity(unchecked) final var blocking = Blocking.arranged

    /// From `submit` until the last completion. The backend's.
    @exclusivity(unchecked) final var isInFlight = false

    /// Whether `cancel` was called since it was submitted. The backend's.
    @exclusivity(unchecked) final var isCancelled = false

    /// Whether the backend waits for the descriptor to become ready. The backend's.
    @exclusivity(unchecked) final var isAwaitingReadiness = false

    /// Whether its system call was made once already, and it is a `connect`. The backend's.
    @exclusivity(unchecked) final var hasBegun = false

    init(_ request: Request) {
        self.request = request
    }

    /// What became of it.
    ///
    /// - Parameters:
    ///   - result: what the system call would have returned, or a negated errno; `-ECANCELED` if it was cancelled.
    ///   - buffer: the number of the buffer that the kernel took from the pool, or -1.
    ///   - hasMore: whether the operation stays in flight, and will complete again.
    func completed(_ result: Int32, buffer: Int32, hasMore: Bool) {}
}

extension rx_operation {
    /// Whether it needs a descriptor that can be read; else one that can be written.
    var isInput: Bool {
        switch self {
        case RX_WRITE, RX_SEND, RX_SEND_MESSAGE, RX_CONNECT: return false
        default: return true
        }
    }
}
