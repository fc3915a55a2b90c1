// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension SharedSequenceConvertibleType {
    /// Turns each element into a sequence, and sends the elements of all of them.
    ///
    /// - Parameter selector: runs once per element, on the strategy's scheduler. The sequences it returns may have another
    ///   strategy, which is then that of the result.
    /// - Returns: completes when the source and all inner sequences have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMap<Sharing, Result>(
        _ selector: @escaping @Sendable (Element) -> SharedSequence<Sharing, Result>
    ) -> SharedSequence<Sharing, Result> {
        SharedSequence<Sharing, Result>(asObservable().flatMap(selector))
    }

    /// Turns each element into a sequence, and sends the elements of the latest one only.
    ///
    /// - Parameter selector: runs once per element, on the strategy's scheduler. The sequences it returns may have another
    ///   strategy, which is then that of the result.
    /// - Returns: completes when the source and the latest inner sequence have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapLatest<Sharing, Result>(
        _ selector: @escaping @Sendable (Element) -> SharedSequence<Sharing, Result>
    ) -> SharedSequence<Sharing, Result> {
        SharedSequence<Sharing, Result>(asObservable().flatMapLatest(selector))
    }

    /// Turns an element into a sequence and sends its elements, unless the sequence of an earlier one is still running.
    ///
    /// - Parameter selector: runs on the strategy's scheduler, for each element that arrives while no inner sequence is running.
    ///   The sequences it returns may have another strategy, which is then that of the result.
    /// - Returns: completes when the source and the inner sequence have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapFirst<Sharing, Result>(
        _ selector: @escaping @Sendable (Element) -> SharedSequence<Sharing, Result>
    ) -> SharedSequence<Sharing, Result> {
        SharedSequence<Sharing, Result>(asObservable().flatMapFirst(selector))
    }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
    /// Sends the elements of the latest inner sequence only.
    ///
    /// - Returns: has the strategy of the inner sequences; completes when the source and the latest of them have.
    /// - SeeAlso: [Switch](https://reactivex.io/documentation/operators/switch.html)
    @inlinable
    public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
        SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().switchLatest())
    }

    /// Sends the elements of all inner sequences, as they come.
    ///
    /// - Returns: has the strategy of the inner sequences; completes when the source and all of them have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
        SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().merge())
    }

    /// Sends the elements of the inner sequences, of which only so many are subscribed to at a time; the others wait.
    ///
    /// - Parameter maxConcurrent: how many at a time.
    /// - Returns: has the strategy of the inner sequences; completes when the source and all of them have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public func merge(maxConcurrent: Int) -> SharedSequence<Element.SharingStrategy, Element.Element> {
        SharedSequence<Element.SharingStrategy, Element.Element>(
            asObservable().merge(maxConcurrent: maxConcurrent))
    }
}
