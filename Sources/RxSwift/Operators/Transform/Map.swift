// SPDX-License-Identifier: Apache-2.0

// A fusible operator, which works on raw pointers. To write a new linear operator, copy Filter/SkipWhile.swift instead.

extension ObservableType {
    /// Transforms each element.
    ///
    /// - Parameter transform: runs once per element, on the thread that emits it; an error it throws ends the sequence.
    /// - SeeAlso: [Map](https://reactivex.io/documentation/operators/map.html)
    @preconcurrency @inlinable
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> Observable<Result> {
        Map(
            source: asObservable(), transform: transform,
            work: !(_isPOD(Element.self) && _isPOD(Result.self))
                ? nil
                : { element, slot in
                    let result = try transform(element.assumingMemoryBound(to: Element.self).pointee)
                    slot.assumingMemoryBound(to: Result.self).initialize(to: result)
                    return .passed
                })
    }
}

@usableFromInline
final class Map<Element, Result>: FusibleOperator<Element, Result>, @unchecked Sendable {
    @usableFromInline let transform: (Element) throws -> Result
    @usableFromInline let sinkType: MapSink<Element, Result>.Type

    @inlinable
    init(source: Observable<Element>, transform: @escaping (Element) throws -> Result, work: FusedWork?) {
        self.transform = transform
        self.sinkType = MapSink<Element, Result>.self
        super.init(source: source, makes: true, work: work)
    }

    @usableFromInline
    override func makeStage(_ downstream: Sink<Result>) -> Sink<Element> {
        sinkType.init(transform: transform, downstream: downstream)
    }
}

@usableFromInline
final class MapSink<Element, Result>: LinearSink<Element, Result> {
    @usableFromInline let transform: (Element) throws -> Result

    required init(transform: @escaping (Element) throws -> Result, downstream: Sink<Result>) {
        self.transform = transform
        super.init(downstream: downstream)
    }

    package override var endingStage: AnySink? { downstream.endingStage }

    @usableFromInline
    override func next(_ element: Element) {
        do {
            let result = try transform(element)
            if !isCancelled { downstream.next(result) }
        } catch {
            fail(error)
        }
    }
}
