// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension SharedSequenceConvertibleType {
    /// Sends each element, and `completed`, a span of time later, on the strategy's scheduler.
    ///
    /// - Parameter dueTime: how much later.
    /// - SeeAlso: [Delay](https://reactivex.io/documentation/operators/delay.html)
    @inlinable
    public func delay(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().delay(dueTime, scheduler: SharingStrategy.scheduler), derivedFrom: asOwnSharedSequence)
    }

    /// Lets an element through, on the strategy's scheduler, when no other has followed it for a while.
    ///
    /// At the end of the source the element that still waits is sent at once, then `completed`.
    /// - Parameter dueTime: how long the source must be silent.
    /// - SeeAlso: [Debounce](https://reactivex.io/documentation/operators/debounce.html)
    @inlinable
    public func debounce(_ dueTime: RxTimeInterval) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().debounce(dueTime, scheduler: SharingStrategy.scheduler), derivedFrom: asOwnSharedSequence)
    }

    /// Lets at most one element through per span of time, on the strategy's scheduler.
    ///
    /// The first element passes at once and begins a span. When a span ends, the last element that came during it is sent and begins
    /// the next span; if `latest` is false, none is sent. At the end of the source `completed` waits for the element which is
    /// still to be sent.
    /// - Parameters:
    ///   - dueTime: the least time between two elements.
    ///   - latest: whether the last element of a span is sent at its end.
    /// - SeeAlso: [Sample](https://reactivex.io/documentation/operators/sample.html)
    @inlinable
    public func throttle(
        _ dueTime: RxTimeInterval, latest: Bool = true
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(
            asObservable().throttle(dueTime, latest: latest, scheduler: SharingStrategy.scheduler),
            derivedFrom: asOwnSharedSequence)
    }
}
