// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Drops a number of elements from the start.
    ///
    /// - Parameter count: the number of elements. Nothing is dropped if it is 0 or negative.
    /// - SeeAlso: [Skip](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    public func skip(_ count: Int) -> Observable<Element> {
        LinearOperator(asObservable(), settings: count, sinkType: SkipSink<Element>.self)
    }
}

@usableFromInline
final class SkipSink<Element>: OperatorSink<Element, Element, Int> {
    private var remaining: Int

    required init(_ count: Int, downstream: Sink<Element>) {
        self.remaining = count
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        let remaining = self.remaining
        if remaining <= 0 {
            downstream.next(element)
        } else {
            self.remaining = remaining - 1
        }
    }
}
