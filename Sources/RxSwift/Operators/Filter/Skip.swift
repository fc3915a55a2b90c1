extension ObservableType {
    /// Drops a number of elements from the start.
    ///
    /// - Parameter count: the number of elements. Nothing is dropped if it is 0 or negative.
    /// - SeeAlso: [Skip](https://reactivex.io/documentation/operators/skip.html)
    @inlinable
    public func skip(_ count: Int) -> Observable<Element> {
        Skip(source: asObservable(), count: count)
    }
}

@usableFromInline
final class Skip<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let count: Int
    @usableFromInline let sinkType: SkipSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, count: Int) {
        self.source = source
        self.count = count
        self.sinkType = SkipSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(count: count, downstream: downstream))
    }
}

@usableFromInline
final class SkipSink<Element>: LinearSink<Element, Element> {
    private var remaining: Int

    required init(count: Int, downstream: Sink<Element>) {
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

    override func upstreamReleased() { downstream.upstreamReleased() }
}
