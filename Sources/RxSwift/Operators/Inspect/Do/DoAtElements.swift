/// The part of `do` that runs closures at elements.
@usableFromInline
final class DoAtElements<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let onNext: (Element) throws -> Void
    @usableFromInline let afterNext: (Element) throws -> Void
    @usableFromInline let sinkType: DoAtElementsSink<Element>.Type

    @inlinable
    init(
        source: Observable<Element>, onNext: ((Element) throws -> Void)?, afterNext: ((Element) throws -> Void)?
    ) {
        self.source = source
        // Closures that do nothing: cheaper per element than to ask whether there is one, which would retain it.
        self.onNext = onNext ?? { _ in }
        self.afterNext = afterNext ?? { _ in }
        self.sinkType = DoAtElementsSink<Element>.self
        super.init()
    }

    override func attach(_ downstream: Sink<Element>) {
        source.attach(sinkType.init(onNext: onNext, afterNext: afterNext, downstream: downstream))
    }
}

@usableFromInline
final class DoAtElementsSink<Element>: LinearSink<Element, Element> {
    private let onNext: (Element) throws -> Void
    private let afterNext: (Element) throws -> Void

    required init(
        onNext: @escaping (Element) throws -> Void, afterNext: @escaping (Element) throws -> Void,
        downstream: Sink<Element>
    ) {
        self.onNext = onNext
        self.afterNext = afterNext
        super.init(downstream: downstream)
    }

    /// See `DoAtTerminationSink`.
    override var isFinal: Bool { downstream.isFinal }

    override func next(_ element: Element) {
        do {
            try onNext(element)
            if !isCancelled { downstream.next(element) }
            try afterNext(element)
        } catch {
            fail(error)
        }
    }
}
