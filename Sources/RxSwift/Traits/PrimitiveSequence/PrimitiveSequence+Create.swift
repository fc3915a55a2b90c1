// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequence {
    /// A sequence that is made anew for each subscription.
    ///
    /// - Parameter observableFactory: runs at each subscription, on the subscribing thread, and returns the sequence to subscribe
    ///   to; an error it throws is sent as the error.
    /// - SeeAlso: [Defer](https://reactivex.io/documentation/operators/defer.html)
    @preconcurrency @inlinable
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .deferred { try observableFactory().source })
    }

    /// A sequence that owns a resource for the time of each subscription.
    ///
    /// - Parameters:
    ///   - resourceFactory: runs at each subscription and makes the resource, which is disposed of once the subscription to
    ///     the sequence has ended.
    ///   - primitiveSequenceFactory: makes the sequence from the resource.
    /// - Returns: the sequence. An error that a factory throws is sent; a resource made before that is disposed of.
    /// - SeeAlso: [Using](https://reactivex.io/documentation/operators/using.html)
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: .using(resourceFactory, observableFactory: { try primitiveSequenceFactory($0).source }))
    }
}

extension PrimitiveSequenceType where Element: FixedWidthInteger {
    /// Sends 0 after a span of time.
    ///
    /// Waiting costs no thread and no kernel timer of its own. Subscribing and disposing are O(1).
    /// - Parameters:
    ///   - dueTime: how long to wait.
    ///   - scheduler: runs the timer, and sends the number.
    /// - SeeAlso: [Timer](https://reactivex.io/documentation/operators/timer.html)
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: .timer(dueTime, scheduler: scheduler))
    }
}
