extension ObservableType {
    /// Drops elements as long as they satisfy a predicate; from the first that does not, all are let through.
    ///
    /// - Parameter predicate: runs for each element up to the first that is let through, on the thread that emits it; an error it
    ///   throws ends the sequence.
    /// - SeeAlso: [SkipWhile](https://reactivex.io/documentation/operators/skipwhile.html)
    @preconcurrency @inlinable
    public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        SkipWhile(source: asObservable(), predicate: predicate)
    }

    /// The former name of `skip(while:)`.
    ///
    /// - Parameter predicate: runs for each element up to the first that is let through.
    @preconcurrency
    @available(*, deprecated, renamed: "skip(while:)")
    public func skipWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        skip(while: predicate)
    }
}

@usableFromInline
final class SkipWhile<Element>: Observable<Element> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let predicate: (Element) throws -> Bool
    @usableFromInline let sinkType: SkipWhileSink<Element>.Type

    @inlinable
    init(source: Observable<Element>, predicate: @escaping (Element) throws -> Bool) {
        self.source = source
        self.predicate = predicate
        self.sinkType = SkipWhileSink<Element>.self
        super.init()
    }

    override func subscribeCore(_ downstream: Sink<Element>) {
        source.subscribeCore(sinkType.init(predicate: predicate, downstream: downstream))
    }
}

@usableFromInline
final class SkipWhileSink<Element>: LinearSink<Element, Element> {
    private let predicate: (Element) throws -> Bool
    private var isSkipping = true

    required init(predicate: @escaping (Element) throws -> Bool, downstream: Sink<Element>) {
        self.predicate = predicate
        super.init(downstream: downstream)
    }

    override func next(_ element: Element) {
        if !isSkipping { return downstream.next(element) }
        do {
            if try predicate(element) { return }
            isSkipping = false
            if !isCancelled { downstream.next(element) }
        } catch {
            fail(error)
        }
    }

    override func upstreamReleased() { downstream.upstreamReleased() }
}
