// SPDX-License-Identifier: Apache-2.0

// What is sent, and when, is decided in ../Combination/CombinationStateMachine.swift.

extension ObservableType {
    /// Combines the latest elements of several sources whenever one of them sends an element, once each has sent one.
    ///
    /// Completes when all sources have completed, or when an element comes that no combination can follow. Without sources, sends
    /// the result for no elements and completes.
    /// - Parameters:
    ///   - collection: the sources, which are iterated at each subscription.
    ///   - resultSelector: runs once per combination, never two runs at a time; an error it throws ends the sequence.
    /// - Returns: the results, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        CollectionCombination(.combineLatest, collection, resultSelector: resultSelector)
    }

    /// Combines the latest elements of several sources whenever one of them sends an element, once each has sent one.
    ///
    /// Completes when all sources have completed, or when an element comes that no combination can follow. Without sources, sends
    /// an empty array and completes.
    /// - Parameter collection: the sources, which are iterated at each subscription.
    /// - Returns: the combinations as arrays, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        CollectionCombination(.combineLatest, collection, resultSelector: { $0 })
    }
}
