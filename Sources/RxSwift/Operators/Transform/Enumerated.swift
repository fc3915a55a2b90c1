extension ObservableType {
    /// Pairs each element with its index, counted from 0.
    ///
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @inlinable
    public func enumerated() -> Observable<(index: Int, element: Element)> {
        Enumerated(source: asObservable()) { index, element, downstream in
            downstream.next((index: index, element: element))
        }
    }
}

@usableFromInline
final class Enumerated<Element>: Observable<(index: Int, element: Element)> {
    @usableFromInline
    typealias Emit = (Int, Element, Sink<(index: Int, element: Element)>) -> Void

    @usableFromInline let source: Observable<Element>
    @usableFromInline let emit: Emit
    @usableFromInline let sinkType: EnumeratedSink<Element>.Type

    /// - Parameter emit: sends the pair. A closure of the caller's module, which needs no look-up of the pair's metadata.
    @inlinable
    init(source: Observable<Element>, emit: @escaping Emit) {
        self.source = source
        self.emit = emit
        self.sinkType = EnumeratedSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<(index: Int, element: Element)>) {
        source.subscribeCore(sinkType.init(emit: emit, downstream: downstream))
    }
}

@usableFromInline
final class EnumeratedSink<Element>: LinearSink<Element, (index: Int, element: Element)> {
    private let emit: Enumerated<Element>.Emit
    private var index = 0

    required init(
        emit: @escaping Enumerated<Element>.Emit, downstream: Sink<(index: Int, element: Element)>
    ) {
        self.emit = emit
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        let index = self.index
        self.index = index + 1
        emit(index, element, downstream)
    }

    override func upstreamReleased() { downstream.upstreamReleased() }
}
