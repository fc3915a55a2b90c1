extension ObservableType {
    /// The only element of the sequence, if there is one, sent when the sequence completes.
    ///
    /// Ends with `RxError.moreThanOneElement` at a second element.
    /// - SeeAlso: [First](https://reactivex.io/documentation/operators/first.html)
    @inlinable
    public func asMaybe() -> Maybe<Element> {
        PrimitiveSequence(raw: AsMaybe(source: asObservable()))
    }
}

@usableFromInline
final class AsMaybe<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let sinkType: AsMaybeSink<Element>.Type

    @inlinable
    init(source: Observable<Element>) {
        self.source = source
        self.sinkType = AsMaybeSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(downstream: downstream))
    }
}

@usableFromInline
final class AsMaybeSink<Element>: LinearSink<Element, Element> {
    private var element: Element?
    /// True once the sequence has ended; set before the terminal event is sent.
    private var hasEnded = false

    required override init(downstream: Sink<Element>) {
        super.init(downstream: downstream)
    }

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

    override func upstreamReleased() { downstream.upstreamReleased() }
}
