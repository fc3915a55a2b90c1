// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Transforms the element.
    ///
    /// - Parameter transform: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Single<Result> {
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
    ) -> Single<Result> {
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

    /// Continues with another single, made from the element.
    ///
    /// - Parameter selector: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMap<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Single<Result>
    ) -> Single<Result> {
        PrimitiveSequence(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Continues with a maybe, made from the element.
    ///
    /// - Parameter selector: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapMaybe<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        PrimitiveSequence(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Continues with a completable, made from the element.
    ///
    /// - Parameter selector: runs on the thread that emits the element; an error it throws becomes the error of the result.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapCompletable(
        _ selector: @escaping @Sendable (Element) throws -> Completable
    ) -> Completable {
        PrimitiveSequence(raw: primitiveSequence.source.flatMap(selector))
    }

    /// Runs closures at the events of the single, which pass unchanged.
    ///
    /// - Parameters:
    ///   - onSuccess: runs before the element is passed on; an error it throws takes the element's place.
    ///   - afterSuccess: runs after the element was passed on.
    ///   - onError: runs before the error is passed on; an error it throws takes the error's place.
    ///   - afterError: runs after the error was passed on.
    ///   - onSubscribe: runs before the source is subscribed to.
    ///   - onSubscribed: runs after the source was subscribed to.
    ///   - onDispose: runs once when the subscription has ended.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    @preconcurrency
    public func `do`(
        onSuccess: (@Sendable (Element) throws -> Void)? = nil,
        afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        PrimitiveSequence(
            raw: primitiveSequence.source.do(
                onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Sends an element where the single fails.
    ///
    /// - Parameter element: takes the place of every error.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public func catchAndReturn(_ element: Element) -> Single<Element> {
        PrimitiveSequence(raw: primitiveSequence.source.catchAndReturn(element))
    }

    /// The former name of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    @inlinable
    public func catchErrorJustReturn(_ element: Element) -> Single<Element> {
        catchAndReturn(element)
    }

    /// The single as a sequence of at most one element.
    @inlinable
    public func asMaybe() -> Maybe<Element> {
        PrimitiveSequence(raw: primitiveSequence.source)
    }

    /// The single without its element.
    @inlinable
    public func asCompletable() -> Completable {
        PrimitiveSequence(raw: primitiveSequence.source.ignoreElements())
    }
}
