// SPDX-License-Identifier: Apache-2.0

/// A task of `asyncMap`, which transforms one element after another. The lock around the state machine protects it.
package final class AsyncMapWorker {
    /// Nil until the thread that made the task has noted it.
    package var task: Task<Void, Never>?

    package init() {}
}

/// Decides which elements of `asyncMap` are transformed, and which of their outcomes is delivered next.
///
///     admit ──► waiting ──► running ──► finished ──► delivered     `limit` elements at a time are between waiting and delivered
///
/// Not thread-safe: its owner guards it. Runs no code of the user, and returns the values that it drops.
package struct AsyncMapStateMachine<Element, Result>: ~Copyable {
    /// An element that a worker has to transform, with its number.
    package struct Work {
        package let number: Int
        package let element: Element
    }

    package typealias Outcome = Swift.Result<Result, any Swift.Error>

    private let limit: Int
    private let keepsOrder: Bool
    private var waiting = OverflowBuffer<Element>(
        OverflowPolicy(.suspend, buffer: 16, operatorName: "asyncMap(maxConcurrent:keepsOrder:priority:_:)"))

    /// The workers of the elements that are running.
    private var running: [Int: AsyncMapWorker] = [:]
    /// The outcomes that wait for their delivery, by the number of their elements, or of their arrival if the order is not kept.
    private var finished: [Int: Outcome] = [:]
    private var nextNumber = 0
    private var nextArrival = 0
    private var nextDelivery = 0

    private var hasSourceEnded = false
    /// The number of the first element known to have failed. No later element is started any more.
    private var failure = Int.max
    /// True if a worker delivers, which has taken the outcome `nextDelivery`.
    private var isDelivering = false
    /// True once the result is about to end: nothing is started or delivered any more.
    private var isQuiesced = false
    package private(set) var isClosed = false

    package init(limit: Int, keepsOrder: Bool) {
        self.limit = limit
        self.keepsOrder = keepsOrder
    }

    package var waitingCount: Int { waiting.count }

    /// True if so many elements wait that the source has to pause.
    package func mustPause(isAwaited: Bool) -> Bool { !takesNothing && waiting.mustPause(isAwaited: isAwaited) }

    private var takesNothing: Bool { isQuiesced || failure < .max }

    // MARK: Elements

    /// Admits an element: passes it to a worker, who is new, or lets it wait.
    package mutating func admit(_ element: Element, for worker: @autoclosure () -> AsyncMapWorker) -> (
        work: Work, worker: AsyncMapWorker
    )? {
        if takesNothing { return nil }
        if waiting.isEmpty, running.count + finished.count + (isDelivering ? 1 : 0) < limit {
            let worker = worker()
            return (start(element, worker), worker)
        }
        _ = waiting.offer(element)
        return nil
    }

    private mutating func start(_ element: Element, _ worker: AsyncMapWorker) -> Work {
        defer { nextNumber += 1 }
        running[nextNumber] = worker
        return Work(number: nextNumber, element: element)
    }

    /// True if an element's result may still be delivered.
    private func isWanted(_ number: Int) -> Bool {
        !isQuiesced && (failure == .max || keepsOrder && number < failure)
    }

    /// Notes the task of a worker who was made for an element. Returns false if it has to be cancelled.
    package func started(_ number: Int, _ worker: AsyncMapWorker, _ task: Task<Void, Never>) -> Bool {
        worker.task = task
        return isWanted(number)
    }

    /// Passes an element to another worker.
    package mutating func pass(_ work: Work, to worker: AsyncMapWorker) {
        if running[work.number] != nil { running[work.number] = worker }
    }

    /// Tells whether the worker of an element runs the closure. If not, the element is dropped.
    package mutating func begins(_ number: Int) -> Bool {
        if isWanted(number) { return true }
        running.removeValue(forKey: number)
        return false
    }

    // MARK: Outcomes

    /// The consequence of an outcome.
    package struct Finish: ~Copyable {
        /// True if the worker delivers this outcome now, and then calls `delivered`.
        package var delivers = false
        /// True if the worker quiesces the source, and cancels the tasks.
        package var hasFailed = false
        package var tasks: [Task<Void, Never>] = []
        /// Elements that are dropped; the worker releases them.
        package var dropped: OverflowBuffer<Element>?
    }

    /// Notes the outcome of an element.
    package mutating func finish(_ number: Int, _ outcome: Outcome) -> Finish {
        var finish = Finish()
        guard running.removeValue(forKey: number) != nil, isWanted(number) else { return finish }
        if case .failure = outcome {
            failure = number
            finish.hasFailed = true
            finish.dropped = waiting.takeAll()
            finish.tasks = running.compactMap { $0.key > number || !keepsOrder ? $0.value.task : nil }
        }
        let place = keepsOrder ? number : nextArrival
        nextArrival += 1
        if place == nextDelivery, !isDelivering {
            isDelivering = true
            finish.delivers = true
        } else {
            finished[place] = outcome
        }
        return finish
    }

    /// The consequence of a delivery.
    package struct Delivered {
        /// The outcome that the worker delivers next. Without one, its delivery has ended.
        package var next: Outcome?
        /// An element that takes the place.
        package var work: Work?
        /// True if that was the last outcome: the result completes.
        package var isLast = false
    }

    /// Notes that a worker has delivered an outcome. An element that waits takes its place, and is that worker's for now.
    package mutating func delivered(by worker: AsyncMapWorker) -> Delivered {
        var delivered = Delivered()
        nextDelivery += 1
        isDelivering = false
        if isQuiesced { return delivered }
        if !takesNothing, !waiting.isEmpty { delivered.work = start(waiting.popFirst(), worker) }
        delivered.next = takeNext()
        if delivered.next == nil { delivered.isLast = isOver }
        return delivered
    }

    /// Takes the outcome that is to be delivered next, if it is known and no worker delivers.
    private mutating func takeNext() -> Outcome? {
        // Most of the time none waits: a look into the dictionary of a generic type is slow.
        if finished.isEmpty { return nil }
        guard let next = finished.removeValue(forKey: nextDelivery) else { return nil }
        isDelivering = true
        return next
    }

    // MARK: The end

    /// Notes that the source has completed. Returns whether the result completes, too.
    package mutating func sourceCompleted() -> Bool {
        hasSourceEnded = true
        return isOver
    }

    private var isOver: Bool {
        hasSourceEnded && running.isEmpty && finished.isEmpty && waiting.isEmpty && !isDelivering && !takesNothing
    }

    /// Stops starting and delivering; `close` follows.
    package mutating func quiesce() { isQuiesced = true }

    /// What is left at the end, for the caller to cancel and release.
    package struct Remains: ~Copyable {
        package let tasks: [Task<Void, Never>]
        package let outcomes: [Int: Outcome]
        package let waiting: OverflowBuffer<Element>
    }

    /// Ends everything.
    package mutating func close() -> Remains {
        isQuiesced = true
        isClosed = true
        let remains = Remains(
            tasks: running.values.compactMap { $0.task }, outcomes: finished, waiting: waiting.takeAll())
        running = [:]
        finished = [:]
        return remains
    }
}
