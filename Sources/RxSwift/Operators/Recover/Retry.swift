// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Subscribes anew each time this sequence fails, until it completes.
    ///
    /// Attempts may continue for ever; stack and memory do not grow with their number. Each begins on the thread that delivers the error: with a
    /// shared source this may be the thread of another subscriber, which a source that always fails at once keeps busy. `retry(when:)` can
    /// wait between attempts, and `subscribe(on:)` names their thread.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    public func retry() -> Observable<Element> {
        CatchSequence(sources: EndlessRepetition(asObservable()))
    }

    /// Subscribes anew when this sequence fails, a limited number of times.
    ///
    /// - Parameter maxAttemptCount: the greatest number of subscriptions, the first one included; with 0 the result completes at
    ///   once. It must not be negative. The error of the last attempt ends the result.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        if maxAttemptCount < 0 { fatalError("retry: maxAttemptCount must not be negative, but is \(maxAttemptCount)") }
        return CatchSequence(sources: Swift.repeatElement(asObservable(), count: maxAttemptCount))
    }
}

/// Repeats the same value without an end.
@frozen
@usableFromInline
struct EndlessRepetition<Value>: Sequence, IteratorProtocol {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }

    @inlinable
    func next() -> Value? { value }
}
