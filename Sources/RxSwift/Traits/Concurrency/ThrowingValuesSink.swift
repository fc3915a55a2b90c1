// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RxPrimitives

/// The lower end of the chain of a stream that throws.
///
/// A stream of that type does not tell when an element is taken. So at most 512 elements wait in the stream itself, 16 if they are `Weighted`;
/// later elements wait here, where their sources are paused (law L13), and a timer looks now and then whether the stream has room again.
///
///     next ──────────────────────────────► stream     one thread at a time offers: that of `next`, or the timer's
///       └─ isHolding ─► held ── timer ──►
final class ThrowingValuesSink<Element>: Sink<Element>, @unchecked Sendable {
    typealias Stream = AsyncThrowingStream<Element, any Swift.Error>

    private let continuation: Stream.Continuation
    private let subscription: SubscriptionDisposable
    private let weigh = weigher(of: Element.self, for: "values")
    private let backlogPlace = Backlog.Place()

    private let lock = Mutex()
    // The lock protects the following fields.
    /// The elements that wait for room in the stream; only while `isHolding`.
    private var held = ValuesBuffer(.suspendedValues)
    /// The first of the elements that wait, for which the stream had no room.
    private var rejected: Element?
    /// True if the timer offers the elements, and `next` does not.
    private var isHolding = false
    /// The end that follows on the elements that wait.
    private var end: End?
    /// True once the stream has ended, or was released.
    private var isAbandoned = false

    // The thread that offers owns the following fields.
    private var interval = PollInterval()
    /// A queue of its own: the weight of an element is code of the user.
    private lazy var timerQueue = DispatchQueue(label: "swift-rx.values")

    private enum End {
        case completed
        case error(any Swift.Error)
    }

    /// The number of elements that wait in the stream. It is exact: the stream rejects one more, which tells that it is full.
    private static var streamBound: Int { Element.self is any Weighted.Type ? 16 : 512 }

    static func stream(of source: Observable<Element>) -> Stream {
        Stream(bufferingPolicy: .bufferingOldest(streamBound)) { continuation in
            // Without effect after a terminal event: a stream keeps its first end.
            let subscription = SubscriptionDisposable { continuation.finish(throwing: CancellationError()) }
            let sink = ThrowingValuesSink(continuation, subscription)
            continuation.onTermination = { _ in
                subscription.dispose()
                sink.abandon()
            }
            source.start(sink)
        }
    }

    private init(_ continuation: Stream.Continuation, _ subscription: SubscriptionDisposable) {
        self.continuation = continuation
        self.subscription = subscription
        super.init()
    }

    deinit { held.releaseElements(Element.self) }

    // MARK: By the source

    override func link(_ stage: Stage) { subscription.link(stage) }

    override func upstreamReleased() { subscription.unlink() }

    override func next(_ element: Element) {
        if subscription.isCancelled { return }
        let weight = weigh?(element)
        if let count = hold(element, weight: weight) {
            if Backlog.isNotable(count) { Backlog.noticed(count, at: "values", backlogPlace) }
            return
        }
        if !offer(element) { beginHolding(rejected: element) }
    }

    override func error(_ error: any Swift.Error) { finish(.error(error)) }

    override func completed() { finish(.completed) }

    private func finish(_ end: End) {
        guard let upstream = subscription.takeUpstream() else { return }
        upstream.quiesce()
        lock.lock()
        let isHolding = isHolding
        if isHolding { self.end = end }
        lock.unlock()
        if isHolding {
            // Not `cancelChain`, which ends the stream: the end follows after the elements that wait.
            upstream.take()?.cancel()
        } else {
            send(end)
            subscription.cancelChain(upstream)
        }
    }

    override func pauses(_ source: any PausableSource) -> Bool {
        let inspected = lock.withLock { isHolding && !isAbandoned ? held.pause(source) : nil }
        return inspected != nil
    }

    /// Adds an element to those that wait, and returns their number; nil if the caller has to offer the element.
    private func hold(_ element: Element, weight: Int?) -> Int? {
        lock.withLock {
            guard isHolding else { return nil }
            if !isAbandoned { held.append(element, weight: weight ?? 0) }
            return held.count
        }
    }

    // MARK: By the thread that offers

    /// Returns false if the stream has no room.
    private func offer(_ element: Element) -> Bool {
        if case .dropped = continuation.yield(element) { return false }
        return true
    }

    private func beginHolding(rejected: Element) {
        let begins = lock.withLock {
            if isAbandoned { return false }
            self.rejected = rejected
            isHolding = true
            return true
        }
        if begins { setTimer() }
    }

    private func setTimer() {
        timerQueue.asyncAfter(deadline: .now() + .microseconds(interval.microseconds)) { [self] in poll() }
    }

    /// Moves elements into the stream while it has room, on the timer's thread.
    private func poll() {
        interval.lengthen()
        while let element = takeHeld() {
            if !offer(element) {
                lock.withLock { if !isAbandoned { rejected = element } }
                return setTimer()
            }
            interval.shorten()
        }
    }

    /// Takes the first element that waits. If there is none, the source offers its elements again, or the stream ends.
    private func takeHeld() -> Element? {
        lock.lock()
        if isAbandoned {
            lock.unlock()
            return nil
        }
        if let element = rejected {
            rejected = nil
            lock.unlock()
            return element
        }
        if held.isEmpty {
            isHolding = false
            let (sources, end) = (held.takeSources(), end)
            lock.unlock()
            sources.resume()
            if let end { send(end) }
            return nil
        }
        let element = held.popFirst(Element.self)
        lock.unlock()
        let weight = weigh?(element) ?? 0
        let sources = lock.withLock { held.removed(weight: weight) }
        sources?.resume()
        return element
    }

    private func send(_ end: End) {
        switch end {
        case .completed: continuation.finish()
        case .error(let error): continuation.finish(throwing: error)
        }
    }

    // MARK: By the stream

    /// Releases the elements that wait: no task will ask for them.
    private func abandon() {
        lock.lock()
        isAbandoned = true
        let elements = held.takeElements()
        let (first, sources) = (rejected, held.takeSources())
        rejected = nil
        lock.unlock()
        sources.resume()
        withExtendedLifetime(first) {}
        elements.removeAll(Element.self)
    }
}

/// The time until the stream is looked at again: while no task takes elements, about as long as that has lasted, a second at most.
private struct PollInterval {
    private(set) var microseconds = 100

    mutating func shorten() { microseconds = 100 }

    mutating func lengthen() { microseconds = min(2 * microseconds, 1_000_000) }
}
