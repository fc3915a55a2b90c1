// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// A completable made by a closure that receives each subscriber.
    ///
    /// - Parameter subscribe: runs at each subscription, on the subscribing thread, and receives a closure for the outcome, callable from
    ///   any thread; only the first counts. Returns a disposable of the subscription's work: disposed of after the outcome or when
    ///   the subscriber disposes.
    /// - SeeAlso: [Create](https://reactivex.io/documentation/operators/create.html)
    @preconcurrency @inlinable
    public static func create(
        subscribe: @escaping @Sendable (@escaping CompletableObserver) -> any Disposable
    ) -> Completable {
        PrimitiveSequence(
            raw: .create { observer in
                subscribe { event in
                    switch event {
                    case .error(let error): observer.on(.error(error))
                    case .completed: observer.on(.completed)
                    }
                }
            })
    }

    /// A completable that fails.
    ///
    /// - Parameter error: sent inside `subscribe`.
    /// - SeeAlso: [Throw](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @Sendable @inlinable
    public static func error(_ error: any Swift.Error) -> Completable {
        PrimitiveSequence(raw: .error(error))
    }

    /// A completable that never ends.
    ///
    /// - SeeAlso: [Never](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func never() -> Completable {
        PrimitiveSequence(raw: .never())
    }

    /// A completable that completes inside `subscribe`.
    ///
    /// - SeeAlso: [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func empty() -> Completable {
        PrimitiveSequence(raw: .empty())
    }
}
