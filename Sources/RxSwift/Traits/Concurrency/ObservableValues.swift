// SPDX-License-Identifier: Apache-2.0

extension ObservableConvertibleType {
    /// The elements as an asynchronous sequence, with a policy for those that come while the task is busy.
    ///
    /// Subscribes when it is called, on the calling thread: a source that repeats for ever within its subscription, as `retry()` of one that fails
    /// at once, needs `subscribe(on:)`. `next` returns elements in order, without suspension while any waits. Iterators
    /// of one sequence share one subscription: each element goes to one of them.
    ///
    /// The iteration ends at the terminal event, after the elements that wait, and throws the error of the sequence. When a task that
    /// iterates is cancelled, the subscription ends at once, elements that wait are dropped, and `next` throws `CancellationError`, also in other
    /// tasks that iterate: for them, too, elements are missing. The subscription also ends when the last copy of the sequence and its iterators
    /// is gone.
    ///
    /// Costs no allocation per element while the task keeps up.
    /// - Parameters:
    ///   - buffering: what happens to elements that come faster than they are taken.
    ///   - onDropped: receives each element that `.latest` or `.dropOldest` drops: on the thread that emits, one at a time, with no lock
    ///     held. Not called for the elements that a cancellation drops.
    @preconcurrency
    public func values(
        buffering: ValuesBuffering, onDropped: (@Sendable (Element) -> Void)? = nil
    ) -> ObservableValues<Element, any Swift.Error> {
        ObservableValues(ValuesSubscription(to: asObservable(), buffering, onDropped: onDropped))
    }
}

extension InfallibleType {
    /// The elements as an asynchronous sequence that does not throw, with a policy for those that come while the task is busy.
    ///
    /// As `values(buffering:onDropped:)` of an observable, but the iteration just ends when its task is cancelled.
    @preconcurrency
    public func values(
        buffering: ValuesBuffering, onDropped: (@Sendable (Element) -> Void)? = nil
    ) -> ObservableValues<Element, Never> {
        ObservableValues(ValuesSubscription(to: asObservable(), buffering, onDropped: onDropped))
    }
}

/// The elements of an observable as an asynchronous sequence. Made by `values(buffering:onDropped:)`.
public struct ObservableValues<Element, Failure: Swift.Error>: AsyncSequence, @unchecked Sendable {
    @usableFromInline let subscription: ValuesSubscription<Element>

    package init(_ subscription: ValuesSubscription<Element>) { self.subscription = subscription }

    /// An iterator that shares the subscription with all others of this sequence.
    @inlinable
    public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

    /// Takes the elements of one task.
    public struct Iterator: AsyncIteratorProtocol {
        @usableFromInline let subscription: ValuesSubscription<Element>
        /// True once `next` has returned nil or thrown.
        @usableFromInline var hasEnded = false

        @inlinable
        init(_ subscription: ValuesSubscription<Element>) { self.subscription = subscription }

        /// Returns the next element, or nil at the end; waits without blocking a thread.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
            while true {
                if hasEnded { return nil }
                if Task.isCancelled { subscription.cancel() }
                var result = ValuesTakeResult.nothing
                let element: Element? = withUnsafeTemporaryAllocation(of: Element.self, capacity: 1) { place in
                    let place = place.baseAddress.unsafelyUnwrapped
                    result = subscription.take(into: place)
                    return result == .element ? place.move() : nil
                }
                if result == .element { return element }
                guard result == .nothing else { return try end(result) }
                await subscription.wait(isolation: actor)
            }
        }

        /// Returns the next element, or nil at the end; waits without blocking a thread.
        @inlinable
        public mutating func next() async throws(Failure) -> Element? { try await next(isolation: nil) }

        /// Ends the iteration: returns nil, or throws.
        @usableFromInline
        mutating func end(_ result: ValuesTakeResult) throws(Failure) -> Element? {
            hasEnded = true
            // A sequence that cannot fail throws nothing, not even when it was cancelled.
            if result == .failed, let error = subscription.takeError() as? Failure { throw error }
            if result == .cancelled, Failure.self != Never.self { throw CancellationError() as! Failure }
            return nil
        }
    }
}
