// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// All elements in an array, which is sent when the sequence completes.
    ///
    /// - SeeAlso: [To](https://reactivex.io/documentation/operators/to.html)
    @inlinable
    public func toArray() -> Single<[Element]> {
        PrimitiveSequence(
            raw: Reduce(
                source: asObservable(), seed: [Element](),
                accumulate: { elements, element in elements.append(element) },
                mapResult: { $0 }))
    }
}
