// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension SharedSequenceConvertibleType {
    /// Transforms each element.
    ///
    /// - Parameter selector: runs once per element, on the strategy's scheduler.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(
        _ selector: @escaping @Sendable (Element) -> Result
    ) -> SharedSequence<SharingStrategy, Result> {
        SharedSequence(asObservable().map(selector), derivedFrom: asOwnSharedSequence)
    }

    /// Transforms each element, and drops those for which the result is nil.
    ///
    /// - Parameter selector: runs once per element, on the strategy's scheduler.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func compactMap<Result>(
        _ selector: @escaping @Sendable (Element) -> Result?
    ) -> SharedSequence<SharingStrategy, Result> {
        SharedSequence(asObservable().compactMap(selector), derivedFrom: asOwnSharedSequence)
    }

    /// Lets the elements through that satisfy a predicate.
    ///
    /// - Parameter predicate: runs once per element, on the strategy's scheduler.
    /// - SeeAlso: [Filter](https://reactivex.io/documentation/operators/filter.html)
    @preconcurrency @inlinable
    public func filter(
        _ predicate: @escaping @Sendable (Element) -> Bool
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().filter(predicate), derivedFrom: asOwnSharedSequence)
    }

    /// Accumulates the elements, and sends each intermediate result.
    ///
    /// - Parameters:
    ///   - seed: the value to start from, whenever the source is subscribed to. It is not sent itself.
    ///   - accumulator: runs once per element, on the strategy's scheduler, and returns the next value.
    /// - SeeAlso: [Scan](https://reactivex.io/documentation/operators/scan.html)
    @preconcurrency @inlinable
    public func scan<A>(
        _ seed: A, accumulator: @escaping @Sendable (A, Element) -> A
    ) -> SharedSequence<SharingStrategy, A> {
        SharedSequence(asObservable().scan(seed, accumulator: accumulator), derivedFrom: asOwnSharedSequence)
    }

    /// Drops a number of first elements.
    ///
    /// - Parameter count: how many, whenever the source is subscribed to.
    /// - SeeAlso: [Skip](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().skip(count), derivedFrom: asOwnSharedSequence)
    }

    /// Sends an element before those of the source.
    ///
    /// - Parameter element: sent inside `subscribe`, on the subscribing thread, whenever the source is subscribed to.
    /// - SeeAlso: [StartWith](https://reactivex.io/documentation/operators/startwith.html)
    @inlinable
    public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(asObservable().startWith(element), derivedFrom: asOwnSharedSequence)
    }

    /// Runs closures at the events of the sequence, which pass unchanged.
    ///
    /// The closures run once for all subscribers.
    /// - Parameters:
    ///   - onNext: runs before an element is passed on, on the strategy's scheduler.
    ///   - afterNext: runs after an element was passed on.
    ///   - onCompleted: runs before `completed` is passed on.
    ///   - afterCompleted: runs after `completed` was passed on.
    ///   - onSubscribe: runs before the source is subscribed to, on the subscribing thread.
    ///   - onSubscribed: runs after the source was subscribed to.
    ///   - onDispose: runs once when the subscription of the source has ended.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    @preconcurrency @inlinable
    public func `do`(
        onNext: (@Sendable (Element) -> Void)? = nil,
        afterNext: (@Sendable (Element) -> Void)? = nil,
        onCompleted: (@Sendable () -> Void)? = nil,
        afterCompleted: (@Sendable () -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().do(
                onNext: onNext, afterNext: afterNext, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose),
            derivedFrom: asOwnSharedSequence)
    }

    /// Prints what happens to each subscription of the source: `subscribed`, each event, `isDisposed`.
    ///
    /// - Parameters:
    ///   - identifier: stands in each line; by default file, line and function of the call.
    ///   - trimOutput: whether descriptions of events longer than 40 characters are shortened to the first and last 20.
    ///   - file: the file of the call.
    ///   - line: the line of the call.
    ///   - function: the function of the call.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function),
            derivedFrom: asOwnSharedSequence)
    }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
    /// Combines each element with an object that is held weakly.
    ///
    /// Completes at the first element that comes when the object is gone.
    /// - Parameters:
    ///   - obj: the object. The sequence does not keep it alive.
    ///   - resultSelector: makes the result from the object and an element, on the strategy's scheduler.
    @preconcurrency @inlinable
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> SharedSequence<SharingStrategy, Out> {
        SharedSequence(
            asObservable().withUnretained(obj, resultSelector: resultSelector), derivedFrom: asOwnSharedSequence)
    }

    /// Pairs each element with an object that is held weakly.
    ///
    /// Completes at the first element that comes when the object is gone.
    /// - Parameter obj: the object. The sequence does not keep it alive.
    @inlinable
    public func withUnretained<Object: AnyObject>(
        _ obj: Object
    ) -> SharedSequence<SharingStrategy, (Object, Element)> {
        SharedSequence(asObservable().withUnretained(obj), derivedFrom: asOwnSharedSequence)
    }
}
