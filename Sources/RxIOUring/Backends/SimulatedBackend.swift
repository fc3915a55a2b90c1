// SPDX-License-Identifier: Apache-2.0

import CRxIOUring
import Glibc
import RxPrimitives

/// Completions by a simulation: performs operations itself, on the real descriptors, when, how far and in which order a seeded generator chooses.
///
/// A tool that finds faults. Transfers are cut short; operations that could be performed wait for some turns, a turn being one call of
/// `dispatch`; completions are kept back for some, and come in another order than that of the operations. Operations on one descriptor in one
/// direction keep their order, and so do all completions on one descriptor: a socket that was reset reports that to one operation, and the
/// next one sees an end. A cancelled operation may still be performed, as with io_uring.
final class SimulatedBackend: Backend {
    private let wakeUp: WakeDescriptor
    @exclusivity(unchecked) private var choices: SimulatedChoices

    /// The operations that were not performed, in the order of submission.
    @exclusivity(unchecked) private var waiting: [Operation] = []
    /// The results of performed operations, in the order in which they were performed.
    @exclusivity(unchecked) private var completions: [Completion] = []
    /// An empty array with reserved capacity.
    @exclusivity(unchecked) private var entries: [pollfd] = []

    private struct Completion {
        let operation: Operation
        let result: Int32
        var buffer: Int32 = -1
        /// The number of turns for which it is kept back.
        var delay: Int
    }

    /// The operations of one line are performed in the order of submission.
    private struct Line: Hashable {
        let descriptor: CInt
        let isInput: Bool
        let isWatch: Bool

        init(_ operation: Operation) {
            descriptor = operation.request.descriptor
            isInput = operation.isInput
            isWatch = operation.isWatch
        }
    }

    /// Returns nil, and sets `error` to an errno, if the system is out of descriptors.
    init?(_ simulation: Simulation, error: inout CInt) {
        guard let wakeUp = WakeDescriptor(error: &error) else { return nil }
        self.wakeUp = wakeUp
        choices = SimulatedChoices(simulation)
        super.init()
    }

    /// The kind that behaves most like this one: descriptors do not block, and operations are tried.
    override var kind: IOUringScheduler.Backend { .epoll }

    override var hasPrepared: Bool { hasTurn }

    override var hasEvents: Bool { inFlight > 0 }

    override var hasCompletionsLeft: Bool { hasTurn }

    override func endsDeliverySoon() -> Bool { choices.happens(oneIn: 2) }

    override func submitsInBulk(_ observers: Int) -> Bool { choices.happens(oneIn: 2) }

    override func mayWaitForServer(_ isPossible: @autoclosure () -> Bool) -> Bool { choices.happens(oneIn: 4) }

    override func submit(_ operation: Operation) {
        hold(operation)
        waiting.append(operation)
    }

    override func cancel(_ operation: Operation) {
        operation.isCancelled = true
        operation.isAwaitingReadiness = false
    }

    override func wait(until deadline: UInt64?) {
        takeReturnedBuffers()
        if hasTurn { return collect(0) }
        guard let deadline else { return collect(-1) }
        let now = MonotonicClock.now()
        collect(deadline > now ? Int64(clamping: deadline - now) : 0)
    }

    override func poll() -> Bool {
        if !waiting.isEmpty { collect(0) }
        return dispatch()
    }

    override func dispatch() -> Bool {
        for operation in performable().shuffled(using: &choices) where !choices.happens(oneIn: 4) { attempt(operation) }
        return deliver()
    }

    override func interrupt() { wakeUp.signal() }

    override func makeReceivePool(_ kind: ReceivePool.Kind) -> ReceivePool? {
        choices.happens(oneIn: 8) ? nil : super.makeReceivePool(kind)
    }

    override func performNow(_ operation: Operation) -> Int32 {
        if choices.happens(oneIn: 8) { return -EAGAIN }
        if let error = choices.error(operation.request.kind), operation.isOfByteStream { return -error }
        return performInPart(operation)
    }

    // The content of the kernel's memory differs from run to run; the choices do not.
    override func performCached(_ read: Operation) -> Int32? {
        guard read.request.isOfFile, choices.happens(oneIn: 2) else { return nil }
        return read.perform()
    }

    // MARK: Readiness

    /// True if the next turn has something to perform or to deliver.
    private var hasTurn: Bool { !completions.isEmpty || !performable().isEmpty }

    /// The operations that could be tried: the first of each line, unless it waits for readiness.
    private func performable() -> [Operation] {
        var lines = Set<Line>()
        return waiting.filter { lines.insert(Line($0)).inserted && !$0.isAwaitingReadiness }
    }

    /// Sleeps for a number of nanoseconds (negative: for ever), or until a descriptor is ready or the loop is interrupted.
    private func collect(_ nanoseconds: Int64) {
        let blocked = waiting.filter(\.isAwaitingReadiness)
        entries.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
        for operation in blocked {
            entries.append(pollfd(fd: operation.request.descriptor, events: operation.awaitedEvents, revents: 0))
        }
        let count = rx_poll(&entries, UInt32(entries.count), nanoseconds)
        if count < 0, -count != EINTR { fatalError("swift-rx: ppoll failed (errno \(-count))") }
        if count > 0 {
            if entries[0].revents != 0 { wakeUp.reset() }
            for (entry, operation) in zip(entries.dropFirst(), blocked) where entry.revents != 0 {
                operation.isAwaitingReadiness = false
            }
        }
        entries.removeAll(keepingCapacity: true)
    }

    // MARK: Performing

    /// Tries an operation, which leaves `waiting` if it has a result.
    private func attempt(_ operation: Operation) {
        // An operation may be performed while its cancellation is on the way.
        let isTooLate = operation.isCancelled && !choices.happens(oneIn: 4)
        if isTooLate { return complete(operation, -ECANCELED) }
        let isOfByteStream = operation.isOfByteStream
        if isOfByteStream, let error = choices.error(operation.request.kind) { return complete(operation, -error) }
        if let kind = operation.request.kind.receivePool { return receive(operation, kind) }
        // A thread of the kernel that reads or writes is interrupted when the process is stopped and goes on.
        if isOfByteStream, operation.request.kind.mayBeInterrupted, choices.happens(oneIn: 32) {
            return complete(operation, -EINTR)
        }
        completeOrWait(operation, performInPart(operation))
    }

    private func completeOrWait(_ operation: Operation, _ result: Int32) {
        if result != -EAGAIN || !operation.canAwaitReadiness { return complete(operation, result) }
        if operation.isCancelled { return complete(operation, -ECANCELED) }
        operation.isAwaitingReadiness = true
    }

    /// Tries to receive into a buffer of a pool.
    private func receive(_ operation: Operation, _ kind: ReceivePool.Kind) {
        guard !choices.happens(oneIn: 16), let buffer = takeBuffer(kind) else {
            return complete(operation, -ENOBUFS)
        }
        operation.request.address = buffer.address
        let result = performInPart(operation)
        operation.request.address = nil
        if result > 0 { return complete(operation, result, buffer: Int32(buffer.number)) }
        buffer.putBack()
        completeOrWait(operation, result)
    }

    private func performInPart(_ operation: Operation) -> Int32 {
        guard operation.isOfByteStream, let length = operation.transferLength else { return operation.perform() }
        return operation.perform(offering: choices.offer(of: length))
    }

    private func complete(_ operation: Operation, _ result: Int32, buffer: Int32 = -1) {
        waiting.removeAll { $0 === operation }
        completions.append(Completion(operation: operation, result: result, buffer: buffer, delay: choices.delay()))
    }

    /// Delivers the completions that are not kept back. Returns whether there were any.
    private func deliver() -> Bool {
        if completions.isEmpty { return false }
        var descriptors = Set<CInt>()
        var due: [Completion] = []
        var kept: [Completion] = []
        for var completion in completions {
            let isFirst = descriptors.insert(completion.operation.request.descriptor).inserted
            if completion.delay == 0, isFirst {
                due.append(completion)
            } else {
                completion.delay = max(0, completion.delay - 1)
                kept.append(completion)
            }
        }
        completions = kept
        due.shuffle(using: &choices)
        for completion in due {
            finish(.passUnretained(completion.operation), completion.result, buffer: completion.buffer)
        }
        return !due.isEmpty
    }
}

extension rx_operation {
    fileprivate var mayBeInterrupted: Bool { self == RX_READ || self == RX_WRITE || self == RX_WRITE_VECTOR }
}
