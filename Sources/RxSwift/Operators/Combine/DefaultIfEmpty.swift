// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Sends an element if the sequence completes without one.
    ///
    /// - Parameter default: sent when an empty sequence completes, followed by `completed`.
    /// - SeeAlso: [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    public func ifEmpty(default: Element) -> Observable<Element> {
        LinearOperator(asObservable(), settings: `default`, sinkType: DefaultIfEmptySink<Element>.self)
    }
}

@usableFromInline
final class DefaultIfEmptySink<Element>: OperatorSink<Element, Element, Element> {
    private let `default`: Element
    private var isEmpty = true

    required init(_ default: Element, downstream: Sink<Element>) {
        self.default = `default`
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        isEmpty = false
        downstream.next(element)
    }

    override func completed() {
        if isCancelled { return }
        if isEmpty { downstream.next(`default`) }
        if !isCancelled { downstream.completed() }
    }
}
