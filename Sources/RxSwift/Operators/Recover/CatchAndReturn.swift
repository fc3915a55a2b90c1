extension ObservableType {
    /// Ends with an element and `completed` if this sequence fails.
    ///
    /// - Parameter element: replaces the error, which may be any error.
    /// - SeeAlso: [Catch](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    public func catchAndReturn(_ element: Element) -> Observable<Element> {
        CatchAndReturn(source: asObservable(), element: element)
    }

    /// The former name of `catchAndReturn(_:)`.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    @inlinable
    public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
        CatchAndReturn(source: asObservable(), element: element)
    }
}

@usableFromInline
final class CatchAndReturn<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let element: Element
    @usableFromInline let sinkType: CatchAndReturnSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, element: Element) {
        self.source = source
        self.element = element
        self.sinkType = CatchAndReturnSink<Element>.self
        super.init()
    }

    @usableFromInline
    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(element: element, downstream: downstream))
    }
}

@usableFromInline
final class CatchAndReturnSink<Element>: LinearSink<Element, Element> {
    private let element: Element

    required init(element: Element, downstream: Sink<Element>) {
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

    override func upstreamReleased() { downstream.upstreamReleased() }
}
