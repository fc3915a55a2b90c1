// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Transforms each element, and drops the elements for which the result is nil.
    ///
    /// - Parameter transform: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> Observable<Result> {
        ElementOperator(
            source: asObservable(),
            work: !(_isPOD(Element.self) && _isPOD(Result.self))
                ? nil
                : { element, slot in
                    guard let result = try transform(element.assumingMemoryBound(to: Element.self).pointee)
                    else { return .dropped }
                    slot.assumingMemoryBound(to: Result.self).initialize(to: result)
                    return .passed
                },
            handle: { element, sink in
                if let result = try transform(element) { sink.emit(result) }
            })
    }
}
