extension ObservableType {
    /// Subscribes anew whenever this sequence fails, until it completes.
    ///
    /// May go on for ever. Stack and memory do not grow with the number of attempts.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    public func retry() -> Observable<Element> {
        CatchSequence(sources: EndlessRepetition(asObservable()))
    }

    /// Subscribes anew when this sequence fails, a limited number of times.
    ///
    /// - Parameter maxAttemptCount: how many times to subscribe at most, the first time included; with 0 the result completes at
    ///   once. Must not be negative. The error of the last attempt ends the result.
    /// - SeeAlso: [Retry](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
        precondition(maxAttemptCount >= 0, "retry: maxAttemptCount must not be negative, but is \(maxAttemptCount)")
        return CatchSequence(sources: Swift.repeatElement(asObservable(), count: maxAttemptCount))
    }
}

/// The same value over and over.
@frozen
@usableFromInline
struct EndlessRepetition<Value>: Sequence, IteratorProtocol {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }

    @inlinable
    func next() -> Value? { value }
}
