// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc

/// An open file descriptor on a loop. Used on the loop thread only.
///
/// It is closed when it is not wanted any more and no operation uses it.
final class Descriptor {
    let fd: CInt
    /// Not counted: the loop outlives its descriptors.
    private let loop: Unmanaged<EventLoop>
    private let blocking: Operation.Blocking
    /// True if the system may take long to close it: another thread does so.
    private let closesSlowly: Bool
    /// The number of operations in flight.
    @exclusivity(unchecked) private var users = 0
    @exclusivity(unchecked) private(set) var isClosing = false
    /// The errno with which the system has closed the descriptor, or 0. An error concerns data written earlier, as on network file systems.
    @exclusivity(unchecked) private(set) var closeError: CInt = 0
    /// The closure to call when the descriptor has been closed.
    @exclusivity(unchecked) var onClosed: (() -> Void)?

    /// Takes over an open descriptor.
    init(_ fd: CInt, on loop: EventLoop, blocking: Operation.Blocking = .arranged, closesSlowly: Bool = false) {
        self.fd = fd
        self.closesSlowly = closesSlowly
        self.loop = .passUnretained(loop)
        self.blocking = blocking
        if blocking == .arranged { loop.backend.prepare(fd) }
    }

    deinit {
        assert(users == 0, "a descriptor was released while an operation uses it")
        if !isClosing { closeNow() }
    }

    /// Submits an operation on this descriptor.
    func submit(_ operation: DescriptorOperation) {
        assert(!isClosing, "an operation was submitted on a descriptor that is being closed")
        users += 1
        operation.user.hold(self)
        operation.blocking = blocking
        loop._withUnsafeGuaranteedRef { $0.submit(operation) }
    }

    /// Closes once the operations in flight have ended, which the caller has to cancel.
    func close() {
        if isClosing { return }
        isClosing = true
        if users == 0 { closeNow() }
    }

    fileprivate func operationEnded() {
        users -= 1
        if isClosing, users == 0 { closeNow() }
    }

    private func closeNow() {
        loop._withUnsafeGuaranteedRef { $0.backend.forget(fd) }
        // Not repeated after EINTR: Linux has closed the descriptor then.
        if !closesSlowly || !closeElsewhere(), Glibc.close(fd) != 0, errno != EINTR { closeError = errno }
        let onClosed = onClosed
        self.onClosed = nil
        onClosed?()
    }
}

extension Descriptor {
    /// Returns false if the system has no thread for it.
    private func closeElsewhere() -> Bool {
        let fd = fd
        if case .rejected = BlockingPool.files.submit(ClosureTask { _ = Glibc.close(fd) }) { return false }
        return true
    }
}

/// An operation on a `Descriptor`, which stays open until the operation has ended.
class DescriptorOperation: Operation {
    /// The descriptor, held from the first submission until a completion behind which the operation is not in flight again, or as long as the operation
    /// exists.
    @exclusivity(unchecked) fileprivate final var user = Held<Descriptor>()
    private final let keepsDescriptor: Bool

    init(_ request: Request, keepsDescriptor: Bool = false) {
        self.keepsDescriptor = keepsDescriptor
        super.init(request)
    }

    /// Handles the result of the operation: see `Operation.completed`. If a close was requested, the descriptor may be closed
    /// by now.
    func finished(_ result: Int32, buffer: Int32, hasMore: Bool) {
        fatalError("swift-rx: a subclass has to implement this method")
    }

    final override func completed(_ result: Int32, buffer: Int32, hasMore: Bool) {
        if hasMore { return finished(result, buffer: buffer, hasMore: true) }
        user.lent?._withUnsafeGuaranteedRef { $0.operationEnded() }
        finished(result, buffer: buffer, hasMore: false)
        if !keepsDescriptor, !isInFlight { user.release() }
    }
}
