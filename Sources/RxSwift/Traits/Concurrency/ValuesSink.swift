// SPDX-License-Identifier: Apache-2.0

import RxPrimitives

/// The result of asking a `ValuesSink` for an element.
@usableFromInline
package enum ValuesTakeResult {
    /// The element has been moved to the caller's memory.
    case element
    /// No element waits, and more may come.
    case nothing
    case ended
    /// The sequence has failed: `takeError` returns the error.
    case failed
    case cancelled
}

/// The lower end of the chain of a stream: keeps the elements until a task asks for them, and pauses its sources meanwhile (law L13).
final class ValuesSink<Element>: Sink<Element>, @unchecked Sendable {
    private let subscription = SubscriptionDisposable()
    private let isBounding: Bool
    private let weigh: ((Element) -> Int)?
    private let onDropped: ((Element) -> Void)?
    private let backlogPlace = Backlog.Place()

    private let lock = Mutex()
    // The lock protects the following fields.
    @exclusivity(unchecked) private var buffer: ValuesBuffer
    /// The tasks that wait for an element, in order. None waits while the buffer holds elements.
    @exclusivity(unchecked) private var tasks: [UnsafeContinuation<Void, Never>] = []
    @exclusivity(unchecked) private var ending = Ending.none

    private enum Ending {
        case none
        case completed
        /// The error has not been thrown yet.
        case error(any Swift.Error)
        /// The elements that waited were dropped. Stays.
        case cancelled
    }

    /// Subscribes to a sequence. The owner of the result ends the subscription by `dispose`.
    static func subscribe(
        to source: Observable<Element>, _ policy: OverflowPolicy, onDropped: ((Element) -> Void)?
    ) -> ValuesSink {
        let sink = ValuesSink(policy, onDropped)
        source.start(sink)
        return sink
    }

    private init(_ policy: OverflowPolicy, _ onDropped: ((Element) -> Void)?) {
        isBounding = policy.isBounding
        self.onDropped = onDropped
        buffer = ValuesBuffer(policy)
        weigh = isBounding ? weigher(of: Element.self, for: policy.operatorName) : nil
        super.init()
    }

    deinit { buffer.releaseElements(Element.self) }

    /// Ends the subscription, and releases the elements that wait.
    func dispose() {
        subscription.dispose()
        end(.cancelled)
    }

    // MARK: By the source

    override func link(_ stage: Stage) { subscription.link(stage) }

    override func upstreamReleased() { subscription.unlink() }

    override func next(_ element: Element) {
        if subscription.isCancelled { return }
        let weight = weigh?(element) ?? 0
        lock.lock()
        guard case .none = ending else { return lock.unlock() }
        if buffer.mustDrop { return replaceOldest(by: element) }
        buffer.append(element, weight: weight)
        let task = tasks.isEmpty ? nil : tasks.removeFirst()
        let count = isBounding ? buffer.count : 0
        lock.unlock()
        task?.resume()
        if Backlog.isNotable(count) { Backlog.noticed(count, at: "values", backlogPlace) }
    }

    /// Drops the oldest element for another one. The caller holds the lock, which this releases.
    @inline(never)
    private func replaceOldest(by element: Element) {
        let dropped = buffer.popFirst(Element.self)
        buffer.append(element, weight: 0)
        lock.unlock()
        onDropped?(dropped)
    }

    override func error(_ error: any Swift.Error) { finish(.error(error)) }

    override func completed() { finish(.completed) }

    private func finish(_ ending: Ending) {
        guard let upstream = subscription.takeUpstream() else { return }
        upstream.quiesce()
        end(ending)
        subscription.cancelChain(upstream)
    }

    private func end(_ ending: Ending) {
        lock.lock()
        let previous = self.ending
        if case .cancelled = previous { return lock.unlock() }
        self.ending = ending
        let ended = tasks
        tasks = []
        let sources = buffer.takeSources()
        let elements = if case .cancelled = ending { buffer.takeElements() } else { ElementRing() }
        lock.unlock()
        for task in ended { task.resume() }
        sources.resume()
        withExtendedLifetime(previous) {}
        elements.removeAll(Element.self)
    }

    override func pauses(_ source: any PausableSource) -> Bool {
        let inspected: WaitingSources.Inspected? = lock.withLock {
            if case .none = ending { buffer.pause(source) } else { nil }
        }
        return inspected != nil
    }

    // MARK: By the task

    /// Moves the oldest element, if one waits, to memory of the caller that is not initialized.
    func take(into place: UnsafeMutablePointer<Element>) -> ValuesTakeResult {
        lock.lock()
        if buffer.isEmpty {
            let result = resultOfEnding
            lock.unlock()
            return result
        }
        buffer.popFirst(into: place)
        // The weight of an element is code of the user.
        let sources = weigh == nil && buffer.isAwaited ? buffer.removed(weight: 0) : nil
        lock.unlock()
        if let weigh {
            let weight = weigh(place.pointee)
            lock.withLock { buffer.removed(weight: weight) }?.resume()
        } else if let sources {
            sources.resume()
        }
        return .element
    }

    private var resultOfEnding: ValuesTakeResult {
        switch ending {
        case .none: .nothing
        case .completed: .ended
        case .error: .failed
        case .cancelled: .cancelled
        }
    }

    /// Returns the error of the sequence to the first caller after `ValuesTakeResult.failed`.
    func takeError() -> (any Swift.Error)? {
        lock.withLock {
            guard case .error(let error) = ending else { return nil }
            ending = .completed
            return error
        }
    }

    /// Waits until there may be something to take. When the task is cancelled, this ends the subscription.
    func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                lock.lock()
                if case .none = ending, buffer.isEmpty {
                    tasks.append(continuation)
                    lock.unlock()
                } else {
                    lock.unlock()
                    continuation.resume()
                }
            }
        } onCancel: {
            dispose()
        }
    }
}

/// The owner of a stream's subscription: held by the stream, so that the last copy of the stream ends the subscription.
@usableFromInline
package final class ValuesSubscription<Element>: @unchecked Sendable {
    private let sink: ValuesSink<Element>

    package init(
        to source: Observable<Element>, _ buffering: ValuesBuffering = .suspend, onDropped: ((Element) -> Void)? = nil
    ) {
        sink = .subscribe(to: source, buffering.policy, onDropped: onDropped)
    }

    deinit { sink.dispose() }

    /// Moves the oldest element, if one waits, to memory of the caller that is not initialized.
    @usableFromInline
    package func take(into place: UnsafeMutablePointer<Element>) -> ValuesTakeResult { sink.take(into: place) }

    @usableFromInline
    package func takeError() -> (any Swift.Error)? { sink.takeError() }

    @usableFromInline
    package func wait(isolation: isolated (any Actor)?) async { await sink.wait(isolation: isolation) }

    /// Ends the subscription, and releases the elements that wait.
    @usableFromInline
    package func cancel() { sink.dispose() }

    /// The oldest element of a sequence that does not fail; waits until there is one. Returns nil at the end.
    package func take() async -> Element? {
        while true {
            var result = ValuesTakeResult.nothing
            let element: Element? = withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { place in
                let place = place.baseAddress.unsafelyUnwrapped
                result = take(into: place)
                return result == .element ? place.move() : nil
            }
            if result == .element { return element }
            if result != .nothing { return nil }
            await wait(isolation: nil)
        }
    }

    /// The closure that ends the subscription, without holding the owner.
    package var disposal: @Sendable () -> Void { { [sink] in sink.dispose() } }
}
