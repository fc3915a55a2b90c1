// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Combines each element with an object that is held weakly.
    ///
    /// Completes at the first element that comes when the object is gone.
    /// - Parameters:
    ///   - obj: the object. The sequence does not keep it alive.
    ///   - resultSelector: makes the result from the object and an element, on the thread that emits it.
    @preconcurrency @inlinable
    public func withUnretained<Object: AnyObject, Out>(
        _ obj: Object, resultSelector: @escaping @Sendable (Object, Element) -> Out
    ) -> Observable<Out> {
        ElementOperator(source: asObservable()) { [weak obj] element, sink in
            if let obj {
                sink.emit(resultSelector(obj, element))
            } else {
                sink.finish()
            }
        }
    }

    /// Pairs each element with an object that is held weakly.
    ///
    /// Completes at the first element that comes when the object is gone.
    /// - Parameter obj: the object. The sequence does not keep it alive.
    @inlinable
    public func withUnretained<Object: AnyObject>(_ obj: Object) -> Observable<(Object, Element)> {
        withUnretained(obj) { ($0, $1) }
    }
}
