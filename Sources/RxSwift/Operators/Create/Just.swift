// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// A sequence of one element.
    ///
    /// - Parameter element: sent inside `subscribe`, followed by `completed`.
    /// - SeeAlso: [Just](https://reactivex.io/documentation/operators/just.html)
    @Sendable @inlinable
    public static func just(_ element: Element) -> Observable<Element> {
        Just(element)
    }
}

@usableFromInline
final class Just<Element>: Observable<Element>, @unchecked Sendable {
    private let element: Element

    @usableFromInline
    init(_ element: Element) {
        self.element = element
        super.init()
    }

    override var startsOnTrampoline: Bool { false }

    override func emitScalar(into sink: Sink<Element>) -> Bool {
        sink.next(element)
        return true
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        downstream.link(EmptyUpstream.instance)
        downstream.next(element)
        if !downstream.isCancelled { downstream.completed() }
    }
}
