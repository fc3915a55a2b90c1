// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Lets through the only element of the sequence.
    ///
    /// The element is sent when it comes. Ends with `RxError.moreThanOneElement` at a second element, and with
    /// `RxError.noElements` if the sequence completes without one.
    /// - SeeAlso: [First](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    public func single() -> Observable<Element> {
        LinearOperator(asObservable(), sinkType: SingleElementSink<Element>.self)
    }

    /// Lets through the only element that satisfies a predicate.
    ///
    /// The element is sent when it comes. Ends with `RxError.moreThanOneElement` at a second such element, and with
    /// `RxError.noElements` if the sequence completes without one.
    /// - Parameter predicate: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    /// - SeeAlso: [First](https://reactivex.io/documentation/operators/first.html)
    @preconcurrency @inlinable
    public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        LinearOperator(filter(predicate), sinkType: SingleElementSink<Element>.self)
    }
}

@usableFromInline
final class SingleElementSink<Element>: OperatorSink<Element, Element, Void> {
    private var hasElement = false
    /// True once the sequence has ended; set before the terminal event is sent.
    private var hasEnded = false

    override func next(_ element: Element) {
        if hasEnded { return }
        if hasElement {
            hasEnded = true
            return downstream.error(RxError.moreThanOneElement)
        }
        hasElement = true
        downstream.next(element)
    }

    override func completed() {
        if hasEnded || isCancelled { return }
        if hasElement { downstream.completed() } else { downstream.error(RxError.noElements) }
    }
}
