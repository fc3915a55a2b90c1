// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// An open file descriptor on a loop. Used on the loop thread only.
///
/// It is closed when it is not wanted any more and no operation uses it.
final class Descriptor {
    let fd: CInt
    /// Not counted: the loop outlives its descriptors.
    private let loop: Unmanaged<EventLoop>
    private let blocking: Operation.Blocking
    /// True if the system may take long to close it: another thread does so.
    @exclusivity(unchecked) fileprivate var closesSlowly: Bool
    /// The number of operations in flight.
    @exclusivity(unchecked) private var users = 0
    @exclusivity(unchecked) private(set) var isClosing = false
    /// The errno with which the system has closed the descriptor, or 0. An error concerns data written earlier, as on network file systems.
    @exclusivity(unchecked) private(set) var closeError: CInt = 0
    @exclusivity(unchecked) private var slowClose: SlowClose?
    /// The closure to call when the descriptor has been closed.
    @exclusivity(unchecked) var onClosed: (() -> Void)?

    /// True if each use of the descriptor may wait for a server.
    var mayWaitForServer: Bool { blocking == .server }

    /// Takes over an open descriptor.
    init(_ fd: CInt, on loop: EventLoop, blocking: Operation.Blocking = .arranged, closesSlowly: Bool = false) {
        self.fd = fd
        self.closesSlowly = closesSlowly || blocking == .server
        self.loop = .passUnretained(loop)
        self.blocking = blocking
        if blocking == .arranged { loop.backend.prepare(fd) }
    }

    deinit {
        assert(users == 0, "a descriptor was released while an operation uses it")
        if isClosing { return }
        // A closure that is told would retain this object, which ends.
        onClosed = nil
        closeNow()
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
        if closesSlowly, closeElsewhere() { return }
        closed(Descriptor.close(fd))
    }

    private func closed(_ error: CInt) {
        closeError = error
        let onClosed = onClosed
        self.onClosed = nil
        onClosed?()
    }

    /// Returns 0 or an errno.
    fileprivate static func close(_ fd: CInt) -> CInt {
        // Not repeated after EINTR: Linux has closed the descriptor then.
        Glibc.close(fd) == 0 || errno == EINTR ? 0 : errno
    }

    /// Returns false if the system has no thread for it.
    private func closeElsewhere() -> Bool {
        let loop = loop.takeUnretainedValue()
        // Without a closure to be told, this may be the end of `self`.
        let isAwaited = onClosed != nil
        let slow = SlowClose(fd, on: loop, whenDone: isAwaited ? { [self] in closeEnded() } : nil)
        if case .rejected = loop.configuration.files.submit(slow) { return false }
        if !isAwaited { return true }
        slowClose = slow
        // A loop that ends hears of no other thread any more.
        if loop.isClosed {
            slow.wait(until: CloseLimit.time(on: loop))
            closeEnded(orFailing: ETIMEDOUT)
        }
        return true
    }

    /// Tells the outcome of a close on another thread, if there is one by now.
    func closeEnded(orFailing error: CInt? = nil) {
        guard let outcome = slowClose?.outcome ?? error, slowClose != nil else { return }
        slowClose = nil
        closed(outcome)
    }
}

/// The `close` of a descriptor on a thread that may wait.
private final class SlowClose: BlockingTask, @unchecked Sendable {
    private let fd: CInt
    private let loopTag: UInt32
    private let whenDone: (() -> Void)?
    private let parker = Parker()
    private let result = AtomicWord(pending)

    private static let pending = UInt.max

    /// - Parameter whenDone: called on the loop thread, unless the loop has ended.
    init(_ fd: CInt, on loop: EventLoop, whenDone: (() -> Void)?) {
        self.fd = fd
        loopTag = loop.tag
        self.whenDone = whenDone
    }

    /// 0 or an errno; nil before the end.
    var outcome: CInt? {
        // Pairs with the releasing store in `run`.
        let word = result.loadAcquiring()
        return word == SlowClose.pending ? nil : CInt(word)
    }

    func wait(until end: UInt64) {
        while outcome == nil, MonotonicClock.now() < end { parker.park(until: end) }
    }

    override func run() {
        result.storeReleasing(UInt(Descriptor.close(fd)))
        parker.unpark()
        guard let whenDone else { return }
        LoopRegistry.loop(loopTag)?.queue.submitExpress(whenDone, rejected: { false })
    }
}

/// How long a loop that ends waits for others to close its descriptors: a second for all of them.
private final class CloseLimit {
    private let time = MonotonicClock.now() &+ 1_000_000_000

    static func time(on loop: EventLoop) -> UInt64 {
        let limit = loop.locals[CloseLimit.self] ?? CloseLimit()
        loop.locals[CloseLimit.self] = limit
        return limit.time
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

    /// The file system may leave a `close` without an answer, too.
    final override func willBeAbandoned() { user.lent?._withUnsafeGuaranteedRef { $0.closesSlowly = true } }

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
