// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxSwift

/// The source of a loop's completions. Used only on the loop thread, except for `interrupt`.
class Backend {
    var kind: IOUringScheduler.Backend { fatalError("swift-rx: a subclass has to implement this property") }

    /// The number of operations in flight.
    @exclusivity(unchecked) final var inFlight = 0

    final var isIdle: Bool { inFlight == 0 }

    /// The number of completions that were delivered.
    @exclusivity(unchecked) final private(set) var deliveredCount: UInt = 0
    /// The number of buffers of the receive pool that were delivered and have not come back.
    @exclusivity(unchecked) final var buffersInUse = 0

    /// Notes that an operation is in flight, and holds it.
    final func hold(_ operation: Operation) {
        operation.isInFlight = true
        operation.isCancelled = false
        operation.isAwaitingReadiness = false
        inFlight += 1
        if operation.isHeld { return }
        operation.isHeld = true
        _ = Unmanaged.passRetained(operation)
    }

    /// Delivers the last completion of an operation, and lets go of it unless that has submitted it again.
    ///
    /// So operations that follow one another, as those of a connection do, count no references.
    final func finish(_ held: Unmanaged<Operation>, _ result: Int32, buffer: Int32 = -1) {
        let isDone = held._withUnsafeGuaranteedRef { operation in
            operation.isInFlight = false
            operation.hasBegun = false
            inFlight -= 1
            deliver(result, buffer: buffer, hasMore: false, to: operation)
            if operation.isInFlight { return false }
            operation.isHeld = false
            return true
        }
        if isDone { held.release() }
    }

    /// Delivers a completion to its operation.
    final func deliver(_ result: Int32, buffer: Int32, hasMore: Bool, to operation: Operation) {
        deliveredCount &+= 1
        if buffer >= 0 { buffersInUse += 1 }
        operation.completed(result, buffer: buffer, hasMore: hasMore)
    }

    /// The completions that may have been at hand at some moment, and were not delivered.
    struct Backlog {
        fileprivate let deliveredCount: UInt
        fileprivate let inFlight: Int
    }

    /// The completions that may be at hand now.
    final var backlog: Backlog { Backlog(deliveredCount: deliveredCount, inFlight: inFlight) }

    /// Tells whether all of an earlier backlog was delivered. True as well once many more completions were delivered than there were operations: others
    /// may come for ever. At least one `dispatch` has to lie between.
    final func hasDelivered(_ backlog: Backlog) -> Bool {
        !hasCompletionsLeft || deliveredCount &- backlog.deliveredCount > 4 * backlog.inFlight
    }

    /// True if completions may be at hand that the last `dispatch` has not delivered.
    var hasCompletionsLeft: Bool { deliveries.isExhausted }

    /// The nanoseconds after which completions give way to the loop's other work.
    static let turnTime: UInt64 = 200_000

    /// Limits the completions that one `dispatch` delivers: each may run a callback of the user.
    final let deliveries = TurnBudget(steps: 1_024, nanoseconds: Backend.turnTime)

    /// Indicates whether operations wait to be submitted to the kernel.
    var hasPrepared: Bool { false }

    /// Indicates whether `poll` has something to do. Makes no system call.
    var hasEvents: Bool { false }

    /// Accepts an operation that is not in flight, and completes it later: never before this returns.
    func submit(_ operation: Operation) { fatalError("swift-rx: a subclass has to implement this method") }

    /// Cancels an operation that is in flight.
    func cancel(_ operation: Operation) { fatalError("swift-rx: a subclass has to implement this method") }

    /// Submits the prepared operations to the kernel, and sleeps.
    ///
    /// The sleep ends when an operation completes, when `interrupt` is called, or at a time of the monotonic clock (nil: never).
    /// Completions wait for `dispatch`.
    func wait(until deadline: UInt64?) { fatalError("swift-rx: a subclass has to implement this method") }

    /// Delivers the completions at hand, as many as `deliveries` allows. Returns whether there were any.
    ///
    /// Those that are left wait for the next call: until then `hasEvents` is true, and `wait` does not sleep.
    @discardableResult
    func dispatch() -> Bool { fatalError("swift-rx: a subclass has to implement this method") }

    /// Submits the prepared operations to the kernel, and delivers the completions at hand. Returns whether there were any.
    @discardableResult
    func poll() -> Bool { fatalError("swift-rx: a subclass has to implement this method") }

    /// Tells whether a subscriber that cuts a chunk into pieces is to stop at once, as if its time were over.
    func endsDeliverySoon() -> Bool { false }

    /// Performs an operation that is not in flight at once, without waiting. Returns a result or a negated errno, `-EAGAIN` if it has to wait.
    func performNow(_ operation: Operation) -> Int32 { operation.perform() }

    /// Performs a read of a file whose bytes are in the kernel's memory, unless the time for completions in this turn is over, or it would take that
    /// alone. Otherwise returns nil: then the read has to be submitted.
    func performCached(_ read: Operation) -> Int32? {
        deliveries.isOver || read.isLargeRead ? nil : read.performWithoutWaiting()
    }

    /// Tells whether the operations of this number of tick observers are better submitted than performed at once.
    func submitsInBulk(_ observers: Int) -> Bool { false }

    /// Whether a system call may wait for a server, given whether its mount is one that may.
    ///
    /// The simulated backend takes the answer from its seed: what the process knows of mounts differs from run to run.
    func mayWaitForServer(_ isPossible: @autoclosure () -> Bool) -> Bool { isPossible() }

    /// True if operations are in flight that can be abandoned.
    var hasAbandonable: Bool { false }

    /// Completes the operations whose system call may never return and whose outcome does not matter any more, since the loop ends. Their threads go on, and
    /// hold the memory that they use.
    func abandon() {}

    /// Ends the current `wait`, or the next one. From any thread until `close`; harmless afterwards.
    func interrupt() { fatalError("swift-rx: a subclass has to implement this method") }

    /// Makes the open file of a descriptor, which this process owns, fit for operations: non-blocking, unless the backend does without that.
    func prepare(_ descriptor: CInt) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
    }

    /// Forgets a descriptor that has no operation in flight, before it is closed.
    func forget(_ descriptor: CInt) {}

    // MARK: Receive pools

    /// Buffers for `RX_RECEIVE_POOL`, made at the first use. Nil if the backend can have none.
    final private(set) lazy var usualPool = makePool(.usual)
    /// The same for `RX_RECEIVE_BULK`.
    final private(set) lazy var bulkPool = makePool(.bulk)
    @exclusivity(unchecked) private final var pools: [ReceivePool] = []
    /// Those of them that were made: references that count nothing.
    @exclusivity(unchecked) private final var usual: Unmanaged<ReceivePool>?
    @exclusivity(unchecked) private final var bulk: Unmanaged<ReceivePool>?

    private final func makePool(_ kind: ReceivePool.Kind) -> ReceivePool? {
        guard let made = makeReceivePool(kind) else { return nil }
        pools.append(made)
        if kind == .usual { usual = .passUnretained(made) } else { bulk = .passUnretained(made) }
        return made
    }

    func makeReceivePool(_ kind: ReceivePool.Kind) -> ReceivePool? {
        guard let pool = ReceivePool(kind, backend: self) else { return nil }
        pool.free = Array((0..<kind.count).reversed())
        return pool
    }

    /// Returns a buffer to its pool: the backend may receive into it again.
    func returnBuffer(_ number: Int, to pool: ReceivePool) {
        buffersInUse -= 1
        pool.free.append(number)
    }

    /// Takes a buffer of a pool whose free buffers the kernel does not know.
    final func takeBuffer(_ kind: ReceivePool.Kind) -> ReceivePool.Buffer? {
        let pool =
            kind == .usual
            ? usual ?? usualPool.map(Unmanaged.passUnretained) : bulk ?? bulkPool.map(Unmanaged.passUnretained)
        guard let pool, let number = pool._withUnsafeGuaranteedRef({ $0.take() }) else { return nil }
        return ReceivePool.Buffer(pool: pool, number: number)
    }

    /// Takes the buffers that came back on other threads.
    final func takeReturnedBuffers() {
        for pool in pools { pool.takeReturned() }
    }

    /// Releases the kernel's resources. No operation is in flight, and none will be.
    func close() {
        for pool in pools { pool.close() }
    }
}

/// A counter in the kernel by which other threads wake a loop.
struct WakeDescriptor: ~Copyable {
    let descriptor: CInt

    /// Returns nil, and sets `error` to an errno, if the system is out of descriptors.
    init?(error: inout CInt) {
        descriptor = rx_eventfd_make()
        if descriptor < 0 {
            error = -descriptor
            return nil
        }
    }

    func signal() {
        var one: UInt64 = 1
        // Adds one to a counter of 64 bits, for which there is always room.
        _ = write(descriptor, &one, 8)
    }

    /// Takes the signals so far. Called when there are some.
    func reset() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }

    deinit { _ = Glibc.close(descriptor) }
}
