extension ObservableType {
    /// Sends an element if the sequence completes without one.
    ///
    /// - Parameter default: sent when an empty sequence completes, followed by `completed`.
    /// - SeeAlso: [DefaultIfEmpty](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    public func ifEmpty(default: Element) -> Observable<Element> {
        DefaultIfEmpty(source: asObservable(), default: `default`)
    }
}

@usableFromInline
final class DefaultIfEmpty<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let `default`: Element
    @usableFromInline let sinkType: DefaultIfEmptySink<Element>.Type

    @inlinable
    init(source: Observable<Element>, default: Element) {
        self.source = source
        self.default = `default`
        self.sinkType = DefaultIfEmptySink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(default: `default`, downstream: downstream))
    }
}

@usableFromInline
final class DefaultIfEmptySink<Element>: LinearSink<Element, Element> {
    private let `default`: Element
    private var isEmpty = true

    required init(default: Element, downstream: Sink<Element>) {
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

    override func upstreamReleased() { downstream.upstreamReleased() }
}
