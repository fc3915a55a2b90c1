// SPDX-License-Identifier: Apache-2.0

extension InfallibleType {
    /// Transforms each element.
    ///
    /// - Parameter transform: runs once per element, on the thread that emits it.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(_ transform: @escaping @Sendable (Element) -> Result) -> Infallible<Result> {
        Infallible(raw: asObservable().map(transform))
    }

    /// Transforms each element with an asynchronous closure, in tasks: one after the other, or several at a time.
    ///
    /// As `asyncMap(maxConcurrent:keepsOrder:priority:_:)` of an observable, but the closure does not throw.
    @preconcurrency
    public func asyncMap<Result>(
        maxConcurrent: Int = 1, keepsOrder: Bool = true, priority: TaskPriority? = nil,
        @_inheritActorContext _ transform: @escaping @Sendable (Element) async -> Result
    ) -> Infallible<Result> {
        Infallible(
            raw: asObservable().asyncMap(
                maxConcurrent: maxConcurrent, keepsOrder: keepsOrder, priority: priority, transform))
    }

    /// Transforms each element, and drops those for which the result is nil.
    ///
    /// - Parameter transform: runs once per element, on the thread that emits it.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) -> Result?) -> Infallible<Result> {
        Infallible(raw: asObservable().compactMap(transform))
    }

    /// Accumulates the elements, and sends each intermediate result.
    ///
    /// - Parameters:
    ///   - seed: the value each subscription starts from. It is not sent itself.
    ///   - accumulator: runs once per element, on the thread that emits it, and returns the next value.
    /// - SeeAlso: [Scan](https://reactivex.io/documentation/operators/scan.html)
    @preconcurrency @inlinable
    public func scan<Seed>(
        _ seed: Seed, accumulator: @escaping @Sendable (Seed, Element) -> Seed
    ) -> Infallible<Seed> {
        Infallible(raw: asObservable().scan(seed, accumulator: accumulator))
    }

    /// Accumulates the elements in place, and sends each intermediate result.
    ///
    /// - Parameters:
    ///   - seed: the value each subscription starts from. It is not sent itself.
    ///   - accumulator: runs once per element, on the thread that emits it, and changes the value.
    /// - SeeAlso: [Scan](https://reactivex.io/documentation/operators/scan.html)
    @preconcurrency @inlinable
    public func scan<Seed>(
        into seed: Seed, accumulator: @escaping @Sendable (inout Seed, Element) -> Void
    ) -> Infallible<Seed> {
        Infallible(raw: asObservable().scan(into: seed, accumulator: accumulator))
    }
}

// MARK: Inner sequences

extension InfallibleType {
    /// Turns each element into a sequence and merges these sequences into one.
    ///
    /// - Parameter selector: runs once per element, on the thread that emits it. The sequences it makes must not fail either: an
    ///   error of one of them ends the result, see `Infallible`.
    /// - Returns: the elements of all inner sequences in order of acceptance, one at a time, regardless of their threads.
    ///   Completes when the source and all inner sequences have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(raw: asObservable().flatMap(selector))
    }

    /// Turns each element into a sequence, and sends the elements of the latest of these sequences.
    ///
    /// - Parameter selector: runs once per element, on the thread that emits it. Then the sequence before is unsubscribed from, and the new
    ///   one subscribed to. It must not fail either: its error ends the result, see `Infallible`.
    /// - Returns: the elements that an inner sequence sent while it was the latest, one at a time. Completes when the
    ///   source and the latest inner sequence have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(raw: asObservable().flatMapLatest(selector))
    }

    /// Turns an element into a sequence and sends its elements, unless the sequence of an earlier one is still running.
    ///
    /// - Parameter selector: runs for each element that arrives while no inner sequence is running, on the thread that emits it. The
    ///   other elements are ignored. The sequence must not fail either: its error ends the result, see `Infallible`.
    /// - Returns: completes when the source and the inner sequence have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(raw: asObservable().flatMapFirst(selector))
    }

    /// Turns each element into a sequence, and sends the elements of one of these sequences after another.
    ///
    /// - Parameter selector: runs once per element when it arrives, on the thread that emits it. The sequences it makes wait, in
    ///   order, until those before them have completed. A source that can pause does so while 16 wait; any other makes the queue grow without
    ///   a bound. They must not fail either: an error of one of them ends the result, see `Infallible`.
    /// - Returns: completes when the source and all inner sequences have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible(raw: asObservable().concatMap(selector))
    }
}

extension ObservableType {
    /// Turns each element into an infallible, and sends the elements of the latest of these.
    ///
    /// The source, too, should not fail: its error ends the result, see `Infallible`.
    /// - Parameter selector: runs once per element, on the thread that emits it; an error it throws ends the sequence. Then
    ///   the infallible before is unsubscribed from, and the new one subscribed to.
    /// - Returns: the elements that an infallible sent while it was the latest, one at a time. Completes when the source
    ///   and the latest infallible have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapLatest<Source: InfallibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Infallible<Source.Element> {
        let switching: Observable<Source.Element> = flatMapLatest(selector)
        return Infallible(raw: switching)
    }
}
