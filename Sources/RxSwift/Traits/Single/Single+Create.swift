// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single made by a closure that receives each subscriber.
    ///
    /// - Parameter subscribe: runs at each subscription, on the subscribing thread, and receives a closure for the result, callable from
    ///   any thread; only the first counts. Returns a disposable of the subscription's work: disposed of after the result or when
    ///   the subscriber disposes.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @preconcurrency @inlinable
    public static func create(
        subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
    ) -> Single<Element> {
        PrimitiveSequence(
            raw: OutcomeSource { observer in
                subscribe { result in
                    switch result {
                    case .success(let element): observer.succeed(element)
                    case .failure(let error): observer.fail(error)
                    }
                }
            })
    }

    /// A single whose element is known.
    ///
    /// - Parameter element: sent inside `subscribe`.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    @Sendable @inlinable
    public static func just(_ element: Element) -> Single<Element> {
        PrimitiveSequence(raw: .just(element))
    }

    /// A single whose element is known, sent on a scheduler.
    ///
    /// - Parameters:
    ///   - element: sent by a scheduled action.
    ///   - scheduler: runs the action.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
        PrimitiveSequence(raw: .just(element, scheduler: scheduler))
    }

    /// A single that fails.
    ///
    /// - Parameter error: sent inside `subscribe`.
    /// - SeeAlso: [Throw](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @Sendable @inlinable
    public static func error(_ error: any Swift.Error) -> Single<Element> {
        PrimitiveSequence(raw: .error(error))
    }

    /// A single that never sends anything.
    ///
    /// - SeeAlso: [Never](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func never() -> Single<Element> {
        PrimitiveSequence(raw: .never())
    }
}
