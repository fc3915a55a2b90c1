// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Runs closures at the events of the completable, which pass unchanged.
    ///
    /// - Parameters:
    ///   - onError: runs before the error is passed on; an error it throws takes the error's place.
    ///   - afterError: runs after the error was passed on.
    ///   - onCompleted: runs before the completion is passed on; an error it throws takes its place.
    ///   - afterCompleted: runs after the completion was passed on.
    ///   - onSubscribe: runs before the source is subscribed to.
    ///   - onSubscribed: runs after the source was subscribed to.
    ///   - onDispose: runs once when the subscription has ended.
    /// - SeeAlso: [Do](https://reactivex.io/documentation/operators/do.html)
    @preconcurrency
    public func `do`(
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        PrimitiveSequence(
            raw: primitiveSequence.source.do(
                onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Runs another completable after this one.
    ///
    /// - Parameter second: subscribed to on the thread on which this one completes; not at all if it fails.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func concat(_ second: Completable) -> Completable {
        PrimitiveSequence(raw: .concat([primitiveSequence.source, second.source]))
    }

    /// Runs one completable after another, as long as they complete.
    ///
    /// Stack and memory do not grow with the number of completables.
    /// - Parameter sequence: iterated lazily, once per subscription: the next completable is asked for when the one before it has
    ///   completed, on the thread on which it has. An error ends the result.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> Completable where Sequence.Element == Completable {
        PrimitiveSequence(raw: .concat(sequence.lazy.map { $0.source }))
    }

    /// Runs one completable after another, as long as they complete.
    ///
    /// Stack and memory do not grow with how many have run.
    /// - Parameter collection: gone through now. Each completable is subscribed to on the thread on which the one before it
    ///   completes. An error ends the result.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Completable where Collection.Element == Completable {
        PrimitiveSequence(raw: .concat(collection.map { $0.source }))
    }

    /// Runs one completable after another, as long as they complete.
    ///
    /// - Parameter sources: each is subscribed to on the thread on which the one before it completes. An error ends the result.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat(_ sources: Completable...) -> Completable {
        PrimitiveSequence(raw: .concat(sources.map { $0.source }))
    }

    /// Runs several completables at the same time.
    ///
    /// - Parameter sources: gone through now, and subscribed to in order.
    /// - Returns: completes when all have, at once if there are none. The first error ends it, and the subscriptions of the others.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public static func zip<Collection: Swift.Collection>(
        _ sources: Collection
    ) -> Completable where Collection.Element == Completable {
        PrimitiveSequence(raw: .merge(sources.map { $0.source }))
    }

    /// Runs several completables at the same time. See `zip(_:)` of a collection.
    @inlinable
    public static func zip(_ sources: [Completable]) -> Completable {
        PrimitiveSequence(raw: .merge(sources.map { $0.source }))
    }

    /// Runs several completables at the same time. See `zip(_:)` of a collection.
    @inlinable
    public static func zip(_ sources: Completable...) -> Completable {
        PrimitiveSequence(raw: .merge(sources.map { $0.source }))
    }
}
