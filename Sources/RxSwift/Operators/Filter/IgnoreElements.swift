extension ObservableType {
    /// Drops all elements, and lets the terminal event through.
    ///
    /// - SeeAlso: [IgnoreElements](https://reactivex.io/documentation/operators/ignoreelements.html)
    @inlinable
    public func ignoreElements() -> Observable<Never> {
        IgnoreElements(source: asObservable())
    }
}

@usableFromInline
final class IgnoreElements<Element>: Observable<Never> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let sinkType: IgnoreElementsSink<Element>.Type

    @inlinable
    init(source: Observable<Element>) {
        self.source = source
        self.sinkType = IgnoreElementsSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Never>) {
        source.subscribeCore(sinkType.init(downstream: downstream))
    }
}

@usableFromInline
final class IgnoreElementsSink<Element>: LinearSink<Element, Never> {
    required override init(downstream: Sink<Never>) {
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {}

    override func upstreamReleased() { downstream.upstreamReleased() }
}
