// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// A maybe made by a closure that receives each subscriber.
    ///
    /// - Parameter subscribe: runs at each subscription, on the subscribing thread, and receives a closure for the outcome, callable from
    ///   any thread; only the first counts. Returns a disposable of the subscription's work: disposed of after the outcome or when
    ///   the subscriber disposes.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @preconcurrency @inlinable
    public static func create(
        subscribe: @escaping @Sendable (@escaping MaybeObserver) -> any Disposable
    ) -> Maybe<Element> {
        PrimitiveSequence(
            raw: OutcomeSource { observer in
                subscribe { event in
                    switch event {
                    case .success(let element): observer.succeed(element)
                    case .error(let error): observer.fail(error)
                    case .completed: observer.finish()
                    }
                }
            })
    }

    /// A maybe whose element is known.
    ///
    /// - Parameter element: sent inside `subscribe`.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    @Sendable @inlinable
    public static func just(_ element: Element) -> Maybe<Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// A maybe whose element is known, sent on a scheduler.
    ///
    /// - Parameters:
    ///   - element: sent by a scheduled action.
    ///   - scheduler: runs the action.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Maybe<Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// A maybe that fails.
    ///
    /// - Parameter error: sent inside `subscribe`.
    /// - SeeAlso: [Throw](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @Sendable @inlinable
    public static func error(_ error: any Swift.Error) -> Maybe<Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// A maybe that never sends anything.
    ///
    /// - SeeAlso: [Never](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func never() -> Maybe<Element> {
        PrimitiveSequence(raw: .never())
    }

    /// A maybe that completes without an element, inside `subscribe`.
    ///
    /// - SeeAlso: [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func empty() -> Maybe<Element> {
        PrimitiveSequence(raw: .empty())
    }
}
