// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension SharedSequence {
    /// A sequence without elements that completes.
    ///
    /// Each subscription goes to the strategy's scheduler, and completes there.
    /// - SeeAlso: [Empty](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func empty() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
    }

    /// A sequence that never sends anything.
    ///
    /// - SeeAlso: [Never](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    public static func never() -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: .never())
    }

    /// A sequence of one element.
    ///
    /// - Parameter element: sent to each subscriber on the strategy's scheduler, followed by `completed`.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    @inlinable
    public static func just(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
    }

    /// A sequence that is made anew for a subscriber that comes while there is no other.
    ///
    /// - Parameter observableFactory: runs on the subscribing thread, and returns the sequence to subscribe to.
    /// - SeeAlso: [Defer](https://reactivex.io/documentation/operators/defer.html)
    @preconcurrency @inlinable
    public static func deferred(
        _ observableFactory: @escaping @Sendable () -> SharedSequence<SharingStrategy, Element>
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.deferred { observableFactory().asObservable() })
    }

    /// A sequence of the given elements.
    ///
    /// - Parameter elements: sent to each subscriber on the strategy's scheduler, in a step of its own for each and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func of(_ elements: Element...) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: .from(elements, scheduler: SharingStrategy.scheduler))
    }

    /// A sequence of the elements of an array.
    ///
    /// - Parameter array: sent to each subscriber on the strategy's scheduler, in a step of its own for each element and for
    ///   `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from(_ array: [Element]) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: .from(array, scheduler: SharingStrategy.scheduler))
    }

    /// A sequence of the elements of a Swift sequence, which is iterated anew, and lazily, at each subscription.
    ///
    /// - Parameter sequence: iterated on the strategy's scheduler, in a step of its own for each element and for `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> SharedSequence<SharingStrategy, Element> where Sequence.Element == Element {
        SharedSequence(raw: .from(sequence, scheduler: SharingStrategy.scheduler))
    }

    /// A sequence of an optional's value, if there is one.
    ///
    /// - Parameter optional: sent to each subscriber on the strategy's scheduler, unless nil, and followed by `completed`.
    /// - SeeAlso: [From](https://reactivex.io/documentation/operators/from.html)
    @inlinable
    public static func from(optional: Element?) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(raw: .from(optional: optional, scheduler: SharingStrategy.scheduler))
    }
}

extension SharedSequence where Element: FixedWidthInteger {
    /// The numbers from 0, one each period, without an end, on the strategy's scheduler.
    ///
    /// The subscribers share one timer, which runs while there are any.
    /// - Parameter period: the time between two numbers, and before the first.
    /// - SeeAlso: [Interval](https://reactivex.io/documentation/operators/interval.html)
    @inlinable
    public static func interval(_ period: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(.interval(period, scheduler: SharingStrategy.scheduler))
    }

    /// Sends 0 after a span of time and then the numbers that follow, one each period, on the strategy's scheduler.
    ///
    /// The subscribers share one timer, which runs while there are any.
    /// - Parameters:
    ///   - dueTime: how long to wait for 0.
    ///   - period: the time between two numbers.
    /// - SeeAlso: [Timer](https://reactivex.io/documentation/operators/timer.html)
    @inlinable
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(.timer(dueTime, period: period, scheduler: SharingStrategy.scheduler))
    }
}
