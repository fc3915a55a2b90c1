// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// Completions by io_uring: one system call submits all operations of a tick, and collects completions as well.
final class URingBackend: Backend {
    private let ring: OpaquePointer
    private let wakeUp: WakeDescriptor
    /// The ring reads the wake-up counter into this word, and so sees `interrupt`.
    private let counter: UnsafeMutablePointer<UInt64>
    private let completions: UnsafeMutablePointer<rx_completion>
    private static let completionsAtOnce = 256
    /// The number of completions taken from the ring, and how many of them were delivered.
    @exclusivity(unchecked) private var taken = 0
    @exclusivity(unchecked) private var delivered = 0

    /// Operations for which the submission queue has had no room, oldest first.
    @exclusivity(unchecked) private var delayed: [Operation] = []
    /// Operations whose cancellation waits: the submission queue has had no room, or the kernel has not found them.
    @exclusivity(unchecked) private var delayedCancellations: [Operation] = []
    /// The number of cancellations in the submission queue or the kernel. Each holds its operation.
    @exclusivity(unchecked) private var cancellationsInFlight = 0
    /// Operations that were cancelled before the kernel knew them.
    @exclusivity(unchecked) private var unsubmitted: [Operation] = []
    /// True while the ring is reading the counter.
    @exclusivity(unchecked) private var watchesWakeUp = false
    @exclusivity(unchecked) private var isClosing = false
    /// The operations in flight that may wait for a server for ever, by their tags.
    @exclusivity(unchecked) private var doubtful: [UInt64: Operation] = [:]
    /// The memory to which the kernel may still write for operations that were abandoned, by their tags. No operation is submitted any more.
    @exclusivity(unchecked) private var abandoned: [UInt64: AnyObject] = [:]

    /// The tag of the completion of a wake-up, which is no address of an operation.
    private static let wakeUpTag: UInt64 = 1
    /// The bit in which the tag of a cancellation differs from that of its operation, its address.
    private static let cancellationBit: UInt64 = 2

    /// Returns nil, and sets `error` to an errno, if the kernel does not allow it.
    init?(_ configuration: IOUringScheduler.Configuration, error: inout CInt) {
        guard let wakeUp = WakeDescriptor(error: &error) else { return nil }
        guard let ring = rx_ring_make(configuration.submissions, configuration.completions, &error) else { return nil }
        self.ring = ring
        self.wakeUp = wakeUp
        // Allocated only when the initializer cannot fail any more, so that `deinit` runs and deallocates them.
        counter = .allocate(capacity: 1)
        completions = .allocate(capacity: URingBackend.completionsAtOnce)
        super.init()
    }

    deinit {
        // Never released: the kernel will not tell when it is done with it.
        for memory in abandoned.values { _ = Unmanaged.passRetained(memory) }
        rx_ring_free(ring)
        counter.deallocate()
        completions.deallocate()
    }

    override var kind: IOUringScheduler.Backend { .uring }

    override var hasPrepared: Bool { rx_ring_prepared(ring) != 0 || !delayed.isEmpty || !delayedCancellations.isEmpty }

    override var hasEvents: Bool {
        hasPrepared || delivered < taken || !unsubmitted.isEmpty || rx_ring_has_completions(ring)
    }

    override func submit(_ operation: Operation) {
        hold(operation)
        if operation.isDoubtful { noteDoubtful(operation) }
        if !delayed.isEmpty || !prepare(operation) { delayed.append(operation) }
    }

    override func cancel(_ operation: Operation) {
        if operation.isCancelled { return }
        operation.isCancelled = true
        if let place = delayed.firstIndex(where: { $0 === operation }) {
            delayed.remove(at: place)
            unsubmitted.append(operation)
        } else if !prepareCancellation(operation) {
            delayedCancellations.append(operation)
        }
    }

    override func wait(until deadline: UInt64?) {
        flush()
        // Operations that have had no room have room once the queue was submitted.
        let isComplete = watchesWakeUp && delayed.isEmpty && delayedCancellations.isEmpty
        if !isComplete || !unsubmitted.isEmpty || delivered < taken { return enter(wait: false) }
        guard let deadline else { return enter(wait: true) }
        let now = MonotonicClock.now()
        if deadline <= now { return enter(wait: false) }
        enter(wait: true, nanoseconds: Int64(clamping: deadline - now))
    }

    override func poll() -> Bool {
        flush()
        enter(wait: false)
        return dispatch()
    }

    override func dispatch() -> Bool {
        var isAny = false
        while !unsubmitted.isEmpty {
            isAny = true
            let operation = Unmanaged.passUnretained(unsubmitted.removeFirst())
            doubtful[URingBackend.tag(operation)] = nil
            finish(operation, -ECANCELED)
        }
        deliveries.begin()
        var slice = deliveries.nextSlice()
        while true {
            if delivered == taken {
                (delivered, taken) = (0, Int(rx_ring_take(ring, completions, UInt32(URingBackend.completionsAtOnce))))
                if taken == 0 { return isAny }
            }
            while delivered < taken {
                if slice <= 0 {
                    slice = deliveries.nextSlice()
                    if slice <= 0 { return isAny }
                }
                slice -= 1
                let completion = completions[delivered]
                delivered += 1
                if completion.tag == URingBackend.wakeUpTag {
                    watchesWakeUp = false
                } else if completion.tag & URingBackend.cancellationBit != 0 {
                    cancellationEnded(completion)
                } else if abandoned.isEmpty || abandoned.removeValue(forKey: completion.tag) == nil {
                    isAny = true
                    process(URingBackend.operation(completion.tag), completion)
                }
            }
            if taken < URingBackend.completionsAtOnce { return isAny }
        }
    }

    // The kernel completes 20 operations or so at a time, and tells that there are more.
    override var hasCompletionsLeft: Bool { super.hasCompletionsLeft || rx_ring_has_completions(ring) }

    override func submitsInBulk(_ observers: Int) -> Bool { observers > 2 }

    override func interrupt() { wakeUp.signal() }

    /// Makes an open file of this process non-blocking if io_uring could wait in it on this thread.
    override func prepare(_ descriptor: CInt) {
        if !rx_can_be_told(descriptor) { super.prepare(descriptor) }
    }

    override func makeReceivePool(_ kind: ReceivePool.Kind) -> ReceivePool? {
        guard let pool = ReceivePool(kind, backend: self) else { return nil }
        let status = rx_ring_make_pool(
            ring, URingBackend.group(kind), pool.memory, UInt32(kind.count), UInt32(kind.size))
        return status == 0 ? pool : nil
    }

    override func returnBuffer(_ number: Int, to pool: ReceivePool) {
        buffersInUse -= 1
        rx_ring_return_buffer(ring, URingBackend.group(pool.kind), UInt32(number))
    }

    private static func group(_ kind: ReceivePool.Kind) -> rx_pool { kind == .usual ? RX_POOL_USUAL : RX_POOL_BULK }

    override func close() {
        super.close()
        // Their operations have ended.
        delayedCancellations = []
        // The ring must not write into this object's memory any more when that is released.
        isClosing = true
        wakeUp.signal()
        while watchesWakeUp || cancellationsInFlight > 0 {
            // Of those that were taken, one call of `dispatch` may leave some.
            enter(wait: delivered == taken)
            _ = dispatch()
        }
    }

    // MARK: The ring

    /// Puts an operation into the submission queue, which is emptied if it is full. Returns whether there was room then.
    private func prepare(_ operation: Operation) -> Bool {
        prepareWithRoom(operation.effectiveRequest, tag: URingBackend.tag(.passUnretained(operation)))
    }

    private static func tag(_ operation: Unmanaged<Operation>) -> UInt64 {
        UInt64(UInt(bitPattern: operation.toOpaque()))
    }

    private static func operation(_ tag: UInt64) -> Unmanaged<Operation> {
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(tag))!)
    }

    private func prepareWithRoom(_ request: Operation.Request, tag: UInt64) -> Bool {
        if prepare(request, tag: tag) { return true }
        enter(wait: false)
        return prepare(request, tag: tag)
    }

    private func prepare(_ request: Operation.Request, tag: UInt64) -> Bool {
        rx_ring_prepare(
            ring, request.kind, request.descriptor, request.address, UInt32(clamping: request.length), request.offset,
            request.flags, tag)
    }

    /// Puts a cancellation into the submission queue, which is emptied if it is full. Returns whether there was room then.
    private func prepareCancellation(_ operation: Operation) -> Bool {
        let retained = Unmanaged.passRetained(operation)
        let tag = URingBackend.tag(retained)
        let ownTag = tag | URingBackend.cancellationBit
        if !rx_ring_prepare_cancel(ring, tag, ownTag) {
            enter(wait: false)
            if !rx_ring_prepare_cancel(ring, tag, ownTag) {
                retained.release()
                return false
            }
        }
        cancellationsInFlight += 1
        return true
    }

    /// Repeats a cancellation that has missed its operation.
    ///
    /// The kernel does not find an operation that is between two of its lists, having become ready and waiting for its turn, and does not stop
    /// one that a thread of its own performs at the moment. Both may have to wait again afterwards. The completion of an operation that has ended
    /// comes before that of its cancellation.
    private func cancellationEnded(_ completion: rx_completion) {
        let operation = URingBackend.operation(completion.tag ^ URingBackend.cancellationBit).takeRetainedValue()
        cancellationsInFlight -= 1
        if completion.result >= 0 || !operation.isInFlight || !operation.isCancelled { return }
        // An operation that waits for a disk ends by itself: to ask again and again would keep this thread busy.
        if !operation.runsApart { delayedCancellations.append(operation) }
    }

    /// Puts delayed operations and cancellations into the submission queue, as far as there is room.
    private func flush() {
        takeReturnedBuffers()
        if !watchesWakeUp, !isClosing {
            let read = Operation.Request(
                kind: RX_READ, descriptor: wakeUp.descriptor, address: UnsafeMutableRawPointer(counter), length: 8)
            watchesWakeUp = prepareWithRoom(read, tag: URingBackend.wakeUpTag)
        }
        while let operation = delayed.first, prepare(operation) { delayed.removeFirst() }
        while let operation = delayedCancellations.first {
            // The operation may have ended by itself, and be in flight for another time.
            if operation.isInFlight, operation.isCancelled, !prepareCancellation(operation) { break }
            delayedCancellations.removeFirst()
        }
    }

    private func enter(wait: Bool, nanoseconds: Int64 = -1) {
        let status = rx_ring_enter(ring, wait, nanoseconds)
        switch -status {
        case 0, ETIME, EINTR: break
        // The kernel holds completions for which there is no room: they have to be taken before more is submitted.
        case EBUSY, EAGAIN: break
        // Nothing was submitted, and the loop comes back at once.
        case ENOMEM: usleep(1_000)
        default:
            fatalError("swift-rx: io_uring_enter failed: \(String(cString: strerror(-status))) (errno \(-status))")
        }
    }

    private func process(_ held: Unmanaged<Operation>, _ completion: rx_completion) {
        let buffer = rx_completion_buffer(completion.flags)
        let result: Int32? = held._withUnsafeGuaranteedRef { operation in
            if rx_completion_has_more(completion.flags) {
                deliver(completion.result, buffer: buffer, hasMore: true, to: operation)
                return nil
            }
            let wasAwaiting = operation.isAwaitingReadiness
            let result = wasAwaiting ? completion.result : self.result(completion, of: operation)
            // The descriptor is non-blocking; then the kernel does not wait either.
            operation.isAwaitingReadiness = !wasAwaiting && result == -EAGAIN
            let isUndone = operation.isAwaitingReadiness || wasAwaiting && result >= 0
            if isUndone, !operation.isCancelled {
                resubmit(operation)
                return nil
            }
            operation.isAwaitingReadiness = false
            return isUndone ? -ECANCELED : result
        }
        guard let result else { return }
        if !doubtful.isEmpty { doubtful[completion.tag] = nil }
        finish(held, result, buffer: buffer)
    }

    // MARK: Servers that do not answer

    @inline(never)
    private func noteDoubtful(_ operation: Operation) {
        doubtful[URingBackend.tag(.passUnretained(operation))] = operation
    }

    override var hasAbandonable: Bool { doubtful.values.contains { $0.isAbandonable } }

    override func abandon() {
        for (tag, operation) in doubtful where operation.isAbandonable {
            doubtful[tag] = nil
            abandoned[tag] = operation.memory
            operation.willBeAbandoned()
            finish(.passUnretained(operation), -ECANCELED)
        }
    }

    /// The kernel cancels work for which it has no thread: the loop does it instead, and waits for files meanwhile.
    private func result(_ completion: rx_completion, of operation: Operation) -> Int32 {
        let isShort = completion.result == -ECANCELED && !operation.isCancelled && operation.mayNeedThread
        return isShort ? operation.perform() : completion.result
    }

    private func resubmit(_ operation: Operation) {
        if !delayed.isEmpty || !prepare(operation) { delayed.append(operation) }
    }
}

extension Operation {
    /// True if the kernel may leave the operation to a thread of its own.
    fileprivate var mayNeedThread: Bool { runsApart || blocking == .sharedAndWaiting }

    /// The request, or a poll of whether the descriptor is ready for it.
    fileprivate var effectiveRequest: Request {
        guard isAwaitingReadiness else {
            if blocking != .sharedAndWaiting, blocking != .server, !isLargeRead { return request }
            var offLoop = request
            offLoop.flags |= UInt32(RX_APART)
            return offLoop
        }
        let events = request.kind.isInput ? POLLIN : POLLOUT
        return Request(
            kind: RX_POLL, descriptor: request.descriptor, address: nil, flags: UInt32(bitPattern: Int32(events)))
    }
}
