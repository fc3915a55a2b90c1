// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Turns each element into a sequence, and sends the elements of the latest of these sequences.
    ///
    /// - Parameter selector: runs once per element, on the thread that emits it; an error it throws ends the sequence. Afterwards
    ///   the former sequence is cancelled, and the new one subscribed to.
    /// - Returns: the elements of each inner sequence while it is the latest one, one at a time. Fails with the first error of the
    ///   source or the latest inner sequence; completes when both have.
    /// - SeeAlso: [FlatMap](https://reactivex.io/documentation/operators/flatmap.html)
    @preconcurrency @inlinable
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        SwitchLatest(source: asObservable()) { try selector($0).asObservable() }
    }
}
