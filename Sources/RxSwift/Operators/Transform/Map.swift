extension ObservableType {
    /// Transforms each element.
    ///
    /// - Parameter transform: runs once per element, on the thread that emits it; what it throws ends the sequence with an error.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        Map(source: asObservable(), transform: transform)
    }
}

@usableFromInline
final class Map<Element, Result>: Observable<Result> {
    @usableFromInline let source: Observable<Element>
    @usableFromInline let transform: (Element) throws -> Result
    @usableFromInline let sinkType: MapSink<Element, Result>.Type

    @inlinable
    init(source: Observable<Element>, transform: @escaping (Element) throws -> Result) {
        self.source = source
        self.transform = transform
        self.sinkType = MapSink<Element, Result>.self
        super.init()
    }

    @usableFromInline
    override func attach(_ downstream: Sink<Result>) {
        source.attach(sinkType.init(transform: transform, downstream: downstream))
    }
}

@usableFromInline
final class MapSink<Element, Result>: LinearSink<Element, Result> {
    @usableFromInline let transform: (Element) throws -> Result

    required init(transform: @escaping (Element) throws -> Result, downstream: Sink<Result>) {
        self.transform = transform
        super.init(downstream: downstream)
    }

    @usableFromInline
    override func next(_ element: Element) {
        do {
            let result = try transform(element)
            if !isCancelled { downstream.next(result) }
        } catch {
            fail(error)
        }
    }

    override func sourceVanished() { downstream.sourceVanished() }
}
