// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Turns each element into a sequence, and sends the elements of one of these sequences after another.
    ///
    /// - Parameter selector: runs once per element when it arrives, on the thread that emits it; an error it throws ends the
    ///   sequence. The sequences it makes wait, in order, until those before them have completed. A source that can pause does so while
    ///   16 wait; any other makes the queue grow without a bound.
    /// - Returns: fails with the first error of any; completes when the source and all inner sequences have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        LimitedMerge(source: asObservable(), limit: 1, dropsWhenFull: false, name: "concatMap") {
            try selector($0).asObservable()
        }
    }
}
