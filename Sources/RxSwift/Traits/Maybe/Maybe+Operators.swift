// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Transforms the element.
    ///
    /// - Parameter transform: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Maybe<Result> {
        PrimitiveSequence(raw: primitiveSequence.source.map(transform))
    }

    /// Transforms the element with an asynchronous closure, in a task.
    ///
    /// When the subscription ends, the task is cancelled. A closure that is written in an actor's code runs on that actor.
    /// - Parameters:
    ///   - priority: the priority of the task; without it that of the task that emits.
    ///   - transform: makes the result; an error it throws becomes the error of the result. Both are sent on a thread of the task.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency
    public func asyncMap<Result>(
        priority: TaskPriority? = nil,
        @_inheritActorContext _ transform: @escaping @Sendable (Element) async throws -> Result
    ) -> Maybe<Result> {
        PrimitiveSequence(raw: primitiveSequence.source.asyncMap(priority: priority, transform))
    }

    /// Transforms the element, and drops it if the result is nil.
    ///
    /// - Parameter transform: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result?) -> Maybe<Result> {
        PrimitiveSequence(raw: primitiveSequence.source.compactMap(transform))
    }

    /// Lets the element through if it satisfies a predicate.
    ///
    /// - Parameter predicate: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [Filter](https://reactivex.io/documentation/operators/filter.html)
    @preconcurrency @inlinable
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        PrimitiveSequence(raw: primitiveSequence.source.filter(predicate))
    }

    /// Continues with another maybe, made from the element.
    ///
    /// - Parameter selector: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        PrimitiveSequence(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Runs closures at the events of the maybe, which pass unchanged.
    ///
    /// An element is followed by completion: the closures for both run.
    /// - Parameters:
    ///   - onNext: runs before the element is passed on; an error it throws takes the element's place.
    ///   - afterNext: runs after the element was passed on.
    ///   - onError: runs before the error is passed on; an error it throws takes the error's place.
    ///   - afterError: runs after the error was passed on.
    ///   - onCompleted: runs before the completion is passed on, after an element or without one.
    ///   - afterCompleted: runs after the completion was passed on.
    ///   - onSubscribe: runs before the source is subscribed to.
    ///   - onSubscribed: runs after the source was subscribed to.
    ///   - onDispose: runs once when the subscription has ended.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    @preconcurrency
    public func `do`(
        onNext: (@Sendable (Element) throws -> Void)? = nil,
        afterNext: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Maybe<Element> {
        PrimitiveSequence(
            raw: primitiveSequence.source.do(
                onNext: onNext, afterNext: afterNext, onError: onError, afterError: afterError,
                onCompleted: onCompleted, afterCompleted: afterCompleted, onSubscribe: onSubscribe,
                onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Sends an element if the maybe completes without one.
    ///
    /// - Parameter default: the element in that case.
    /// - SeeAlso: [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    public func ifEmpty(default: Element) -> Single<Element> {
        PrimitiveSequence(raw: primitiveSequence.source.ifEmpty(default: `default`))
    }

    /// Continues with another maybe if this one completes without an element.
    ///
    /// - Parameter other: subscribed to in that case, on the thread of the completion.
    /// - SeeAlso: [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    public func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        PrimitiveSequence(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
    }

    /// Continues with a single if the maybe completes without an element.
    ///
    /// - Parameter other: subscribed to in that case, on the thread of the completion.
    /// - SeeAlso: [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    public func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        PrimitiveSequence(raw: primitiveSequence.source.ifEmpty(switchTo: other.source))
    }

    /// Sends an element where the maybe fails.
    ///
    /// - Parameter element: takes the place of every error.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public func catchAndReturn(_ element: Element) -> Maybe<Element> {
        PrimitiveSequence(raw: primitiveSequence.source.catchAndReturn(element))
    }

    /// The former name of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    @inlinable
    public func catchErrorJustReturn(_ element: Element) -> Maybe<Element> {
        catchAndReturn(element)
    }
}
