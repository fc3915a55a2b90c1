// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
    /// Ends with an element and `completed` if this sequence fails.
    ///
    /// - Parameter element: replaces the error, which may be any error.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        LinearOperator(asObservable(), settings: element, sinkType: CatchAndReturnSink<Element>.self)
    }

    /// The former name of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    @inlinable
    public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
        LinearOperator(asObservable(), settings: element, sinkType: CatchAndReturnSink<Element>.self)
    }
}

@usableFromInline
final class CatchAndReturnSink<Element>: OperatorSink<Element, Element, Element> {
    private let element: Element

    required init(_ element: Element, downstream: Sink<Element>) {
        self.element = element
        super.init(downstream: downstream)
    }

    @usableFromInline
    override func next(_ element: Element) { downstream.next(element) }

    @usableFromInline
    override func error(_ error: any Swift.Error) {
        if isCancelled { return }
        downstream.next(element)
        if !isCancelled { downstream.completed() }
    }
}
