// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Turns an element into a sequence and sends its elements, unless the sequence of an earlier one is still running.
    ///
    /// - Parameter selector: runs for each element that arrives while no inner sequence is running, on the thread that emits it; an
    ///   error it throws ends the sequence. The other elements are ignored.
    /// - Returns: fails with the first error of any; completes when the source and the inner sequence have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        LimitedMerge(source: asObservable(), limit: 1, dropsWhenFull: true) { try selector($0).asObservable() }
    }
}
