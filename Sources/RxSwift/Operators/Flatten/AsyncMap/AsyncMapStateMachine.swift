/// Decides which elements of `asyncMap` are transformed, and which of their outcomes is delivered next.
///
///     admit ──► waiting ──► running ──► finished ──► delivered     `limit` elements at a time are running or finished
///
/// Not thread-safe: its owner guards it. Runs no code of the user, and returns what it drops.
package struct AsyncMapStateMachine<Element, Result>: ~Copyable {
    /// An element whose task has to be started, with its number.
    package struct Work {
        package let number: Int
        package let element: Element
    }

    package typealias Outcome = Swift.Result<Result, any Swift.Error>

    private let limit: Int
    private let keepsOrder: Bool
    private var waiting = OverflowBuffer<Element>(
        OverflowPolicy(.suspend, buffer: 16, operatorName: "asyncMap(maxConcurrent:keepsOrder:priority:_:)"))

    /// The elements that are running, and their tasks, once those are known.
    private var running: [Int: Task<Void, Never>?] = [:]
    /// The outcomes that are not delivered, by the number of their elements, or of their arrival if the order is not kept.
    private var finished: [Int: Outcome] = [:]
    private var nextNumber = 0
    private var nextArrival = 0
    private var nextDelivery = 0

    private var hasSourceEnded = false
    /// The number of the first element known to have failed. No element behind it is started any more.
    private var failure = Int.max
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

    /// Admits an element: starts it, or lets it wait.
    package mutating func admit(_ element: Element) -> Work? {
        if takesNothing { return nil }
        if waiting.isEmpty, hasRoom { return start(element) }
        _ = waiting.offer(element)
        return nil
    }

    private var hasRoom: Bool { running.count + finished.count < limit }

    private mutating func start(_ element: Element) -> Work {
        defer { nextNumber += 1 }
        running.updateValue(nil, forKey: nextNumber)
        return Work(number: nextNumber, element: element)
    }

    /// True if an element's result may still be delivered.
    private func isWanted(_ number: Int) -> Bool {
        !isQuiesced && (failure == .max || keepsOrder && number < failure)
    }

    /// Notes the task of an element. Returns it if it has to be cancelled.
    package mutating func started(_ number: Int, _ task: Task<Void, Never>) -> Task<Void, Never>? {
        if !isWanted(number) { return task }
        if running[number] != nil { running.updateValue(task, forKey: number) }
        return nil
    }

    /// Tells whether the task of an element runs the closure. If not, the element is dropped.
    package mutating func begins(_ number: Int) -> Bool {
        if isWanted(number) { return true }
        running.removeValue(forKey: number)
        return false
    }

    /// The consequence of an outcome.
    package struct Finish: ~Copyable {
        /// True if the caller delivers outcomes now, by `nextOutcome`.
        package var delivers = false
        /// True if the caller quiesces the source, and cancels the tasks.
        package var hasFailed = false
        package var tasks: [Task<Void, Never>] = []
        /// Elements that are dropped; the caller releases them.
        package var dropped: OverflowBuffer<Element>?
    }

    /// Notes the outcome of an element.
    package mutating func finish(_ number: Int, _ outcome: Outcome) -> Finish {
        var finish = Finish()
        guard running.removeValue(forKey: number) != nil, isWanted(number) else { return finish }
        finished[keepsOrder ? number : nextArrival] = outcome
        nextArrival += 1
        if case .failure = outcome {
            failure = min(failure, number)
            finish.hasFailed = true
            finish.dropped = waiting.takeAll()
            finish.tasks = running.compactMap { $0.key > number || !keepsOrder ? $0.value : nil }
        }
        finish.delivers = beginDelivering()
        return finish
    }

    /// Makes the caller the one that delivers, unless a thread delivers already, or there is nothing to deliver.
    package mutating func beginDelivering() -> Bool {
        if isDelivering || isQuiesced || finished[nextDelivery] == nil { return false }
        isDelivering = true
        return true
    }

    /// Returns the next outcome to the one that delivers; nil if there is none, which ends the delivery.
    package mutating func nextOutcome() -> Outcome? {
        guard !isQuiesced, let outcome = finished[nextDelivery] else {
            isDelivering = false
            return nil
        }
        return outcome
    }

    /// The consequence of a delivery.
    package enum Next {
        case start(Work)
        case idle
        /// That was the last one: the result completes.
        case complete
    }

    /// Notes that the outcome which `nextOutcome` returned has been delivered: its place is free for an element that waits.
    package mutating func delivered() -> Next {
        finished[nextDelivery] = nil
        nextDelivery += 1
        if takesNothing { return .idle }
        if !waiting.isEmpty { return .start(start(waiting.popFirst())) }
        return isOver ? .complete : .idle
    }

    /// Notes that the source has completed. Returns whether the result completes, too.
    package mutating func sourceCompleted() -> Bool {
        hasSourceEnded = true
        return isOver
    }

    private var isOver: Bool {
        hasSourceEnded && running.isEmpty && finished.isEmpty && waiting.isEmpty && !takesNothing
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
            tasks: running.values.compactMap { $0 }, outcomes: finished, waiting: waiting.takeAll())
        running = [:]
        finished = [:]
        return remains
    }
}
