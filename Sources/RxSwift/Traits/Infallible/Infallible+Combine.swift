// SPDX-License-Identifier: Apache-2.0

extension InfallibleType {
    /// Sends an element before those of the sequence.
    ///
    /// - Parameter element: sent inside `subscribe`, before the source is subscribed to.
    /// - SeeAlso: [StartWith](https://reactivex.io/documentation/operators/startwith.html)
    @inlinable
    public func startWith(_ element: Element) -> Infallible<Element> {
        Infallible(raw: asObservable().startWith(element))
    }

    /// Combines each element with the latest element of a second source.
    ///
    /// Elements that come before the second source has sent one are dropped. Subscribes to the second source first, and continues
    /// with its last element when it completes.
    /// - Parameters:
    ///   - second: the source of which the latest element is kept.
    ///   - resultSelector: runs once per element, never two runs at a time; an error it throws ends the sequence, see
    ///     `Infallible`.
    /// - Returns: the results, in order; ends with this sequence.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency @inlinable
    public func withLatestFrom<Source: InfallibleType, ResultType>(
        _ second: Source,
        resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
    ) -> Infallible<ResultType> {
        Infallible(raw: asObservable().withLatestFrom(second, resultSelector: resultSelector))
    }

    /// Sends the latest element of a second source at each element of this one.
    ///
    /// Elements that come before the second source has sent one have no effect. Subscribes to the second source first, and goes
    /// on with its last element when it completes.
    /// - Parameter second: the source of which the latest element is kept.
    /// - Returns: ends with this sequence.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible(raw: asObservable().withLatestFrom(second))
    }
}

// MARK: One after another

extension InfallibleType {
    /// The elements of this sequence, and when it has completed, those of a second one.
    ///
    /// - Parameter second: is subscribed to on the thread on which this sequence completes. It must not fail either: its error ends
    ///   the result, see `Infallible`.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public func concat<Source: ObservableConvertibleType>(
        _ second: Source
    ) -> Infallible<Element> where Source.Element == Element {
        Infallible(raw: asObservable().concat(second))
    }

    /// The elements of one infallible after another.
    ///
    /// Stack and memory do not grow with the number of infallibles, however they end.
    /// - Parameter sequence: iterated once, and to its end, by this call. Each source is subscribed to on the thread on which the
    ///   one before it completes.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(
        _ sequence: Sequence
    ) -> Infallible<Element> where Sequence.Element == Infallible<Element> {
        Infallible(raw: .concat(sequence.map { $0.source }))
    }

    /// The elements of one infallible after another.
    ///
    /// Stack and memory do not grow with the number of infallibles, however they end.
    /// - Parameter collection: iterated once, by this call. Each source is subscribed to on the thread on which the one before it
    ///   completes.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Infallible<Element> where Collection.Element == Infallible<Element> {
        Infallible(raw: .concat(collection.map { $0.source }))
    }

    /// The elements of one infallible after another.
    ///
    /// - Parameter sources: each is subscribed to on the thread on which the one before it completes.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(raw: .concat(sources.map { $0.source }))
    }
}

// MARK: All together

extension InfallibleType {
    /// The elements of one infallible after another: for a collection that is not an array, this is `concat`, as in RxSwift.
    ///
    /// To merge, use `merge(_:)` of an array; `Array(sources)` makes one of any collection.
    /// - Parameter sources: iterated once, by this call. Each is subscribed to when the one before it has completed.
    /// - SeeAlso: [Concat](https://reactivex.io/documentation/operators/concat.html)
    @inlinable
    public static func merge<Collection: Swift.Collection>(
        _ sources: Collection
    ) -> Infallible<Element> where Collection.Element == Infallible<Element> {
        Infallible(raw: .concat(sources.map { $0.source }))
    }

    /// Merges several infallibles into one.
    ///
    /// Subscribes to them in order; passes on their elements in order of acceptance, one at a time, regardless of their threads.
    /// Completes when all have.
    /// - SeeAlso: [Merge](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(raw: .merge(sources.map { $0.source }))
    }

    /// Merges several infallibles into one. See `merge(_:)` of an array.
    @inlinable
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(raw: .merge(sources.map { $0.source }))
    }

    /// Combines the latest elements of several infallibles whenever one of them sends an element, once each has sent one.
    ///
    /// Completes when all sources have completed, or when an element comes that no combination can follow any more. Without
    /// sources, sends the result for no elements and completes.
    /// - Parameters:
    ///   - collection: the sources; gone through at each subscription.
    ///   - resultSelector: runs once per combination, never two runs at a time; an error it throws ends the sequence, see
    ///     `Infallible`.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @preconcurrency @inlinable
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Collection.Element: InfallibleType {
        Infallible(
            raw: .combineLatest(collection.lazy.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// Combines the latest elements of several infallibles whenever one of them sends an element, once each has sent one.
    ///
    /// Completes when all sources have completed, or when an element comes that no combination can follow any more. Without
    /// sources, sends an empty array and completes.
    /// - Parameter collection: the sources; gone through at each subscription.
    /// - Returns: the combinations as arrays, in order.
    /// - SeeAlso: [CombineLatest](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Infallible<[Element]> where Collection.Element: InfallibleType, Collection.Element.Element == Element {
        Infallible(raw: Observable<Element>.combineLatest(collection.lazy.map { $0.asObservable() }))
    }
}
