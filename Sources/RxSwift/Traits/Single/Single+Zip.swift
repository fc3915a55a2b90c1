// SPDX-License-Identifier: Apache-2.0

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Combines the elements of several singles.
    ///
    /// - Parameters:
    ///   - collection: the singles; gone through now, and subscribed to in order.
    ///   - resultSelector: runs once, with the elements in the order of the collection, on the thread of the last; an error it throws
    ///     becomes the error. Without singles, it runs inside `subscribe`, with no elements.
    /// - Returns: fails as soon as one of the singles does.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    @preconcurrency @inlinable
    public static func zip<Collection: Swift.Collection, Result>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> Single<Result> where Collection.Element == Single<Element> {
        if collection.isEmpty { return .deferred { .just(try resultSelector([])) } }
        return PrimitiveSequence(raw: .zip(collection.map { $0.source }, resultSelector: resultSelector))
    }

    /// Combines the elements of several singles.
    ///
    /// - Parameter collection: the singles; gone through now, and subscribed to in order.
    /// - Returns: the elements in the order of the collection, at once and none if there are no singles. Fails as soon as one of
    ///   the singles does.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    @inlinable
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Single<[Element]> where Collection.Element == Single<Element> {
        if collection.isEmpty { return .just([]) }
        return PrimitiveSequence(raw: Observable.zip(collection.map { $0.source }))
    }
}
