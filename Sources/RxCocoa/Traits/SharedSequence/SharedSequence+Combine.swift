// SPDX-License-Identifier: Apache-2.0

public import RxSwift

extension SharedSequenceConvertibleType {
    /// Sends the elements of several sequences, as they come.
    ///
    /// - Parameter sources: subscribed to in their order, with the first subscriber.
    /// - Returns: completes when all sources have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public static func merge<Collection: Swift.Collection>(
        _ sources: Collection
    ) -> SharedSequence<SharingStrategy, Element>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Sends the elements of several sequences, as they come.
    ///
    /// - Parameter sources: subscribed to in their order, with the first subscriber.
    /// - Returns: completes when all sources have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public static func merge(
        _ sources: [SharedSequence<SharingStrategy, Element>]
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Sends the elements of several sequences, as they come.
    ///
    /// - Parameter sources: subscribed to in their order, with the first subscriber.
    /// - Returns: completes when all sources have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public static func merge(
        _ sources: SharedSequence<SharingStrategy, Element>...
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Combines each element with the latest element of a second sequence.
    ///
    /// Elements that come before the second sequence has sent one are dropped.
    /// - Parameters:
    ///   - second: the sequence of which the latest element is kept. It is subscribed to first.
    ///   - resultSelector: runs once per element, on the strategy's scheduler.
    /// - Returns: the results, in order; completes with this sequence.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency @inlinable
    public func withLatestFrom<SecondO: SharedSequenceConvertibleType, ResultType>(
        _ second: SecondO, resultSelector: @escaping @Sendable (Element, SecondO.Element) -> ResultType
    ) -> SharedSequence<SharingStrategy, ResultType> where SecondO.SharingStrategy == SharingStrategy {
        SharedSequence(
            asObservable().withLatestFrom(second, resultSelector: resultSelector), derivedFrom: asOwnSharedSequence)
    }

    /// Sends the latest element of a second sequence at each element of this one.
    ///
    /// Elements that come before the second sequence has sent one have no effect.
    /// - Parameter second: the sequence of which the latest element is kept. It is subscribed to first.
    /// - Returns: completes with this sequence.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    public func withLatestFrom<SecondO: SharedSequenceConvertibleType>(
        _ second: SecondO
    ) -> SharedSequence<SharingStrategy, SecondO.Element> {
        SharedSequence(asObservable().withLatestFrom(second), derivedFrom: asOwnSharedSequence)
    }
}

extension SharedSequence {
    /// The elements of one sequence after another.
    ///
    /// - Parameter sequence: iterated lazily: the next source is asked for when the one before it has completed.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> SharedSequence<SharingStrategy, Element>
    where Sequence.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.concat(sequence.lazy.map { $0.asObservable() }))
    }

    /// The elements of one sequence after another.
    ///
    /// - Parameter collection: each source is subscribed to when the one before it has completed.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> SharedSequence<SharingStrategy, Element>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.concat(collection.map { $0.asObservable() }))
    }

    /// Combines the elements of several sequences that have the same place in each: all first ones, all second ones, and so on.
    ///
    /// - Parameters:
    ///   - collection: subscribed to in their order, with the first subscriber.
    ///   - resultSelector: makes a result of one element of each, on the strategy's scheduler. It should not throw: an error would end
    ///     a sequence that promises not to fail.
    /// - Returns: completes when there can be no further result.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    @preconcurrency @inlinable
    public static func zip<Collection: Swift.Collection, Result>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> SharedSequence<SharingStrategy, Result>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, Result>(
            Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Collects the elements of several sequences that have the same place in each: all first ones, all second ones, and so on.
    ///
    /// - Parameter collection: subscribed to in their order, with the first subscriber.
    /// - Returns: completes when there can be no further array.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    @inlinable
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> SharedSequence<SharingStrategy, [Element]>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, [Element]>(Observable.zip(collection.map { $0.asObservable() }))
    }

    /// Combines the latest elements of several sequences, whenever one sends an element and all have sent one.
    ///
    /// - Parameters:
    ///   - collection: subscribed to in their order, with the first subscriber.
    ///   - resultSelector: makes a result of the latest element of each, on the strategy's scheduler. It should not throw: an error
    ///     would end a sequence that promises not to fail.
    /// - Returns: completes when all sources have, or when one has that never sent anything.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency @inlinable
    public static func combineLatest<Collection: Swift.Collection, Result>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> SharedSequence<SharingStrategy, Result>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, Result>(
            Observable.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Collects the latest elements of several sequences, whenever one sends an element and all have sent one.
    ///
    /// - Parameter collection: subscribed to in their order, with the first subscriber.
    /// - Returns: completes when all sources have, or when one has that never sent anything.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> SharedSequence<SharingStrategy, [Element]>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, [Element]>(
            Observable.combineLatest(collection.map { $0.asObservable() }))
    }
}
