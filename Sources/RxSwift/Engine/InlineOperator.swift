/// An operator that is all in one closure: `map` and `filter`.
///
/// The closure is compiled where the operator is called, so it knows the type of the elements and may have the user's closure
/// inlined. A stage of its own class per operator, here in the library, would see both only through indirect calls.
@usableFromInline
final class InlineOperator<Element, Output>: Observable<Output> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let handle: (Element, InlineSink<Element, Output>) -> Void
    @usableFromInline let sinkType: InlineSink<Element, Output>.Type

    /// - Parameter handle: calls `emit` or `fail` of the sink at most once, and then returns.
    @inlinable
    init(source: Observable<Element>, handle: @escaping (Element, InlineSink<Element, Output>) -> Void) {
        self.source = source
        self.handle = handle
        sinkType = InlineSink<Element, Output>.self
        super.init()
    }

    override func attach(_ downstream: Sink<Output>) {
        source.attach(sinkType.init(handle: handle, downstream: downstream))
    }
}

@usableFromInline
final class InlineSink<Element, Output>: LinearSink<Element, Output> {
    private let handle: (Element, InlineSink<Element, Output>) -> Void

    required init(handle: @escaping (Element, InlineSink<Element, Output>) -> Void, downstream: Sink<Output>) {
        self.handle = handle
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) { handle(element, self) }

    override func sourceVanished() { downstream.sourceVanished() }

    /// Passes an element on, unless the user's closure has disposed of the subscription.
    @inlinable @inline(__always)
    func emit(_ element: Output) {
        if !isCancelled { downstream.next(element) }
    }
}
