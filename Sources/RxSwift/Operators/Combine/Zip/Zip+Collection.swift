// SPDX-License-Identifier: Apache-2.0

// What is sent, and when, is decided in ../Combination/CombinationStateMachine.swift.

extension ObservableType {
    /// Combines the elements of several sources by position: the first of each, the second of each, and so on.
    ///
    /// Completes when all sources have completed, at once if there are none, and also when an element comes that no
    /// combination can follow because all other sources are done.
    /// - Parameters:
    ///   - collection: the sources, which are iterated at each subscription.
    ///   - resultSelector: runs once per combination, never two runs at a time; an error it throws ends the sequence.
    /// - Returns: the results, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    @preconcurrency
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        CollectionCombination(.zip, collection, resultSelector: resultSelector)
    }

    /// Combines the elements of several sources by position: the first of each, the second of each, and so on.
    ///
    /// Completes when all sources have completed, at once if there are none, and also when an element comes that no
    /// combination can follow because all other sources are done.
    /// - Parameter collection: the sources, which are iterated at each subscription.
    /// - Returns: the combinations as arrays, in order; an error of a source ends the sequence at once.
    /// - SeeAlso: [Zip](https://reactivex.io/documentation/operators/zip.html)
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        CollectionCombination(.zip, collection, resultSelector: { $0 })
    }
}
