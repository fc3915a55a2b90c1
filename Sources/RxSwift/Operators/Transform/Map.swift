extension ObservableType {
    /// Transforms each element.
    ///
    /// - Parameter transform: runs once per element, on the thread that emits it; what it throws ends the sequence with an error.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        InlineOperator(source: asObservable()) { element, sink in
            do {
                sink.emit(try transform(element))
            } catch {
                sink.fail(error)
            }
        }
    }
}
