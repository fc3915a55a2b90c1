// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// The only element of the sequence, if there is one, sent when the sequence completes.
    ///
    /// Ends with `RxError.moreThanOneElement` at a second element.
    /// - SeeAlso: [First](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    public func asMaybe() -> Maybe<Element> {
        PrimitiveSequence(raw: LinearOperator(asObservable(), sinkType: AsMaybeSink<Element>.self))
    }
}

@usableFromInline
final class AsMaybeSink<Element>: OperatorSink<Element, Element, Void> {
    private var element: Element?
    /// True once the sequence has ended; set before the terminal event is sent.
    private var hasEnded = false

    override func next(_ element: Element) {
        if hasEnded { return }
        if self.element != nil {
            hasEnded = true
            downstream.error(RxError.moreThanOneElement)
        } else {
            self.element = element
        }
    }

    override func completed() {
        if hasEnded || isCancelled { return }
        if let element { downstream.next(element) }
        if !isCancelled { downstream.completed() }
    }
}
