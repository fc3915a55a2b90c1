extension ObservableType {
    /// Lets through the elements that satisfy a predicate.
    ///
    /// - Parameter predicate: runs once per element, on the thread that emits it; what it throws ends the sequence with an error.
    /// - SeeAlso: [Filter](https://reactivex.io/documentation/operators/filter.html)
    @preconcurrency @inlinable
    public func filter(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> Observable<Element> {
        InlineOperator(source: asObservable()) { element, sink in
            do {
                if try predicate(element) { sink.emit(element) }
            } catch {
                sink.fail(error)
            }
        }
    }
}
