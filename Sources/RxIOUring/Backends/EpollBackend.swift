// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// Completions by epoll: tries an operation, and tries it again when its descriptor has become ready.
///
/// Descriptors are watched edge-triggered, from the first operation that has to wait until they are forgotten. Files cannot
/// be watched, and block: a helper thread reads and writes them. But the loop itself reads the part of a file that is in memory:
/// to submit a chunk to a thread and get it back costs more than the reading.
final class EpollBackend: Backend {
    private let epoll: CInt
    private let wakeUp: WakeDescriptor
    private let events: UnsafeMutablePointer<rx_completion>
    private static let eventsAtOnce = 64
    /// True if the kernel may have had more events than the last look at it took.
    @exclusivity(unchecked) private var wasCollectionFull = false

    /// An operation in flight, which the base class holds.
    private typealias InFlight = Unmanaged<Operation>

    /// The operations that wait for a descriptor to become ready.
    private struct Watch {
        /// True while epoll knows the descriptor.
        var isActive = false
        /// The one that waits for input, and that for output; most often there is no other one.
        var input: InFlight?
        var output: InFlight?
        /// Further ones, of both kinds.
        var others: [InFlight] = []

        var isEmpty: Bool { input == nil && output == nil && others.isEmpty }
    }

    /// By the number of the descriptor: the system gives out the lowest ones first.
    ///
    /// Each close has to go through `forget`: the next descriptor of that number would pass for watched, and never become ready.
    @exclusivity(unchecked) private var watches: [Watch] = []
    /// Operations that the next `dispatch` tries.
    @exclusivity(unchecked) private var ready: [InFlight] = []
    /// Empty, with the memory for the next round of `dispatch`.
    @exclusivity(unchecked) private var emptyRound: [InFlight] = []
    /// Operations that helper threads have performed, with their results, taken from `done`.
    @exclusivity(unchecked) private var finished: [(Operation, Int32)] = []
    /// The number of operations that wait for readiness.
    @exclusivity(unchecked) private var waiting = 0

    /// Operations that helper threads have performed, with their results.
    private let done = Done()
    /// The operations that helper threads perform, or that wait for one.
    @exclusivity(unchecked) private var offLoop: [ObjectIdentifier: OffLoopTask] = [:]

    /// The tag of the wake-up descriptor, which is no descriptor's number.
    private static let wakeUpTag = UInt64.max

    /// Makes a backend, or fails if the system is out of descriptors or of memory.
    static func make() -> Result<Backend, SystemError> {
        let made = rx_epoll_make()
        if made < 0 { return .failure(SystemError(code: -made, operation: "epoll_create1")) }
        let epoll = OwnedDescriptor(made)
        var error: CInt = 0
        guard let wakeUp = WakeDescriptor(error: &error) else {
            return .failure(SystemError(code: error, operation: "eventfd"))
        }
        let status = rx_epoll_add(made, wakeUp.descriptor, wakeUpTag)
        if status != 0 { return .failure(SystemError(code: -status, operation: "epoll_ctl")) }
        return .success(EpollBackend(epoll.take(), wakeUp))
    }

    private init(_ epoll: CInt, _ wakeUp: consuming WakeDescriptor) {
        self.epoll = epoll
        self.wakeUp = wakeUp
        events = .allocate(capacity: EpollBackend.eventsAtOnce)
        super.init()
    }

    deinit {
        _ = Glibc.close(epoll)
        events.deallocate()
    }

    override var kind: IOUringScheduler.Backend { .epoll }

    override var hasPrepared: Bool { !ready.isEmpty }

    override var hasEvents: Bool { !ready.isEmpty || waiting > 0 || !finished.isEmpty || done.hasSome }

    override func submit(_ operation: Operation) {
        hold(operation)
        ready.append(.passUnretained(operation))
    }

    override func cancel(_ operation: Operation) {
        if operation.isCancelled { return }
        operation.isCancelled = true
        if operation.runsApart {
            // An operation on a helper thread ends by itself.
            guard let task = offLoop[ObjectIdentifier(operation)], BlockingPool.disk.cancel(task) else { return }
            offLoop[ObjectIdentifier(operation)] = nil
        } else if operation.isAwaitingReadiness {
            removeWaiting(operation)
        } else {
            // In `ready`, and found cancelled when it is tried.
            return
        }
        ready.append(.passUnretained(operation))
    }

    override func wait(until deadline: UInt64?) {
        takeReturnedBuffers()
        var nanoseconds: Int64 = -1
        if !ready.isEmpty || !finished.isEmpty || done.hasSome {
            nanoseconds = 0
        } else if let deadline {
            let now = MonotonicClock.now()
            nanoseconds = deadline > now ? Int64(clamping: deadline - now) : 0
        }
        collect(nanoseconds)
    }

    override func poll() -> Bool {
        if waiting > 0 { collect(0) }
        return dispatch()
    }

    override func dispatch() -> Bool {
        deliveries.begin()
        var slice = deliveries.nextSlice()
        func mayDeliver() -> Bool {
            if slice <= 0 { slice = deliveries.nextSlice() }
            slice -= 1
            return slice >= 0
        }
        var isAny = false
        for outcome in done.take() {
            // From here on it is no operation that could be abandoned.
            offLoop[ObjectIdentifier(outcome.0)] = nil
            finished.append(outcome)
        }
        while !finished.isEmpty, mayDeliver() {
            let (operation, result) = finished.removeFirst()
            isAny = true
            finish(.passUnretained(operation), result)
        }
        // One round: operations submitted meanwhile have their turn after other work of the loop.
        var round = emptyRound
        emptyRound = []
        swap(&round, &ready)
        for place in round.indices {
            if !mayDeliver() {
                ready.insert(contentsOf: round[place...], at: 0)
                break
            }
            if attempt(round[place]) { isAny = true }
        }
        round.removeAll(keepingCapacity: true)
        emptyRound = round
        return isAny
    }

    override var hasCompletionsLeft: Bool { super.hasCompletionsLeft || wasCollectionFull }

    override func interrupt() { wakeUp.signal() }

    override func forget(_ descriptor: CInt) {
        // The kernel forgets an unwatched descriptor by itself when it is closed.
        let place = Int(descriptor)
        if !isWatched(place) { return }
        assert(watches[place].isEmpty, "a descriptor was forgotten while an operation waits for it")
        watches[place] = Watch()
        rx_epoll_remove(epoll, descriptor)
    }

    // MARK: Readiness

    private func collect(_ nanoseconds: Int64) {
        let count = rx_epoll_wait(epoll, events, CInt(EpollBackend.eventsAtOnce), nanoseconds)
        wasCollectionFull = Int(count) == EpollBackend.eventsAtOnce
        guard count > 0 else {
            if count != 0, -count != EINTR { fatalError("swift-rx: epoll_wait failed (errno \(-count))") }
            return
        }
        for place in 0..<Int(count) {
            let event = events[place]
            if event.tag == EpollBackend.wakeUpTag { continue }
            retry(CInt(event.tag), event.flags)
        }
    }

    private func isWatched(_ place: Int) -> Bool { watches.indices.contains(place) && watches[place].isActive }

    /// Queues the operations for which a descriptor may have become ready, to be tried again.
    private func retry(_ descriptor: CInt, _ readiness: UInt32) {
        let place = Int(descriptor)
        if !isWatched(place) { return }
        let (isReadable, isWritable) = (
            readiness & RX_READY_INPUT.rawValue != 0, readiness & RX_READY_OUTPUT.rawValue != 0
        )
        if isReadable, let operation = watches[place].input.take() { retry(operation) }
        if isWritable, let operation = watches[place].output.take() { retry(operation) }
        if watches[place].others.isEmpty { return }
        let others = watches[place].others
        watches[place].others = []
        for operation in others {
            let isReady = operation._withUnsafeGuaranteedRef { $0.isInput } ? isReadable : isWritable
            if isReady { retry(operation) } else { watches[place].others.append(operation) }
        }
    }

    private func retry(_ operation: InFlight) {
        operation._withUnsafeGuaranteedRef { $0.isAwaitingReadiness = false }
        waiting -= 1
        ready.append(operation)
    }

    private func removeWaiting(_ operation: Operation) {
        operation.isAwaitingReadiness = false
        waiting -= 1
        let address = InFlight.passUnretained(operation).toOpaque()
        let place = Int(operation.request.descriptor)
        if watches[place].input?.toOpaque() == address { watches[place].input = nil }
        if watches[place].output?.toOpaque() == address { watches[place].output = nil }
        watches[place].others.removeAll { $0.toOpaque() == address }
    }

    /// Tries an operation, and returns whether it completed.
    private func attempt(_ held: InFlight) -> Bool {
        var buffer: Int32 = -1
        let result: Int32? = held._withUnsafeGuaranteedRef { operation in
            if operation.isCancelled { return -ECANCELED }
            if operation.runsApart { return operation.performWithoutWaiting() ?? runOffLoop(operation) }
            var result: Int32
            if let kind = operation.request.kind.receivePool {
                (result, buffer) = receive(operation, kind)
            } else {
                result = operation.perform()
            }
            return result == -EAGAIN && operation.canAwaitReadiness ? awaitReadiness(operation) : result
        }
        guard let result else { return false }
        finish(held, result, buffer: buffer)
        return true
    }

    /// Tries to receive into a buffer of a pool. Returns the result, and the number of the buffer, or -1.
    private func receive(_ operation: Operation, _ kind: ReceivePool.Kind) -> (result: Int32, buffer: Int32) {
        guard let buffer = takeBuffer(kind) else { return (-ENOBUFS, -1) }
        operation.request.address = buffer.address
        let result = operation.perform()
        operation.request.address = nil
        if result > 0 { return (result, Int32(buffer.number)) }
        buffer.putBack()
        return (result, -1)
    }

    /// Watches the operation's descriptor, or returns a negated errno if that is impossible.
    private func awaitReadiness(_ operation: Operation) -> Int32? {
        let descriptor = operation.request.descriptor
        let place = Int(descriptor)
        if !isWatched(place) {
            let status = rx_epoll_add(epoll, descriptor, UInt64(descriptor))
            if status != 0 { return status }
            while watches.count <= place { watches.append(Watch()) }
            watches[place].isActive = true
        }
        operation.isAwaitingReadiness = true
        waiting += 1
        let held = InFlight.passUnretained(operation)
        if operation.isInput, watches[place].input == nil {
            watches[place].input = held
        } else if !operation.isInput, watches[place].output == nil {
            watches[place].output = held
        } else {
            watches[place].others.append(held)
        }
        return nil
    }

    // MARK: Files

    /// Passes an operation to a helper thread. If the system has none, performs it, and returns the result: the loop waits meanwhile.
    private func runOffLoop(_ operation: Operation) -> Int32? {
        let task = OffLoopTask(operation, backend: self)
        if case .rejected = BlockingPool.disk.submit(task) { return operation.perform() }
        offLoop[ObjectIdentifier(operation)] = task
        return nil
    }

    override var hasAbandonable: Bool { offLoop.values.contains { $0.operation.isAbandonable } }

    override func abandon() {
        for task in offLoop.values where task.operation.isAbandonable {
            if !done.abandon(task) { continue }
            offLoop[ObjectIdentifier(task.operation)] = nil
            task.operation.willBeAbandoned()
            finish(.passUnretained(task.operation), -ECANCELED)
        }
    }

    /// An operation for a helper thread.
    private final class OffLoopTask: BlockingTask, @unchecked Sendable {
        // Both are retained until the signal was given: the loop may take the result before that, and end. Its descriptor must
        // not belong to another object by then.
        let operation: Operation
        private let backend: EpollBackend
        /// Once the operation is abandoned, the memory that the system call may still write to (under the lock of `done`).
        @exclusivity(unchecked) var abandonedMemory: AnyObject?

        init(_ operation: Operation, backend: EpollBackend) {
            self.operation = operation
            self.backend = backend
        }

        package override func run() {
            if backend.done.add(self, operation.perform()) { backend.interrupt() }
        }
    }

    /// Results of operations that helper threads have performed.
    private final class Done: @unchecked Sendable {
        private let lock = Mutex()
        /// The results, accessed only under the lock.
        @exclusivity(unchecked) private var results: [(Operation, Int32)] = []

        var hasSome: Bool { lock.withLock { !results.isEmpty } }

        /// Returns false if the operation was abandoned.
        func add(_ task: OffLoopTask, _ result: Int32) -> Bool {
            lock.withLock {
                if task.abandonedMemory != nil { return false }
                results.append((task.operation, result))
                return true
            }
        }

        /// Returns false if there is a result.
        func abandon(_ task: OffLoopTask) -> Bool {
            lock.withLock {
                if results.contains(where: { $0.0 === task.operation }) { return false }
                task.abandonedMemory = task.operation.memory
                return true
            }
        }

        func take() -> [(Operation, Int32)] {
            lock.withLock {
                let taken = results
                results = []
                return taken
            }
        }
    }
}
