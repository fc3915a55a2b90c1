// SPDX-License-Identifier: Apache-2.0

extension Infallible {
    /// Receives the events of an infallible that is made by `create(subscribe:)`.
    public typealias InfallibleObserver = (InfallibleEvent<Element>) -> Void

    /// An infallible made by a closure that receives each subscriber.
    ///
    /// The observer may be called from any thread and from inside its own callbacks: its events reach the subscriber one at
    /// a time, in order of acceptance.
    /// - Parameter subscribe: runs at each subscription, on the subscribing thread, and returns a disposable of the subscription's work:
    ///   disposed of after `completed` or when the subscriber disposes.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @preconcurrency @inlinable
    public static func create(
        subscribe: @escaping @Sendable (@escaping InfallibleObserver) -> any Disposable
    ) -> Infallible<Element> {
        Infallible(raw: .create { observer in subscribe { observer.on($0.event) } })
    }

    /// An infallible of the given elements.
    ///
    /// - Parameters:
    ///   - elements: the elements to emit.
    ///   - scheduler: where they are emitted: a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(elements, scheduler: scheduler))
    }

    /// An infallible of the elements of an array.
    ///
    /// - Parameters:
    ///   - array: the elements to emit.
    ///   - scheduler: where they are emitted: a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> {
        Infallible(raw: .from(array, scheduler: scheduler))
    }

    /// An infallible of the elements of a Swift sequence, which is iterated anew, and lazily, at each subscription.
    ///
    /// - Parameters:
    ///   - sequence: the elements to emit.
    ///   - scheduler: where they are emitted: a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from<Sequence: Swift.Sequence>(
        _ sequence: Sequence, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Infallible<Element> where Sequence.Element == Element {
        Infallible(raw: .from(sequence, scheduler: scheduler))
    }
}

extension InfallibleType {
    /// An infallible of one element.
    ///
    /// - Parameter element: sent inside `subscribe`, followed by `completed`.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    @inlinable
    public static func just(_ element: Element) -> Infallible<Element> {
        Infallible(raw: .just(element))
    }

    /// An infallible of one element, sent on a scheduler.
    ///
    /// - Parameters:
    ///   - element: sent by one scheduled action, followed by `completed` in another.
    ///   - scheduler: runs both actions.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    @inlinable
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Infallible<Element> {
        Infallible(raw: .just(element, scheduler: scheduler))
    }

    /// An infallible that never sends anything.
    ///
    /// - SeeAlso: [Never](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func never() -> Infallible<Element> {
        Infallible(raw: .never())
    }

    /// An infallible without elements that completes, inside `subscribe`.
    ///
    /// - SeeAlso: [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func empty() -> Infallible<Element> {
        Infallible(raw: .empty())
    }

    /// An infallible that is made anew for each subscription.
    ///
    /// - Parameter observableFactory: runs at each subscription, on the subscribing thread, and returns the infallible to subscribe
    ///   to; an error it throws ends the sequence, see `Infallible`.
    /// - SeeAlso: [Defer](https://reactivex.io/documentation/operators/defer.html)
    @preconcurrency @inlinable
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Infallible<Element>
    ) -> Infallible<Element> {
        Infallible(raw: .deferred { try observableFactory().source })
    }
}
