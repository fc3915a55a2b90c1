extension ObservableType {
    /// Turns the events of this sequence into elements.
    ///
    /// A terminal event is sent as an element too, followed by `completed`: the result never fails.
    /// - SeeAlso: [Materialize](https://reactivex.io/documentation/operators/materialize-dematerialize.html)
    @inlinable
    public func materialize() -> Observable<Event<Element>> {
        Materialize(source: asObservable()) { element, downstream in
            downstream.next(.next(element))
        }
    }
}

@usableFromInline
final class Materialize<Element>: Observable<Event<Element>> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let emit: (Element, Sink<Event<Element>>) -> Void
    @usableFromInline let sinkType: MaterializeSink<Element>.Type

    /// - Parameter emit: sends an element's event. A closure of the caller's module, which needs no look-up of the event's metadata.
    @inlinable
    init(source: Observable<Element>, emit: @escaping (Element, Sink<Event<Element>>) -> Void) {
        self.source = source
        self.emit = emit
        self.sinkType = MaterializeSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Event<Element>>) {
        source.subscribeCore(sinkType.init(emit: emit, downstream: downstream))
    }
}

@usableFromInline
final class MaterializeSink<Element>: LinearSink<Element, Event<Element>> {
    private let emit: (Element, Sink<Event<Element>>) -> Void

    required init(emit: @escaping (Element, Sink<Event<Element>>) -> Void, downstream: Sink<Event<Element>>) {
        self.emit = emit
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { emit(element, downstream) }

    override func error(_ error: any Swift.Error) { end(.error(error)) }

    override func completed() { end(.completed) }

    private func end(_ event: Event<Element>) {
        if isCancelled { return }
        downstream.next(event)
        if !isCancelled { downstream.completed() }
    }

    override func upstreamReleased() { downstream.upstreamReleased() }
}
